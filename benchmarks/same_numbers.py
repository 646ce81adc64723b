"""Does a change of the code move a number? Play fixed cases, and compare two sets of tables.

    python benchmarks/same_numbers.py play FOLDER [CASE ...]
    python benchmarks/same_numbers.py compare OLD NEW

A change that is to leave the numbers alone is checked by `play` before it, `play` after it, and
`compare`, which looks at every column that OLD has, bit for bit. The raw data are looked for in
resources/raw, or in the folder that LINCON_MIRROR names.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import lincon
from lincon.data.sources import extract
from lincon.study.config import read_config

ROOT = Path(__file__).parents[1]
PAPER = ("lincon_ts", "lincon_kl_ucb")
SIX = ("con_ucb", "ts_paced", "ts_ledger", "gittins_ledger", "thompson", "oracle")
KEYS = ["case", "dataset", "policy"]


def floors(low: float, high: float, count: int) -> list[float]:
    return np.linspace(low, high, count).round(12).tolist()


# By case: (dataset, floors, horizon), the policies, the runs of each.
CASES = {
    "paper": ([("coupon", [0.25], 10_000), ("edx", [0.5], 50_000)], PAPER, 16),
    "quick": ([("coupon", [0.25], 2_000), ("edx", [0.5], 5_000)], PAPER, 4),
    "six": ([("coupon", [0.25], 4_000), ("edx", [0.5], 8_000)], SIX, 4),
    "sweep": (
        [
            ("edx", floors(0.2, 0.8, 13), 20_000),
            ("coupon", floors(0.15, 0.26, 12), 10_000),
            ("wireless", [0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.94, 0.96, 0.97, 0.98, 0.985], 10_000),
        ],
        PAPER,
        4,
    ),
    "routing": ([("models", [0.78], 2_000)], (*PAPER, *SIX), 4),
}


def load(dataset: str) -> lincon.Arms:
    """The real arms: these are fixed cases, a stand-in's would be others."""
    configs = [read_config(ROOT / f"config/{name}.yaml") for name in ("config", "llm_routing")]
    entry = next(c["datasets"][dataset] for c in configs if dataset in c["datasets"])
    mirror = Path(os.environ.get("LINCON_MIRROR", ROOT / "resources" / "raw"))
    own = [ROOT / entry["path"]] if "path" in entry else []
    return extract(entry, own + [mirror / name for name in entry.get("files", {})], dataset)


def played(case: str) -> Iterator[pd.DataFrame]:
    """The recorded rounds of every run, and the plays of every arm at its end."""
    problems, policies, runs = CASES[case]
    for dataset, etas, horizon in problems:
        arms = load(dataset)
        for eta in etas:
            objective = {"objective": {"value": 0, "cost": "cost"}} if case == "routing" else {}
            for policy in policies:
                options = {"horizon": horizon, "runs": runs, "seed": 2020}
                result = lincon.simulate(arms, policy, goal={"eta": eta} | objective, **options)
                for table in (result.series, result.plays):
                    yield table.assign(case=case, dataset=dataset, policy=policy, eta=eta)


def play(folder: Path, cases: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases or CASES:
        pd.concat(played(case), ignore_index=True).to_parquet(folder / f"{case}.parquet")
        print(case, flush=True)


def compare(old: Path, new: Path) -> bool:
    """Print a row per dataset and policy; whether all are equal."""
    tables = [
        pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))])
        for folder in (old, new)
    ]
    before, after = (dict(list(table.groupby(KEYS, sort=False))) for table in tables)
    print("| case | dataset | policy | rows | |\n|---|---|---|---:|---|")
    equal = True
    for key, rows in before.items():
        if key not in after:
            continue
        same = {
            name: name in rows and np.array_equal(rows[name], after[key][name], equal_nan=True)
            for name in rows.dropna(axis="columns", how="all").select_dtypes("number")
        }
        said = ", ".join(name for name, value in same.items() if not value)
        print(f"| {' | '.join(key)} | {len(rows):,} | {f'moved: {said}' if said else 'equal'} |")
        equal &= not said
    return equal


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
    elif not compare(options.old, options.new):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
