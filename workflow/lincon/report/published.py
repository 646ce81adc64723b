"""The comparison with runs that somebody published, as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from lincon.analysis.inference import ALPHA
from lincon.analysis.published import Comparison, at_horizon
from lincon.problem.record import Problem
from lincon.report.table import Table
from lincon.report.text import banner, markdown_text, number, p_value

HEADINGS = (
    *("policy", "metric", "ours", "theirs", "difference", "95% interval", "p at T", "p rounds"),
    *("rounds that differ", "p table", "verdict"),
)
NOTES = """\
Realised rewards and events; both sides are held against the optimum and the floor of our arms.
`difference` is ours minus theirs at T, with its 95% interval and the p-value of Welch's t test: the
runs are not paired. `p rounds` is the smallest p-value of that test over all recorded rounds,
corrected for their number (Holm), `p table` the same corrected for the number of rows of this table
as well. Ratios are compared by the delta method. Few runs detect only large differences: finding
none does not prove that there is none."""


def table(comparison: Comparison, labels: Mapping[str, str]) -> Table:
    rows = [_row(row, labels) for _, row in at_horizon(comparison).iterrows()]
    return Table(HEADINGS, rows, "Published runs", "published", strong=len(HEADINGS) - 1)


def _row(row: pd.Series, labels: Mapping[str, str]) -> list[object]:
    cells: list[object] = [labels[row["policy"]], row["metric"].removesuffix("_0")]
    cells += [row[name] for name in ("ours", "theirs", "difference")]
    cells += [f"{number(row['ci_low'])} to {number(row['ci_high'])}"]
    cells += [p_value(row["p"]), p_value(row["p_rounds"])]
    return [
        *cells,
        f"{row['differing']} of {row['tested']}",
        p_value(row["p_table"]),
        _verdict(row),
    ]


def _verdict(row: pd.Series) -> str:
    if math.isnan(row["p_table"]):
        return "not tested"
    return "differs" if row["p_table"] < ALPHA else "no difference found"


def markdown(
    comparison: Comparison, problem: Problem, labels: Mapping[str, str], file: str, optimum: float
) -> str:
    """The table at T; `file` is what their runs were read from, `optimum` what it says of r*."""
    ours, theirs = comparison.runs
    title = f"# Published runs: {markdown_text(problem.dataset)}, T = {int(comparison.t[-1]):,}"
    warning = banner([problem])
    about = (
        f"{ours} runs of ours against the {theirs} in `{file}`. "
        f"r* is {problem.optimum:.6f} here and {optimum:.6f} there."
    )
    parts = [title, f"**{warning}**" if warning else "", about]
    return "\n\n".join(filter(None, [*parts, table(comparison, labels).markdown(), NOTES])) + "\n"
