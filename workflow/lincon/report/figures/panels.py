"""Curves over the rounds: the paper's four panels, shortfalls, growth, and published runs."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.comparison import Comparison
from lincon.analysis.results import Results
from lincon.analysis.theory import noise_floors
from lincon.report import view
from lincon.report.figures import labels, parts
from lincon.report.figures.style import PAGE, chosen, narrow, size
from lincon.report.palette import FAINT, HUES, INK, KEPT, KEPT_SIDE, Look

HEIGHT, GROWTH = 1.75, 2.4  # inches of a panel with its labels
THEIRS = "#444444"
PUBLISHED = ("regret", "violation_0", "reward", "ratio")


def panels(results: Results, basis: str = "expected") -> Figure:
    """Regret, violation, reward and reward / violation, or what the style names in its order.

    All of them by the paper's equations (expected basis).
    """
    looks, shown = parts.looks_of(results), view.panels(results, chosen().panels)
    columns = 1 if narrow() else {1: 1, 2: 2, 4: 2}.get(len(shown), 3)
    high = 1.3 if narrow() else HEIGHT + 0.1
    figure, grid = parts.grid(len(shown), columns, high, xlabel="round t")
    for (metric, title, label), axes in zip(shown, grid.flat, strict=False):
        rows = view.rows_of(results, metric, basis)
        axes.set(title=title, ylabel=label)
        rows = _panel(axes, rows, metric.split("_")[0], looks, bins=4 if columns < 3 else 2)
        if basis == "realised":
            _luck(axes, results, metric)
        labels.at_ends(axes, rows, looks, HEIGHT - 0.6)
    luck = "dotted: luck of the optimal mixture" if basis == "realised" else ""
    return parts.finish(figure, results, _difference(results, basis), marks=luck)


def realised(results: Results) -> Figure:
    """All of them, of the rewards and events that were seen, beside what luck alone shows."""
    return panels(results, "realised")


def _panel(
    axes: Axes, rows: pd.DataFrame, metric: str, looks: Mapping[str, Look], bins: int
) -> pd.DataFrame:
    """One metric over the rounds, from zero up; returns the rows that are drawn."""
    late = None
    if metric == "ratio":
        rows, left_out = view.comparable(rows, looks)
        if left_out:
            axes.set_title(f"{axes.get_title(loc='left')} ({left_out} left out: no violation)")
        # Without its first rounds, where it divides by almost nothing.
        late = rows[rows["t"] > view.LATE * rows["t"].max()]
    if rows["mean"].notna().any():
        parts.curves(axes, rows, looks, metric, late=late)
    else:
        parts.no_data(axes, "not defined here")
    if len(rows):
        parts.over_rounds(axes, rows["t"].max())
    parts.plain_numbers(axes, bins)
    return rows


def _luck(axes: Axes, results: Results, metric: str) -> None:
    """What the optimal mixture itself shows by luck alone, dotted."""
    t = np.unique(results.summary["t"]).astype(float)
    floor = noise_floors(results.arms, results.problem, t).get(metric)
    if floor is not None and np.isfinite(floor).all():
        axes.plot(t, results.factor(metric) * floor, color=FAINT[0], linestyle=":", linewidth=1.0)


def _difference(results: Results, basis: str) -> str:
    """How the two compared policies differ; otherwise what is shown."""
    claims = results.claims
    rows = claims[(claims["basis"] == basis) & (claims["against"] != "theory")]
    rows = rows[rows["quantity"].isin(["regret", "violation"]) & (rows["reference"] > 0.0)]
    said = [
        f"{abs(100.0 * row['difference'] / row['reference']):.0f}% "
        f"{'less' if row['difference'] < 0.0 else 'more'} {row['quantity']}"
        for _, row in rows.iterrows()
    ]
    if said:
        first, second = (parts.name_of(results, rows.iloc[0][c]) for c in ("policy", "against"))
        seen = ", realised" if basis == "realised" else ""
        return f"{first} has {' and '.join(said)} than {second}{seen}"
    return f"{basis} over {results.horizon:,} rounds"


def shortfall(results: Results) -> Figure:
    """Mean shortfall over runs, realised, one panel per constraint: above zero it is missed."""
    looks, bounds = parts.looks_of(results), view.bounds(results.problem)
    height = 2.3 if len(looks) <= 8 else 2.7
    figure, panels = parts.grid(len(bounds), 1, height, 0.8 * PAGE, xlabel="round t")
    for axes, bound in zip(panels.flat, bounds, strict=True):
        rows = results.rows(f"shortfall_{bound.j}", "realised")
        axes.set_ylabel(bound.shortfall)
        parts.curves(axes, rows, looks)
        low, high = _limits(parts.scaling(rows, looks))
        axes.set_ylim(low, high)
        parts.over_rounds(axes, results.horizon)
        axes.axhspan(low, 0.0, color=KEPT_SIDE, zorder=0, linewidth=0)
        axes.axhline(0.0, color=INK[0], linewidth=0.8, zorder=2)
        where = axes.transAxes
        axes.text(0.01, 0.015, "kept", transform=where, size=size(7), color=KEPT, zorder=4)
        parts.plain_numbers(axes)
        labels.at_ends(axes, rows, looks, height - 0.5, 20)
    kept_from = results.ranked[[f"kept_from_{bound.j}" for bound in bounds]]
    held = view.keepers(results, int(kept_from.notna().all(axis=1).sum()))
    text = f"{held} by round {results.horizon:,} in at least half of the runs"
    return parts.finish(figure, results, text)


def _limits(rows: pd.DataFrame) -> tuple[float, float]:
    """Policies that leave the bound for good would flatten all others.

    So the axis ends at four times the median of the peaks; what goes beyond it is named at the
    upper edge.
    """
    peak = rows.groupby("policy")[["mean", "ci_high"]].max().max(axis=1)
    dip = rows.groupby("policy")["mean"].min()
    high = min(float(peak.max()), 4.0 * float(np.median(np.maximum(peak, 1.0))))
    low = max(float(dip.min()), -4.0 * max(float(np.median(np.abs(dip))), 0.25 * high))
    pad = 0.08 * (high - low) or 1.0
    return low - pad, high + pad


def growth(results: Results) -> Figure:
    """Left: composite regret against log t with the slope C. Right: joint regret over C log t."""
    looks = parts.looks_of(results)
    figure, (left, right) = parts.side_by_side(2, GROWTH)
    slope = results.lower_bound
    left.set(title="Composite regret", xlabel="round t", ylabel="R + \u03bb* V, signed")
    right.set(title="Joint regret / (C log t)", xlabel="round t", ylabel="times the lower bound")
    rows = results.rows("composite", "expected")
    if rows.empty:
        for axes in (left, right):
            parts.no_data(axes, "not defined: infeasible")
        return parts.finish(figure, results, "no optimum, so no regret to grow")
    first = results.problem.arms if 1 < results.problem.arms <= results.horizon / 10 else 1
    parts.over_rounds(left, results.horizon, "log", first)
    parts.curves(left, rows, looks, "composite", late=rows[rows["t"] >= first])
    if slope:
        learners = rows[~rows["policy"].isin(results.references)]
        _slope(left, learners if len(learners) else rows, slope)
    parts.plain_numbers(left)
    labels.at_ends(left, rows, looks, GROWTH - 0.6)
    names = {"ratio": "mean", "ratio_low": "ci_low", "ratio_high": "ci_high"}
    ratios = results.growth.rename(columns=names).query("t >= 100")
    if ratios["t"].nunique() < 2:
        parts.no_data(right, "the lower bound is zero" if not slope else "too few rounds")
    else:
        _ratios(right, ratios, looks)
    return parts.finish(figure, results, _times(results, ratios, slope))


def _slope(axes: Axes, rows: pd.DataFrame, slope: float) -> None:
    """The slope C over the last decade, hung from the lowest curve at its start."""
    last = rows["t"].max()
    first = rows.loc[rows["t"] >= last / 10, "t"].min()
    begin = rows.loc[rows["t"] == first, "mean"].min()
    # Straight over log t, so its two ends are enough.
    ends = [begin, begin + slope * math.log(last / first)]
    axes.plot([first, last], ends, color=INK[0], linewidth=1.0, zorder=3)
    axes.set_title(f"black: slope C = {slope:,.3g}", loc="right", fontsize=size(7), color=INK[0])


def _ratios(axes: Axes, rows: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    parts.curves(axes, rows, looks)
    axes.axhline(1.0, color=INK[0], linewidth=0.8)
    parts.log_axes(axes, "x")
    axes.set_xlim(0.99 * rows["t"].min(), rows["t"].max())
    axes.set_xticks(sorted(set(rows["t"])))
    parts.from_zero(axes, max(1.2, axes.get_ylim()[1] / 1.05))
    parts.plain_numbers(axes)
    labels.at_ends(axes, rows, looks, GROWTH - 0.6)


def _times(results: Results, ratios: pd.DataFrame, slope: float | None) -> str:
    """How many times the lower bound the best policy has."""
    if not slope or ratios.empty:
        return "too few rounds" if slope else "nothing has to be explored in the long run"
    last = ratios[ratios["t"] == ratios["t"].max()].set_index("policy")["mean"]
    own = last.drop(list(results.references), errors="ignore")
    own = last if own.empty else own
    name, least = parts.name_of(results, str(own.idxmin())), own.min()
    has = "is still at {:.2g} of" if least < 1.0 else "has {:.2g} times"
    return f"{name} {has.format(least)} the asymptotic lower bound"


def published(results: Results, comparison: Comparison) -> Figure:
    """One column per policy: their runs, mean and standard deviation in grey; ours on top."""
    policies, label = list(comparison.theirs), f"our {results.runs} runs: mean, 95% interval"
    # Also where it is grey among many.
    look = Look("", label, *HUES[0])
    looks = {
        policy: look if own.muted else replace(own, label=label, dashes=(), reference=False)
        for policy, own in parts.looks_of(results).items()
    }
    metrics = [m for m in PUBLISHED if m in comparison.theirs[policies[0]]]
    count, columns = len(metrics) * len(policies), len(policies)
    figure, grid = parts.grid(count, columns, 1.7, xlabel="round t", sharey="row")
    for line, metric in zip(grid, metrics, strict=True):
        name, ylabel = view.PANELS[metric.split("_")[0]]
        line[0].set_ylabel(ylabel)
        for axes, policy in zip(line, policies, strict=True):
            _theirs(axes, comparison, policy, metric)
            rows = results.rows(metric, "realised")
            parts.curves(axes, rows[rows["policy"] == policy], {policy: looks[policy]})
            axes.set_title(f"{name}, {parts.wrapped(results.labels[policy], 30, 1)}")
            parts.over_rounds(axes, comparison.t[-1])
        # Without the ratio's first rounds, where it divides by almost nothing.
        late = comparison.t > (view.LATE * comparison.t[-1] if metric == "ratio" else 0)
        tops = [comparison.rows(p, metric)[late][["ours", "theirs"]].max().max() for p in policies]
        if metric != "ratio":
            tops += [comparison.theirs[policy][metric].max() for policy in policies]
        parts.from_zero(line[0], float(np.nanmax([0.0, *tops])))
        for axes in line:
            parts.plain_numbers(axes)
    ours, theirs = comparison.runs
    text = f"our {ours} runs beside the authors' {theirs}, realised rewards and events"
    return parts.finish(figure, results, text, grid[0, 0])


def _theirs(axes: Axes, comparison: Comparison, policy: str, metric: str) -> None:
    runs, t = comparison.theirs[policy][metric], comparison.t
    rows = comparison.rows(policy, metric)
    if metric != "ratio":  # a ratio of means: one run has none
        axes.plot(t, runs.T, color=THEIRS, alpha=0.25, linewidth=0.4, zorder=1.6)
        low, high = (rows["theirs"] + sign * rows["theirs_std"] for sign in (-1.0, 1.0))
        axes.fill_between(t, np.maximum(low, 0.0), high, color=THEIRS, alpha=0.12, linewidth=0)
    label = f" the authors' {comparison.runs[1]} runs: each, mean, standard deviation"
    axes.plot(t, rows["theirs"], color=THEIRS, linestyle=(0, (4, 1.5)), label=label, zorder=2.0)
