"""One download by pooch, from a server that may be slow or broken: bounded in size and in time."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import IO

import pooch
import requests

CHUNK = 1 << 16


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server, in seconds, and how often to ask it again."""

    connect: float = 5.0
    read: float = 30.0  # without a single byte
    total: float = 600.0  # for one address, all tries together
    tries: int = 3
    pause: float = 1.0  # before the second try; doubled before each further one


PATIENT = Patience()


class Failed(Exception):
    """One place did not deliver, and why; the next one is asked."""

    def __init__(self, why: str, passing: bool = False) -> None:
        super().__init__(why)
        self.passing = passing  # worth another try


def download(address: str, target: Path, patience: Patience, max_bytes: int) -> None:
    """Write the body at `address` to `target`; `Failed` after as many tries as may help."""
    end = monotonic() + patience.total
    pause = patience.pause
    for tried in range(1, patience.tries + 1):
        try:
            _within(end, patience, address, target, max_bytes)
            return
        except Failed as failure:
            if not failure.passing:
                raise
            if tried == patience.tries or monotonic() + pause >= end:
                raise Failed(f"{failure}, {tried} {'try' if tried == 1 else 'tries'}") from None
        sleep(pause)
        pause *= 2


def _within(end: float, patience: Patience, address: str, target: Path, max_bytes: int) -> None:
    """Download in a thread that is left behind at the end of the time.

    The time-out of a socket starts again with every byte, so a server that drips could hold the
    caller indefinitely. The file is closed here: a thread left behind can no longer write to it.
    """
    outcome: list[Exception | None] = []
    with open(target, "wb") as file:
        stream = _Capped(file, max_bytes)

        def work() -> None:
            try:
                _Http(patience)(address, stream, None)
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


class _Http(pooch.HTTPDownloader):
    """pooch's download, with our patience."""

    def __init__(self, patience: Patience) -> None:
        super().__init__(
            chunk_size=CHUNK,
            timeout=(patience.connect, patience.read),
            headers={"Accept-Encoding": "identity"},
        )


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
