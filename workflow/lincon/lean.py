"""`@lean` and `@part`: kernels without reference counting, for short rounds.

Numba counts the references of every array that passes through a call, several nanoseconds each,
which a round of a few hundred nanoseconds would feel twice over. A lean kernel counts nothing; in
return it may not allocate (Numba refuses to compile it then) and returns no arrays.
"""

from __future__ import annotations

import numba

from lincon import jit

assert jit.kernel is not None  # imported for the cache folder that it sets
lean = numba.njit(cache=True, _nrt=False)
# A part of one kernel that has a name of its own: it is not compiled apart, which takes as long.
part = numba.njit(_nrt=False, inline="always")
