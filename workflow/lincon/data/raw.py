"""Raw files: their checksums, their mirrors, and the placeholder of one that was not delivered."""

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lincon.errors import UserError

MAX_BYTES = 100_000_000  # what a download may have where the config says nothing else


class WrongBytes(UserError):
    """A file is there, but it is not the one that the config pins."""


def is_placeholder(path: str | os.PathLike[str]) -> bool:
    """Whether a file is empty: asked for, not reachable, to be replaced by stand-in arms."""
    return os.path.isfile(path) and os.path.getsize(path) == 0


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
            pointer = start.startswith(b"version https://git-lfs")
            cause = ", a web page: is there a login in between?" if page else ""
            cause = ", a Git LFS pointer instead of the file" if pointer else cause
            size = f"{os.path.getsize(path):,} bytes"
            return f"expected {name} {entry[name]}, got {name} {got}, {size}{cause}"
    return ""


def checked(path: str | os.PathLike[str], entry: Mapping[str, Any]) -> str:
    """The file's sha256; `WrongBytes` if it is another file than the pinned one."""
    if difference := mismatch(path, entry):
        raise WrongBytes(f"{path}: checksum mismatch, {difference}; only the pinned file is used")
    return entry.get("sha256") or file_sha256(path)


def lacking(entry: Mapping[str, Any], folder: str | os.PathLike[str]) -> list[str]:
    """The raw files of a dataset's entry that the folder does not hold with their pinned bytes."""
    files = {Path(folder) / name: file for name, file in entry["files"].items()}
    return [
        path.name
        for path, file in files.items()
        if not path.is_file() or is_placeholder(path) or mismatch(path, file)
    ]


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
    places = [in_mirror(mirror, name) for mirror in mirrors if not is_address(mirror)]
    return any(os.path.isfile(place) and not is_placeholder(place) for place in places)
