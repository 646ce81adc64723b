"""The results in plain sentences, made from the numbers: for the page's top and the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from lincon.analysis.league_text import NOT_KEPT, kept_from
from lincon.analysis.sweeps import where_the_floor_binds, who_leads
from lincon.analysis.text import one_line
from lincon.page.tables import number

if TYPE_CHECKING:
    from lincon.analysis.results import Results
    from lincon.page.record import Sweep

SOURCES = {
    "real": "real data",
    "standin": "stand-in arms, not the real data",
    "formula": "arms from a closed formula",
    "user": "the user's own arms",
    "generated": "generated arms",
}


@dataclass(frozen=True)
class Answer:
    """What the page says of one experiment before any figure; `advice` is the league's answer."""

    heading: str
    advice: list[str]
    policies: list[tuple[str, str]]  # id and sentence, in the order of the league


def sentences(results: Sequence[Results]) -> list[str]:
    """Plain text, one sentence or short paragraph a line."""
    lines: list[str] = [banner(results)] if banner(results) else []
    for one in results:
        answer = answer_of(one)
        lines.append(answer.heading)
        lines += [f"  {text}" for text in answer.advice]
        lines += [f"  {text}" for _, text in answer.policies]
    return lines


def banner(results: Sequence[Results]) -> str:
    """The warning that belongs above everything where arms are not the real ones."""
    names = sorted({one.problem.dataset for one in results if one.problem.source == "standin"})
    if not names:
        return ""
    return f"Stand-in arms, not the real data: {', '.join(names)}."


def answer_of(results: Results) -> Answer:
    problem, runs = results.problem, results.runs
    heading = (
        f"{one_line(results.title)}: floor {percent(problem.eta)}, T = {results.horizon:,}, "
        f"{runs:,} {'run' if runs == 1 else 'runs'}, {SOURCES.get(problem.source, problem.source)}."
    )
    achieved = [
        (row["policy"], policy_sentence(results, row)) for _, row in results.league.iterrows()
    ]
    return Answer(heading, list(results.answer), achieved)


def answer_of_sweep(sweep: Sweep) -> Answer:
    """Who leads at how many of its points; every number is of the sweep's table."""
    points, runs = len(sweep.states), int(sweep.values["n_runs"].max())
    source = f", {SOURCES.get(sweep.source, sweep.source)}" if sweep.source else ""
    heading = (
        f"{one_line(sweep.title)}: {points:,} {'point' if points == 1 else 'points'}, "
        f"{runs:,} {'run' if runs == 1 else 'runs'} each{source}."
    )
    labels = {
        policy: one_line(look["label"])
        for policy, look in sweep.policies.items()
        if not look.get("reference")  # who knows the truth leads everywhere
    }
    said = who_leads(sweep.expected("composite"), sweep.axes, labels) + where_the_floor_binds(
        sweep.states
    )
    return Answer(heading, said, [])


def league_order(results: Results) -> list[str]:
    """The policies as the league lists them: the best first, oracles last."""
    return list(results.league["policy"])


def policy_sentence(results: Results, row: pd.Series) -> str:
    """What one policy achieved; every number is of its row of the league, but for the regret."""
    label = one_line(results.labels[row["policy"]])
    floor = percent(results.problem.eta)
    # Four digits: 49.98% is below a floor of 50%.
    parts = [f"event rate {100.0 * row['event_rate']:.4g}% against the floor of {floor}"]
    if np.isfinite(row["share_of_optimum"]):
        parts.append(f"{percent(row['share_of_optimum'])} of the optimum's reward")
    parts += [deficit(row), floor_kept(row, results.horizon)]
    regret = at_the_end(results, row["policy"], "regret")
    if np.isfinite(regret):
        parts.append(f"regret {amount(results, regret)}")
    return f"{label}{' (knows the truth)' if row['reference'] else ''}: {'; '.join(parts)}."


def deficit(row: pd.Series) -> str:
    if row["worst_deficit"] == 0.0:
        return "never below the floor"
    return (
        f"worst deficit {figures(row['mean_worst_deficit'])} events on average, "
        f"{figures(row['worst_deficit'])} in the worst run"
    )


def floor_kept(row: pd.Series, horizon: int) -> str:
    """Whether the floor was kept at T, and since when."""
    met, runs = int(row["floor_met"]), int(row["n_runs"])
    if met == 0:
        return f"floor not kept at T = {horizon:,} in any run"
    kept = kept_from(row)
    since = "" if kept == NOT_KEPT else f", from round {kept} on in the median run"
    return f"floor kept at T in {met} of {runs} runs{since}"


def at_the_end(results: Results, policy: str, metric: str) -> float:
    """The mean of a metric at the last round on the expected basis, as the summary has it."""
    rows = results.rows(metric, "expected")
    rows = rows[rows["policy"] == policy]
    return float(rows.loc[rows["t"].idxmax(), "mean"]) if len(rows) else float("nan")


def amount(results: Results, reward: float) -> str:
    """A reward in the user's own units."""
    return f"{figures(reward * results.scale)} {results.unit}".rstrip()


def figures(x: float) -> str:
    """Three digits, whole above a thousand."""
    return number(float(f"{x:.3g}")) if abs(x) < 1000.0 else f"{x:,.0f}"


def percent(x: float) -> str:
    """Three digits; four near the whole, so that 99.96% is not said to be 100%."""
    if not np.isfinite(x):
        return "undefined"
    return f"{100.0 * x:.3g}%" if abs(x) < 0.9995 else f"{100.0 * x:.4g}%"
