"""Getting a raw file: from the folder, a mirror or its public address, and never with wrong bytes.

Each place is asked in turn until one gives the pinned bytes. If none does, two failures are kept
apart, because they mean different things: some place delivered other bytes, which is an error
(`WrongBytes`), or nobody could deliver (`Unreachable`), which may be answered with stand-in arms.
An empty file marks the second case on disk, see `raw.write_placeholder`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lincon.data.download import (
    PATIENT,
    Failed,
    Patience,
    download,
    is_address,
    without_passwords,
)
from lincon.data.raw import (
    MAX_BYTES,
    Pin,
    WrongBytes,
    is_placeholder,
    steps_by_hand,
    write_placeholder,
)
from lincon.errors import UserError
from lincon.files import replacing


class Unreachable(UserError):
    """Nobody could deliver the file; the message says who was asked and how to get it by hand."""


@dataclass(frozen=True)
class Fetched:
    path: Path
    origin: str
    sha256: str


def fetch(
    name: str,
    folder: str | os.PathLike[str],
    sha256: str | None = None,
    address: str | None = None,
    mirrors: Sequence[str] = (),
    patience: Patience = PATIENT,
    by_hand: str = "",
    git_blob: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Fetched:
    """Bring the file `name` into `folder` from the first place that has it.

    The order: the folder itself, each mirror (a folder, or an address that `/name` is appended
    to), the public address. Without `sha256` and `git_blob` any bytes are taken as they are;
    `max_bytes` caps what is taken from an address. `sha256`, `git_blob`, `address` and `max_bytes`
    are the keys of a file's entry in the config.
    """
    for place in (address, *filter(is_address, mirrors)):
        _check_address(name, place)
    path, pin = Path(folder) / name, Pin(sha256, git_blob)
    tried = []
    wrong = False
    if path.is_file() and not is_placeholder(path):
        mismatch = pin.mismatch(path)
        if not mismatch:
            return Fetched(path, str(path), pin.sha256_of(path))
        tried.append(f"{path} ({mismatch})")
        wrong = True
    for place in places(name, address, mirrors):
        try:
            return _take(place, path, pin, patience, max_bytes)
        except WrongBytes as error:
            tried.append(f"{without_passwords(place)} ({error})")
            wrong = True
        except Failed as failure:
            tried.append(f"{without_passwords(place)} ({failure})")
    asked = "tried " + ", then ".join(tried) if tried else "no mirror and no address to try"
    steps = steps_by_hand(path, address, by_hand)
    if wrong:
        raise WrongBytes(
            f"{name} has the wrong bytes wherever it was found: expected {pin}; {asked}; only the "
            f"pinned file is accepted and nothing else was kept; {steps}"
        )
    raise Unreachable(f"{name} could not be downloaded: {asked}; {steps}")


def obtain(path: Path, entry: Mapping[str, Any], mirrors: Sequence[str], data: str) -> str:
    """Fetch a raw file by its config entry; the sentence for the log.

    Where it cannot be reached, `auto` leaves an empty file and `real` fails; `optional` leaves one
    for wrong bytes, too. A file that somebody put there is never replaced by an empty one.
    """
    from lincon.data.kinds import by_hand

    try:
        got = fetch(path.name, path.parent, mirrors=mirrors, by_hand=by_hand(path.name), **entry)
        return f"{path}: got from {got.origin}, sha256 {got.sha256}"
    except (Unreachable, WrongBytes) as error:
        kept = path.is_file() and not is_placeholder(path)
        if data == "real" or kept or (data == "auto" and type(error) is WrongBytes):
            raise
        write_placeholder(path)
        instead = "it is left out" if data == "optional" else "stand-in arms take its place"
        return f"{path} is left empty, {instead}: {error}"


def _check_address(name: str, address: str | None) -> None:
    try:
        good = address is None or (is_address(address) and urlsplit(address).hostname)
    except ValueError:
        good = False
    if not good:
        raise UserError(
            f"{name}: {address} is not an address to download from; one with http:// or https:// "
            "and a host is needed"
        )


def places(name: str, address: str | None, mirrors: Sequence[str]) -> list[str]:
    """Where a file is looked for, in order."""
    return [_in_mirror(mirror, name) for mirror in mirrors] + ([address] if address else [])


def in_folders(name: str, mirrors: Sequence[str]) -> str | None:
    """The first mirror among folders that holds the file; cheap, as no network is asked."""
    for mirror in mirrors:
        place = _in_mirror(mirror, name)
        if not is_address(mirror) and os.path.isfile(place) and not is_placeholder(place):
            return place
    return None


def _in_mirror(mirror: str, name: str) -> str:
    if is_address(mirror):
        return f"{mirror.rstrip('/')}/{name}"
    return str(Path(os.path.expanduser(mirror)) / name)  # of a user who is unknown: as it is


def _take(place: str, path: Path, pin: Pin, patience: Patience, max_bytes: int) -> Fetched:
    """Copy or download from `place`; the file gets its name only once its checksum holds."""
    with replacing(path) as temporary:
        if is_address(place):
            download(place, temporary, patience, max_bytes)
        else:
            _copy(Path(place), temporary)
        mismatch = pin.mismatch(temporary)
        if mismatch:
            raise WrongBytes(mismatch)
        return Fetched(path, without_passwords(place), pin.sha256_of(temporary))


def _copy(source: Path, target: Path) -> None:
    if not os.path.isfile(source):  # nor can it be looked for: a folder without rights
        raise Failed("no such file")
    if is_placeholder(source):
        raise Failed("an empty file")
    if not os.access(source, os.R_OK):
        raise Failed("may not be read")
    shutil.copyfile(source, target)
