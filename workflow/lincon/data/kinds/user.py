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
    mean, value, label = read_user_arms(path)
    return arms.make(
        mean,
        value,
        label,
        where=str(path),
        dataset=dataset,
        source="user",
        address=str(entry.get("path", path)),
        sha256=file_sha256(path),
    )


KIND = Kind(
    name="user",
    description="a CSV or Parquet file of your own",
    mean="`mean`, or `successes / trials`",
    value="`value`",
    source="user",
    keys={
        "path": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1000,
            "description": "a CSV or Parquet file of your own",
        },
        "arms": ARMS,
    },
    required=("path",),
    fixed=frozenset({"arms"}),
    extract=extract,
    path_key="path",
)
