"""Reading a pickled `.npy` with a dict of numbers and float arrays, without unpickling it.

Unpickling runs whatever the file names. Here nothing is run: the pickle's instructions, as the
standard library's `pickletools` parses them, are followed by a small machine that knows numbers,
texts, tuples and the few steps from which NumPy rebuilds an array or a scalar. Anything else is
refused. What NumPy is given in the end are bytes whose type and length have been checked.
"""

from __future__ import annotations

import io
import os
import pickletools
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lincon.errors import UserError

MAX_BYTES = 200_000_000
MAX_STEPS = 100_000
# What np.save writes before the pickle of one object.
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '\|O', 'fortran_order': (True|False), 'shape': \(\), \} *\n",
    re.DOTALL,
)
# The names of NumPy 1 and 2.
ARRAY_PARTS = {
    f"{module} {name}": name
    for module in ("numpy.core.multiarray", "numpy._core.multiarray")
    for name in ("_reconstruct", "scalar")
} | {"numpy ndarray": "ndarray", "numpy dtype": "dtype"}
ARRAY_TYPES = ("f8", "f4")
SCALAR_TYPES = ("f8", "f4", "i8", "i4", "u8", "u4")

Content = dict[str, "int | float | np.ndarray"]


def read_dict(path: str | os.PathLike[str], max_bytes: int = MAX_BYTES) -> Content:
    """The dict of a `.npy`: whole numbers, floats and arrays of floats by name."""
    data = _pickle_of(path, max_bytes)
    try:
        with warnings.catch_warnings():  # pickletools warns of odd texts, which are refused
            warnings.simplefilter("ignore")
            content = _Machine().run(data)
        if not isinstance(content, _Array):
            raise _Refused("one pickled dict of arrays is expected")
        entries = content.one_dict()
        # A pickle can name one array, or the bytes of one, ten thousand times.
        if sum(value.size() for value in entries.values() if isinstance(value, _Array)) > max_bytes:
            raise _Refused(f"its arrays have more than {max_bytes:,} bytes together")
        return {name: _plain(name, value) for name, value in entries.items()}
    except _Refused as error:
        raise UserError(f"{path}: {error}") from None
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError) as error:
        # What a step meets where the pickle has put together what does not fit.
        raise UserError(f"{path}: its pickle is broken ({type(error).__name__})") from None


def read_float_arrays(
    path: str | os.PathLike[str], names: tuple[str, ...]
) -> tuple[np.ndarray, ...]:
    """The named float vectors of a `.npy` that holds one dict of them; all of the same length."""
    table = read_dict(path)
    if any(name not in table for name in names):
        raise UserError(f"{path}: a dict with {' and '.join(names)} is expected")
    vectors = []
    for name in names:
        vector = table[name]
        if not (isinstance(vector, np.ndarray) and vector.ndim == 1):
            raise UserError(f"{path}: {name} is no vector of floats")
        vectors.append(vector)
    if len({vector.size for vector in vectors}) != 1:
        raise UserError(f"{path}: {' and '.join(names)} differ in length")
    return tuple(vectors)


def _pickle_of(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    with open(path, "rb") as stream:
        data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise UserError(f"{path} is larger than {max_bytes:,} bytes")
    header = HEADER.match(data)
    if header is None or int.from_bytes(data[8:10], "little") != header.end() - 10:
        raise UserError(f"{path} is not a NumPy .npy file with one pickled dict of arrays")
    return data[header.end() :]


class _Refused(Exception):
    """The pickle asks for something that no dict of float arrays needs."""


@dataclass(frozen=True)
class _Name:
    """One of the parts that an array is rebuilt from; a word, not the thing."""

    part: str


@dataclass
class _Type:
    code: str
    order: str = "="

    def build(self, state: Any) -> None:
        """The state of a dtype: version, byte order, and what only other types need."""
        if type(state) is not tuple or len(state) != 8 or state[1] not in ("<", ">", "=", "|"):
            raise _Refused("it holds an array of an unknown type")
        self.order = state[1]

    def dtype(self, allowed: tuple[str, ...]) -> np.dtype:
        if self.code not in allowed:
            raise _Refused(f"it holds numbers of the type {self.code[:20]!r}; floats are read")
        return np.dtype(self.order.replace("|", "=") + self.code)


@dataclass
class _Array:
    """An array that is put together; its state is (version, shape, type, column order, content)."""

    state: tuple[Any, ...] = ()

    def build(self, state: Any) -> None:
        if type(state) is not tuple or len(state) != 5 or not isinstance(state[2], _Type):
            raise _Refused("it holds an array that is not complete")
        self.state = state

    def one_dict(self) -> dict[str, Any]:
        """The dict that an array of one object holds."""
        _, shape, of_type, _, content = self.state or (0, 0, _Type(""), 0, 0)
        found = of_type.code in ("O8", "O4", "O") and shape == () and type(content) is list
        if not (found and len(content) == 1 and type(content[0]) is dict):
            raise _Refused("one pickled dict of arrays is expected")
        return content[0]

    def size(self) -> int:
        """The bytes of its content."""
        content = self.state[4] if self.state else b""
        return len(content) if type(content) is bytes else 0

    def floats(self) -> np.ndarray:
        if not self.state:
            raise _Refused("it holds an array that is not complete")
        _, shape, of_type, columns_first, content = self.state
        dtype = of_type.dtype(ARRAY_TYPES)
        sizes = type(shape) is tuple and all(type(n) is int and 0 <= n < 2**40 for n in shape)
        if not (sizes and len(shape) <= 2 and type(content) is bytes):
            raise _Refused("it holds an array that is neither a vector nor a matrix of floats")
        count = shape[0] * (shape[1] if len(shape) == 2 else 1) if shape else 1
        if len(content) != count * dtype.itemsize:
            raise _Refused("it holds an array whose size and content differ")
        flat = np.frombuffer(content, dtype).astype(np.float64)
        return flat.reshape(shape, order="F") if columns_first else flat.reshape(shape)


def _plain(name: str, value: Any) -> int | float | np.ndarray:
    if isinstance(value, _Array):
        return value.floats()
    if type(value) in (int, float):
        return value
    raise _Refused(f"{name[:80]!r} is neither a number nor an array of floats")


def _scalar(of_type: Any, content: Any) -> int | float:
    if not isinstance(of_type, _Type) or type(content) is not bytes:
        raise _Refused("it holds a scalar that is not complete")
    dtype = of_type.dtype(SCALAR_TYPES)
    if len(content) != dtype.itemsize:
        raise _Refused("it holds a scalar whose type and content differ")
    return np.frombuffer(content, dtype)[0].item()


def _reduced(name: Any, arguments: Any) -> Any:
    """What a call of one of the known names stands for."""
    part = name.part if isinstance(name, _Name) else None
    if type(arguments) is not tuple or part is None:
        raise _Refused("it calls what is no part of an array")
    if part == "_reconstruct" and arguments[:1] == (_Name("ndarray"),):
        return _Array()
    if part == "dtype" and arguments and type(arguments[0]) is str:
        return _Type(arguments[0])
    if part == "scalar" and len(arguments) == 2:
        return _scalar(*arguments)
    raise _Refused(f"it calls {part} in an unknown way")


class _Machine:
    """The stack machine of the pickle format, reduced to what arrays and numbers need."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def run(self, data: bytes) -> Any:
        for steps, (opcode, argument, _) in enumerate(pickletools.genops(io.BytesIO(data))):
            if steps > MAX_STEPS:
                raise _Refused(f"it has more than {MAX_STEPS:,} steps")
            if opcode.name == "STOP":
                break
            if opcode.name in CONSTANTS:
                self.stack.append(CONSTANTS[opcode.name]())
            elif opcode.name in LITERALS:
                self.stack.append(argument)
            elif opcode.name in STEPS:
                STEPS[opcode.name](self, argument)
            else:
                raise _Refused(f"its pickle uses {opcode.name}, which no array of floats needs")
        (result,) = self.stack
        return result

    def pop_mark(self) -> list[Any]:
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def pop(self, count: int) -> list[Any]:
        if len(self.stack) < count:
            raise IndexError
        items = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return items

    def name(self, text: str) -> None:
        if text not in ARRAY_PARTS:
            shown = text.replace(" ", ".")[:100]
            raise _Refused(f"refused: the pickle names {shown}; only arrays of floats are read")
        self.stack.append(_Name(ARRAY_PARTS[text]))

    def stack_name(self) -> None:
        module, name = self.pop(2)
        if type(module) is not str or type(name) is not str:
            raise TypeError
        self.name(f"{module} {name}")

    def append(self, items: list[Any]) -> None:
        if type(self.stack[-1]) is not list:
            raise TypeError
        self.stack[-1].extend(items)

    def set_items(self, items: list[Any]) -> None:
        keys, values = items[::2], items[1::2]
        if type(self.stack[-1]) is not dict or any(type(key) is not str for key in keys):
            raise TypeError
        self.stack[-1].update(zip(keys, values, strict=True))

    def build(self) -> None:
        thing, state = self.pop(2)
        if not isinstance(thing, _Array | _Type):
            raise _Refused("it gives a state to what has none")
        thing.build(state)
        self.stack.append(thing)


CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_TUPLE": tuple,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
}
LITERALS = frozenset(
    {
        *("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT"),
        *("BINUNICODE", "SHORT_BINUNICODE"),
        *("BINBYTES", "SHORT_BINBYTES", "BINBYTES8"),
    }
)
STEPS: dict[str, Callable[[_Machine, Any], None]] = {
    "PROTO": lambda m, _: None,
    "FRAME": lambda m, _: None,
    "MARK": lambda m, _: m.marks.append(len(m.stack)),
    "TUPLE": lambda m, _: m.stack.append(tuple(m.pop_mark())),
    "TUPLE1": lambda m, _: m.stack.append(tuple(m.pop(1))),
    "TUPLE2": lambda m, _: m.stack.append(tuple(m.pop(2))),
    "TUPLE3": lambda m, _: m.stack.append(tuple(m.pop(3))),
    "GLOBAL": lambda m, text: m.name(text),
    "STACK_GLOBAL": lambda m, _: m.stack_name(),
    "REDUCE": lambda m, _: m.stack.append(_reduced(*m.pop(2))),
    "BUILD": lambda m, _: m.build(),
    "APPEND": lambda m, _: m.append(m.pop(1)),
    "APPENDS": lambda m, _: m.append(m.pop_mark()),
    "SETITEM": lambda m, _: m.set_items(m.pop(2)),
    "SETITEMS": lambda m, _: m.set_items(m.pop_mark()),
    "MEMOIZE": lambda m, _: m.memo.__setitem__(len(m.memo), m.stack[-1]),
    **{
        name: lambda m, place: m.memo.__setitem__(place, m.stack[-1])
        for name in ("BINPUT", "LONG_BINPUT")
    },
    **{name: lambda m, place: m.stack.append(m.memo[place]) for name in ("BINGET", "LONG_BINGET")},
}
