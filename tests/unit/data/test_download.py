"""Downloads from servers that are hostile: bounded in size and time, and nothing of it is kept."""

from __future__ import annotations

import gzip
import hashlib
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from lincon.data.download import Patience
from lincon.data.fetch import Unreachable, fetch
from lincon.data.raw import WrongBytes
from tests.server import Answer, Server, dripping, endless, head, healthy, raw, redirect, status

BODY = b"arm,mean,value\n" * 500
SHA256 = hashlib.sha256(BODY).hexdigest()
CAP = 100_000
IMPATIENT = Patience(connect=1.0, read=0.5, total=1.0, tries=2, pause=0.01)
LENGTH = f"Content-Length: {len(BODY)}"
BOMB = gzip.compress(bytes(10 * CAP))
CHUNK = b"8000\r\n" + bytes(0x8000) + b"\r\n"
PORTAL = b"<!DOCTYPE html><title>Welcome to the hotel</title>"

# What the server does, and a word of the reason that must be given.
HOSTILE: dict[str, tuple[Answer, str]] = {
    "endless body without a length": (endless(head("Server: x"), bytes(30_000)), "max_bytes"),
    "endless chunks": (endless(head("Transfer-Encoding: chunked"), CHUNK), "max_bytes"),
    "a huge length": (raw(head("Content-Length: 999999999999")), "cut off"),
    "more than announced": (raw(head("Content-Length: 5") + BODY), "got sha256"),
    "less than announced": (raw(head("Content-Length: 9000") + BODY), "cut off"),
    "a gzip bomb": (
        raw(head("Content-Encoding: gzip", f"Content-Length: {len(BOMB)}") + BOMB),
        "max_bytes",
    ),
    "dripping body": (dripping(head(LENGTH) + BODY, 0.1, 80), "not finished within 1 s"),
    "dripping head": (dripping(head(LENGTH) + BODY, 0.1), "not finished within 1 s"),
    "a captive portal": (healthy(PORTAL), "a web page"),
    "a redirect to a file": (redirect("file:///etc/passwd"), "no usable answer"),
    "an endless redirect": (redirect("/data.csv"), "redirects"),
    "a bad chunk size": (raw(head("Transfer-Encoding: chunked") + b"zz\r\nhello\r\n"), "cut off"),
    "a length of zero": (raw(head("Content-Length: 0")), "an empty file"),
    "gzip that is none": (raw(head("Content-Encoding: gzip") + BODY), "no usable answer"),
    "not HTTP": (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), "no"),
    "nothing at all": (raw(b""), "no connection"),
    "too many requests": (status(429), "answers 429, 2 tries"),
    "the right bytes with one changed": (healthy(b"A" + BODY[1:]), "got sha256"),
}


def refused(server: Server, folder: Path, answer: Answer, reason: str) -> None:
    server.files["data.csv"] = [answer]
    address = f"{server.address}/data.csv"
    with pytest.raises((Unreachable, WrongBytes)) as raised:
        fetch("data.csv", folder, SHA256, address, (), IMPATIENT, None, CAP)
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)
    assert os.listdir(folder) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_servers_are_refused_and_nothing_is_kept(server, tmp_path, name):
    refused(server, tmp_path, *HOSTILE[name])


def test_an_answer_that_comes_after_the_end_of_the_time_leaves_nothing(server, tmp_path):
    given_up = threading.Event()

    def late(request):
        given_up.wait(30)
        healthy(BODY)(request)

    server.files["data.csv"] = [late]
    hasty = replace(IMPATIENT, read=30.0, total=0.2)
    with pytest.raises(Unreachable, match=r"not finished within 0\.2 s"):
        fetch("data.csv", tmp_path, SHA256, f"{server.address}/data.csv", patience=hasty)
    given_up.set()
    for thread in threading.enumerate():
        if thread.name.startswith("download"):
            thread.join(30)
    assert os.listdir(tmp_path) == []


def test_a_redirect_within_http_is_followed(server, tmp_path):
    server.files["data.csv"] = [redirect("/moved/data.csv")]
    server.files["moved/data.csv"] = [redirect(f"{server.address}/again.csv", 308)]
    server.files["again.csv"] = [healthy(BODY)]
    fetch("data.csv", tmp_path, SHA256, f"{server.address}/data.csv", patience=IMPATIENT)
    assert (tmp_path / "data.csv").read_bytes() == BODY


def test_a_body_in_chunks_is_read(server, tmp_path):
    chunked = f"{len(BODY):x}\r\n".encode() + BODY + b"\r\n0\r\n\r\n"
    server.files["data.csv"] = [raw(head("Transfer-Encoding: chunked") + chunked)]
    fetch("data.csv", tmp_path, SHA256, f"{server.address}/data.csv", patience=IMPATIENT)
    assert (tmp_path / "data.csv").read_bytes() == BODY
