"""`@kernel`: a function compiled by Numba, once per machine and version of the engine.

Numba's disk cache looks only at the file of the kernel itself: edit a helper that a cached kernel
calls, and the old machine code would run. So the cache lives in a folder named by the engine's
code, which parallel jobs share.
"""

from __future__ import annotations

import os
from pathlib import Path

import numba

from lincon.code import PACKAGE, fingerprint


def _cache_folder() -> Path:
    if "NUMBA_CACHE_DIR" in os.environ:
        home = Path(os.environ["NUMBA_CACHE_DIR"])
    elif os.access(PACKAGE, os.W_OK):
        home = PACKAGE / "__pycache__"
    else:
        home = Path.home() / ".cache" / "lincon"
    return home / f"numba-{fingerprint('simulate')}"


numba.config.CACHE_DIR = str(_cache_folder())
kernel = numba.njit(cache=True)
