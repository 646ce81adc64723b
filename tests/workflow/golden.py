"""The golden file: what a small study gave, so that a change of the code shows what it moves.

    make golden

plays the study again, prints what moved and writes the file. Tables are hashed by their rows.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from tests.workflow.bench import SMALL, new_bench
from tests.workflow.rows import rows_of

FILE = Path(__file__).with_name("golden.json")


def recorded() -> dict[str, str]:
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


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
