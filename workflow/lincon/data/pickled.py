"""Pickled dicts of arrays, as the paper's authors publish their coupons, by an allow-list."""

import io
import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lincon.data.raw import checked
from lincon.errors import UserError

MAX_BYTES = 100_000_000
# All that such a pickle needs, under the module names of NumPy 1 and 2.
ALLOWED = {
    "ndarray": np.ndarray,
    "dtype": np.dtype,
    "_reconstruct": np.zeros(0).__reduce__()[0],
    "scalar": np.float64(0).__reduce__()[0],
}
MODULES = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module in MODULES and name in ALLOWED:
            return ALLOWED[name]
        raise pickle.UnpicklingError(f"it names {module}.{name}; only arrays of floats are read")


def read_dict(path: str | os.PathLike[str], entry: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The numbers and arrays by name in the `.npy` file that its config entry pins."""
    if not entry.get("sha256"):
        raise UserError(f"{path} is a pickle, read only with its sha256 in the config")
    checked(path, entry)
    if os.path.getsize(path) > MAX_BYTES:
        raise UserError(f"{path} is larger than {MAX_BYTES:,} bytes")
    data = io.BytesIO(Path(path).read_bytes())
    try:
        np.lib.format.read_magic(data)
        np.lib.format.read_array_header_1_0(data)
        content = {n: np.asarray(value) for n, value in _Unpickler(data).load().item().items()}
        for name, value in content.items():
            if value.dtype.kind not in "fi":
                raise ValueError(f"{name!r} is neither a number nor an array of numbers")
    except Exception as error:  # a pickle can fail in any way
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise UserError(f"{path}: a pickled dict of numbers is expected: {reason}") from None
    return {name: value.astype(np.float64) for name, value in content.items()}
