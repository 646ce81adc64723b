"""`@kernel`, `@lean` and `@part`: functions compiled by Numba.

Numba counts the references of every array that passes through a call, several nanoseconds each,
which a round of a few hundred nanoseconds would feel twice over. A lean kernel counts nothing; in
return it may not allocate (Numba refuses to compile it then) and returns no arrays. It is inlined
where it is called: otherwise all arrays of a state would be passed on the stack, by every call.
"""

from __future__ import annotations

from collections.abc import Callable

import numba

from lincon.machine_code import Cache


def _kept(**options: object) -> Callable:
    """A decorator: compile at the first call, and keep the machine code on disk."""
    # No C function beside it: nobody has a use for one, and it takes time to compile.
    compiled = numba.njit(no_cfunc_wrapper=True, **options)

    def decorate(function: Callable) -> Callable:
        result = compiled(function)
        # With NUMBA_DISABLE_JIT it is the Python function itself.
        if result is not function:
            result._cache = Cache(function)
        return result

    return decorate


kernel = _kept()
lean = _kept(_nrt=False, error_model="numpy", forceinline=True)
# A part of one kernel that has a name of its own: it is not compiled apart, which takes as long.
part = numba.njit(_nrt=False, error_model="numpy", inline="always")
