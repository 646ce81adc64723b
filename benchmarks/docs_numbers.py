"""The numbers of the documents, from studies that have run: docs/numbers/ and the tables of it.

    python benchmarks/docs_numbers.py claims bench routing service growth

Each is read from the study of its config, which must have been played on real data; statistics.md's
come from benchmarks/coverage.py, those of generated problems from benchmarks/atlas.py.
"""

import argparse
import datetime
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from lincon.analysis.results import Results
from lincon.errors import UserError
from lincon.report.study import opened, read_record
from lincon.report.table import interval_of
from lincon.report.text import banner, interval, percent, share
from tools.fill_numbers import fill_documents, write_table

STUDIES = Path(__file__).resolve().parents[1] / "results" / "studies"
SAID = {
    "regret": "lower regret (hence higher reward)",
    "violation": "less violation",
    "ratio": "a higher ratio of reward to violation",
    "joint": "both at once: lower joint regret",
}
GROWTH = (10**5, 10**7)  # rounds
Rows = list[list[str]]


def claims(results: Sequence[Results]) -> Rows:
    """The paper's claims on the expected basis, one row per claim and experiment."""
    names = [results[0].labels[policy] for policy in results[0].compare]
    rows = [[f"claim: {names[0]} has", "dataset", *names, "difference", ""]]
    for quantity, said in SAID.items():
        for one in results:
            frame = one.claims[one.claims["basis"] == "expected"].set_index("quantity")
            row = frame.loc[quantity]
            value, reference = row["value"], row["reference"]
            half = (row["ci_high"] - row["ci_low"]) / 2 / abs(reference)
            part = f", {percent(value / reference - 1, half)}"
            cells = [f"{x:,.3g}" if x < 1000 else f"{x:,.0f}" for x in (value, reference)]
            gap = interval(row["difference"], row["ci_low"], row["ci_high"])
            rows.append(
                [said, one.title, *cells, gap, row["verdict"] + part * (quantity != "ratio")]
            )
    return rows


def leagues(results: Sequence[Results]) -> Rows:
    """One row per policy: joint regret and the runs that kept the constraints, per experiment."""
    unit = results[0].unit
    heads = [f"{one.title}: J{f' ({unit})' if unit else ''}, runs that kept it" for one in results]
    rows = [["policy", *heads]]
    tables = [(one, one.league.set_index("policy")) for one in results]
    for policy in tables[0][1].index:
        cells = []
        for one, table in tables:
            if policy not in table.index:
                cells.append("")
                continue
            row = table.loc[policy]
            joint = interval_of(row, "joint", one.scale)
            cells.append(f"{joint}, {share(row['kept_runs'], row['runs'])}")
        rows.append([results[0].labels[policy], *cells])
    return rows


def growth(results: Sequence[Results]) -> Rows:
    """Joint regret over C log t, at two rounds."""
    heads = [
        f"{one.title} (C = {one.lower_bound:.1f}): t = {t:,}" for one in results for t in GROWTH
    ]
    rows = [["policy", *heads]]
    for policy, label in results[0].labels.items():
        cells = [over_bound(one, policy, t) for one in results for t in GROWTH]
        rows.append([label, *cells])
    return rows


def over_bound(one: Results, policy: str, t: int) -> str:
    curve = one.rows("joint", "expected")
    curve = curve[curve["policy"] == policy]
    row: pd.Series = curve.loc[(curve["t"] - t).abs().idxmin()]
    unit = (one.lower_bound or math.nan) * math.log(row["t"])
    return interval(row["mean"] / unit, row["ci_low"] / unit, row["ci_high"] / unit)


class Table(NamedTuple):
    study: str
    command: str
    rows: Callable[[Sequence[Results]], Rows]


TABLES = {
    "claims": Table("paper", "make", claims),
    "bench": Table("bench", "make CONFIG=config/bench.yaml", leagues),
    "routing": Table("llm_routing", "make CONFIG=config/llm_routing.yaml", leagues),
    "service": Table("service", "make CONFIG=config/service.yaml", leagues),
    "growth": Table("long", "make CONFIG=config/long.yaml", growth),
}


def write(name: str, studies: Path) -> None:
    table = TABLES[name]
    record = read_record(studies / table.study / "study.json")
    results, _ = opened(record)
    if missing := banner([one.problem for one in results]):
        raise UserError(f"{table.study}: {missing} Numbers in documents are of the real data")
    date = datetime.datetime.fromisoformat(record["time"])
    write_table(name, f"`{table.command}`", f"{date.day} {date:%B %Y}", table.rows(results))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=TABLES)
    parser.add_argument("--studies", type=Path, default=STUDIES)
    args = parser.parse_args()
    for name in args.names:
        write(name, args.studies)
    fill_documents()


if __name__ == "__main__":
    main()
