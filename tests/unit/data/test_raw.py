"""Downloads, against a real server that is healthy, faulty, hostile or down."""

import gzip
import hashlib
import os
from pathlib import Path

import pytest

from lincon.data import raw as raw_files
from lincon.data.raw import fetch, is_placeholder
from lincon.errors import UserError
from tests import real_data
from tests.server import Answer, Server, cut_off, dead_address, head, healthy, raw, redirect, status

BODY = b"arm,mean,value\n" * 5000
SHA256 = hashlib.sha256(BODY).hexdigest()
CAP = 100_000


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    limits = {"TIMEOUT": (1.0, 0.5), "TOTAL": 2.0, "PAUSE": 0.01, "MAX_BYTES": CAP}
    for name, value in limits.items():
        monkeypatch.setattr(raw_files, name, value)


def get(folder: Path, server: Server | None = None, required: bool = True, **changes) -> str:
    entry = {"sha256": SHA256}
    entry |= {"address": f"{server.address}/data.csv"} if server else {}
    return fetch(folder / "data.csv", entry | changes, required)


def left(folder: Path) -> list[str]:
    """Everything in the folder, temporary files included."""
    return sorted(os.listdir(folder)) if folder.exists() else []


def test_a_file_is_downloaded_from_where_it_moved_to(server, tmp_path):
    server.files["data.csv"] = [redirect("/moved/data.csv")]
    server.files["moved/data.csv"] = [healthy(BODY)]
    assert get(tmp_path, server).endswith(f"downloaded from {server.address}/data.csv")
    assert left(tmp_path) == ["data.csv"]
    assert (tmp_path / "data.csv").read_bytes() == BODY


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (status(500), "answers 500, 3 tries"),
        (status(429), "answers 429, 3 tries"),
        (cut_off(BODY), "cut off, 3 tries"),
        (cut_off(BODY, 0.6), "no answer in time, 3 tries"),
    ],
)
def test_servers_that_are_ill_are_asked_again(server, tmp_path, answer, reason):
    server.files["data.csv"] = [answer]
    with pytest.raises(UserError, match=f"could not be downloaded .*{reason}") as raised:
        get(tmp_path, server)
    assert f"save the file as {tmp_path / 'data.csv'}" in str(raised.value)
    assert len(server.asked) == 3 and left(tmp_path) == []
    server.files["data.csv"] = [answer, healthy(b"shorter than what came first")]
    get(tmp_path, server, sha256=None)
    assert (tmp_path / "data.csv").read_bytes() == b"shorter than what came first"


BOMB = gzip.compress(bytes(10 * CAP))
# What the server does, and a word of the reason that must be given.
HOSTILE: dict[str, tuple[Answer, str]] = {
    "not there": (status(404), "answers 404)"),
    "nothing at all": (raw(b""), "no connection"),
    "a length of zero": (raw(head("Content-Length: 0")), "an empty file"),
    "endless body": (raw(head(), *[bytes(30_000)] * 900), "more than 100,000 bytes"),
    "a gzip bomb": (raw(head("Content-Encoding: gzip") + BOMB), "more than 100,000 bytes"),
    "dripping body": (raw(head(), *[bytes(400)] * 900, pause=0.1), "not finished within 2 s"),
    "a byte at a time": (raw(head(), *[b"x"] * 900, pause=0.02), "not finished within 2 s"),
    "a captive portal": (healthy(b"<!DOCTYPE html><title>Hotel</title>"), "is there a login"),
    "a redirect to a file": (redirect("file:///etc/passwd"), "no usable answer"),
    "a redirect to itself": (redirect("/data.csv"), "its redirects form a loop"),
    "the right bytes with one changed": (healthy(b"A" + BODY[1:]), f"instead of {SHA256}"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_servers_are_refused_and_nothing_is_kept(server, tmp_path, name):
    answer, reason = HOSTILE[name]
    server.files["data.csv"] = [answer]
    with pytest.raises(UserError) as raised:
        get(tmp_path, server)
    assert reason in str(raised.value) and "\n" not in str(raised.value)
    assert f"{server.address}/data.csv" in str(raised.value)
    assert left(tmp_path) == []


def test_without_a_connection_the_pause_between_tries_grows(tmp_path, monkeypatch):
    pauses: list[float] = []
    monkeypatch.setattr(raw_files, "sleep", pauses.append)
    with pytest.raises(UserError, match="no connection, 3 tries"):
        get(tmp_path, address=f"{dead_address()}/data.csv")
    assert pauses == pytest.approx([0, 0.01, 0.02])


def test_a_present_file_is_taken_with_the_pinned_bytes_and_never_replaced(server, tmp_path):
    server.files["data.csv"] = [healthy(BODY)]
    path = tmp_path / "data.csv"
    path.write_bytes(BODY)
    assert "it is there" in get(tmp_path, server)
    path.write_bytes(b"my own")
    for required in (True, False):
        with pytest.raises(UserError, match=f"expected sha256 {SHA256}, got .*; delete it to"):
            get(tmp_path, server, required)
    assert path.read_bytes() == b"my own" and server.asked == []
    assert "it is there" in get(tmp_path, server, sha256=None)


def test_a_file_that_is_not_required_is_left_empty_and_replaced_once_it_can_be(server, tmp_path):
    text = get(tmp_path, required=False, address=f"{dead_address()}/data.csv")
    assert "data.csv is left empty, stand-in arms take its place" in text
    assert is_placeholder(tmp_path / "data.csv")
    server.files["data.csv"] = [healthy(b"another")]
    with pytest.raises(UserError, match="checksum mismatch"):
        get(tmp_path, server, required=False)
    server.files["data.csv"] = [healthy(BODY)]
    get(tmp_path, server)
    assert (tmp_path / "data.csv").read_bytes() == BODY


def test_a_password_in_an_address_is_not_shown(server, tmp_path):
    address = f"{server.address.replace('://', '://ann:secret@')}/data.csv"
    with pytest.raises(UserError) as refusal:
        get(tmp_path, address=address)
    server.files["data.csv"] = [healthy(BODY)]
    for text in (str(refusal.value), get(tmp_path, address=address)):
        assert server.address in text and "ann" not in text and "secret" not in text


def test_a_file_without_an_address_is_put_there_by_hand(tmp_path):
    with pytest.raises(UserError, match=r"it has no address .* save the file as .*data\.csv"):
        get(tmp_path)


def test_only_the_pinned_bytes_are_the_real_data(tmp_path):
    (tmp_path / "coupon_purchase.npy").touch()
    (tmp_path / "edX-Course.csv").write_text("other")
    assert real_data.missing(tmp_path) == ["coupon_purchase.npy", "edX-Course.csv"]
