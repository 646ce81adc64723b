"""The golden file: what a small study gave, so that a change of the code shows what it moves.

    make golden

plays the study again, prints what moved and writes the file. Tables are hashed by their rows, texts
by their bytes. Pictures are hashed by their bytes too, which hold for the versions and the kind of
machine that are recorded with them.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.workflow.bench import SMALL, new_bench
from tests.workflow.rows import rows_of

FILE = Path(__file__).with_name("golden.json")
TEXTS = (".md", ".tex")
PICTURES = (".png", ".pdf")
# What a picture's bytes depend on, apart from what is drawn.
DRAWN_BY = ("fonttools", "matplotlib", "numpy", "pillow")


def drawn_by() -> dict[str, str]:
    versions = {name: importlib.metadata.version(name) for name in DRAWN_BY}
    return versions | {"machine": f"{platform.system()} {platform.machine()}"}


def measured(results: Path) -> dict[str, Any]:
    """The golden record of a study that is done."""
    return {
        "drawn_by": drawn_by(),
        "rows": rows_of(results),
        "texts": hashed(results, TEXTS),
        "pictures": hashed(results, PICTURES),
    }


def hashed(results: Path, suffixes: tuple[str, ...]) -> dict[str, str]:
    found = sorted(path for path in results.rglob("*") if path.suffix in suffixes)
    return {
        path.relative_to(results).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in found
        if "logs" not in path.relative_to(results).parts
    }


def recorded() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def moved(before: dict[str, Any], now: dict[str, Any], *parts: str) -> list[str]:
    """One line for each result that is new, gone or other than before."""
    lines = []
    for part in parts:
        old, new = before.get(part, {}), now[part]
        lines += [f"{part}: {name} is new" for name in new if name not in old]
        lines += [f"{part}: {name} is gone" for name in old if name not in new]
        lines += [f"{part}: {name} moved" for name in new if name in old and new[name] != old[name]]
    return lines


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        bench = new_bench(Path(folder) / "project")
        bench.run(config=SMALL)
        now = measured(bench / "results")
    lines = moved(recorded(), now, "drawn_by", "rows", "texts", "pictures")
    FILE.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print("\n".join(lines) or "nothing moved")


if __name__ == "__main__":
    sys.exit(main())
