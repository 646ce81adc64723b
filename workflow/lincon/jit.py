"""How kernels are compiled by Numba.

`@entry` is compiled when it is called from Python, and its machine code is kept on disk. `@kernel`
is compiled into the entries that call it: it has no wrappers for Python or C and no file of its
own, which halves what there is to compile. Called from Python it is a plain function, with the same
arithmetic. `@lean` is the same for the inside of a round, inlined where it is called: otherwise all
arrays of a state would be passed on the stack by every call. `@part` is inlined before it is
compiled, so that it is not compiled twice.

Numba counts the references of every array that is passed on, several nanoseconds each, which a
round of a few hundred nanoseconds would feel twice over. It counts nothing for an array without an
owner; `borrowed` takes the owner away. Python holds the arguments of an entry until it returns, so
an entry hands borrowed arrays to its lean kernels. It must get them as arguments of their own: with
one tuple of all, the compiler loses sight of the missing owners.

With NUMBA_DISABLE_JIT=1 kernels are plain functions, which do the same arithmetic, and Numba itself
is not loaded.
"""

import os
from typing import Any

from lincon.kernel_cache import intact_folder

if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
    entry = kernel = lean = part = borrowed = lambda given: given
else:
    os.environ["NUMBA_CACHE_DIR"] = str(intact_folder())

    import numba
    from numba import types
    from numba.extending import intrinsic, register_jitable

    # Numba may have been imported earlier, with another folder or none.
    numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]

    INNER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    entry = numba.njit(cache=True)
    kernel = register_jitable(**INNER)
    lean = register_jitable(error_model="numpy", forceinline=True, **INNER)
    part = register_jitable(error_model="numpy", inline="always")

    def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        """The same value with null for the owner of every array and generator in it."""
        if isinstance(kind, types.BaseTuple):
            for k, kind_k in enumerate(kind):
                inner = _without_owner(context, builder, kind_k, builder.extract_value(value, k))
                value = builder.insert_value(value, inner, k)
        elif isinstance(kind, types.Array | types.NumPyRandomGeneratorType):
            place = context.data_model_manager[kind].get_field_position("meminfo")
            value = builder.insert_value(value, value.type.elements[place](None), place)
        return value

    @intrinsic
    def borrowed(typing_context: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return _without_owner(context, builder, signature.args[0], arguments[0])

        return value(value), generate
