"""Growth against theory: composite regret beside the lower bound's slope, decade by decade."""

import math

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.report.figures import labels, parts
from lincon.report.figures.style import narrow, size
from lincon.report.palette import INK, Look

HEIGHT = 2.4


def growth(results: Results) -> Figure:
    """Left: composite regret against log t with the slope C. Right: joint regret over C log t."""
    looks = parts.looks_of(results)
    figure, (left, right) = parts.side_by_side(2, HEIGHT)
    slope = results.lower_bound
    left.set(title="Composite regret", xlabel="round t", ylabel="R + \u03bb* V, signed")
    right.set(title="Joint regret / (C log t)", xlabel="round t", ylabel="times the lower bound")
    rows = results.rows("composite", "expected")
    if rows.empty:
        for axes in (left, right):
            parts.no_data(axes, "not defined: infeasible")
        return parts.finish(figure, results, "no optimum, so no regret to grow")
    _composite(left, rows, results, looks, slope)
    names = {"ratio": "mean", "ratio_low": "ci_low", "ratio_high": "ci_high"}
    ratios = results.growth.rename(columns=names).query("t >= 100")
    if ratios["t"].nunique() < 2:
        parts.no_data(right, "the lower bound is zero" if not slope else "too few rounds")
    else:
        _ratios(right, ratios, looks)
    if not narrow():
        labels.at_ends(left, rows, looks, HEIGHT - 0.6)
    text = _finding(results, ratios, slope)
    return parts.finish(figure, results, text, left if narrow() else None)


def _composite(
    axes: Axes, rows: pd.DataFrame, results: Results, looks: dict[str, Look], slope: float | None
) -> None:
    first = results.problem.arms if 1 < results.problem.arms <= results.horizon / 10 else 1
    parts.over_rounds(axes, results.horizon, "log", first)
    parts.curves(axes, rows, looks)
    late = parts.scaling(rows[rows["t"] >= first], looks)
    top = float(late[["mean", "ci_high"]].max().max())
    parts.from_zero(axes, top)
    if late["mean"].min() < 0.0:
        axes.set_ylim(bottom=max(1.1 * late["mean"].min(), -0.5 * top))
    if slope:
        learners = rows[~rows["policy"].isin(results.references)]
        _slope(axes, learners if len(learners) else rows, slope, top)
    parts.plain_numbers(axes)


def _slope(axes: Axes, rows: pd.DataFrame, slope: float, top: float) -> None:
    """The slope C over the last decade, hung from the lowest curve at its start.

    One far steeper than the curves ends where it leaves the chart.
    """
    last = rows["t"].max()
    late = rows[rows["t"] >= last / 10]
    first = late["t"].min()
    begin = late.loc[late["t"] == first, "mean"].min()
    # Straight over log t, so its two ends are enough.
    end = min(begin + slope * math.log(last / first), 1.05 * top)
    stop = first * math.exp((end - begin) / slope) if end == 1.05 * top else last
    axes.plot([first, stop], [begin, end], color=INK[0], linewidth=1.0, zorder=3)
    axes.set_title(f"black: slope C = {slope:,.3g}", loc="right", fontsize=size(7), color=INK[0])


def _ratios(axes: Axes, rows: pd.DataFrame, looks: dict[str, Look]) -> None:
    parts.curves(axes, rows, looks)
    axes.axhline(1.0, color=INK[0], linewidth=0.8)
    parts.log_axes(axes, "x")
    axes.set_xlim(0.99 * rows["t"].min(), rows["t"].max())
    axes.set_xticks(sorted(set(rows["t"])))
    parts.from_zero(axes, max(1.2, parts.highest(rows, looks)))
    parts.plain_numbers(axes)
    if not narrow():
        labels.at_ends(axes, rows, looks, HEIGHT - 0.6)


def _finding(results: Results, ratios: pd.DataFrame, slope: float | None) -> str:
    if not slope or ratios.empty:
        return "too few rounds" if slope else "nothing has to be explored in the long run"
    last = ratios[ratios["t"] == ratios["t"].max()].set_index("policy")["mean"]
    own = last[[policy for policy in last.index if policy not in results.references]]
    if own.empty:
        return f"lower bound C = {slope:,.3g} per log t"
    best = own.idxmin()
    name, times = parts.name_of(results, best), f"{own[best]:.2g}"
    if own[best] < 1.0:
        return f"{name} is still at {times} of the asymptotic lower bound"
    return f"{name} has {times} times the asymptotic lower bound"
