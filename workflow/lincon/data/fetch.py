"""Getting a raw file: from the folder, a mirror or its public address, and never with wrong bytes.

Two failures are kept apart, because they mean different things: bytes that do not match the pinned
sha256 are an error (`WrongBytes`), while a file that nobody could deliver (`Unreachable`) may be
answered with stand-in arms. An empty file marks the second case on disk, see
`raw.write_placeholder`.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lincon.data.raw import WrongBytes, check_sha256, file_sha256, is_placeholder, steps_by_hand
from lincon.errors import UserError
from lincon.files import replacing


class Unreachable(UserError):
    """Nobody could deliver the file; the message says who was asked and how to get it by hand."""


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server, in seconds, and how often to ask it again."""

    connect: float = 5.0
    read: float = 30.0
    tries: int = 3
    pause: float = 1.0  # before the second try; doubled before each further one


PATIENT = Patience()


@dataclass(frozen=True)
class Fetched:
    path: Path
    origin: str
    sha256: str


class _Failed(Exception):
    """One source did not deliver, and why; the next one is asked."""

    def __init__(self, why: str, passing: bool = False) -> None:
        super().__init__(why)
        self.passing = passing  # worth another try


def fetch(
    name: str,
    folder: str | os.PathLike[str],
    sha256: str | None = None,
    address: str | None = None,
    mirrors: Sequence[str] = (),
    patience: Patience = PATIENT,
    by_hand: str = "",
) -> Fetched:
    """Bring the file `name` into `folder` from the first source that has it.

    The order: the folder itself, each mirror (a folder, or an address that `/name` is appended
    to), the public address. Without a `sha256` any bytes are taken as they are.
    """
    if address and not _is_address(address):
        raise UserError(f"{name}: its address is {address}; one with http:// or https:// is needed")
    path = Path(folder) / name
    present = path.is_file() and not is_placeholder(path)
    if present:
        got = file_sha256(path)
        if sha256 is None or got == sha256:
            return Fetched(path, str(path), got)
    tried = []
    for source in [_in_mirror(mirror, name) for mirror in mirrors] + ([address] if address else []):
        try:
            return _take(source, path, sha256, patience)
        except _Failed as failure:
            tried.append(f"{source} ({failure})")
    if present:
        raise WrongBytes(
            f"{path} has the wrong sha256: expected {sha256}, got {got}; delete it, or put the "
            f"right file there ({_asked(tried)})"
        )
    raise Unreachable(
        f"{name} could not be downloaded: {_asked(tried)}; {steps_by_hand(path, address, by_hand)}"
    )


def _asked(tried: list[str]) -> str:
    return "tried " + ", then ".join(tried) if tried else "no mirror and no address to try"


def _is_address(source: str) -> bool:
    return source.startswith(("http://", "https://"))


def _in_mirror(mirror: str, name: str) -> str:
    if _is_address(mirror):
        return f"{mirror.rstrip('/')}/{name}"
    return str(Path(mirror).expanduser() / name)


def _take(source: str, path: Path, sha256: str | None, patience: Patience) -> Fetched:
    """Copy or download `source`; it gets its name only once its checksum holds."""
    try:
        with replacing(path) as temporary:
            if _is_address(source):
                _download(source, temporary, patience)
            else:
                _copy(Path(source), temporary)
            return Fetched(path, source, check_sha256(temporary, sha256, source))
    except OSError as error:
        raise UserError(f"{source} could not be written to {path}: {error.strerror}") from None


def _copy(source: Path, target: Path) -> None:
    if not source.is_file():
        raise _Failed("no such file")
    if is_placeholder(source):
        raise _Failed("an empty file")
    if not os.access(source, os.R_OK):
        raise _Failed("may not be read")
    shutil.copyfile(source, target)


def _download(address: str, target: Path, patience: Patience) -> None:
    pause = patience.pause
    for left in reversed(range(patience.tries)):
        try:
            _download_once(address, target, patience)
            return
        except _Failed as failure:
            if not failure.passing:
                raise
            if not left:
                raise _Failed(f"{failure}, {patience.tries} tries") from None
        time.sleep(pause)
        pause *= 2


def _download_once(address: str, target: Path, patience: Patience) -> None:
    import pooch
    import requests

    download = pooch.HTTPDownloader(
        timeout=(patience.connect, patience.read),
    )
    try:
        download(address, str(target), None)
    except requests.HTTPError as error:
        status = error.response.status_code
        raise _Failed(f"answers {status}", passing=status >= 500 or status == 429) from None
    except requests.Timeout:
        raise _Failed("no answer in time", passing=True) from None
    except requests.exceptions.ChunkedEncodingError:
        raise _Failed("cut off", passing=True) from None
    except requests.ConnectionError as error:
        late = "timed out" in str(error)  # how requests reports a time-out within the body
        raise _Failed("no answer in time" if late else "no connection", passing=True) from None
    except (requests.RequestException, ValueError) as error:
        raise UserError(f"{address} is not an address to download from: {error}") from None
