"""Arms of the user's own, from a CSV or Parquet file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lincon.data import arms
from lincon.data.arms import Arms
from lincon.data.kinds.declaration import Entry, Kind
from lincon.data.kinds.raw_files import ARMS
from lincon.data.raw import file_sha256
from lincon.data.user_table import read_user_arms


def extract(entry: Entry, raw: Sequence[Path], dataset: str) -> Arms:
    path = raw[0] if raw else Path(entry["path"])
    scale = float(entry["scale"])
    found = read_user_arms(path, scale)
    return arms.make(
        found.mean,
        found.value,
        found.label,
        where=str(path),
        unit=entry.get("unit", ""),
        scale=scale,
        read_as=found.read_as,
        dataset=dataset,
        source="user",
        address=str(entry.get("path", path)),
        sha256=file_sha256(path),
    )


KIND = Kind(
    name="user",
    description="a CSV or Parquet file of your own",
    mean="`mean`, or `successes / trials`",
    value="`value / scale`",
    source="user",
    keys={
        "path": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1000,
            "description": "a CSV or Parquet file of your own",
        },
        "unit": {
            "type": "string",
            "pattern": "^[^\\s][^\\n\\r\\t]*\\Z",
            "maxLength": 20,
            "description": "what rewards are counted in, such as EUR",
        },
        "scale": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1e12,
            "default": 1,
            "description": "the value that counts as 1; values are divided by it",
        },
        "arms": ARMS,
    },
    required=("path",),
    fixed=frozenset({"arms", "scale"}),
    extract=extract,
    path_key="path",
)
