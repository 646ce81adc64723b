"""Getting a raw file: from the folder, a mirror or its public address, and never with wrong bytes.

Two failures are kept apart, because they mean different things: bytes that do not match the pinned
sha256 are an error (`WrongBytes`), while a file that nobody could deliver (`Unreachable`) may be
answered with stand-in arms. An empty file marks the second case on disk; see `write_placeholder`.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lincon.errors import UserError
from lincon.files import replacing

KAGGLE = "https://www.kaggle.com/c/coupon-purchase-prediction/data"
KAGGLE_FILES = ("coupon_list_train.csv", "coupon_visit_train.csv")


class WrongBytes(UserError):
    """A file was delivered, but it is not the one that the config pins."""


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
    raise Unreachable(f"{name} is not to be had: {_asked(tried)}; {steps_by_hand(path, address)}")


def write_placeholder(path: str | os.PathLike[str]) -> None:
    """Leave an empty file: asked for, not reachable, to be replaced by stand-in arms."""
    with replacing(path) as temporary:
        temporary.touch()


def is_placeholder(path: str | os.PathLike[str]) -> bool:
    path = Path(path)
    return path.is_file() and path.stat().st_size == 0


def file_sha256(path: str | os.PathLike[str]) -> str:
    import pooch

    return pooch.file_hash(path, alg="sha256")


def check_sha256(path: str | os.PathLike[str], expected: str | None, what: str = "") -> str:
    """The file's sha256; `WrongBytes` if another one is expected."""
    got = file_sha256(path)
    if expected is not None and got != expected:
        raise WrongBytes(
            f"{what or path} has the wrong sha256: expected {expected}, got {got}; "
            "only the pinned file is accepted, so nothing of it is used"
        )
    return got


def steps_by_hand(path: Path, address: str | None = None) -> str:
    """What a person has to do to get the file without this program."""
    if address:
        return (
            f"once online, run again, or download {address} elsewhere and save it as {path}, "
            f"or name a folder that holds {path.name} under `mirrors` in the config"
        )
    if path.name in KAGGLE_FILES:
        return (
            f"log in to Kaggle, open {KAGGLE}, accept the rules of the competition "
            f"coupon-purchase-prediction, download {path.name} (unzip it) and put it at {path}"
        )
    return f"it has no public address: put it by hand at {path}"


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
        progressbar=Progress(address.rpartition("/")[2]),
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


class Progress:
    """A bar for big files, in the form that pooch calls; silent for small ones.

    In a terminal it is one line that fills up; in a log, where a carriage return is noise, it is
    a line each tenth.
    """

    big = 4_000_000

    def __init__(self, name: str, stream=None) -> None:
        self.name = name
        self.stream = stream or sys.stderr
        self.total = 0
        self.done = 0
        self.tenths = 0

    def update(self, size: int) -> None:
        self.done = min(self.done + size, self.total)
        if self.total < self.big or 10 * self.done // self.total <= self.tenths:
            return
        self.tenths = 10 * self.done // self.total
        bar = "#" * self.tenths + "." * (10 - self.tenths)
        line = f"{self.name} [{bar}] {self.done / 1e6:.1f} of {self.total / 1e6:.1f} MB"
        last = self.tenths == 10
        end = "\n" if last or not self.stream.isatty() else "\r"
        print(line, end=end, file=self.stream, flush=True)

    def reset(self) -> None:
        """Called by pooch at the end, before it adds the whole size once more."""
        self.done = 0

    def close(self) -> None:
        pass
