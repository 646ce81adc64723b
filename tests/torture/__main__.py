"""The project under torture: what was tried, what held, what failed.

    make torture
    make torture ARGS="--only kills --count 20 --seed 7"

Every kind runs in a temporary folder. The table is printed and kept in results/torture: a JSON
one file per kind, and torture.md of all that were run so far. The exit code is 1 on any failure.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import lincon
from tests.torture import configs, corruptions, kills, rounds, same_bytes, servers
from tests.torture.kind import Attempt, Kind, Result, torture

KINDS: dict[str, Kind] = {
    module.KIND.name: module.KIND
    for module in (kills, configs, corruptions, servers, rounds, same_bytes)
}
OUT = Path("results/torture")


def main(arguments: Sequence[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    seed = args.seed if args.seed is not None else int(np.random.SeedSequence().entropy % 10**6)
    print(f"seed {seed}")
    failed = 0
    for name in args.only or KINDS:
        kind = KINDS[name]
        with tempfile.TemporaryDirectory(prefix=f"torture-{name}-") as folder:
            tell = show if args.verbose else quiet
            result = torture(kind, Path(folder), seed, args.count or kind.count, args.start, tell)
        failed += result.failed
        write(args.out, result)
        print(line(kind, result), flush=True)
    (args.out / "torture.md").write_text(table(args.out), encoding="utf-8")
    print(f"\n{table(args.out)}")
    return int(failed > 0)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="make torture", description=__doc__.splitlines()[0])
    made.add_argument("--only", nargs="+", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    made.add_argument("--count", type=int, help="how many; the default is each kind's own")
    made.add_argument("--seed", type=int, help="of all that is random; printed where not given")
    made.add_argument("--start", type=int, default=0, help="the number of the first attempt")
    made.add_argument("--out", type=Path, default=OUT, help="where the table is kept")
    made.add_argument("--verbose", action="store_true", help="a line for every attempt")
    return made


def show(number: int, attempt: Attempt) -> None:
    print(f"  {number}: {attempt.what}", flush=True)
    quiet(number, attempt)


def quiet(number: int, attempt: Attempt) -> None:
    if attempt.failure:
        print(f"  FAILED, attempt {number}: {attempt.what}: {attempt.failure}", flush=True)


def line(kind: Kind, result: Result) -> str:
    said = f"{kind.name}: {result.tried:,} {kind.unit} tried, {result.held:,} held, "
    return said + f"{result.failed:,} failed, {result.seconds:.0f} s"


def write(folder: Path, result: Result) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    when = {
        "when": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "lincon": lincon.__version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }
    text = json.dumps(result.as_dict() | when, indent=1)
    (folder / f"{result.kind}.json").write_text(text + "\n", encoding="utf-8")


def table(folder: Path) -> str:
    lines = ["| kind | what is tried | what must hold | tried | held | failed | when, seed |"]
    lines.append("|---|---|---|---:|---:|---:|---|")
    notes = []
    for kind in KINDS.values():
        path = folder / f"{kind.name}.json"
        if not path.is_file():
            continue
        found = json.loads(path.read_text(encoding="utf-8"))
        counts = f"{found['tried']:,} {kind.unit} | {found['held']:,} | {found['failed']:,}"
        origin = f"{found['when']}, {found['seed']}"
        lines.append(f"| {kind.name} | {kind.tries} | {kind.holds} | {counts} | {origin} |")
        notes += [f"Not tried ({kind.name}): {one}." for one in found["skipped"]]
        notes += [f"Failed: {one}" for one in found["failures"]]
    return "\n".join([*lines, *(["", *notes] if notes else []), ""])


if __name__ == "__main__":
    sys.exit(main())
