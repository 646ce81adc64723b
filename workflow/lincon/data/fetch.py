"""Getting a raw file: from the folder, a mirror or its public address, and never with wrong bytes.

Each place is asked in turn until one gives the pinned bytes. If none does, two failures are kept
apart, because they mean different things: some place delivered other bytes, which is an error
(`WrongBytes`), or nobody could deliver (`Unreachable`), which may be answered with stand-in arms.
An empty file marks the second case on disk.

A server may be slow or broken: a download is bounded in size and in time.
"""

import io
import os
import shutil
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import sleep
from typing import Any, NamedTuple

import pooch
import requests

from lincon.data.kinds import by_hand
from lincon.data.raw import (
    MAX_BYTES,
    WrongBytes,
    in_mirror,
    is_address,
    is_placeholder,
    mismatch,
    without_passwords,
)
from lincon.errors import UserError
from lincon.files import replacing


class Patience(NamedTuple):
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


def obtain(path: Path, entry: Mapping[str, Any], mirrors: Sequence[str], data: str) -> str:
    """Fetch the file at `path`, or leave a placeholder there; returns what happened, in words.

    `entry` is the file's entry in the config. `data`: `real` fails without the file, `auto` leaves
    the placeholder where nobody can deliver it, `optional` also where its bytes are wrong.
    """
    try:
        return f"{path}: got from {fetch(path, entry, mirrors)}"
    except (Unreachable, WrongBytes) as error:
        # A file that somebody put there is never replaced by an empty one.
        kept = path.is_file() and not is_placeholder(path)
        if data == "real" or kept or (data == "auto" and isinstance(error, WrongBytes)):
            raise
        with replacing(path) as temporary:
            temporary.touch()
        instead = "it is left out" if data == "optional" else "stand-in arms take its place"
        return f"{path} is left empty, {instead}: {error}"


def fetch(
    path: Path, entry: Mapping[str, Any], mirrors: Sequence[str], patience: Patience = PATIENT
) -> str:
    """Bring a file to `path` from the first place that has it; returns that place.

    The order: the path itself, each mirror (a folder, or an address that `/name` is appended to),
    the public address. Without a checksum in the entry any bytes are taken as they are.
    """
    name, address = path.name, entry.get("address")
    tried, wrong = [], False
    if path.is_file() and not is_placeholder(path):
        difference = mismatch(path, entry)
        if not difference:
            return str(path)
        tried, wrong = [f"{path} ({difference})"], True
    for place in [in_mirror(mirror, name) for mirror in mirrors] + ([address] if address else []):
        try:
            _take(place, path, entry, patience)
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
            f"{name}: checksum mismatch at every source that has it; {asked}; only the pinned file "
            f"is accepted and nothing else was kept; {steps}"
        )
    raise Unreachable(f"{name} could not be downloaded: {asked}; {steps}")


def _take(place: str, path: Path, entry: Mapping[str, Any], patience: Patience) -> None:
    """Copy or download from `place`; the file gets its name only once its checksum holds."""
    with replacing(path) as temporary:
        if is_address(place):
            _download(place, temporary, entry.get("max_bytes", MAX_BYTES), patience)
        elif not (os.path.isfile(place) and os.access(place, os.R_OK)):
            raise Failed("no file that can be read")
        elif is_placeholder(place):
            raise Failed("an empty file")
        else:
            shutil.copyfile(place, temporary)
        if difference := mismatch(temporary, entry):
            raise WrongBytes(difference)


class _Capped(io.FileIO):
    """A file that takes so many bytes and no more, whatever length the server announces."""

    max_bytes = MAX_BYTES

    def write(self, chunk: Any) -> int:
        if self.tell() + len(chunk) > self.max_bytes:
            raise Failed(
                f"at most {self.max_bytes:,} bytes are taken and it sends more; see `max_bytes`"
            )
        return super().write(chunk)


def _download(address: str, target: Path, max_bytes: int, patience: Patience) -> None:
    """Write the body at `address` to `target`, in a thread that is left behind when time is up.

    The time-out of a socket starts again with every byte, so a server that drips could hold the
    caller indefinitely. The file is closed here: a thread left behind can no longer write to it.
    """
    outcome: list[Exception | None] = []
    with _Capped(target, "wb") as file:
        file.max_bytes = max_bytes

        def work() -> None:
            try:
                _ask(address, file, patience)
                outcome.append(None)
            except Exception as error:
                outcome.append(error)

        thread = threading.Thread(target=work, daemon=True, name=f"download {target.name}")
        thread.start()
        thread.join(patience.total)
        if not outcome:
            raise Failed(f"not finished within {patience.total:g} s")
    if outcome[0] is not None:
        raise outcome[0] from None


def _ask(address: str, file: _Capped, patience: Patience) -> None:
    """Download as often as may help; `Failed` if it does not."""
    get = pooch.HTTPDownloader(
        timeout=(patience.connect, patience.read),
        chunk_size=1 << 16,
        headers={"Accept-Encoding": "identity"},
    )
    why = ""
    for tried in range(patience.tries):
        if tried:
            sleep(patience.pause * 2 ** (tried - 1))
        try:
            file.seek(0)
            file.truncate()
            get(address, file, None)
            if file.tell() == 0:
                raise Failed("an empty file")
            return
        except requests.HTTPError as error:
            status = getattr(error.response, "status_code", 0)
            why = f"answers {status}"
            if status < 500 and status != 429:
                raise Failed(why) from None
        except requests.exceptions.ChunkedEncodingError:
            why = "cut off"
        except (requests.ConnectionError, requests.Timeout) as error:
            why = "no answer in time" if "timed out" in str(error) else "no connection"
        except (requests.RequestException, ValueError) as error:
            reason = (str(error) or type(error).__name__).splitlines()[0][:200]
            raise Failed(f"no usable answer: {reason}") from None
    raise Failed(f"{why}, {patience.tries} tries")
