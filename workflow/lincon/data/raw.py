"""Raw files: their checksums, their mirrors, and the placeholder of one that was not delivered."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    # Not for security: git chose it. Where a sha256 is known, that is the one to pin.
    digest = hashlib.sha1(b"blob %d\0" % os.path.getsize(path), usedforsecurity=False)
    with open(path, "rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


@dataclass(frozen=True)
class Pin:
    """The checksums that a file must have; without any, every file is good."""

    sha256: str | None = None
    git_blob: str | None = None

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

    def sha256_of(self, path: str | os.PathLike[str]) -> str:
        """The sha256 of a file that has been checked."""
        return self.sha256 or file_sha256(path)

    def check(self, path: str | os.PathLike[str]) -> str:
        """The file's sha256; `WrongBytes` if it is another file than the pinned one."""
        mismatch = self.mismatch(path)
        if mismatch:
            raise WrongBytes(
                f"{path}: checksum mismatch, expected {self}, {mismatch}; "
                "only the pinned file is accepted, so nothing of it is used"
            )
        return self.sha256_of(path)


def lacking(entry: Mapping[str, Any], folder: str | os.PathLike[str]) -> list[str]:
    """The raw files of a dataset's entry that the folder does not hold with their pinned bytes."""
    missing = []
    for name, file in entry["files"].items():
        path, pin = Path(folder) / name, Pin(file.get("sha256"), file.get("git_blob"))
        if not path.is_file() or is_placeholder(path) or pin.mismatch(path):
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


def in_folders(name: str, mirrors: Sequence[str]) -> str | None:
    """The first mirror among folders that holds the file; cheap, as no network is asked."""
    for mirror in mirrors:
        place = in_mirror(mirror, name)
        if not is_address(mirror) and os.path.isfile(place) and not is_placeholder(place):
            return place
    return None


def _looks_like(path: str | os.PathLike[str]) -> str:
    """The size, and a word where the likely cause can be seen."""
    with open(path, "rb") as stream:
        start = stream.read(512).lstrip().lower()
    page = start.startswith((b"<!doctype html", b"<html"))
    pointer = start.startswith(b"version https://git-lfs")
    cause = ", a web page: is there a login in between?" if page else ""
    cause = ", a Git LFS pointer instead of the file" if pointer else cause
    return f"{os.path.getsize(path):,} bytes{cause}"
