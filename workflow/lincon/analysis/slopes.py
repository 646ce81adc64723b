"""How fast composite regret grows, decade by decade, against the lower bound's coefficient C.

Whether a policy reaches the lower bound shows in the slope of its composite regret against log t,
and only after many decades: each has its own row, so that one sees whether and when it comes near.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pandas as pd

from lincon.analysis.c_library import log
from lincon.analysis.intervals import t_interval
from lincon.analysis.metrics import per_run
from lincon.analysis.table import Table, latex_file
from lincon.analysis.text import markdown_text, with_interval
from lincon.problem.record import Problem

COLUMNS = ("policy", "first", "last", "slope", "ratio", "ci_low", "ci_high", "n_runs")
NOTES = """\
The slope of composite regret R + lambda* V against log t (natural logarithm, expected basis, least
squares over the recorded rounds of the decade in each run), divided by the lower bound's
coefficient C; means over runs with 95% t intervals. No policy that is good on every problem stays
below 1 for ever."""


def slope(t: np.ndarray, values: np.ndarray, within: np.ndarray) -> np.ndarray:
    """Per run (row), the least-squares slope against log t over the rounds `within`."""
    if within.sum() < 2:
        return np.full(len(values), np.nan)
    x = log(t[within])
    x = x - x.mean()
    # From the first value on, so that a curve that does not grow has a slope of exactly zero.
    grown = values[:, within] - values[:, within][:, :1]
    # Sums, not products of BLAS, whose last digit depends on the processor.
    return (grown * x).sum(axis=1) / (x * x).sum()


def decades(t: np.ndarray, arms: int) -> list[tuple[int, int]]:
    """The decades before T, the last one last; the first rounds, one an arm, are in none."""
    ends = [int(t[-1])]
    while ends[0] / 10 >= arms:
        ends.insert(0, ends[0] // 10)
    return list(pairwise(ends))


def slopes(
    series: Mapping[str, pd.DataFrame], problem: Problem, lower_bound: float
) -> pd.DataFrame:
    """One row a policy and decade; none where the lower bound has no slope."""
    rows = []
    for policy, frame in series.items() if lower_bound > 0.0 else ():
        ordered = frame.sort_values(["run", "t"])
        t = np.unique(ordered["t"])
        composite = per_run(ordered, problem, "expected")["composite"]
        for first, last in decades(t, problem.arms):
            by_run = slope(t, composite, (t >= first) & (t <= last))
            low, high = t_interval(by_run / lower_bound)
            mean = float(by_run.mean())
            rows.append((policy, first, last, mean, mean / lower_bound, low, high, len(by_run)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def to_markdown(frame: pd.DataFrame, problem: Problem, labels: Mapping[str, str]) -> str:
    """Policies below each other, decades beside each other."""
    title = f"# Growth: {markdown_text(problem.dataset)}, eta = {problem.eta:g}"
    standin = [f"**{problem.note}**", ""] if problem.source == "standin" else []
    if frame.empty:
        return "\n".join([title, "", *standin, "The lower bound has no slope here.", ""])
    lines = table(frame, labels).markdown()
    return "\n".join([title, "", *standin, *lines, "", NOTES, ""])


def to_latex(frame: pd.DataFrame, problem: Problem, labels: Mapping[str, str]) -> str:
    if frame.empty:
        return "% The lower bound has no slope here.\n"
    title = "Growth of composite regret by decade, in units of the lower bound's slope"
    return latex_file({title: table(frame, labels)}, problem)


def table(frame: pd.DataFrame, labels: Mapping[str, str]) -> Table:
    spans = sorted(set(zip(frame["first"], frame["last"], strict=True)))
    rows = []
    for policy in dict.fromkeys(frame["policy"]):
        own = frame[frame["policy"] == policy].set_index(["first", "last"])
        cells = [_cell(own, span) for span in spans]
        rows.append([labels.get(policy, policy), *cells])
    heads = [f"{first:,} to {last:,}" for first, last in spans]
    return Table(["policy", *heads], "l" * (len(spans) + 1), rows)


def _cell(own: pd.DataFrame, span: tuple[int, int]) -> str:
    if span not in own.index:
        return ""
    return with_interval(*own.loc[span, ["ratio", "ci_low", "ci_high"]])
