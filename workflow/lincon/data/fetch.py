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

from lincon.data.download import PATIENT, Failed, Patience, download
from lincon.data.kinds import by_hand
from lincon.data.raw import (
    MAX_BYTES,
    Pin,
    WrongBytes,
    in_mirror,
    is_address,
    is_placeholder,
    without_passwords,
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


def obtain(
    path: str | os.PathLike[str], entry: Mapping[str, Any], mirrors: Sequence[str], data: str
) -> str:
    """Fetch the file at `path`, or leave a placeholder there; returns what happened, in words.

    `entry` is the file's entry in the config. `data`: `real` fails without the file, `auto` leaves
    the placeholder where nobody can deliver it, `optional` also where its bytes are wrong.
    """
    path = Path(path)
    try:
        fetched = fetch(path.name, path.parent, mirrors=mirrors, **entry)
        return f"{path}: got from {fetched.origin}, sha256 {fetched.sha256}"
    except (Unreachable, WrongBytes) as error:
        # A file that somebody put there is never replaced by an empty one.
        kept = path.is_file() and not is_placeholder(path)
        if data == "real" or kept or (data == "auto" and isinstance(error, WrongBytes)):
            raise
        write_placeholder(path)
        instead = "it is left out" if data == "optional" else "stand-in arms take its place"
        return f"{path} is left empty, {instead}: {error}"


def fetch(
    name: str,
    folder: str | os.PathLike[str],
    sha256: str | None = None,
    address: str | None = None,
    mirrors: Sequence[str] = (),
    patience: Patience = PATIENT,
    git_blob: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Fetched:
    """Bring the file `name` into `folder` from the first place that has it.

    The order: the folder itself, each mirror (a folder, or an address that `/name` is appended
    to), the public address. Without `sha256` and `git_blob` any bytes are taken as they are;
    `max_bytes` caps what is taken from an address. `sha256`, `git_blob`, `address` and `max_bytes`
    are the keys of a file's entry in the config.
    """
    path, pin = Path(folder) / name, Pin(sha256, git_blob)
    tried = []
    wrong = False
    if path.is_file() and not is_placeholder(path):
        mismatch = pin.mismatch(path)
        if not mismatch:
            return Fetched(path, str(path), pin.sha256_of(path))
        tried.append(f"{path} ({mismatch})")
        wrong = True
    for place in [in_mirror(mirror, name) for mirror in mirrors] + ([address] if address else []):
        try:
            return _take(place, path, pin, patience, max_bytes)
        except (WrongBytes, Failed) as failure:
            tried.append(f"{without_passwords(place)} ({failure})")
            wrong = wrong or isinstance(failure, WrongBytes)
    asked = "tried " + ", then ".join(tried) if tried else "no mirror and no address to try"
    if address:
        steps = (
            f"once online, run again, or download {address} elsewhere and save it as {path}, "
            f"or name a folder that holds {name} under `mirrors` in the config"
        )
    else:
        steps = f"{by_hand(name) or 'it has no public address'}; put it at {path}"
    if wrong:
        raise WrongBytes(
            f"{name}: checksum mismatch at every source that has it, expected {pin}; {asked}; only "
            f"the pinned file is accepted and nothing else was kept; {steps}"
        )
    raise Unreachable(f"{name} could not be downloaded: {asked}; {steps}")


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
