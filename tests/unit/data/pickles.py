"""Pickles to read: made as NumPy makes them, and mutated."""

from __future__ import annotations

import hashlib
import io
import pickle
from pathlib import Path

import numpy as np

from lincon.data import safe_pickle
from lincon.errors import UserError


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def npy(folder: Path, content: object, dump=None) -> tuple[dict, list[Path]]:
    """A `.npy` with a pickle of `content`, and a spec that pins it."""
    path = folder / "coupon_purchase.npy"
    if dump is None:
        np.save(path, np.array(content, dtype=object), allow_pickle=True)
    else:
        stream = io.BytesIO()
        header = {"descr": "|O", "fortran_order": False, "shape": ()}
        np.lib.format.write_array_header_1_0(stream, header)
        path.write_bytes(stream.getvalue() + dump)
    files = {path.name: {"sha256": sha256(path)}}
    return {"kind": "coupon_published", "files": files}, [path]


def fuzzed(folder: Path, seed: int, count: int) -> tuple[int, int]:
    """Mutate good files; (read, refused). Anything but an answer or a sentence fails."""
    rng = np.random.default_rng(seed)
    small = {"T": 2, "N": np.int64(1), "x": np.float64(0.5), "a": np.ones((2, 2)), "b": np.ones(3)}
    good = [
        npy(folder, None, pickle.dumps(np.array(small, dtype=object), protocol=protocol))[1][
            0
        ].read_bytes()
        for protocol in (3, 4)
    ]
    path, read, refused = folder / "fuzzed.npy", 0, 0
    for i in range(count):
        data = bytearray(good[i % 2])
        for _ in range(rng.integers(1, 4)):
            place, kind = rng.integers(len(data)), rng.integers(4)
            if kind == 0:
                data[place] = rng.integers(256)
            elif kind == 1:
                del data[place : place + rng.integers(1, 20)]
            elif kind == 2:
                data[place:place] = rng.bytes(rng.integers(1, 9))
            else:
                other = rng.integers(len(data))
                data[place:place] = data[other : other + rng.integers(1, 40)]
        path.write_bytes(data)
        try:
            content = safe_pickle.read_dict(path)
        except UserError:
            refused += 1
            continue
        read += 1
        assert all(type(value) in (int, float, np.ndarray) for value in content.values())
    return read, refused
