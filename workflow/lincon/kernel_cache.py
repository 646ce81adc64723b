"""Where the machine code of the kernels is kept on disk.

Numba keeps machine code, but looks only at the file of the compiled function itself: edit a helper
that it calls, and the old code runs. So the folder is named by the fingerprint of all compiled code
and handed to Numba as NUMBA_CACHE_DIR, its own setting; folders of earlier versions are removed.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lincon.errors import UserError
from lincon.files import user_cache
from lincon.fingerprint import PACKAGE, fingerprint

# The modules whose functions are compiled, with all that they call.
COMPILED = ("engine.dense", "engine.lazy.engine", "problem.lp")
PREFIX = "lincon-kernels-"
# A folder of another version is removed when nobody has used it for so long, in seconds.
UNUSED = 7 * 24 * 3600.0
# Numba writes a file within milliseconds; one that it has not renamed since is of a killed job.
WRITTEN = 3600.0


def cache_folder(warn: Callable[[str], None] | None = None) -> Path:
    """This version's folder: the first that can be written of those that are meant for it.

    NUMBA_CACHE_DIR, if it is set; else beside the code, or in the user's cache. If none can be
    written, one among the temporary files, which `warn` is told (the error stream without it).
    """
    meant = _meant()
    for folder in meant:
        if _writable(folder):
            return folder
    folder = _temporary(meant) / _name()
    sentence = f"{' and '.join(map(str, meant))} cannot be written; kernels are kept in {folder}"
    (warn or (lambda text: print(f"lincon: {text}", file=sys.stderr)))(sentence)
    return folder


def _name() -> str:
    return f"{PREFIX}{fingerprint(*COMPILED)}"


def _meant() -> list[Path]:
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return [Path(given) if Path(given).name.startswith(PREFIX) else Path(given) / _name()]
    homes = (PACKAGE / "__pycache__", user_cache())
    return [home / _name() for home in homes if home is not None]


def _writable(folder: Path) -> bool:
    """Whether a file can be made there: only trying tells, above all for root."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _temporary(meant: list[Path]) -> Path:
    """A folder that is this user's alone: what lies there is run."""
    try:
        folder = Path(tempfile.gettempdir()) / f"lincon-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        owned = folder.lstat()
        if folder.is_symlink() or owned.st_uid != os.getuid() or owned.st_mode & 0o022:
            return Path(tempfile.mkdtemp(prefix="lincon-"))
    except OSError:
        raise UserError(
            f"neither {' nor '.join(map(str, meant))} nor a temporary folder can be written, and "
            "compiled kernels must be kept; set NUMBA_CACHE_DIR to a folder that can"
        ) from None
    return folder


def remove_unused(folder: Path) -> None:
    """Delete folders of other versions beside `folder` that nobody has used for a week.

    And in `folder` itself what killed jobs left half-written.
    """
    for other in folder.parent.glob(f"{PREFIX}*"):
        if other != folder and time.time() - other.stat().st_mtime > UNUSED:
            shutil.rmtree(other, ignore_errors=True)
    for file in folder.rglob("*.nb[ic].tmp.*"):
        with suppress(OSError):
            if time.time() - file.stat().st_mtime > WRITTEN:
                file.unlink()
