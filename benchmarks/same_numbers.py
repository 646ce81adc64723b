"""Does a change of the code move a number? Play fixed cases, and compare two sets of tables.

    python benchmarks/same_numbers.py play FOLDER [CASE ...]
    python benchmarks/same_numbers.py compare OLD NEW

`play` runs every case with the library as it is and writes FOLDER/CASE-runs.parquet (all series)
and FOLDER/CASE-plays.parquet (all counts per arm). `compare` looks at every column that OLD has,
bit for bit; columns that are only in NEW are named and ignored. A change that is to leave the
numbers alone is checked by `play` before it, `play` after it, and `compare`.

The raw data are looked for in resources/raw, or in the folder that LINCON_MIRROR names.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "workflow"))

from lincon.data.arms import Arms  # noqa: E402
from lincon.data.sources import extract  # noqa: E402
from lincon.engine.simulate import Run, Setting, simulate  # noqa: E402
from lincon.policies.registry import make_policy  # noqa: E402
from lincon.problem.solve import solve_problem  # noqa: E402

SEED = 2020
POLICIES: dict[str, dict[str, Any]] = {
    "lincon_ts": {"estimator": "beta_sample", "selector": "lp"},
    "lincon_kl_ucb": {"estimator": "kl_ucb", "selector": "lp", "c": 0},
    "ucb": {"estimator": "ucb1", "selector": "lp"},
    "th": {"estimator": "beta_sample", "selector": "argmax"},
    "con_ucb": {"estimator": "ucb1", "selector": "lp", "explore": 0.75},
    "ts_paced": {
        "estimator": "beta_sample",
        "selector": "lp",
        "target": "paced",
        "fallback": "greedy",
    },
    "ts_greedy": {"estimator": "beta_sample", "selector": "lp", "fallback": "greedy"},
}
PAPER = ("lincon_ts", "lincon_kl_ucb")
OTHERS = ("ucb", "th")
BENCH = ("con_ucb", "ts_paced", "ts_greedy")
# Columns of older tables that have another name now, or none.
RENAMED = {"worst_deficit": "worst_shortfall_0", "last_deficit": "last_shortfall_0"}
DROPPED = ("leading",)
WIRELESS = [0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.94, 0.96, 0.97, 0.98, 0.985, 0.99]
Experiment = tuple[str, list[float], int, tuple[str, ...]]


def spaced(low: float, high: float, count: int) -> list[float]:
    return [float(f"{eta:.12g}") for eta in np.linspace(low, high, count)]


# By case: the experiments (dataset, etas, horizon, policies), the runs of each, the engines.
CASES: dict[str, tuple[list[Experiment], int, tuple[str, ...]]] = {
    "paper": ([("coupon", [0.25], 10_000, PAPER), ("edx", [0.5], 50_000, PAPER)], 16, ("lazy",)),
    "quick": (
        [("coupon", [0.25], 2_000, PAPER), ("edx", [0.5], 5_000, PAPER)],
        4,
        ("lazy", "dense"),
    ),
    "others": ([("coupon", [0.25], 10_000, OTHERS), ("edx", [0.5], 20_000, OTHERS)], 4, ("lazy",)),
    "bench": (
        [
            ("coupon", [0.25], 4_000, BENCH),
            ("edx", [0.5], 8_000, BENCH),
            ("wireless", [0.9], 4_000, BENCH),
        ],
        4,
        ("lazy", "dense"),
    ),
    "eta_sweep": (
        [
            ("edx", spaced(0.2, 0.8, 13), 20_000, PAPER),
            ("coupon", spaced(0.15, 0.26, 12), 10_000, PAPER),
            ("wireless", WIRELESS, 10_000, PAPER),
        ],
        16,
        ("lazy",),
    ),
}


def load_arms(dataset: str) -> Arms:
    """The real arms: these are fixed cases, a stand-in's would be others."""
    config = yaml.safe_load((REPOSITORY / "config" / "config.yaml").read_text(encoding="utf-8"))
    spec = config["datasets"][dataset]
    mirror = Path(os.environ.get("LINCON_MIRROR", REPOSITORY / "resources" / "raw"))
    return extract(spec, [mirror / name for name in spec.get("files", {})], dataset)


def runs_of(case: str) -> Iterator[tuple[Mapping[str, str], Run]]:
    experiments, runs, engines = CASES[case]
    for dataset, etas, horizon, policies in experiments:
        arms = load_arms(dataset)
        for eta in etas:
            problem = solve_problem(arms, eta)
            for name in policies:
                policy = make_policy(name, POLICIES[name])
                for engine in engines:
                    labels = {
                        "dataset": dataset,
                        "eta": f"{eta:.12g}",
                        "horizon": str(horizon),
                        "policy": name,
                        "engine": engine,
                    }
                    for run in range(runs):
                        setting = Setting(dataset, eta, horizon, policy, run, SEED, 200, engine)
                        yield labels, simulate(setting, arms, problem)


def labelled(table: pa.Table, labels: Mapping[str, str]) -> pa.Table:
    for name, text in labels.items():
        table = table.append_column(name, pa.array([text] * table.num_rows))
    return table


def play(folder: Path, cases: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases or CASES:
        played = [
            (labelled(run.series, labels), labelled(run.plays, labels))
            for labels, run in runs_of(case)
        ]
        for kind, tables in zip(("runs", "plays"), zip(*played, strict=True), strict=True):
            pq.write_table(pa.concat_tables(tables), folder / f"{case}-{kind}.parquet")
        print(f"{case}: {len(played)} runs", flush=True)


def differences(old: pa.Table, new: pa.Table) -> Iterator[str]:
    """What differs, a line each; columns that only `new` has do not count."""
    if old.num_rows != new.num_rows:
        yield f"{old.num_rows} rows became {new.num_rows}"
        return
    old = old.rename_columns([RENAMED.get(name, name) for name in old.column_names])
    for name in old.column_names:
        if name in DROPPED and name not in new.column_names:
            continue
        if name not in new.column_names:
            yield f"{name} is gone"
            continue
        before, after = (table[name].to_numpy() for table in (old, new))
        rows = np.flatnonzero(before != after)
        if rows.size:
            at = rows[0]
            yield f"{name} differs in {rows.size} rows, first {at}: {before[at]!r}, {after[at]!r}"


def compare(old: Path, new: Path) -> int:
    """Print what differs between two folders; how many tables do."""
    different = 0
    tables = sorted(path for path in old.glob("*.parquet") if (new / path.name).is_file())
    if not tables:
        sys.exit(f"{old} and {new} have no table in common")
    for path in tables:
        first, second = (pq.ParquetFile(folder / path.name).read() for folder in (old, new))
        found = list(differences(first, second))
        known = {*first.column_names, *RENAMED.values()}
        added = [name for name in second.column_names if name not in known]
        print(f"{path.name}: {'; '.join(found) or f'{first.num_rows} rows, all equal'}")
        if added:
            print(f"  only in {new}: {', '.join(added)}")
        different += bool(found)
    return different


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="play the cases and write their tables")
    playing.add_argument("folder", type=Path)
    playing.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}")
    comparing = commands.add_parser("compare", help="compare two folders of tables")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    options = parser.parse_args()
    if options.command == "play":
        play(options.folder, options.cases)
    else:
        sys.exit(compare(options.old, options.new) > 0)


if __name__ == "__main__":
    main()
