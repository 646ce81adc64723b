"""Reading runs: whichever files hold them, all of them or none, and all of one making.

A file holds one run (`run=7.parquet`) or a block (`run=0-15.parquet`); its rows say which, so the
files are given as a list and their names are not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from lincon.analysis.intervals import t_quantile
from lincon.errors import UserError
from lincon.files import read_table

# What the runs of one comparison must share. The code is that of an engine: a policy that another
# engine plays may have another.
SHARED = ("dataset", "eta", "horizon", "source", "arms_sha256", "seed", "points")
Metadata = dict[str, str]


def read_all(
    files: Mapping[str, Sequence[str | Path]], runs: int
) -> tuple[dict[str, pd.DataFrame], Metadata]:
    """Policy -> its series of runs 0 to `runs` - 1, and the metadata that all of them share."""
    frames, metadata = {}, []
    for policy, paths in files.items():
        tables = list(_tables(paths, policy, runs))
        _check_present(policy, [table for table, _ in tables], runs)
        frames[policy] = pa.concat_tables([table for table, _ in tables]).to_pandas()
        metadata += [known for _, known in tables]
    names = [str(path) for each in files.values() for path in each]
    return frames, shared_metadata(metadata, names)


def read_plays(paths: Sequence[str | Path], policy: str, runs: int) -> pd.DataFrame:
    """Per arm, the mean plays of a policy with their interval: file by file, for many arms."""
    ids, total, square, expected = [], 0.0, 0.0, 0.0
    for table, _ in _tables(paths, policy, runs):
        present = np.unique(table["run"].to_numpy())
        ids += present.tolist()
        # Sorted by run, then arm, as they are written.
        plays, share = (
            table[name].to_numpy().astype(float).reshape(len(present), -1)
            for name in ("plays", "expected_plays")
        )
        total, square = total + plays.sum(axis=0), square + (plays**2).sum(axis=0)
        expected = expected + share.sum(axis=0)
    _check_runs(policy, ids, runs)
    mean = np.asarray(total) / runs
    half = np.full(len(mean), np.nan)
    if runs > 1:
        variance = np.maximum(np.asarray(square) - runs * mean**2, 0.0) / (runs - 1)
        half = t_quantile(runs) * np.sqrt(variance / runs)
    return pd.DataFrame(
        {
            "policy": policy,
            "arm": np.arange(len(mean)),
            "plays": mean,
            "ci_low": mean - half,
            "ci_high": mean + half,
            "expected_plays": np.asarray(expected) / runs,
            "n_runs": runs,
        }
    )


def shared_metadata(metadata: Sequence[Metadata], paths: Sequence[str]) -> Metadata:
    """What all files say of their making; one that was made otherwise is refused."""
    if not metadata:
        return {}
    seen: dict[tuple[str, str], tuple[str, str]] = {}
    for known, path in zip(metadata, paths, strict=True):
        engine = known.get("engine", "")
        for key in (*SHARED, "code"):
            mine = known.get(key, "unknown")
            scope = engine if key == "code" else ""
            value, other = seen.setdefault((key, scope), (mine, path))
            if mine != value:
                raise UserError(
                    f"{path} was played with {key} {mine}, but {other} with {value}: "
                    "runs can be compared only if they share it"
                )
    first = metadata[0]
    return {k: v for k, v in first.items() if all(m.get(k) == v for m in metadata)}


def _tables(
    paths: Sequence[str | Path], policy: str, runs: int
) -> Iterator[tuple[pa.Table, Metadata]]:
    """The wanted rows of each file, with its metadata; a block may hold more runs than asked."""
    for path in paths:
        table = read_table(path, "a table of runs")
        wanted = table.filter(pc.less(table["run"], runs))
        known = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        played = json.loads(known.get("policy", "{}")).get("name", policy)
        if played != policy:
            raise UserError(
                f"{path} was played by {played}, not by {policy}: it was put there by hand; delete "
                "it and run again, which makes it anew"
            )
        yield wanted.replace_schema_metadata(None), known


def _check_present(policy: str, tables: Sequence[pa.Table], runs: int) -> None:
    _check_runs(policy, [run for t in tables for run in pc.unique(t["run"]).to_pylist()], runs)


def _check_runs(policy: str, present: Sequence[int], runs: int) -> None:
    missing = sorted(set(range(runs)) - set(present))
    twice = sorted({run for run in present if present.count(run) > 1})
    if missing:
        raise UserError(
            f"{policy}: runs 0 to {runs - 1} are needed, and {_listed(missing)} missing"
        )
    if twice:
        raise UserError(f"{policy}: {_listed(twice)} in more than one of the files given")


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:5])) + (", ..." if len(numbers) > 5 else "")
    return f"run {shown} is" if len(numbers) == 1 else f"runs {shown} are"
