"""Reading runs: whichever files hold them, all of them or none, and all made in the same way.

A file holds one run (`run=7.parquet`) or a block (`run=0-15.parquet`). Its rows say which, and its
metadata which policy played it: files are given as one list, and their names are not looked at.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from lincon.analysis import measures
from lincon.data import arms as arm_tables
from lincon.errors import UserError
from lincon.files import read_table, write_frame
from lincon.problem.record import read_problem

# What the runs of one comparison must share. The code is that of an engine: a policy that another
# engine plays may have another.
SHARED = ("dataset", "constraints", "horizon", "source", "arms_sha256", "seed", "points")
INFEASIBLE_RUNS = "infeasible_runs"
Metadata = dict[str, str]
Paths = Sequence[str | Path]


def read_runs(
    paths: Paths, policies: Sequence[str], runs: int
) -> tuple[dict[str, pd.DataFrame], Metadata]:
    """Policy -> its series of runs 0 to `runs` - 1, and the metadata that all of them share.

    Runs whose own problem no mixture solves are left out, and counted as `infeasible_runs` there.
    """
    tables: dict[str, list[pa.Table]] = {policy: [] for policy in policies}
    metadata = []
    for policy, table, known in _tables(paths, policies, runs):
        tables[policy].append(table)
        metadata.append(known)
    for policy, parts in tables.items():
        _check_runs(policy, [r for part in parts for r in pc.unique(part["run"]).to_pylist()], runs)
    frames = {policy: pa.concat_tables(parts).to_pandas() for policy, parts in tables.items()}
    shared = _shared(metadata, [str(path) for path in paths])
    # Runs that have an optimum of their own, which does not exist.
    lost: set[int] = set()
    for frame in frames.values():
        lost |= set(frame.loc[frame["optimum"].isna(), "run"]) if "optimum" in frame else set()
    if not lost:
        return frames, shared
    if len(lost) == runs:
        raise UserError(
            f"{shared.get('dataset')}: none of {runs} runs drew means that can keep the "
            "constraints; the counts say that these arms cannot, so weaken a bound"
        )
    left = {policy: frame[~frame["run"].isin(lost)] for policy, frame in frames.items()}
    return left, shared | {INFEASIBLE_RUNS: str(len(lost))}


def read_plays(paths: Paths, policies: Sequence[str], runs: int) -> pd.DataFrame:
    """The mean plays per policy and arm: file by file, for many arms."""
    present: dict[str, list[int]] = {policy: [] for policy in policies}
    sums = {policy: np.zeros(1) for policy in policies}
    for policy, table, _ in _tables(paths, policies, runs):
        ids = np.unique(table["run"].to_numpy())
        present[policy] += ids.tolist()
        # Sorted by run, then arm, as they are written.
        plays = table["plays"].to_numpy().astype(float).reshape(len(ids), -1)
        sums[policy] = sums[policy] + plays.sum(axis=0)
    frames = []
    for policy, total in sums.items():
        _check_runs(policy, present[policy], runs)
        columns = {"policy": policy, "arm": np.arange(len(total)), "plays": total / runs}
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def summarise(
    files: Paths,
    arms: str | Path,
    problem: str | Path,
    out: str | Path,
    *,
    policies: Sequence[str],
    runs: int,
    tolerances: Sequence[float | None] = (),
) -> None:
    """Average the runs of a setting: one row per policy, metric, basis and recorded round.

    The first job after the runs, one per setting: it loads nothing that tables need.
    """
    series, metadata = read_runs(files, policies, runs)
    table = arm_tables.read(arms)
    frame = measures.summarise(series, table, read_problem(problem), tolerances)
    write_frame(out, frame, metadata | {"unit": table.unit, "scale": repr(table.scale)})


def _shared(metadata: Sequence[Metadata], paths: Sequence[str]) -> Metadata:
    """What all files say of how they were made; one that was made differently is refused."""
    seen: dict[tuple[str, str], tuple[str, str]] = {}
    for known, path in zip(metadata, paths, strict=True):
        for key in (*SHARED, "code"):
            mine = known.get(key, "unknown")
            scope = known.get("engine", "") if key == "code" else ""
            value, other = seen.setdefault((key, scope), (mine, path))
            if mine != value:
                raise UserError(
                    f"{path} was played with {key} {mine}, but {other} with {value}: "
                    "runs can be compared only if they share it"
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
