"""Where Numba keeps the machine code of the kernels.

Numba's cache looks only at the file of the compiled function itself: edit a helper that it calls,
and the old code runs. So its folder, NUMBA_CACHE_DIR, is named by the fingerprint of the engine.
It runs what is in its files, too, and a damaged one ends the process: so their checksums are kept
beside them, and a folder in which one has changed is emptied before it is used.
"""

import atexit
import json
import os
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path

from lincon.errors import UserError
from lincon.files import user_cache, write_text
from lincon.fingerprint import PACKAGE, fingerprint

PREFIX = "lincon-kernels-"
CHECKSUMS = "checksums.json"


def cache_folder() -> Path:
    """The folder of this version: in NUMBA_CACHE_DIR, or beside the code, or in the user's cache.

    The first that can be written; the rules put its full name into NUMBA_CACHE_DIR for their jobs.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given and Path(given).name.startswith(PREFIX):
        folders = [Path(given)]
    else:
        homes = [Path(given)] if given else [PACKAGE / "__pycache__", user_cache()]
        folders = [home / f"{PREFIX}{fingerprint('engine')}" for home in homes]
    for folder in folders:
        with suppress(OSError):  # permissions do not tell, least of all for root
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            return folder
    raise UserError(
        f"{' and '.join(str(folder.parent) for folder in folders)} cannot be written, and compiled "
        "kernels must be kept; set NUMBA_CACHE_DIR to a folder that can"
    )


def intact_folder() -> Path:
    """The cache folder, without files that were damaged; what is missing is compiled again.

    What this process adds to it is recorded when it ends.
    """
    folder = cache_folder()
    with suppress(OSError, ValueError):  # no record yet, or a damaged one
        recorded = dict(json.loads((folder / CHECKSUMS).read_text()))
        if recorded != {name: _checksum(folder / name) for name in recorded}:
            for path in _files(folder):
                path.unlink(missing_ok=True)
    atexit.register(_record, folder, _stamps(folder))
    return folder


def _record(folder: Path, before: dict[str, tuple[int, int]]) -> None:
    with suppress(OSError):
        if (names := _stamps(folder)) != before:
            checksums = {name: _checksum(folder / name) for name in names}
            write_text(folder / CHECKSUMS, json.dumps(checksums))


def _files(folder: Path) -> list[Path]:
    """Numba's files: an index per kernel, and its machine code."""
    return sorted(folder.rglob("*.nb[ic]"))


def _stamps(folder: Path) -> dict[str, tuple[int, int]]:
    stamps = {str(path.relative_to(folder)): path.stat() for path in _files(folder)}
    return {name: (stamp.st_mtime_ns, stamp.st_size) for name, stamp in stamps.items()}


def _checksum(path: Path) -> int:
    return zlib.crc32(path.read_bytes()) if path.exists() else -1
