"""Raw files on disk: their checksums, and the empty file that stands for one nobody delivered."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from lincon.errors import UserError
from lincon.files import replacing


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


def check_sha256(path: str | os.PathLike[str], expected: str | None, what: str = "") -> str:
    """The file's sha256; `WrongBytes` if another one is expected."""
    got = file_sha256(path)
    if expected is not None and got != expected:
        raise WrongBytes(
            f"{what or path} has the wrong sha256: expected {expected}, got {got}; "
            "only the pinned file is accepted, so nothing of it is used"
        )
    return got


def steps_by_hand(path: Path, address: str | None = None, by_hand: str = "") -> str:
    """What a person has to do to get the file without this program.

    `by_hand` is how the kind of dataset says to get a file that has no public address.
    """
    if address:
        return (
            f"once online, run again, or download {address} elsewhere and save it as {path}, "
            f"or name a folder that holds {path.name} under `mirrors` in the config"
        )
    if by_hand:
        return f"{by_hand}, and put {path.name} at {path}"
    return f"it has no public address: put it by hand at {path}"
