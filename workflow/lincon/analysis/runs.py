"""Reading runs: all of them, from any files, and all made in the same way.

A file holds one run (`run=7.parquet`) or a block (`run=0-15.parquet`). Its rows say which, and its
metadata which policy played it; file names do not matter.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from lincon.data.arms import WARM, Arms
from lincon.errors import UserError
from lincon.files import read_table

# What the runs of one comparison must share. Code is compared per engine.
SHARED = ("dataset", "constraints", "horizon", "source", "arms_sha256", "seed", "points")
INFEASIBLE_RUNS = "infeasible_runs"
Metadata = dict[str, str]
Paths = Sequence[str | Path]


class Runs(NamedTuple):
    """`series` by policy, the `metadata` that all files share, and each policy's config entry."""

    series: dict[str, pd.DataFrame]
    metadata: Metadata
    entries: dict[str, dict[str, Any]]


def read_runs(paths: Paths, policies: Sequence[str], runs: int) -> Runs:
    """The series of runs 0 to `runs` - 1 of each policy.

    Runs whose own problem no mixture solves are left out, and counted as `infeasible_runs` in the
    metadata.
    """
    tables: dict[str, list[pa.Table]] = {policy: [] for policy in policies}
    metadata, entries = [], {}
    for policy, table, known in _tables(paths, policies, runs):
        tables[policy].append(table)
        metadata.append(known)
        entries[policy] = json.loads(known["policy"])
    for policy, parts in tables.items():
        _check_runs(policy, [r for part in parts for r in pc.unique(part["run"]).to_pylist()], runs)
    series = {policy: pa.concat_tables(parts).to_pandas() for policy, parts in tables.items()}
    shared = _shared(metadata, paths)
    lost: set[int] = set()
    for frame in series.values():
        lost |= set(frame.loc[frame["optimum"].isna(), "run"]) if "optimum" in frame else set()
    if len(lost) == runs:
        raise UserError(
            f"{shared.get('dataset')}: none of {runs} runs drew means that can keep the "
            "constraints; the counts say that these arms cannot, so weaken a constraint"
        )
    if lost:
        series = {policy: frame[~frame["run"].isin(lost)] for policy, frame in series.items()}
        shared |= {INFEASIBLE_RUNS: str(len(lost))}
    return Runs(series, shared, entries)


def forces_plays(entry: Mapping[str, Any], arms: Arms) -> bool:
    """Whether a policy plays every arm once before it decides, as the paper's two do.

    The Gittins index values an arm that was never played; a warm start has counts of every arm;
    what a user-defined policy plays first is its own choice.
    """
    return entry.get("estimator", "none") not in ("none", "gittins") and arms.start != WARM


def _shared(metadata: Sequence[Metadata], paths: Paths) -> Metadata:
    """The metadata that all files share; a file that was made differently is refused."""
    seen: dict[tuple[str, str], tuple[str, str | Path]] = {}
    for known, path in zip(metadata, paths, strict=True):
        for key in (*SHARED, "code"):
            scope = known.get("engine", "") if key == "code" else ""
            value, other = seen.setdefault((key, scope), (known.get(key, "unknown"), path))
            if known.get(key, "unknown") != value:
                raise UserError(
                    f"{path} was played with {key} {known.get(key, 'unknown')}, but {other} with "
                    f"{value}: runs can be compared only if they share it"
                )
    return {k: v for k, v in metadata[0].items() if all(m.get(k) == v for m in metadata)}


def _tables(
    paths: Paths, policies: Sequence[str], runs: int
) -> Iterator[tuple[str, pa.Table, Metadata]]:
    """Each file's policy, wanted rows and metadata; a block may hold more runs than asked."""
    for path in paths:
        table = read_table(path, "a table of runs")
        known = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        policy = json.loads(known.get("policy", "{}")).get("name", "unknown")
        if policy not in policies:
            raise UserError(
                f"{path} was played by {policy}, which is not among {', '.join(policies)}: it "
                "appears to have been moved; delete it and run again"
            )
        wanted = table.filter(pc.less(table["run"], runs))
        yield policy, wanted.replace_schema_metadata(None), known


def _check_runs(policy: str, present: Sequence[int], runs: int) -> None:
    missing = sorted(set(range(runs)) - set(present))
    if missing:
        listed = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
        raise UserError(f"{policy}: runs 0 to {runs - 1} are needed, but not there: {listed}")
    if len(present) > runs:
        raise UserError(f"{policy}: a run is in more than one of the files given")
