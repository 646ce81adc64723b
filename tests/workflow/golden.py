"""The golden file: what a small study gave, so that a change of the code shows what it moves.

    make golden

plays the study again, prints what moved and writes the file. Tables are hashed by their rows, not
by how they are stored, and named without hashes: what a declaration is called may change.
"""

import hashlib
import json
import re
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from tests.workflow.bench import SMALL, new_bench

FILE = Path(__file__).with_name("golden.json")
# Runs may be in one file each or in blocks: a column says which.
TREES = ("runs", "plays", "chosen")
HASHES = re.compile(r"-[0-9a-f]{8}|/settings=[0-9a-f]{8}")


def recorded() -> dict[str, str]:
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


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


def rows_of(results: Path) -> dict[str, str]:
    """Name -> hash of the rows of every table of numbers; the runs of a policy are one table."""
    files: dict[str, list[Path]] = {}
    for path in sorted(results.rglob("*.parquet")):
        table = path.relative_to(results)
        if "tables" not in table.parts:
            name = table.parent if table.parts[0] in TREES else table
            files.setdefault(HASHES.sub("", name.as_posix()), []).append(path)
    frames = {name: pd.concat(map(read, paths)) for name, paths in files.items()}
    return {
        name: rows_sha256(frame.sort_values("run", kind="stable") if "run" in frame else frame)
        for name, frame in frames.items()
    }


def moved(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """One line for each table that is new, gone or other than before."""
    lines = [f"{name} is new" for name in now if name not in before]
    lines += [f"{name} is gone" for name in before if name not in now]
    return lines + [f"{name} moved" for name in now if before.get(name, now[name]) != now[name]]


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        bench = new_bench(Path(folder) / "project")
        bench.run(config=SMALL)
        now = rows_of(bench / "results")
    lines = moved(recorded(), now)
    FILE.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print("\n".join(lines) or "nothing moved")


if __name__ == "__main__":
    sys.exit(main())
