"""Fetching, against a real server that is well, ill or dead."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from lincon.data import download
from lincon.data.download import Patience
from lincon.data.fetch import Unreachable, fetch, obtain
from lincon.data.raw import WrongBytes, in_folders, is_placeholder, write_placeholder
from lincon.errors import UserError
from lincon.files import refusals
from tests.server import Server, cut_off, dead_address, healthy, stalled, status

BODY = b"arm,mean,value\n" * 5000
SHA256 = hashlib.sha256(BODY).hexdigest()
QUICK = Patience(connect=1.0, read=1.0, pause=0.01)
HASTY = Patience(connect=1.0, read=0.15, pause=0.01)


def get(folder: Path, server: Server | None = None, patience: Patience = QUICK, **changes):
    address = f"{server.address}/data.csv" if server else None
    arguments = {"sha256": SHA256, "address": address, "patience": patience, **changes}
    return fetch("data.csv", folder, **arguments)


def left(folder: Path) -> list[str]:
    """Everything in the folder, temporary files included."""
    return sorted(os.listdir(folder)) if folder.exists() else []


def test_a_healthy_server_delivers(server, tmp_path):
    server.files["data.csv"] = [healthy(BODY)]
    fetched = get(tmp_path / "raw", server)
    assert fetched.path.read_bytes() == BODY
    assert (fetched.sha256, fetched.origin) == (SHA256, f"{server.address}/data.csv")
    assert left(tmp_path / "raw") == ["data.csv"]


def test_the_file_has_its_name_only_when_it_is_whole(server, tmp_path):
    half_way = []

    def look() -> None:
        """Once the client has begun to write, which it may do a little after the server."""
        for _ in range(900):
            half_way[:] = left(tmp_path)
            if half_way:
                return
            time.sleep(0.001)

    server.files["data.csv"] = [healthy(BODY, look)]
    get(tmp_path, server)
    assert len(half_way) == 1 and half_way[0].startswith(".data.")
    assert left(tmp_path) == ["data.csv"]


@pytest.mark.parametrize(
    ("answer", "reason", "asked"),
    [
        (status(404), "answers 404", 1),
        (status(500), "answers 500, 3 tries", 3),
        (cut_off(BODY), "cut off, 3 tries", 3),
        (stalled(BODY, 0.5), "no answer in time, 3 tries", 3),
    ],
)
def test_servers_that_are_ill_are_asked_again_where_that_may_help(
    server, tmp_path, answer, reason, asked
):
    server.files["data.csv"] = [answer]
    with pytest.raises(Unreachable, match=reason) as raised:
        get(tmp_path, server, HASTY)
    assert f"save it as {tmp_path / 'data.csv'}" in str(raised.value)
    assert len(server.asked) == asked
    assert left(tmp_path) == []
    server.files["data.csv"] = [answer, healthy(BODY)]
    if asked > 1:
        assert get(tmp_path, server, HASTY).path.read_bytes() == BODY


@pytest.mark.parametrize("host", ["a port that nobody listens on", "http://nobody.invalid"])
def test_without_a_connection_the_pause_between_tries_grows(tmp_path, monkeypatch, host):
    address = host if "://" in host else dead_address()
    pauses: list[float] = []
    monkeypatch.setattr(download, "sleep", pauses.append)
    with pytest.raises(Unreachable, match="no connection, 3 tries"):
        get(tmp_path, None, Patience(connect=1, read=1, pause=0.5), address=f"{address}/data.csv")
    assert pauses == [0.5, 1.0]
    assert left(tmp_path) == []


def test_wrong_bytes_say_expected_and_got_and_from_where_and_keep_nothing(server, tmp_path):
    page = b"<html>log in to the wireless</html>"
    server.files["data.csv"] = [healthy(page)]
    with pytest.raises(WrongBytes) as raised:
        get(tmp_path, server)
    got = hashlib.sha256(page).hexdigest()
    for part in (f"expected sha256 {SHA256}", f"got sha256 {got}", f"{server.address}/data.csv"):
        assert part in str(raised.value)
    assert "a web page: is there a login in between?" in str(raised.value)
    assert len(server.asked) == 1 and left(tmp_path) == []


def test_a_present_file_is_kept_if_it_is_the_pinned_one_and_replaced_otherwise(server, tmp_path):
    (tmp_path / "data.csv").write_bytes(BODY)
    assert get(tmp_path, server).origin == str(tmp_path / "data.csv")
    assert server.asked == []
    (tmp_path / "data.csv").write_bytes(b"my own")
    with pytest.raises(WrongBytes, match=f"expected sha256 {SHA256}; .*got sha256 .*answers 404"):
        get(tmp_path, server)
    assert (tmp_path / "data.csv").read_bytes() == b"my own"
    server.files["data.csv"] = [healthy(BODY)]
    assert get(tmp_path, server).path.read_bytes() == BODY


def test_a_folder_is_a_mirror(server, tmp_path):
    (tmp_path / "data.csv").write_bytes(BODY)
    fetched = get(tmp_path / "raw", server, mirrors=[str(tmp_path)])
    assert fetched.origin == str(tmp_path / "data.csv")
    assert fetched.path.read_bytes() == BODY
    assert server.asked == []


@pytest.mark.parametrize("slash", ["", "/"])
def test_an_address_is_a_mirror_and_its_password_is_not_shown(server, tmp_path, slash):
    server.files["data.csv"] = [healthy(BODY)]
    mirror = server.address.replace("://", "://ann:secret@") + slash
    fetched = get(tmp_path, mirrors=[mirror], address=dead_address())
    assert fetched.origin == f"{server.address}/data.csv"
    with pytest.raises(Unreachable) as said:
        fetch("other.csv", tmp_path, SHA256, None, [mirror], patience=QUICK)
    assert server.address in str(said.value)
    assert "ann" not in str(said.value) and "secret" not in str(said.value)


def test_in_the_end_it_is_said_which_place_gave_what(server, tmp_path):
    write_placeholder(tmp_path / "empty" / "data.csv")
    (tmp_path / "data.csv").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    dead = dead_address()
    mirrors = [str(tmp_path / "none"), str(tmp_path / "empty"), str(tmp_path), dead]
    with pytest.raises(WrongBytes) as raised:
        get(tmp_path / "raw", server, mirrors=mirrors)
    message = str(raised.value)
    parts = (
        f"{tmp_path}/none/data.csv (no such file)",
        f"{tmp_path}/empty/data.csv (an empty file)",
        "a Git LFS pointer",
        f"{dead}/data.csv (no connection, 3 tries)",
        f"{server.address}/data.csv (answers 404)",
    )
    places = [message.index(part) for part in parts]
    assert places == sorted(places) and "\n" not in message
    assert left(tmp_path / "raw") == []
    server.files["data.csv"] = [healthy(BODY)]
    fetched = get(tmp_path / "raw", server, mirrors=mirrors)
    assert fetched.origin == f"{server.address}/data.csv"


def test_a_git_blob_pins_a_file(server, tmp_path):
    """The id that `git hash-object` gives for these bytes."""
    server.files["data.csv"] = [healthy(b"hello\n")]
    blob = "ce013625030ba8dba906f756967f9e9ca394464a"
    fetched = get(tmp_path, server, sha256=None, git_blob=blob)
    assert fetched.sha256 == hashlib.sha256(b"hello\n").hexdigest()
    with pytest.raises(WrongBytes, match=f"expected git blob {'0' * 40}.*got git blob ce0136250"):
        get(tmp_path / "raw", server, sha256=None, git_blob="0" * 40)


def test_a_placeholder_is_an_empty_file_and_counts_as_absent(server, tmp_path):
    path = tmp_path / "data.csv"
    assert not is_placeholder(path)
    write_placeholder(path)
    with pytest.raises(Unreachable):
        get(tmp_path, server)
    assert is_placeholder(path) and path.stat().st_size == 0
    server.files["data.csv"] = [healthy(BODY)]
    get(tmp_path, server)
    assert not is_placeholder(path) and path.read_bytes() == BODY


def test_a_file_put_by_hand_needs_no_checksum_and_its_absence_says_how(tmp_path):
    with pytest.raises(UserError) as raised:
        fetch("coupon_visit_train.csv", tmp_path)
    path = tmp_path / "coupon_visit_train.csv"
    for part in ("log in to Kaggle", "download coupon_visit_train.csv", f"put it at {path}"):
        assert part in str(raised.value)
    path.write_bytes(BODY)
    assert fetch("coupon_visit_train.csv", tmp_path).sha256 == SHA256


def test_a_folder_that_is_a_file_is_said(server, tmp_path):
    (tmp_path / "raw").write_text("not a folder")
    server.files["data.csv"] = [healthy(BODY)]
    with pytest.raises(UserError, match="raw: File exists; nothing was left"), refusals():
        get(tmp_path / "raw", server)


@pytest.mark.parametrize("mirror", ["/" + "x" * 5000, "~nobody_of_that_name/raw", "fifo", "/dev"])
def test_a_mirror_that_cannot_be_looked_into_is_passed_over(tmp_path, mirror):
    (tmp_path / "fifo").mkdir()
    os.mkfifo(tmp_path / "fifo" / "data.csv")  # which would be waited for
    (tmp_path / "data.csv").write_bytes(BODY)
    places = [str(tmp_path / mirror) if mirror == "fifo" else mirror, str(tmp_path)]
    assert in_folders("data.csv", places[:1]) is None
    assert in_folders("data.csv", [dead_address(), *places]) == str(tmp_path / "data.csv")
    assert get(tmp_path / "raw", mirrors=places).path.read_bytes() == BODY


@pytest.mark.parametrize("data", ["auto", "optional"])
def test_what_nobody_delivers_leaves_a_placeholder(tmp_path, data):
    said = obtain(tmp_path / "data.csv", {"sha256": SHA256}, [], data)
    assert "data.csv is left empty" in said and "could not be downloaded" in said
    assert is_placeholder(tmp_path / "data.csv")


def test_wrong_bytes_are_an_error_unless_the_file_is_optional(tmp_path):
    (tmp_path / "data.csv").write_bytes(b"other")
    place, entry, mirrors = tmp_path / "raw" / "data.csv", {"sha256": SHA256}, [str(tmp_path)]
    for data in ("auto", "real"):
        with pytest.raises(WrongBytes):
            obtain(place, entry, mirrors, data)
    assert "it is left out" in obtain(place, entry, mirrors, "optional")
    place.write_bytes(b"my own")
    with pytest.raises(WrongBytes):
        obtain(place, entry, [], "optional")
    assert place.read_bytes() == b"my own"


def test_real_fails_without_the_file_and_says_when_it_has_it(tmp_path):
    with pytest.raises(Unreachable):
        obtain(tmp_path / "data.csv", {"sha256": SHA256}, [], "real")
    (tmp_path / "data.csv").write_bytes(BODY)
    assert f"sha256 {SHA256}" in obtain(tmp_path / "data.csv", {"sha256": SHA256}, [], "real")
