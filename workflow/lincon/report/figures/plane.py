"""Regret against shortfall at T, one mark per policy."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lincon.analysis.inference import mean_of
from lincon.analysis.league import KEPT, NEVER, SOMETIMES
from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import labels, parts
from lincon.report.figures.style import PAGE, plt, size, width
from lincon.report.palette import FAINT, INK, KEPT_SIDE, Look
from lincon.report.text import listed, number
from lincon.report.view import Bound

CROSSES = "crosses: 95% intervals of the means"
MARKS = {KEPT: "o", SOMETIMES: "^", NEVER: "X"}  # kept or missed is a shape, never a colour
REFERENCE_MARK = "D"
WORDS = {KEPT: "kept in \u2265 80% of runs", SOMETIMES: "kept in some runs", NEVER: "never kept"}
NAMED = 8  # policies with names beside their points; more are numbered
FAR = 4.0  # times the median distance of all policies: what is further away is named, not drawn
Points: TypeAlias = pd.DataFrame


def plane(results: Results) -> Figure | None:
    """Signed and realised, with 95% intervals; green up to what still counts as kept."""
    if not results.problem.feasible:
        return None
    looks, bound = parts.looks_of(results), view.dearest(results.problem)
    points = positions(results, bound)
    near = points[within(points, [p for p in points.index if not looks[p].reference])]
    if near.empty:
        return None
    numbers = {p: str(k) for k, p in enumerate(near.index, 1)} if len(near) > NAMED else {}
    figure, axes = plt.subplots(figsize=(width(PAGE if numbers else 0.8 * PAGE), 3.0))
    _backdrop(axes, results, bound, near)
    groups = results.league.set_index("policy")["group"]
    for policy, row in near.iterrows():
        _mark(axes, str(policy), row, looks[str(policy)], MARKS.get(groups[policy], REFERENCE_MARK))
    legend = _legend(looks, groups, numbers)
    parts.framed(figure, _finding(results), [results], legend, _marks(points, near, looks))
    _name(axes, near, looks, numbers)
    return figure


def positions(results: Results, bound: Bound) -> Points:
    """Policy -> shortfall x and regret y at T, realised, with the ends of their 95% intervals."""
    rows = {}
    for policy, runs in results.outcomes.groupby("policy", sort=False):
        x = runs[f"shortfall_{bound.j}_realised"].to_numpy(dtype=float)
        y = results.scale * runs["signed_regret_realised"].to_numpy(dtype=float)
        rows[policy] = mean_of("x", x) | mean_of("y", y)
    frame = pd.DataFrame.from_dict(rows, orient="index")
    return frame.reindex([policy for policy in results.league["policy"] if policy in frame.index])


def within(points: Points, typical: list[str]) -> pd.Series:
    """Whether a policy is in view: one far outlier may not press all others flat."""
    inside = points[["x", "y"]].notna().all(axis=1)
    if len(typical) > 3:
        for axis in ("x", "y"):
            inside &= points[axis].abs() <= FAR * points.loc[typical, axis].abs().median()
    return inside if inside.sum() >= 2 else points[["x", "y"]].notna().all(axis=1)


def tolerance(results: Results, j: int) -> float:
    """The largest shortfall that still counts as kept."""
    return float(results.tolerances[j]) if len(results.tolerances) > j else 0.0


def _backdrop(axes: Axes, results: Results, bound: Bound, near: Points) -> None:
    """Axes around the points and the origin, and the side on which the constraint is kept."""
    edge = tolerance(results, bound.j)
    regret = parts.in_unit("regret at T", results.unit)
    axes.set(xlabel=f"{bound.shortfall} at T", ylabel=regret)
    for axis, limits in (("x", axes.set_xlim), ("y", axes.set_ylim)):
        ends = near[[axis, f"{axis}_low", f"{axis}_high"]].to_numpy(dtype=float)
        limits(*parts.padded(np.append(ends, [0.0, edge if axis == "x" else 0.0]), 0.14))
    axes.grid(False)
    axes.axvspan(axes.get_xlim()[0], edge, color=KEPT_SIDE, zorder=0, linewidth=0)
    style: dict[str, Any] = {"color": FAINT, "size": size(6.5), "transform": axes.transAxes}
    axes.text(0.012, 0.985, "kept", va="top", **style)
    axes.axhline(0.0, color=INK, linewidth=0.6)
    axes.axvline(0.0, color=INK, linewidth=0.6)
    axes.plot(0.0, 0.0, "+", color=INK, ms=9, mew=1.0)
    if near["y"].min() < 0.0:
        text = "regret below 0: more reward than the optimum, which keeps the constraint"
        axes.text(0.99, 0.015, text, ha="right", **style)
    parts.plain_numbers(axes)


def _mark(axes: Axes, policy: str, row: pd.Series, look: Look, mark: str) -> None:
    style: dict[str, Any] = {"color": look.colour, "zorder": 5}
    parts.tag(axes.hlines(row["y"], row["x_low"], row["x_high"], lw=0.9, **style), policy)
    parts.tag(axes.vlines(row["x"], row["y_low"], row["y_high"], lw=0.9, **style), policy)
    (point,) = axes.plot(row["x"], row["y"], mark, ms=5.0, mec="white", mew=0.6, **style)
    parts.tag(point, policy)


def _legend(
    looks: Mapping[str, Look], groups: pd.Series, numbers: Mapping[str, str]
) -> list[Line2D]:
    """What the shapes mean; where points are numbered, the names of the numbers before that."""
    named = []
    for policy, text in numbers.items():
        look, mark = looks[policy], MARKS.get(groups[policy], REFERENCE_MARK)
        handle = _shape(mark, look.colour, f"{text}  {parts.short(look)}")
        parts.tag(handle, policy)
        named.append(handle)
    shapes = [_shape(MARKS[g], FAINT, WORDS[str(g)]) for g in MARKS if (groups == g).any()]
    known = any(look.reference for look in looks.values())
    return [*named, *shapes, *([_shape(REFERENCE_MARK, FAINT, "knows the means")] if known else [])]


def _shape(mark: str, colour: str, label: str) -> Line2D:
    return Line2D([], [], linestyle="none", marker=mark, color=colour, ms=5, mew=0, label=label)


def _marks(points: Points, near: Points, looks: Mapping[str, Look]) -> str:
    """What crosses are, and who is beyond the view, with shortfall and regret."""
    away = points.drop(index=near.index).dropna(subset=["x", "y"])
    far = [
        f"{parts.short(looks[str(policy)])} ({number(round(row['x']))}; {number(round(row['y']))})"
        for policy, row in away.iterrows()
    ]
    return CROSSES + (f"; beyond this view: {listed(far)}" if far else "")


def _name(
    axes: Axes, points: Points, looks: Mapping[str, Look], numbers: Mapping[str, str]
) -> None:
    """Names, or numbers, beside the points; they keep off crosses and axes."""
    lines = [
        labels.along(np.zeros(2), np.array(axes.get_ylim())),
        labels.along(np.array(axes.get_xlim()), np.zeros(2)),
    ]
    for _, row in points.iterrows():
        across, up = (row[[f"{a}_low", f"{a}_high"]].fillna(row[a]).to_numpy(float) for a in "xy")
        lines += [labels.along(across, np.full(2, row["y"]), 20)]
        lines += [labels.along(np.full(2, row["x"]), up, 20)]
    policies = [str(policy) for policy in points.index]
    names = [
        (numbers.get(p) or parts.wrapped(looks[p].label, 22), looks[p].colour) for p in policies
    ]
    drawn = labels.around(axes, points[["x", "y"]].to_numpy(float), names, np.concatenate(lines))
    for policy, text in zip(policies, drawn, strict=True):
        parts.tag(text, policy)


def _finding(results: Results) -> str:
    """Who keeps the constraints."""
    ranked, promise = results.ranked, view.promise(results)
    keepers = [results.labels[p] for p in ranked.loc[ranked["group"] == KEPT, "policy"]]
    if not keepers:
        who = (
            "no policy keeps" if len(ranked) != 1 else f"{results.labels[ranked.iloc[0, 0]]} misses"
        )
    elif len(keepers) == len(ranked):
        who = "every policy keeps" if len(ranked) > 1 else f"{keepers[0]} keeps"
    elif len(keepers) <= 3:
        names = listed([parts.wrapped(name, 24, 1) for name in keepers])
        who = f"only {names} keep{'s' * (len(keepers) == 1)}"
    else:
        who = f"{len(keepers)} of {len(ranked)} policies keep"
    return f"{results.title}: {who} {promise}"
