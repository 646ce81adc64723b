"""The pinned `.npy` files: one pickled dict of numbers and float arrays, by an allow-list."""

from __future__ import annotations

import io
import os
import pickle
from typing import Any

import numpy as np

from lincon.errors import UserError

MAX_BYTES = 200_000_000
# All that such a pickle needs, under the module names of NumPy 1 and 2.
PARTS = {
    "ndarray": np.ndarray,
    "dtype": np.dtype,
    "_reconstruct": np.zeros(0).__reduce__()[0],
    "scalar": np.float64(0).__reduce__()[0],
}
MODULES = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")

Content = dict[str, "int | float | np.ndarray"]


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module in MODULES and name in PARTS:
            return PARTS[name]
        raise pickle.UnpicklingError(f"it names {module}.{name}; only arrays of floats are read")


def read_dict(path: str | os.PathLike[str], max_bytes: int = MAX_BYTES) -> Content:
    """The dict of a `.npy`: whole numbers, floats and arrays of floats by name."""
    if os.path.getsize(path) > max_bytes:
        raise UserError(f"{path} is larger than {max_bytes:,} bytes")
    with open(path, "rb") as stream:
        data = io.BytesIO(stream.read())
    try:
        np.lib.format.read_magic(data)
        np.lib.format.read_array_header_1_0(data)
    except ValueError:
        raise UserError(f"{path} is not a NumPy .npy file with one pickled dict") from None
    try:
        content = _Unpickler(data).load().item()
        return {str(name): _plain(name, value) for name, value in content.items()}
    except Exception as error:  # a pickle can fail in any way
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise UserError(f"{path}: a pickled dict of numbers is expected: {reason}") from None


def _plain(name: str, value: Any) -> int | float | np.ndarray:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(np.float64)
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) in (int, float):
        return value
    raise ValueError(f"{name!r} is neither a number nor an array of floats")
