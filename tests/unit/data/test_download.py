"""Downloads from servers that are hostile: bounded in size and time, and nothing of it is kept."""

from __future__ import annotations

import ipaddress
import os
import threading
from dataclasses import replace

import pytest

from lincon.data import download
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


def test_there_are_forty_hostile_servers_in_all():
    assert len(HOSTILE | MORE) >= 40


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


@pytest.fixture
def public(monkeypatch):
    """As if 127.0.0.1 were an address of the public Internet; other hosts are as they are."""
    known = {"127.0.0.1": ["93.184.216.34"]}
    true = download.ip_addresses

    def ip_addresses(host):
        return [ipaddress.ip_address(ip) for ip in known.get(host, [])] or true(host)

    monkeypatch.setattr(download, "ip_addresses", ip_addresses)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.2", "169.254.169.254", "10.1.2.3", "[::1]"])
def test_no_redirect_leads_from_a_public_address_into_a_private_network(
    server, tmp_path, public, host
):
    port = server.address.rpartition(":")[2]
    server.files["secret"] = [healthy(BODY)]
    refused(server, tmp_path, redirect(f"http://{host}:{port}/secret"), "private network")
    assert server.asked == ["data.csv"]


@pytest.mark.parametrize("host", ["127.0.0.2:{port}\\@8.8.8.8", "%31%32%37.0.0.2:{port}"])
def test_a_redirect_is_judged_by_the_host_that_would_be_asked(server, tmp_path, public, host):
    """Two readers of addresses can disagree about which part of one is the host."""
    port = server.address.rpartition(":")[2]
    location = f"http://{host.format(port=port)}/secret"
    refused(server, tmp_path, redirect(location), "private network")
    assert server.asked == ["data.csv"]


def test_a_mirror_in_a_private_network_may_redirect_within_it(server, tmp_path):
    port = server.address.rpartition(":")[2]
    server.files["data.csv"] = [redirect(f"http://localhost:{port}/moved.csv")]
    server.files["moved.csv"] = [healthy(BODY)]
    fetch("data.csv", tmp_path, SHA256, mirrors=[server.address], patience=IMPATIENT)
    assert (tmp_path / "data.csv").read_bytes() == BODY


@pytest.mark.parametrize(
    ("address", "private"),
    [
        *(("http://8.8.8.8/", False), ("http://[2001:4860:4860::8888]/", False)),
        *(("http://0.0.0.0/", True), ("http://192.168.1.1:80/", True), ("http://127.1/", True)),
        *(("http://[::ffff:127.0.0.1]/", True), ("http://[fe80::1]/", True)),
        *(("http://2130706433/", True), ("http://nobody.invalid/", False)),
    ],
)
def test_private_addresses_in_all_their_spellings(address, private):
    assert download.is_private(address) == private
