"""What is there: how many runs of each setting exist, going by Snakemake's own summary."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from lincon.errors import UserError
from lincon.study.identity import dataset_name
from lincon.study.paths import read_block

RUN = re.compile(
    r"(?:.*/)?runs/dataset=([^/]+)/constraints=([^/]+)/horizon=(\d+)/.*/run=([\d-]+)\.parquet"
)
PROBLEMS = re.compile(r"(?:.*/)?atlas/([^/]+)/outcomes/problems=([\d-]+)\.parquet")


def status(summary: Iterable[str]) -> str:
    """A table from the lines of `snakemake --summary`: runs there, missing and stale.

    Stale is what Snakemake would run again: its own judgement of code, settings and inputs.
    """
    lines = [line.rstrip("\n").split("\t") for line in summary]
    if not any(columns[0] == "output_file" for columns in lines):
        raise UserError("this is not what `snakemake --summary` prints")
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for columns in lines:
        if len(columns) < 6:
            continue
        state = "there" if columns[-1] == "no update" else "stale"
        state = "missing" if columns[-2] == "missing" else state
        if found := RUN.fullmatch(columns[0]):
            dataset, constraints, horizon, block = found.groups()
            name = f"{dataset_name(dataset)}, {constraints}, T = {int(horizon):,}"
        elif found := PROBLEMS.fullmatch(columns[0]):
            name, block = f"{found[1]} (problems)", found[2]
        else:
            continue
        first, last = read_block(block)
        rows[name][state] += last - first + 1
    width = max(map(len, rows), default=10)
    table = [f"{'setting':<{width}}{'runs':>8}{'there':>8}{'missing':>9}{'stale':>7}"]
    for name, counts in rows.items():
        there, missing, stale = (counts[state] for state in ("there", "missing", "stale"))
        table.append(f"{name:<{width}}{counts.total():>8}{there:>8}{missing:>9}{stale:>7}")
    return "\n".join(table)
