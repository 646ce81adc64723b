"""Raw files: which bytes they must have, who has them, and how they are brought here.

Each place is asked in turn until one gives the pinned bytes. If none does, two cases are kept
apart, because they mean different things: some place delivered other bytes, which is an error, or
nobody could deliver, which may be answered with stand-in arms. An empty file, the placeholder,
marks the second case on disk.

A server may be slow or broken: a download is bounded in size and in time.
"""

import hashlib
import io
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from lincon.errors import UserError
from lincon.files import replacing

MAX_BYTES = 100_000_000  # of a download
TRIES = 3
# In seconds: to connect and without a single byte; for one address with all tries; before the
# second try, and longer before each further one.
TIMEOUT, TOTAL, PAUSE = (5.0, 30.0), 600.0, 1.0


class Failed(Exception):
    """One place did not deliver, and why; the next one is asked."""


class WrongBytes(Failed):
    """It delivered, but not the file that the config pins."""


def is_placeholder(path: str | os.PathLike[str]) -> bool:
    """Whether a file is empty: asked for, not reachable, to be replaced by stand-in arms."""
    return os.path.isfile(path) and os.path.getsize(path) == 0


def is_there(path: str | os.PathLike[str]) -> bool:
    return os.path.isfile(path) and not is_placeholder(path)


def file_sha256(path: str | os.PathLike[str]) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def file_git_blob(path: str | os.PathLike[str]) -> str:
    """The id under which git keeps the file: sha1 of `blob <size>`, a zero byte and the bytes."""
    content = Path(path).read_bytes()
    # Not for security: git chose it. Where a sha256 is known, that is the one to pin.
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def mismatch(path: str | os.PathLike[str], entry: Mapping[str, Any]) -> str:
    """How a file differs from the one that its entry in the config pins; empty if it does not."""
    for name, checksum in (("sha256", file_sha256), ("git_blob", file_git_blob)):
        if entry.get(name) and (got := checksum(path)) != entry[name]:
            start = Path(path).read_bytes()[:512].lstrip().lower()
            page = start.startswith((b"<!doctype html", b"<html"))
            cause = ", a web page: is there a login in between?" if page else ""
            size = f"{os.path.getsize(path):,} bytes"
            return f"expected {name} {entry[name]}, got {name} {got}, {size}{cause}"
    return ""


def checked(path: str | os.PathLike[str], entry: Mapping[str, Any]) -> str:
    """The file's sha256; refuses another file than the pinned one."""
    if difference := mismatch(path, entry):
        raise UserError(f"{path}: checksum mismatch, {difference}; only the pinned file is used")
    return entry.get("sha256") or file_sha256(path)


def lacking(entry: Mapping[str, Any], folder: str | os.PathLike[str]) -> list[str]:
    """The raw files of a dataset's entry that the folder does not hold with their pinned bytes."""
    places = {name: Path(folder) / name for name in entry["files"]}
    return [n for n, p in places.items() if not is_there(p) or mismatch(p, entry["files"][n])]


def is_address(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def without_passwords(text: str) -> str:
    """As addresses may be shown and kept: without the user's name and password."""
    return re.sub(r"(https?://)[^\s/@]*@", r"\1", text, flags=re.IGNORECASE)


def in_mirror(mirror: str, name: str) -> str:
    """Where a mirror, a folder or an address, has the file of that name."""
    if is_address(mirror):
        return f"{mirror.rstrip('/')}/{name}"
    return str(Path(os.path.expanduser(mirror)) / name)  # of a user who is unknown: as it is


def in_folders(name: str, mirrors: Sequence[str]) -> bool:
    """Whether a mirror among folders holds the file; cheap, as no network is asked."""
    return any(is_there(in_mirror(one, name)) for one in mirrors if not is_address(one))


def fetch(path: Path, entry: Mapping[str, Any], mirrors: Sequence[str], data: str = "real") -> str:
    """Bring a file to `path`, or leave a placeholder there; returns what happened, in words.

    The order: the path itself, each mirror (a folder, or an address that `/name` is appended to),
    the public address. Without a checksum in the file's `entry` any bytes are taken as they are.
    `data`: `real` fails without the file, `auto` leaves the placeholder where nobody can deliver
    it, `optional` also where its bytes are wrong.
    """
    name, address = path.name, entry.get("address")
    # A file that somebody put there is never replaced by an empty one.
    own = is_there(path)
    difference = mismatch(path, entry) if own else ""
    if own and not difference:
        return f"{path}: it is there"
    tried, wrong = [f"{path} ({difference})"] if own else [], own
    for place in [in_mirror(mirror, name) for mirror in mirrors] + ([address] if address else []):
        try:
            _take(place, path, entry)
            return f"{path}: got from {without_passwords(place)}"
        except Failed as failure:
            tried.append(f"{without_passwords(place)} ({failure})")
            wrong = wrong or isinstance(failure, WrongBytes)
    asked = "tried " + ", then ".join(tried) if tried else "no mirror and no address to try"
    steps = f"put it at {path}"
    if address:
        steps = (
            f"once online, run again, or download {address} elsewhere and save it as {path}, "
            f"or name a folder that holds {name} under `mirrors` in the config"
        )
    elif page := entry.get("page"):
        steps = f"open {page}, log in and accept its terms, download {name}, unzip it and {steps}"
    what = "has the wrong checksum at every source" if wrong else "could not be downloaded"
    message = f"{name} {what}: {asked}; {steps}"
    if data == "real" or own or (wrong and data == "auto"):
        raise UserError(message)
    with replacing(path) as temporary:
        temporary.touch()
    instead = "it is left out" if data == "optional" else "stand-in arms take its place"
    return f"{path} is left empty, {instead}: {message}"


def _take(place: str, path: Path, entry: Mapping[str, Any]) -> None:
    """Copy or download from `place`; the file gets its name only once its checksum holds."""
    with replacing(path) as temporary:
        if is_address(place):
            _download(place, temporary)
        elif os.path.isfile(place) and os.access(place, os.R_OK):
            shutil.copyfile(place, temporary)
        else:
            raise Failed("no file that can be read")
        if is_placeholder(temporary):
            raise Failed("an empty file")
        if difference := mismatch(temporary, entry):
            raise WrongBytes(difference)


class _Bounded(io.FileIO):
    """A file that takes so many bytes, for so many seconds, whatever the server announces."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "wb")
        self.end = monotonic() + TOTAL

    def write(self, chunk: Any) -> int:
        if monotonic() > self.end:
            raise Failed(f"not finished within {TOTAL:g} s")
        if self.tell() + len(chunk) > MAX_BYTES:
            raise Failed(f"more than {MAX_BYTES:,} bytes")
        return super().write(chunk)


def _download(address: str, target: Path) -> None:
    """Write the body at `address` to `target`, asking as often as may help."""
    import pooch  # here, as the rules read this file without it
    import requests

    # In small pieces, so that the time is looked at however slowly a server sends.
    how = {"timeout": TIMEOUT, "headers": {"Accept-Encoding": "identity"}}
    get = pooch.HTTPDownloader(chunk_size=64, **how)
    why = ""
    with _Bounded(target) as file:
        for tried in range(TRIES):
            sleep(PAUSE * tried)
            try:
                file.seek(0)
                file.truncate()
                get(address, file, None)
                return
            except requests.HTTPError as error:
                status = getattr(error.response, "status_code", 0)
                why = f"answers {status}"
                if status < 500:
                    raise Failed(why) from None
            except requests.exceptions.ChunkedEncodingError:
                why = "cut off"
            except (requests.ConnectionError, requests.Timeout) as error:
                why = "no answer in time" if "timed out" in str(error) else "no connection"
            except (requests.RequestException, ValueError) as error:
                reason = (str(error) or type(error).__name__).splitlines()[0][:200]
                raise Failed(f"no usable answer: {reason}") from None
    raise Failed(f"{why}, {TRIES} tries")
