"""`@kernel`, `@lean` and `@part`: functions compiled by Numba, machine code kept on disk.

Numba counts the references of every array that passes through a call, several nanoseconds each,
which a round of a few hundred nanoseconds would feel twice over. A lean kernel counts nothing; in
return it may not allocate (Numba refuses to compile it then) and returns no arrays. It is inlined
where it is called: otherwise all arrays of a state would be passed on the stack, by every call.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from lincon.kernel_cache import cache_folder

os.environ["NUMBA_CACHE_DIR"] = str(cache_folder())

import numba

from lincon.kernel_files import keep

# It may have been imported before, with another folder or none.
numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]


def _kept(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    compile = numba.njit(**options)
    return lambda function: keep(compile(function))


kernel = _kept()
# `_nrt` is the one option that Numba does not document: docs/engine.md says what it is worth.
lean = _kept(_nrt=False, error_model="numpy", forceinline=True)
# A part of one kernel that has a name of its own: it is not compiled apart, which takes as long.
part = numba.njit(_nrt=False, error_model="numpy", inline="always")
