"""Downloads from servers that are hostile: bounded in size and time, and nothing of it is kept."""

from __future__ import annotations

import os
import threading
from dataclasses import replace

import pytest

from lincon.data.fetch import Unreachable, fetch
from tests.hostile_servers import BODY, HOSTILE, IMPATIENT, MORE, SHA256, refused
from tests.server import head, healthy, raw, redirect


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_servers_are_refused_and_nothing_is_kept(server, tmp_path, name):
    refused(server, tmp_path, *HOSTILE[name])


@pytest.mark.long
@pytest.mark.parametrize("name", MORE)
def test_more_hostile_servers(server, tmp_path, name):
    refused(server, tmp_path, *MORE[name])


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
