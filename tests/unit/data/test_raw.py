"""Fetching, against a real server that is well, ill, hostile or dead."""

import gzip
import hashlib
import os
from pathlib import Path

import pytest

from lincon.data import raw as raw_files
from lincon.data.raw import fetch, in_folders, is_placeholder, lacking
from lincon.errors import UserError
from tests import real_data
from tests.server import Answer, Server, cut_off, dead_address, head, healthy, raw, redirect, status

BODY = b"arm,mean,value\n" * 5000
SHA256 = hashlib.sha256(BODY).hexdigest()
CAP = 100_000


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    for name, value in {
        "TIMEOUT": (1.0, 0.5),
        "TOTAL": 3.0,
        "PAUSE": 0.01,
        "MAX_BYTES": CAP,
    }.items():
        monkeypatch.setattr(raw_files, name, value)


def get(folder: Path, server: Server | None = None, **changes) -> str:
    entry = {"sha256": SHA256}
    entry |= {"address": f"{server.address}/data.csv"} if server else {}
    mirrors = changes.pop("mirrors", [])
    return fetch(folder / "data.csv", entry | changes, mirrors)


def left(folder: Path) -> list[str]:
    """Everything in the folder, temporary files included."""
    return sorted(os.listdir(folder)) if folder.exists() else []


def test_a_file_is_downloaded_from_where_it_moved_to(server, tmp_path):
    server.files["data.csv"] = [redirect("/moved/data.csv")]
    server.files["moved/data.csv"] = [healthy(BODY)]
    assert get(tmp_path, server).endswith(f"got from {server.address}/data.csv")
    assert left(tmp_path) == ["data.csv"]
    assert (tmp_path / "data.csv").read_bytes() == BODY


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (status(500), "answers 500, 3 tries"),
        (cut_off(BODY), "cut off, 3 tries"),
        (cut_off(BODY, 0.6), "no answer in time, 3 tries"),
    ],
)
def test_servers_that_are_ill_are_asked_again(server, tmp_path, answer, reason):
    server.files["data.csv"] = [answer]
    with pytest.raises(UserError, match=f"could not be downloaded: .*{reason}") as raised:
        get(tmp_path, server)
    assert f"save it as {tmp_path / 'data.csv'}" in str(raised.value)
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
    "dripping body": (raw(head(), *[bytes(400)] * 900, pause=0.1), "not finished within 3 s"),
    "a byte at a time": (raw(head(), *[b"x"] * 900, pause=0.02), "not finished within 3 s"),
    "a captive portal": (healthy(b"<!DOCTYPE html><title>Hotel</title>"), "is there a login"),
    "a redirect to a file": (redirect("file:///etc/passwd"), "no usable answer"),
    "the right bytes with one changed": (healthy(b"A" + BODY[1:]), f"expected sha256 {SHA256}"),
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


def test_a_present_file_is_kept_if_it_is_the_pinned_one_and_replaced_otherwise(server, tmp_path):
    (tmp_path / "data.csv").write_bytes(BODY)
    assert "it is there" in get(tmp_path, server)
    assert server.asked == []
    (tmp_path / "data.csv").write_bytes(b"my own")
    with pytest.raises(UserError, match=f"expected sha256 {SHA256}, got sha256 .*answers 404"):
        get(tmp_path, server)
    assert (tmp_path / "data.csv").read_bytes() == b"my own"
    server.files["data.csv"] = [healthy(BODY)]
    get(tmp_path, server)
    assert (tmp_path / "data.csv").read_bytes() == BODY


def test_an_address_is_a_mirror_and_its_password_is_not_shown(server, tmp_path):
    server.files["data.csv"] = [healthy(BODY)]
    mirror = server.address.replace("://", "://ann:secret@") + "/"
    found = get(tmp_path, mirrors=[mirror], address=dead_address())
    assert found.endswith(f"got from {server.address}/data.csv")
    with pytest.raises(UserError) as said:
        fetch(tmp_path / "other.csv", {"sha256": SHA256}, [mirror])
    assert server.address in str(said.value)
    assert "ann" not in str(said.value) and "secret" not in str(said.value)


def test_places_are_asked_in_turn_and_in_the_end_it_is_said_which_gave_what(server, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "data.csv").touch()
    (tmp_path / "data.csv").write_bytes(b"another")
    dead = dead_address()
    mirrors = [str(tmp_path / "none"), str(tmp_path / "empty"), str(tmp_path), dead]
    with pytest.raises(UserError, match="has the wrong checksum at every source") as raised:
        get(tmp_path / "raw", server, mirrors=mirrors)
    message = str(raised.value)
    parts = (
        f"{tmp_path}/none/data.csv (no file that can be read)",
        f"{tmp_path}/empty/data.csv (an empty file)",
        f"{tmp_path}/data.csv (expected sha256 {SHA256}, got sha256",
        f"{dead}/data.csv (no connection, 3 tries)",
        f"{server.address}/data.csv (answers 404)",
    )
    places = [message.index(part) for part in parts]
    assert places == sorted(places) and "\n" not in message
    assert left(tmp_path / "raw") == []
    (tmp_path / "data.csv").write_bytes(BODY)
    assert get(tmp_path / "raw", server, mirrors=mirrors).endswith(f"from {tmp_path}/data.csv")


@pytest.mark.parametrize("mirror", ["/" + "x" * 5000, "~nobody_of_that_name/raw", "fifo"])
def test_a_mirror_that_cannot_be_looked_into_is_passed_over(tmp_path, mirror):
    (tmp_path / "fifo").mkdir()
    os.mkfifo(tmp_path / "fifo" / "data.csv")  # which would be waited for
    (tmp_path / "data.csv").write_bytes(BODY)
    places = [str(tmp_path / mirror) if mirror == "fifo" else mirror, str(tmp_path)]
    assert not in_folders("data.csv", places[:1])
    assert in_folders("data.csv", [dead_address(), *places])
    assert get(tmp_path / "raw", mirrors=places).endswith(f"from {tmp_path}/data.csv")


def test_a_git_blob_pins_a_file(tmp_path):
    """The id that `git hash-object` gives for these bytes."""
    (tmp_path / "data.csv").write_bytes(b"hello\n")
    blob = "ce013625030ba8dba906f756967f9e9ca394464a"
    get(tmp_path, sha256=None, git_blob=blob)
    with pytest.raises(UserError, match=f"expected git_blob {'0' * 40}, got git_blob {blob}"):
        get(tmp_path, sha256=None, git_blob="0" * 40)


def test_a_file_put_by_hand_needs_no_checksum_and_its_absence_says_how(tmp_path):
    path = tmp_path / "coupon_visit_train.csv"
    file = real_data.CONFIG["datasets"]["coupon_raw"]["files"][path.name]
    with pytest.raises(UserError) as raised:
        fetch(path, file, [])
    for part in ("https://www.kaggle.com/", "download coupon_visit_train.csv", f"put it at {path}"):
        assert part in str(raised.value)
    path.write_bytes(BODY)
    assert "it is there" in fetch(path, file, [])


def test_what_nobody_delivers_leaves_a_placeholder_which_counts_as_absent(tmp_path):
    path = tmp_path / "data.csv"
    said = fetch(path, {"sha256": SHA256}, [], "auto")
    assert "data.csv is left empty" in said and "could not be downloaded" in said
    assert is_placeholder(path)
    with pytest.raises(UserError, match="could not be downloaded: no mirror and no address to try"):
        fetch(path, {"sha256": SHA256}, [], "real")


def test_wrong_bytes_are_an_error_unless_the_file_is_optional(tmp_path):
    (tmp_path / "data.csv").write_bytes(b"other")
    place, entry, mirrors = tmp_path / "raw" / "data.csv", {"sha256": SHA256}, [str(tmp_path)]
    for data in ("auto", "real"):
        with pytest.raises(UserError, match="wrong checksum"):
            fetch(place, entry, mirrors, data)
    assert "it is left out" in fetch(place, entry, mirrors, "optional")
    place.write_bytes(b"my own")
    with pytest.raises(UserError, match="wrong checksum"):
        fetch(place, entry, [], "optional")
    assert place.read_bytes() == b"my own"


def test_only_the_pinned_bytes_are_the_real_data(tmp_path):
    (tmp_path / "coupon_purchase.npy").touch()
    (tmp_path / "edX-Course.csv").write_text("other")
    assert real_data.missing(tmp_path) == ["coupon_purchase.npy", "edX-Course.csv"]
    with pytest.raises(UserError, match="checksum mismatch"):
        real_data.real_arms(tmp_path)
    (tmp_path / "data.csv").write_bytes(BODY)
    assert lacking({"files": {"data.csv": {"sha256": SHA256}}}, tmp_path) == []
