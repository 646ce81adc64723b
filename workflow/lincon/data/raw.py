"""Raw files: their checksums, their mirrors, and the placeholder of one that was not delivered."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lincon.errors import UserError
from lincon.files import replacing

MAX_BYTES = 100_000_000  # what a download may have where the config says nothing else


class WrongBytes(UserError):
    """A file is there, but it is not the one that the config pins."""


def write_placeholder(path: str | os.PathLike[str]) -> None:
    """Leave an empty file: asked for, not reachable, to be replaced by stand-in arms."""
    with replacing(path) as temporary:
        temporary.touch()


def is_placeholder(path: str | os.PathLike[str]) -> bool:
    path = Path(path)
    return path.is_file() and path.stat().st_size == 0


def file_sha256(path: str | os.PathLike[str]) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def file_git_blob(path: str | os.PathLike[str]) -> str:
    """The id under which git keeps the file: sha1 of `blob <size>`, a zero byte and the bytes."""
    content = Path(path).read_bytes()
    # Not for security: git chose it. Where a sha256 is known, that is the one to pin.
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class Pin(NamedTuple):
    """The checksums that a file must have; without any, every file is good."""

    sha256: str | None = None
    git_blob: str | None = None

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Pin:
        """What the file's entry in the config pins."""
        return cls(entry.get("sha256"), entry.get("git_blob"))

    def __str__(self) -> str:
        pinned = {"sha256": self.sha256, "git blob": self.git_blob}
        return " and ".join(f"{name} {sum}" for name, sum in pinned.items() if sum) or "any bytes"

    def mismatch(self, path: str | os.PathLike[str]) -> str:
        """Which other checksum the file has; empty if it is the pinned one."""
        if self.sha256 and (got := file_sha256(path)) != self.sha256:
            return f"got sha256 {got}, {_looks_like(path)}"
        if self.git_blob and (got := file_git_blob(path)) != self.git_blob:
            return f"got git blob {got}, {_looks_like(path)}"
        return ""

    def check(self, path: str | os.PathLike[str]) -> str:
        """The file's sha256; `WrongBytes` if it is another file than the pinned one."""
        if mismatch := self.mismatch(path):
            raise WrongBytes(
                f"{path}: checksum mismatch, expected {self}, {mismatch}; "
                "only the pinned file is accepted, so nothing of it is used"
            )
        return self.sha256 or file_sha256(path)


def lacking(entry: Mapping[str, Any], folder: str | os.PathLike[str]) -> list[str]:
    """The raw files of a dataset's entry that the folder does not hold with their pinned bytes."""
    missing = []
    for name, file in entry["files"].items():
        path = Path(folder) / name
        if not path.is_file() or is_placeholder(path) or Pin.of(file).mismatch(path):
            missing.append(name)
    return missing


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


def _looks_like(path: str | os.PathLike[str]) -> str:
    """The size, and a word where the likely cause can be seen."""
    with open(path, "rb") as stream:
        start = stream.read(512).lstrip().lower()
    page = start.startswith((b"<!doctype html", b"<html"))
    pointer = start.startswith(b"version https://git-lfs")
    cause = ", a web page: is there a login in between?" if page else ""
    cause = ", a Git LFS pointer instead of the file" if pointer else cause
    return f"{os.path.getsize(path):,} bytes{cause}"
