"""Servers that are hostile, each with a word of the reason for which it must be refused."""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
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
    "a huge length": (raw(head("Content-Length: 999999999999")), "announces 999,999,999,999"),
    "more than announced": (raw(head("Content-Length: 5") + BODY), "got sha256"),
    "less than announced": (raw(head("Content-Length: 9000") + BODY), "cut off"),
    "a gzip bomb": (
        raw(head("Content-Encoding: gzip", f"Content-Length: {len(BOMB)}") + BOMB),
        "encoding gzip",
    ),
    "dripping body": (dripping(head(LENGTH) + BODY, 0.1, 80), "not finished within 1 s"),
    "dripping head": (dripping(head(LENGTH) + BODY, 0.1), "not finished within 1 s"),
    "a captive portal": (healthy(PORTAL), "a web page"),
    "a redirect to a file": (redirect("file:///etc/passwd"), "not http(s)"),
    "an endless redirect": (redirect("/data.csv"), "redirects"),
}
MORE: dict[str, tuple[Answer, str]] = {
    "endless head": (endless(b"HTTP/1.1 200 OK\r\n", b"X-More: 1\r\n"), "no"),
    "endless status line": (endless(b"HTTP/1.1 200 ", b"O" * 1000), "no"),
    "endless header line": (endless(b"HTTP/1.1 200 OK\r\nX: ", b"O" * 1000), "no"),
    "endless chunk size": (endless(head("Transfer-Encoding: chunked"), b"1" * 1000), "cut off"),
    "a chunk size that is none": (
        raw(head("Transfer-Encoding: chunked") + b"zz\r\nhello\r\n"),
        "cut off",
    ),
    "a negative chunk size": (raw(head("Transfer-Encoding: chunked") + b"-5\r\nhello\r\n"), ""),
    "chunks cut off": (raw(head("Transfer-Encoding: chunked") + CHUNK[:-9]), "cut off"),
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
    "a negative length": (raw(head("Content-Length: -1") + BODY), ""),
    "two lengths": (raw(head("Content-Length: 5", "Content-Length: 6") + BODY), ""),
    "a length of zero": (raw(head("Content-Length: 0")), "an empty file"),
    "no body": (raw(head("Server: x")), "an empty file"),
    "deflate": (
        raw(head("Content-Encoding: deflate") + zlib.compress(BODY)),
        "encoding deflate",
    ),
    "brotli": (raw(head("Content-Encoding: br") + BODY), "encoding br"),
    "gzip twice": (raw(head("Content-Encoding: gzip, gzip") + BOMB), "encoding gzip, gzip"),
    "gzip that is none": (raw(head("Content-Encoding: gzip") + BODY), "encoding gzip"),
    "gzip as a transfer": (raw(head("Transfer-Encoding: gzip") + BOMB), ""),
    "not HTTP": (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), "no"),
    "nothing at all": (raw(b""), "no connection"),
    "binary junk": (raw(bytes(range(256)) * 10), "no"),
    "a redirect to nowhere": (raw(head(status="302 Found")), "redirects to nowhere"),
    "a redirect to ftp": (redirect("ftp://127.0.0.1/data.csv"), "not http(s)"),
    "a redirect to data": (redirect("data:text/plain,hello"), "not http(s)"),
    "a redirect to javascript": (redirect("javascript:alert(1)"), "not http(s)"),
    "a redirect to a bad host": (redirect("http://[bad/"), "no usable answer"),
    "a redirect to a bad port": (redirect("http://127.0.0.1:99999/"), "no usable answer"),
    "a redirect in a circle": (redirect("data.csv?again", 307), "answers 404"),
    "partial content": (raw(head(LENGTH, status="206 Partial Content") + BODY), "answers 206"),
    "no content": (raw(head(status="204 No Content")), "answers 204"),
    "not modified": (raw(head(status="304 Not Modified")), "answers 304"),
    "forbidden": (status(403), "answers 403"),
    "too many requests": (status(429), "answers 429, 2 tries"),
    "unavailable": (status(503), "answers 503, 2 tries"),
    "the right bytes with a tail": (healthy(BODY + b"\n"), "got sha256"),
    "the right bytes with one changed": (healthy(b"A" + BODY[1:]), "got sha256"),
    "the wrong bytes of the right length": (healthy(bytes(len(BODY))), "got sha256"),
}


def refused(server: Server, folder: Path, answer: Answer, reason: str) -> None:
    server.files["data.csv"] = [answer]
    address = f"{server.address}/data.csv"
    with pytest.raises((Unreachable, WrongBytes)) as raised:
        fetch("data.csv", folder, SHA256, address, (), IMPATIENT, "", None, CAP)
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)
    assert os.listdir(folder) == []
