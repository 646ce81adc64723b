"""Where the machine code of the kernels is kept on disk.

Numba keeps machine code, but looks only at the file of the compiled function itself: edit a helper
that it calls, and the old code runs. So the folder is named by the fingerprint of all compiled code
and handed to Numba as NUMBA_CACHE_DIR, its own setting; folders of earlier versions are removed.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from lincon.fingerprint import PACKAGE, fingerprint

# The modules whose functions are compiled, with all that they call.
COMPILED = ("engine.dense", "engine.lazy.engine", "problem.lp")
PREFIX = "lincon-kernels-"
# A folder of another version is removed when nobody has used it for so long, in seconds.
UNUSED = 7 * 24 * 3600.0


def cache_folder() -> Path:
    """This version's folder, below NUMBA_CACHE_DIR where the environment has one."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given and Path(given).name.startswith(PREFIX):
        return Path(given)
    if given:
        home = Path(given)
    elif os.access(PACKAGE, os.W_OK):
        home = PACKAGE / "__pycache__"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lincon"
    return home / f"{PREFIX}{fingerprint(*COMPILED)}"


def remove_unused(folder: Path) -> None:
    """Delete the folders of other versions beside `folder` that nobody has used for a week."""
    for other in folder.parent.glob(f"{PREFIX}*"):
        if other != folder and time.time() - other.stat().st_mtime > UNUSED:
            shutil.rmtree(other, ignore_errors=True)
