"""Reading a pickled `.npy` of float arrays without giving the pickle any power.

Unpickling runs whatever the file names. Here it may name the three things that a NumPy array is
rebuilt from, under the module names of NumPy 1 and 2, and nothing else.
"""

from __future__ import annotations

import os
import pickle

import numpy as np

from lincon.errors import UserError

# Asking an array how it is rebuilt finds the function wherever this NumPy keeps it.
_RECONSTRUCT = np.empty(0).__reduce__()[0]
ALLOWED = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("numpy.core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("numpy._core.multiarray", "_reconstruct"): _RECONSTRUCT,
}
HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class _FloatsOnly(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        try:
            return ALLOWED[module, name]
        except KeyError:
            raise UserError(
                f"refused: the pickle names {module}.{name}; only arrays of floats are read"
            ) from None


def read_float_arrays(
    path: str | os.PathLike[str], names: tuple[str, ...]
) -> tuple[np.ndarray, ...]:
    """The named float vectors of a `.npy` that holds one dict of them; all of the same length."""
    content = _read_object(path)
    if not (isinstance(content, np.ndarray) and content.shape == () and content.dtype.kind == "O"):
        raise UserError(f"{path}: one pickled dict of arrays is expected")
    table = content.item()
    if not isinstance(table, dict) or any(name not in table for name in names):
        raise UserError(f"{path}: a dict with {' and '.join(names)} is expected")
    vectors = tuple(table[name] for name in names)
    for name, vector in zip(names, vectors, strict=True):
        if not (isinstance(vector, np.ndarray) and vector.ndim == 1 and vector.dtype.kind == "f"):
            raise UserError(f"{path}: {name} is no vector of floats")
    if len({vector.size for vector in vectors}) != 1:
        raise UserError(f"{path}: {' and '.join(names)} differ in length")
    return vectors


def _read_object(path: str | os.PathLike[str]) -> object:
    with open(path, "rb") as stream:
        try:
            shape, _, dtype = HEADERS[np.lib.format.read_magic(stream)](stream)
        except (ValueError, KeyError):
            raise UserError(f"{path} is not a NumPy .npy file") from None
        if shape != () or dtype.kind != "O":
            raise UserError(f"{path}: one pickled dict of arrays is expected")
        try:
            return _FloatsOnly(stream).load()
        except UserError as error:
            raise UserError(f"{path}: {error}") from None
        except Exception as error:  # a broken pickle can raise nearly anything
            raise UserError(f"{path}: its pickle is broken ({type(error).__name__})") from None
