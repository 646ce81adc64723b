"""Servers that are hostile, each with a word of the reason for which it must be refused."""

from __future__ import annotations

import gzip
import hashlib
import os
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
}
MORE: dict[str, tuple[Answer, str]] = {
    "endless head": (endless(b"HTTP/1.1 200 OK\r\n", b"X-More: 1\r\n"), "no"),
    "endless header line": (endless(b"HTTP/1.1 200 OK\r\nX: ", b"O" * 1000), "no"),
    "endless chunk size": (endless(head("Transfer-Encoding: chunked"), b"1" * 1000), "cut off"),
    "a bad chunk size": (raw(head("Transfer-Encoding: chunked") + b"zz\r\nhello\r\n"), "cut off"),
    "chunks without an end": (raw(head("Transfer-Encoding: chunked") + CHUNK), "cut off"),
    "endless trailers": (
        endless(head("Transfer-Encoding: chunked") + b"5\r\nhello\r\n0\r\n", b"X: 1\r\n"),
        "",
    ),
    "dripping chunks": (
        dripping(head("Transfer-Encoding: chunked") + b"1\r\na\r\n" * 999, 0.05, 60),
        "not finished",
    ),
    "a length that is not a number": (raw(head("Content-Length: many") + BODY), ""),
    "two lengths": (raw(head("Content-Length: 5", "Content-Length: 6") + BODY), ""),
    "a length of zero": (raw(head("Content-Length: 0")), "an empty file"),
    "gzip that is none": (raw(head("Content-Encoding: gzip") + BODY), "no usable answer"),
    "not HTTP": (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), "no"),
    "nothing at all": (raw(b""), "no connection"),
    "a redirect to a bad host": (redirect("http://[bad/"), "no usable answer"),
    "partial content": (raw(head(LENGTH, status="206 Partial Content") + BODY[:99]), "cut off"),
    "no content": (raw(head(status="204 No Content")), "an empty file"),
    "forbidden": (status(403), "answers 403"),
    "too many requests": (status(429), "answers 429, 2 tries"),
    "unavailable": (status(503), "answers 503, 2 tries"),
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
