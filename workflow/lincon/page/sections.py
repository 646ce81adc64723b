"""What the page shows of an experiment and of a sweep: its answer, charts and tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pandas as pd

from lincon.page import experiment_tables, views
from lincon.page.charts.base import Chart
from lincon.page.charts.curves import curve_chart
from lincon.page.charts.intervals import claims_chart, league_chart
from lincon.page.charts.points import arms_chart, plane_chart, plays_chart
from lincon.page.charts.sweeps import sweep_charts
from lincon.page.looks import Look, looks
from lincon.page.record import Sweep
from lincon.page.sentences import Answer, answer_of, answer_of_sweep, league_order
from lincon.page.tables import Table

if TYPE_CHECKING:
    from lincon.analysis.results import Results

PANELS = {
    "regret": ("Regret", "cumulative regret", "Lower is better."),
    "violation": (
        "Violation",
        "cumulative violation",
        "Events short of the floor; lower is better.",
    ),
    "reward": ("Reward", "cumulative reward", "Higher is better."),
    "ratio": (
        "Reward per violation",
        "reward / violation",
        "Higher is better; not defined while the violation is zero.",
    ),
}


@dataclass(frozen=True)
class Section:
    """One experiment or sweep, ready for the template."""

    key: str
    name: str
    title: str
    looks: Mapping[str, Look]
    groups: list[tuple[str, list[Chart]]]
    tables: list[Table]
    answer: Answer | None = None
    best: list[str] = field(default_factory=list)  # keys of the policies that lead the league
    warning: str = ""
    over_rounds: bool = True

    @property
    def charts(self) -> list[Chart]:
        return [chart for _, charts in self.groups for chart in charts]


def experiment(key: str, results: Results) -> Section:
    """All that the page shows of one experiment."""
    dressed = looks(results.policies)
    groups = [
        ("The four panels", panels(key, results, dressed)),
        ("Which policy", ranking(key, results, dressed)),
        ("Theory beside the numbers", theory(key, results, dressed)),
        ("The paper's claims", claims(key, results, dressed)),
    ]
    return Section(
        key,
        results.name,
        results.title,
        dressed,
        [(heading, charts) for heading, charts in groups if charts],
        experiment_tables.tables(key, results),
        answer_of(results),
        best(results, dressed),
        results.problem.note if results.problem.source == "standin" else "",
    )


def best(results: Results, dressed: Mapping[str, Look]) -> list[str]:
    """The keys of the policies that lead the league."""
    return [dressed[policy].key for policy in league_order(results) if policy in dressed][:5]


def panels(key: str, results: Results, dressed: Mapping[str, Look]) -> list[Chart]:
    charts = []
    for metric, (title, axis, caption) in PANELS.items():
        frame = views.curves(results, dressed, metric)
        if frame.empty:
            continue
        log = metric == "ratio" and views.spans_decades(frame)
        caption += " The axis is a log one, for the values span decades." if log else ""
        charts.append(
            curve_chart(
                f"{key}.{metric}", title, frame, dressed, axis=axis, caption=caption,
                alt_text=_curves_text(axis, results), figure=metric,
                log=log,
            )
        )  # fmt: skip
    return charts


def ranking(key: str, results: Results, dressed: Mapping[str, Look]) -> list[Chart]:
    """Deficit over time, the plane, the league."""
    charts = []
    charts.append(
        curve_chart(
            f"{key}.deficit", "Deficit over time", views.curves(results, dressed, "deficit"),
            dressed, axis="deficit t \u03b7 \u2212 events(t)", signed=True,
            caption="How many events a policy is short of the floor; below zero the floor is met.",
            alt_text=_curves_text("deficit", results), figure="deficit",
        )
    )  # fmt: skip
    points = views.plane(results, dressed)
    if len(points):
        lines = views.equal_composite(points, results.problem.price)
        charts.append(
            plane_chart(
                f"{key}.plane", points, lines, dressed, "plane", named(results, dressed, points)
            )
        )
    league = league_frame(results, dressed)
    if len(league):
        charts.append(league_chart(f"{key}.league", league, dressed, "league"))
    return charts


def named(results: Results, dressed: Mapping[str, Look], points: pd.DataFrame) -> list[str]:
    """The policies whose names stand beside their marks: of many, the leaders and the oracles."""
    order = league_order(results)
    wanted = order if len(order) <= 8 else [*order[:5], *results.references]
    return views.apart(points, [dressed[policy].key for policy in wanted])


def league_frame(results: Results, dressed: Mapping[str, Look]) -> pd.DataFrame:
    """The composite regret of each policy at T, as in the league: bands of curves are others."""
    rows = results.league[results.league["policy"].isin(list(dressed))]
    frame = pd.DataFrame(
        {
            "p": views.keys(rows["policy"], dressed),
            "mean": rows["composite"],
            "low": rows["ci_low"],
            "high": rows["ci_high"],
            "tied": rows["tied"] & ~rows["reference"] & (rows["behind"] > 0.0),
        }
    )
    # Without an optimum the league goes by the violation.
    return frame if results.problem.feasible else frame.iloc[:0]


def theory(key: str, results: Results, dressed: Mapping[str, Look]) -> list[Chart]:
    problem = results.problem
    mixture = pd.DataFrame({"eta": [problem.eta], "mean": [None], "reward": [None], "label": [""]})
    if problem.optimum is not None:
        pairs = list(zip(problem.support, problem.shares, strict=True))
        rate = sum(share * float(results.arms.mean[arm]) for arm, share in pairs)
        names = " + ".join(f"{results.arms.label[arm]} {share:.1%}" for arm, share in pairs)
        mixture = pd.DataFrame(
            {"eta": [problem.eta], "mean": [rate], "reward": [problem.optimum], "label": [names]}
        )
    frame = views.arms(results, dressed)
    charts = [arms_chart(f"{key}.arms", frame, mixture, dressed, problem.eta, "arms")]
    plays = views.plays(results, dressed)
    if len(plays):
        charts.append(plays_chart(f"{key}.plays", plays, dressed, "plays", best(results, dressed)))
    composite = views.after_first_plays(results, views.curves(results, dressed, "composite"))
    if len(composite):
        slope = results.scalars.get("lower_bound_slope")
        reference = (views.slope(results, dressed), f"slope C = {slope or 0:,.4g}")
        charts.append(
            curve_chart(
                f"{key}.composite", "Composite regret", composite, dressed, log_x=True, signed=True,
                axis="R + \u03bb* V",
                caption="Against log t. The black line has the slope C of the lower bound: in the "
                "long run no good policy grows more slowly.", wide=True,
                alt_text=_curves_text("composite regret", results), figure="composite",
                reference=reference if slope is not None else None,
            )
        )  # fmt: skip
    return charts


def claims(key: str, results: Results, dressed: Mapping[str, Look]) -> list[Chart]:
    frame = views.claims(results, dressed)
    return [claims_chart(f"{key}.claims", frame, "claims")] if len(frame) else []


def sweep(key: str, record: Sweep) -> Section:
    """A sweep's charts, and its values as a table."""
    dressed = looks(record.policies)
    return Section(
        key,
        record.name,
        record.title,
        dressed,
        [("Values at the horizon", sweep_charts(key, record, dressed))],
        [experiment_tables.sweep(f"{key}-values", record)],
        answer_of_sweep(record),
        warning=record.note if record.source == "standin" else "",
        over_rounds=False,
    )


def _curves_text(quantity: str, results: Results) -> str:
    labels = results.labels.values()
    return (
        f"Line chart of the {quantity} over the rounds for {', '.join(labels)}; the last values "
        "are in the table of values at T."
    )
