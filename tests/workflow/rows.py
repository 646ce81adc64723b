"""What a result says, without how it is stored: hashes of rows, and of texts and pictures."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

# Runs may be in one file each or in blocks: a column says which.
TREES = ("runs", "plays")


def rows_sha256(frame: pd.DataFrame) -> str:
    """Of names and values, column by column; integers, floats and texts as they are."""
    digest = hashlib.sha256()
    for name in frame.columns:
        column = frame[name]
        digest.update(f"{name}\0{len(column)}\0".encode())
        if pd.api.types.is_bool_dtype(column) or pd.api.types.is_integer_dtype(column):
            digest.update(column.to_numpy("<i8").tobytes())
        elif pd.api.types.is_float_dtype(column):
            digest.update((column.to_numpy("<f8") + 0.0).tobytes())
        else:
            digest.update("\0".join(map(repr, column.tolist())).encode())
    return digest.hexdigest()


def read(path: Path) -> pd.DataFrame:
    return pq.ParquetFile(path).read().to_pandas()


def runs_of(results: Path) -> dict[str, str]:
    """Folder of a player -> hash of all its rows, in the order of the runs."""
    found = {}
    for tree in TREES:
        for folder in sorted({path.parent for path in (results / tree).rglob("*.parquet")}):
            frame = pd.concat([read(path) for path in sorted(folder.glob("*.parquet"))])
            frame = frame.sort_values("run", kind="stable", ignore_index=True)
            found[folder.relative_to(results).as_posix()] = rows_sha256(frame)
    return found


def rows_of(results: Path) -> dict[str, str]:
    """Name -> hash of the rows of every table: runs, arms, summaries, tables of studies."""
    others = [
        path
        for path in sorted(results.rglob("*.parquet"))
        if path.relative_to(results).parts[0] not in TREES
    ]
    named = {path.relative_to(results).as_posix(): rows_sha256(read(path)) for path in others}
    return runs_of(results) | named


def differing_rows(first: Path, second: Path) -> list[str]:
    ours, theirs = rows_of(first), rows_of(second)
    return sorted(name for name in ours | theirs if ours.get(name) != theirs.get(name))
