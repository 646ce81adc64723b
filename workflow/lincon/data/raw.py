"""Raw files: their pinned checksums, and downloads.

An existing file is used if its checksum is right, and never replaced. A file that cannot be
downloaded may be left empty, and stand-in arms are then used. A server may be slow or broken, so
downloads are bounded in size and time.
"""

import hashlib
import io
import os
import re
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from lincon.errors import UserError
from lincon.files import replacing

MAX_BYTES = 100_000_000  # of a download
TRIES = 3
# In seconds: to connect and between two bytes; for a download with all tries; before the second
# try, and longer before each further one.
TIMEOUT, TOTAL, PAUSE = (5.0, 30.0), 600.0, 1.0


class Failed(Exception):
    """Why the address did not deliver the file."""


def is_placeholder(path: str | os.PathLike[str]) -> bool:
    """Whether a file is empty: it could not be downloaded, and stand-in arms take its place."""
    return os.path.isfile(path) and os.path.getsize(path) == 0


def file_sha256(path: str | os.PathLike[str]) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def checked(path: str | os.PathLike[str], entry: Mapping[str, Any]) -> str:
    """The file's sha256; `UserError` if it is not the file that its config entry pins."""
    sha256, pinned = file_sha256(path), entry.get("sha256")
    if pinned and sha256 != pinned:
        raise UserError(
            f"{path}: checksum mismatch, expected sha256 {pinned}, got {sha256} "
            f"({os.path.getsize(path):,} bytes); delete it to download it again"
        )
    return sha256


def without_passwords(text: str) -> str:
    """The address without user name and password, safe to show and to store."""
    return re.sub(r"(https?://)[^\s/@]*@", r"\1", text, flags=re.IGNORECASE)


def fetch(path: str | os.PathLike[str], entry: Mapping[str, Any], required: bool) -> str:
    """Download a raw file, unless it is there already.

    Parameters
    ----------
    path
        Where the file belongs. A file that is there stays as it is.
    entry
        Its config entry: `address` and `sha256`, both optional.
    required
        Whether a download that fails is an error; otherwise the file is left empty.

    Returns
    -------
    str
        What happened, in one sentence.
    """
    path, address = Path(path), entry.get("address")
    if path.is_file() and not is_placeholder(path):
        checked(path, entry)
        return f"{path}: it is there"
    try:
        if not address:
            raise Failed("it has no address in the config")
        _retrieve(address, path, entry.get("sha256"))
        return f"{path}: downloaded from {without_passwords(address)}"
    except Failed as failure:
        source = f" from {without_passwords(address)}" if address else ""
        message = (
            f"{path.name} could not be downloaded{source} ({failure}); run again once online, or "
            f"save the file as {path}"
        )
    if required:
        raise UserError(message)
    with replacing(path) as temporary:
        temporary.touch()
    return f"{path} is left empty, stand-in arms take its place: {message}"


def _retrieve(address: str, path: Path, sha256: str | None) -> None:
    """Download to a temporary name; the file gets its own only with the pinned checksum."""
    with replacing(path) as temporary:
        _download(address, temporary)
        if is_placeholder(temporary):
            raise Failed("it is an empty file there")
        if sha256 and (got := file_sha256(temporary)) != sha256:
            raise UserError(
                f"{path.name}: checksum mismatch, {without_passwords(address)} gives a file with "
                f"sha256 {got} instead of {sha256}; is there a login page in between? Save the "
                f"right file as {path}"
            )


class _Bounded(io.FileIO):
    """A file bounded in bytes and seconds, whatever the server announces."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "wb")
        self.end = monotonic() + TOTAL

    def write(self, chunk: Any) -> int:
        if monotonic() > self.end:
            raise Failed(f"not finished within {TOTAL:g} s")
        if self.tell() + len(chunk) > MAX_BYTES:
            raise Failed(f"more than {MAX_BYTES:,} bytes")
        return super().write(chunk)


def _download(address: str, target: Path) -> None:
    """Write the body at `address` to `target`, with retries where they may help."""
    import pooch  # here, as the rules read this file without it
    import requests

    # In small pieces, so that the time is checked however slowly a server sends.
    how = {"timeout": TIMEOUT, "headers": {"Accept-Encoding": "identity"}}
    get = pooch.HTTPDownloader(chunk_size=64, **how)
    why = ""
    with _Bounded(target) as file:
        for tried in range(TRIES):
            sleep(PAUSE * tried)
            try:
                file.seek(0)
                file.truncate()
                get(address, file, None)
                return
            except requests.HTTPError as error:
                status = getattr(error.response, "status_code", 0)
                why = f"answers {status}"
                if status < 500 and status != 429:
                    raise Failed(why) from None
            except requests.TooManyRedirects:
                raise Failed("its redirects form a loop") from None
            except requests.exceptions.ChunkedEncodingError:
                why = "cut off"
            except (requests.ConnectionError, requests.Timeout) as error:
                why = "no answer in time" if "timed out" in str(error) else "no connection"
            except (requests.RequestException, ValueError) as error:
                reason = (str(error) or type(error).__name__).splitlines()[0][:200]
                raise Failed(f"no usable answer: {reason}") from None
    raise Failed(f"{why}, {TRIES} tries")
