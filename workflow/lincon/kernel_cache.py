"""Where Numba keeps the machine code of the kernels.

Numba's cache looks only at the file of the compiled function itself: edit a helper that it calls,
and the old code runs. So its folder, NUMBA_CACHE_DIR, is named by the fingerprint of the engine.
"""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from lincon.errors import UserError
from lincon.files import user_cache
from lincon.fingerprint import PACKAGE, fingerprint

PREFIX = "lincon-kernels-"


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
        with suppress(OSError):  # only trying tells whether a file can be made, above all for root
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            return folder
    raise UserError(
        f"{' and '.join(str(folder.parent) for folder in folders)} cannot be written, and compiled "
        "kernels must be kept; set NUMBA_CACHE_DIR to a folder that can"
    )
