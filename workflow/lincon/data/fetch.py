"""Getting a raw file: from the folder, a mirror or its public address, and never with wrong bytes.

Each place is asked in turn until one gives the pinned bytes. If none does, two failures are kept
apart, because they mean different things: some place delivered other bytes, which is an error
(`WrongBytes`), or nobody could deliver (`Unreachable`), which may be answered with stand-in arms.
An empty file marks the second case on disk, see `raw.write_placeholder`.

A server may be slow or broken: a download is bounded in size and in time.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any

import pooch
import requests

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


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server, in seconds, and how often to ask it again."""

    connect: float = 5.0
    read: float = 30.0  # without a single byte
    total: float = 600.0  # for one address, all tries together
    tries: int = 3
    pause: float = 1.0  # before the second try; doubled before each further one


PATIENT = Patience()


class Unreachable(UserError):
    """Nobody could deliver the file; the message says who was asked and how to get it by hand."""


class Failed(Exception):
    """One place did not deliver, and why; the next one is asked."""

    def __init__(self, why: str, passing: bool = False) -> None:
        super().__init__(why)
        self.passing = passing  # worth another try


def obtain(path: Path, entry: Mapping[str, Any], mirrors: Sequence[str], data: str) -> str:
    """Fetch the file at `path`, or leave a placeholder there; returns what happened, in words.

    `entry` is the file's entry in the config. `data`: `real` fails without the file, `auto` leaves
    the placeholder where nobody can deliver it, `optional` also where its bytes are wrong.
    """
    try:
        return f"{path}: got from {fetch(path, entry, mirrors)}, {Pin.of(entry)}"
    except (Unreachable, WrongBytes) as error:
        # A file that somebody put there is never replaced by an empty one.
        kept = path.is_file() and not is_placeholder(path)
        if data == "real" or kept or (data == "auto" and isinstance(error, WrongBytes)):
            raise
        write_placeholder(path)
        instead = "it is left out" if data == "optional" else "stand-in arms take its place"
        return f"{path} is left empty, {instead}: {error}"


def fetch(
    path: Path, entry: Mapping[str, Any], mirrors: Sequence[str], patience: Patience = PATIENT
) -> str:
    """Bring a file to `path` from the first place that has it; returns that place.

    The order: the path itself, each mirror (a folder, or an address that `/name` is appended to),
    the public address. Without a checksum in the entry any bytes are taken as they are.
    """
    name, address, pin = path.name, entry.get("address"), Pin.of(entry)
    tried = []
    wrong = False
    if path.is_file() and not is_placeholder(path):
        mismatch = pin.mismatch(path)
        if not mismatch:
            return str(path)
        tried.append(f"{path} ({mismatch})")
        wrong = True
    for place in [in_mirror(mirror, name) for mirror in mirrors] + ([address] if address else []):
        try:
            _take(place, path, pin, patience, entry.get("max_bytes", MAX_BYTES))
            return without_passwords(place)
        except (WrongBytes, Failed) as failure:
            tried.append(f"{without_passwords(place)} ({failure})")
            wrong = wrong or isinstance(failure, WrongBytes)
    asked = "tried " + ", then ".join(tried) if tried else "no mirror and no address to try"
    steps = f"{by_hand(name) or 'it has no public address'}; put it at {path}"
    if address:
        steps = (
            f"once online, run again, or download {address} elsewhere and save it as {path}, "
            f"or name a folder that holds {name} under `mirrors` in the config"
        )
    if wrong:
        raise WrongBytes(
            f"{name}: checksum mismatch at every source that has it, expected {pin}; {asked}; only "
            f"the pinned file is accepted and nothing else was kept; {steps}"
        )
    raise Unreachable(f"{name} could not be downloaded: {asked}; {steps}")


def _take(place: str, path: Path, pin: Pin, patience: Patience, max_bytes: int) -> None:
    """Copy or download from `place`; the file gets its name only once its checksum holds."""
    with replacing(path) as temporary:
        if is_address(place):
            _download(place, temporary, patience, max_bytes)
        elif not os.path.isfile(place):  # nor can it be looked for: a folder without rights
            raise Failed("no such file")
        elif is_placeholder(place):
            raise Failed("an empty file")
        elif not os.access(place, os.R_OK):
            raise Failed("may not be read")
        else:
            shutil.copyfile(place, temporary)
        mismatch = pin.mismatch(temporary)
        if mismatch:
            raise WrongBytes(mismatch)


def _download(address: str, target: Path, patience: Patience, max_bytes: int) -> None:
    """Write the body at `address` to `target`; `Failed` after as many tries as may help."""
    end = monotonic() + patience.total
    for tried in range(1, patience.tries + 1):
        try:
            _within(end, patience, address, target, max_bytes)
            return
        except Failed as failure:
            pause = patience.pause * 2 ** (tried - 1)
            if not failure.passing:
                raise
            if tried == patience.tries or monotonic() + pause >= end:
                raise Failed(f"{failure}, {tried} {'try' if tried == 1 else 'tries'}") from None
        sleep(pause)


def _within(end: float, patience: Patience, address: str, target: Path, max_bytes: int) -> None:
    """Download in a thread that is left behind at the end of the time.

    The time-out of a socket starts again with every byte, so a server that drips could hold the
    caller indefinitely. The file is closed here: a thread left behind can no longer write to it.
    """
    outcome: list[Exception | None] = []
    get = pooch.HTTPDownloader(
        timeout=(patience.connect, patience.read),
        chunk_size=1 << 16,
        headers={"Accept-Encoding": "identity"},
    )
    with open(target, "wb") as file:
        stream = _Capped(file, max_bytes)

        def work() -> None:
            try:
                get(address, stream, None)
                outcome.append(None if stream.size else Failed("an empty file"))
            except Exception as error:
                outcome.append(error)

        thread = threading.Thread(target=work, daemon=True, name=f"download {target.name}")
        thread.start()
        thread.join(max(0.0, end - monotonic()))
        if not outcome:
            raise Failed(f"not finished within {patience.total:g} s")
    if outcome[0] is not None:
        raise _failed(outcome[0]) from None


class _Capped:
    """A file that takes so many bytes and no more, whatever length the server announces."""

    def __init__(self, file: IO[bytes], max_bytes: int) -> None:
        self.file, self.max_bytes, self.size = file, max_bytes, 0

    def write(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self.size > self.max_bytes:
            raise Failed(
                f"at most {self.max_bytes:,} bytes are taken and it sends more; see `max_bytes`"
            )
        self.file.write(chunk)

    def flush(self) -> None:
        """Called after every chunk; closing the file is enough."""


def _failed(error: Exception) -> Exception:
    """What went wrong, in words."""
    if isinstance(error, requests.HTTPError) and error.response is not None:
        status = error.response.status_code
        return Failed(f"answers {status}", passing=status >= 500 or status == 429)
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return Failed("cut off", passing=True)
    # A time-out within the body is a ConnectionError, too.
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        return Failed("no answer in time", passing=True)
    if isinstance(error, requests.ConnectionError):
        return Failed("no connection", passing=True)
    if isinstance(error, requests.RequestException | ValueError):
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        return Failed(f"no usable answer: {reason}")
    return error
