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
from lincon.report.figures import labels, parts
from lincon.report.figures.style import PAGE, plt, width
from lincon.report.palette import FAINT, INK, KEPT_SIDE, Look
from lincon.report.table import digits_of
from lincon.report.text import listed
from lincon.report.words import Bound, dearest, label, promise

MARKS = {KEPT: "o", SOMETIMES: "^", NEVER: "X"}  # kept or missed is a shape, never a colour
WORDS = {KEPT: "kept in \u2265 80% of runs", SOMETIMES: "kept in some runs", NEVER: "never kept"}
REFERENCE_MARK = "D"
NAMED = 8  # policies with names beside their points; more are numbered
FAR = 4.0  # times the median distance of all policies: what is further away is named, not drawn
Points: TypeAlias = pd.DataFrame


def plane(results: Results) -> Figure | None:
    """Signed and realised, with 95% intervals; green up to what still counts as kept."""
    if not results.problem.feasible:
        return None
    looks, bound = parts.looks_of(results), dearest(results.problem)
    points = positions(results, bound)
    near = points[within(points, [p for p in points.index if not looks[p].reference])]
    if near.empty:
        return None
    groups = results.league.set_index("policy")["group"].map(MARKS).fillna(REFERENCE_MARK)
    numbers = {p: str(k) for k, p in enumerate(near.index, 1)} if len(near) > NAMED else {}
    figure, axes = plt.subplots(figsize=(width(PAGE if numbers else 0.8 * PAGE), 3.0))
    _backdrop(axes, results, bound, near)
    for policy, row in near.iterrows():
        _mark(axes, str(policy), row, looks[str(policy)], groups[policy])
    beyond = _out_of_view(points.drop(index=near.index), looks)
    letters = int(14.0 * figure.get_figwidth())
    axes.set_xlabel(f"{axes.get_xlabel()}\n{parts.wrapped(beyond, letters, 4)}".strip())
    legend = _legend(near, looks, groups, numbers)
    parts.framed(figure, _finding(results), [results], legend)
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
    return inside


def _backdrop(axes: Axes, results: Results, bound: Bound, near: Points) -> None:
    """Axes around the points and the origin, and the side on which the constraint is kept."""
    # Policies that must play every arm once have the larger tolerance.
    low, edge = results.outcomes[f"tolerance_{bound.j}"].agg(["min", "max"])
    what = "events short of the floor" if bound.floor else f"{bound.name}: shortfall"
    below = "\n(below 0: more reward than the optimum)" * bool(near["y"].min() < 0.0)
    axes.set(xlabel=f"{what} at T", ylabel=parts.in_unit("regret at T", results.unit) + below)
    for axis, limits in (("x", axes.set_xlim), ("y", axes.set_ylim)):
        ends = near[[axis, f"{axis}_low", f"{axis}_high"]].to_numpy(dtype=float)
        limits(*parts.padded(np.append(ends, [0.0, edge if axis == "x" else 0.0]), 0.14))
    axes.grid(False)
    for end, alpha in ((low, 1.0), (edge, 0.5)):
        axes.axvspan(axes.get_xlim()[0], end, color=KEPT_SIDE, alpha=alpha, zorder=0, linewidth=0)
    style: dict[str, Any] = {"color": FAINT, "size": "small", "transform": axes.transAxes}
    axes.text(0.012, 0.985, "kept", va="top", **style)
    axes.axhline(0.0, color=INK, linewidth=0.6)
    axes.axvline(0.0, color=INK, linewidth=0.6)
    axes.plot(0.0, 0.0, "+", color=INK, ms=9, mew=1.0)
    parts.plain_numbers(axes, up=6)


def _mark(axes: Axes, policy: str, row: pd.Series, look: Look, mark: str) -> None:
    style: dict[str, Any] = {"color": look.colour, "zorder": 5}
    across = axes.hlines(row["y"], row["x_low"], row["x_high"], lw=0.9, **style)
    up = axes.vlines(row["x"], row["y_low"], row["y_high"], lw=0.9, **style)
    (point,) = axes.plot(row["x"], row["y"], mark, ms=6.5, mec="white", mew=0.6, **style)
    parts.tag(policy, across, up, point)


def _legend(
    near: Points, looks: Mapping[str, Look], groups: pd.Series, numbers: Mapping[str, str]
) -> list[Line2D]:
    """The names of numbered points, and what the shapes mean."""
    entries = []
    for policy, text in numbers.items():
        name = f"{text}  {parts.wrapped(looks[policy].label, 30)}"
        entries.append(parts.mark(groups[policy], looks[policy].colour, name))
        parts.tag(policy, entries[-1])
    words = {mark: WORDS[group] for group, mark in MARKS.items()}
    words |= {REFERENCE_MARK: "knows the means"}
    seen = groups[near.index]
    used = [parts.mark(mark, FAINT, text) for mark, text in words.items() if (seen == mark).any()]
    return [*entries, *used]


def _out_of_view(points: Points, looks: Mapping[str, Look]) -> str:
    """Policies beyond the axes, with their shortfall and regret."""
    far = [
        f"{parts.wrapped(looks[str(policy)].label, 30)} "
        f"({digits_of(row, 'x')}; {digits_of(row, 'y')})"
        for policy, row in points.dropna(subset=["x", "y"]).iterrows()
    ]
    return f"not in view: {listed(far)}" if far else ""


def _name(
    axes: Axes, points: Points, looks: Mapping[str, Look], numbers: Mapping[str, str]
) -> None:
    """Names, or numbers, beside the points; they keep off crosses and axes."""
    lines = [labels.along((0, 0), axes.get_ylim()), labels.along(axes.get_xlim(), (0, 0), 200)]
    for _, row in points.iterrows():
        across, up = (row[[f"{a}_low", f"{a}_high"]].fillna(row[a]).to_numpy(float) for a in "xy")
        lines += [labels.along(across, (row["y"], row["y"]), 20)]
        lines += [labels.along((row["x"], row["x"]), up, 20)]
    names = [numbers.get(p) or parts.wrapped(looks[p].label, 22, 2) for p in points.index]
    colours = [looks[policy].colour for policy in points.index]
    places, avoid = points[["x", "y"]].to_numpy(float), np.concatenate(lines)
    drawn = labels.around(axes, places, names, colours, avoid)
    for policy, text in zip(points.index, drawn, strict=True):
        parts.tag(str(policy), text)


def _finding(results: Results) -> str:
    """Which policies keep the constraints."""
    ranked = results.ranked
    every = [parts.wrapped(label(results, policy), 24) for policy in ranked["policy"]]
    kept = [name for name, group in zip(every, ranked["group"], strict=True) if group == KEPT]
    if not kept:
        who = f"{every[0]} misses" if len(every) == 1 else "no policy keeps"
    elif len(kept) == len(every):
        who = "every policy keeps" if len(every) > 1 else f"{every[0]} keeps"
    elif len(kept) <= 3:
        who = f"only {listed(kept)} keep{'s' * (len(kept) == 1)}"
    else:
        who = f"{len(kept)} of {len(every)} policies keep"
    return f"{results.title}: {who} {promise(results.problem)}"
