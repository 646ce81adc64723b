"""Theory beside measurement: composite regret, the two rates, the noise floor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.analysis.text import number
from lincon.analysis.theory import Bounds, bounds, noise_floors
from lincon.figures import drawing, labels, scales
from lincon.figures.drawing import PAGE
from lincon.figures.labels import HALO
from lincon.figures.of_results import finish, looks_of
from lincon.figures.style import REFERENCE

# A bound is drawn if the measured curves still fill this share of the axis beside it.
FILL = 0.4
NOTE: dict[str, Any] = {"color": REFERENCE, "ha": "left", "va": "top", "zorder": 4}
NOTE |= {"path_effects": HALO}
NO_OPTIMUM = "not defined: η is out of reach"


def composite(results: Results) -> Figure:
    """Composite regret against log t, with the slope C and the paper's bounds."""
    looks = looks_of(results)
    height = max(3.0, 1.3 + 0.125 * len(looks))
    figure, axes = drawing.plt.subplots(figsize=(drawing.width(0.75 * PAGE), height))
    axes.set(xlabel="round t", ylabel="composite regret  R + λ* V")
    if drawing.scale("round", "log") == "log":
        scales.log_axes(axes, "x")
    rows = results.rows("composite", "expected")
    if rows.empty:
        drawing.no_data(axes, NO_OPTIMUM)
        return finish(figure, results)
    scales.over_rounds(axes, results.horizon, "log", _first(results))
    upwards = drawing.scale("composite")
    drawing.curves(axes, scales.above_zero(rows) if upwards == "log" else rows, looks)
    late = drawing.prominent(rows[rows["t"] >= _first(results)], looks)
    top = late[["mean", "ci_high"]].max().max()
    slope = results.scalars["lower_bound_slope"]
    reached = _slope(axes, _ranked(results, rows), slope, "slope C")
    # A slope far steeper than the curves would flatten them: it may leave the chart.
    if slope is not None and reached <= 3.0 * top:
        # On the side of the line where no curve ends.
        side = -1 if reached < rows.loc[rows["t"] == rows["t"].max(), "mean"].median() else 1
        top = max(top, reached)
        axes.annotate(
            f"slope C = {number(slope)}", (results.horizon, reached), (-4, 2 if side > 0 else -13),
            textcoords="offset points", fontsize=drawing.size(7), ha="right",
            va="bottom" if side > 0 else "top", path_effects=HALO,
        )  # fmt: skip
    elif slope is not None and not drawing.narrow():
        note = f"black: slope C = {number(slope)}, off the chart"
        axes.text(0.98, 0.98, note, transform=axes.transAxes, **_note() | {"ha": "right"})
    sums = bounds(results.theory, results.problem)
    needed = max(top, _bounds(axes, rows, sums, top))
    # In a column the words above the curves need lines of their own.
    scales.from_zero(axes, needed * (1.25 if drawing.narrow() else 1.0))
    if upwards == "log":
        scales.from_lowest(axes, late)
    scales.plain_numbers(axes)
    if drawing.narrow():
        return finish(figure, results, axes=axes)
    labels.at_ends(axes, rows, looks, height - 1.2, 7)
    return finish(figure, results)


def growth(results: Results) -> Figure:
    """The paper's two rates: suboptimal plays against log t, the mixture's error against sqrt t."""
    looks = looks_of(results)
    figure, (left, right) = drawing.side_by_side(2, 2.9)
    left.set(title="Suboptimal arms: log t", xlabel="round t", ylabel="suboptimal plays")
    scales.log_axes(left, "x")
    right.set(title="Optimal arms: √t", xlabel="√t", ylabel="|mixture error| in plays")
    plays, mixture = (results.rows(name, "realised") for name in ("suboptimal", "mixture"))
    if plays.empty:
        drawing.no_data(left, NO_OPTIMUM)
        drawing.no_data(right, NO_OPTIMUM)
        return finish(figure, results)
    drawing.curves(left, plays, looks)
    left.set_xlim(_first(results), results.horizon)
    _slope(left, _ranked(results, plays), results.scalars["plays_slope"], "slope C' of Lemma 2")
    scales.from_zero(left, drawing.prominent(plays, looks)[["mean", "ci_high"]].max().max())
    scales.plain_numbers(left)
    if len(results.problem.support) < 2:
        drawing.no_data(right, "one optimal arm: nothing to mix")
        return finish(figure, results, axes=left)
    if mixture.empty:
        drawing.no_data(right, "several mixtures are optimal: no one split to reach")
        return finish(figure, results, axes=left)
    root = mixture.assign(root=np.sqrt(mixture["t"]))
    drawing.curves(right, root, looks, "root")
    first, second = results.problem.shares
    own = np.sqrt(2.0 * first * second / np.pi) * root["root"]
    dotted = {"color": REFERENCE, "linestyle": ":"}
    right.plot(root["root"], own, **dotted)
    left.plot([], [], label="the optimal mixture's own draws", **dotted)
    right.set_xlim(0, root["root"].max())
    scales.from_zero(right, drawing.prominent(root, looks)[["mean", "ci_high"]].max().max())
    scales.plain_numbers(right)
    return finish(figure, results, axes=left)


def noise(results: Results) -> Figure:
    """Realised regret and violation, above the noise that the optimal mixture itself shows."""
    looks = looks_of(results)
    figure, panels = drawing.side_by_side(2, 2.9)
    t = np.unique(results.summary["t"]).astype(float)
    floors = noise_floors(results.theory, results.problem, t)
    for metric, axes in zip(("regret", "violation"), panels, strict=True):
        rows = results.rows(metric, "realised")
        axes.set(title=f"Realised {metric}", xlabel="round t", ylabel=f"cumulative {metric}")
        if rows.empty:
            drawing.no_data(axes, NO_OPTIMUM)
            continue
        up = drawing.scale(metric, "log")
        if up == "log":
            scales.log_axes(axes, "y")
        drawing.curves(axes, scales.above_zero(rows) if up == "log" else rows, looks)
        if np.isfinite(floors[metric]).all():
            label = "noise floor of the optimal mixture"
            axes.plot(t, floors[metric], color=REFERENCE, linestyle=":", label=label)
        late = rows[(rows["t"] >= 10) & (rows["mean"] > 0.0)]
        lowest = np.fmin(late["mean"].min(), floors[metric][t >= 10].min(initial=np.inf))
        scales.over_rounds(axes, t[-1], "log", 10)
        if up == "log":
            axes.set_ylim(bottom=max(0.5 * lowest, 1e-2) if np.isfinite(lowest) else None)
        else:
            scales.from_zero(axes, drawing.prominent(rows, looks)[["mean", "ci_high"]].max().max())
        scales.plain_numbers(axes)
    return finish(figure, results, axes=panels[1])


def _note() -> dict[str, Any]:
    return NOTE | {"fontsize": drawing.size(6 if drawing.narrow() else 7)}


def _ranked(results: Results, rows: pd.DataFrame) -> pd.DataFrame:
    """Without the oracles, of which theory says nothing."""
    kept = rows[~rows["policy"].isin(results.references)]
    return kept if len(kept) else rows


def _first(results: Results) -> int:
    """The left end of an axis of rounds: where every arm has been played once and choice begins."""
    arms = results.problem.arms
    return arms if 1 < arms <= results.horizon / 10 else 1


def _slope(axes: Axes, rows: pd.DataFrame, slope: float | None, name: str) -> float:
    """A slope against log t over the last decade, hung from the lowest curve at its start.

    Returns the height that it reaches.
    """
    if slope is None:
        return 0.0
    last = rows["t"].max()
    late = rows[rows["t"] >= last / 10]
    start = late[late["t"] == late["t"].min()]
    # A straight line on a log axis, a curve on a linear one.
    t = np.geomspace(start["t"].iloc[0], last, 2 if axes.get_xscale() == "log" else 50)
    height = start["mean"].min() + slope * np.log(t / t[0])
    axes.plot(t, height, color="black", linewidth=1.0, zorder=3, label=f"{name} = {number(slope)}")
    return float(height[-1])


def _bounds(axes: Axes, rows: pd.DataFrame, sums: Bounds, top: float) -> float:
    """The growing terms of the paper's bounds: drawn where they fit, else told in words.

    Returns the height that they need.
    """
    t = np.unique(rows["t"])
    curves = {
        "Lemma 2: (1+\u03b3)² C log t": (np.asarray(sums.composite_bound(t)), "--"),
        "Theorems 1 + λ* · 2": (np.asarray(sums.theorems_bound(t)), ":"),
    }
    notes, needed = [], 0.0
    for name, (height, dashes) in curves.items():
        if FILL * height[-1] <= top:
            axes.plot(t, height, color=REFERENCE, linestyle=dashes, linewidth=1.0)
            notes.append(f"{'- -' if dashes == '--' else '· · ·'}  {name}")
            needed = max(needed, float(height[-1]))
        else:
            notes.append(f"{name}: {height[-1]:,.0f} at T, off the chart")
    axes.text(0.02, 0.98, "\n".join(notes), transform=axes.transAxes, **_note())
    return needed
