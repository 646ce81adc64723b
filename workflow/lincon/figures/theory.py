"""Theory beside measurement: composite regret, Lemma 2, the two rates, the noise floor."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from lincon.analysis.theory import Bounds, bounds, noise_floors
from lincon.figures import drawing as plotting
from lincon.figures.drawing import COLUMN, PAGE, Look
from lincon.problem.record import Problem

REFERENCE = "#555555"
# A bound is drawn if the measured curves still fill this share of the axis beside it.
FILL = 0.4
NO_OPTIMUM = "not defined: η is out of reach"


def composite_figure(
    summary: pd.DataFrame,
    table: pd.DataFrame,
    problem: Problem,
    looks: Mapping[str, Look],
    text: str,
) -> Figure:
    """Composite regret against log t, with the slope C and the paper's bounds."""
    figure, axes = plotting.plt.subplots(figsize=(COLUMN, 3.0))
    axes.set(xlabel="round t", ylabel="composite regret  R + λ* V")
    _log(axes, "x")
    summary = plotting.shown(summary, looks)
    rows = _rows(summary, "composite", "expected")
    if rows.empty:
        plotting.no_data(axes, NO_OPTIMUM)
    else:
        _curves(axes, rows, looks)
        _slope(axes, rows, bounds(table, problem).lower_bound_slope, "lower bound: C")
        _bounds(axes, rows, bounds(table, problem))
        axes.set_xlim(_first(problem, rows), rows["t"].max())
        axes.set_ylim(bottom=0)
    return _finish(figure, axes, summary, problem, text)


def plays_figure(
    plays: Mapping[str, pd.DataFrame],
    table: pd.DataFrame,
    problem: Problem,
    looks: Mapping[str, Look],
    horizon: int,
    text: str,
) -> Figure:
    """Lemma 2: each suboptimal arm's mean plays at T against log T / d(mu_i, xi_i)."""
    shown = [policy for policy in looks if policy in plays]
    figure, panels = plotting.plt.subplots(
        1, len(shown), figsize=(PAGE, 3.2), sharex=True, sharey=True, squeeze=False
    )
    for policy, axes in zip(shown, panels[0], strict=True):
        mean = plays[policy].groupby("arm")["plays"].mean().to_numpy()
        axes.set(title=looks[policy].label, xlabel="log T / d(μᵢ, ξᵢ)")
        _plays_panel(axes, mean, table, looks[policy], horizon)
    panels[0, 0].set_ylabel("mean plays at T")
    runs = plays[shown[0]]["run"].nunique()
    plotting.title(figure, text, problem)
    plotting.footer(figure, problem, runs, horizon)
    return figure


def growth_figure(
    summary: pd.DataFrame,
    table: pd.DataFrame,
    problem: Problem,
    looks: Mapping[str, Look],
    text: str,
) -> Figure:
    """The paper's two rates: suboptimal plays against log t, the mixture's error against sqrt t."""
    summary = plotting.shown(summary, looks)
    figure, (left, right) = plotting.plt.subplots(1, 2, figsize=(PAGE, 2.9))
    left.set(title="Suboptimal arms: log t", xlabel="round t", ylabel="suboptimal plays")
    _log(left, "x")
    right.set(title="Optimal arms: √t", xlabel="√t", ylabel="|mixture error| in plays")
    plays, mixture = (_rows(summary, name, "realised") for name in ("suboptimal", "mixture"))
    if plays.empty:
        plotting.no_data(left, NO_OPTIMUM)
        plotting.no_data(right, NO_OPTIMUM)
        return _finish(figure, None, summary, problem, text)
    _curves(left, plays, looks)
    _slope(left, plays, bounds(table, problem).plays_slope, "slope of Lemma 2: C'")
    left.set_xlim(_first(problem, plays), plays["t"].max())
    left.set_ylim(bottom=0)
    if len(problem.support) < 2:
        plotting.no_data(right, "one optimal arm: nothing to mix")
        return _finish(figure, left, summary, problem, text)
    root = mixture.assign(root=np.sqrt(mixture["t"]))
    _curves(right, root, looks, "root")
    first, second = problem.shares
    own = np.sqrt(2.0 * first * second / np.pi) * root["root"]
    dotted = {"color": REFERENCE, "linestyle": ":"}
    right.plot(root["root"], own, **dotted)
    left.plot([], [], label="the optimal mixture's own draws", **dotted)
    plotting.plain_numbers(right)
    right.set_xlim(0, root["root"].max())
    right.set_ylim(bottom=0)
    return _finish(figure, left, summary, problem, text)


def noise_figure(
    summary: pd.DataFrame,
    table: pd.DataFrame,
    problem: Problem,
    looks: Mapping[str, Look],
    text: str,
) -> Figure:
    """Realised regret and violation, above the noise that the optimal mixture itself shows."""
    summary = plotting.shown(summary, looks)
    figure, panels = plotting.plt.subplots(1, 2, figsize=(PAGE, 2.9))
    t = np.unique(summary["t"]).astype(float)
    floors = noise_floors(table, problem, t)
    for metric, axes in zip(("regret", "violation"), panels, strict=True):
        rows = _rows(summary, metric, "realised")
        axes.set(title=f"Realised {metric}", xlabel="round t", ylabel=f"cumulative {metric}")
        if rows.empty:
            plotting.no_data(axes, NO_OPTIMUM)
            continue
        _log(axes, "xy")
        _curves(axes, _above_zero(rows), looks)
        if np.isfinite(floors[metric]).all():
            label = "noise floor of the optimal mixture"
            axes.plot(t, floors[metric], color=REFERENCE, linestyle=":", label=label)
        late = rows[(rows["t"] >= 10) & (rows["mean"] > 0.0)]
        lowest = np.fmin(late["mean"].min(), floors[metric][t >= 10].min(initial=np.inf))
        axes.set_xlim(10, t[-1])
        axes.set_ylim(bottom=max(0.5 * lowest, 1e-2) if np.isfinite(lowest) else None)
    return _finish(figure, panels[1], summary, problem, text)


def all_figures(
    summary: pd.DataFrame,
    plays: Mapping[str, pd.DataFrame],
    table: pd.DataFrame,
    problem: Problem,
    looks: Mapping[str, Look],
    text: str,
) -> dict[str, Figure]:
    """By file name."""
    horizon = int(summary["t"].max())
    return {
        "composite": composite_figure(summary, table, problem, looks, text),
        "plays": plays_figure(plays, table, problem, looks, horizon, text),
        "growth": growth_figure(summary, table, problem, looks, text),
        "noise": noise_figure(summary, table, problem, looks, text),
    }


def _rows(summary: pd.DataFrame, metric: str, basis: str) -> pd.DataFrame:
    return summary[(summary["metric"] == metric) & (summary["basis"] == basis)]


def _above_zero(rows: pd.DataFrame) -> pd.DataFrame:
    """For a log axis: gaps where the mean is zero, and intervals cut off where they reach it."""
    mean = rows["mean"].where(rows["mean"] > 0.0)
    return rows.assign(mean=mean, ci_low=rows["ci_low"].clip(lower=1e-9))


def _curves(axes: Axes, rows: pd.DataFrame, looks: Mapping[str, Look], x: str = "t") -> None:
    for policy, look in looks.items():
        plotting.curve(axes, rows[rows["policy"] == policy], look, x)


def _first(problem: Problem, rows: pd.DataFrame) -> int:
    """The left end of an axis of rounds: where every arm has been played once and choice begins."""
    return problem.arms if 1 < problem.arms <= rows["t"].max() / 10 else 1


class OneThree(LogLocator):
    """Ticks at 1, 3, 10, 30, ...; over more than three decades at the powers of ten alone."""

    def tick_values(self, vmin: float, vmax: float) -> np.ndarray:
        self.set_params(subs=(1.0, 3.0) if vmax <= 1000.0 * vmin else (1.0,))
        return super().tick_values(vmin, vmax)


def _log(axes: Axes, which: str) -> None:
    """Log axes with plain numbers: 10,000 is read faster than a power, and drawn faster too."""
    for name in which:
        axes.set(**{f"{name}scale": "log"})
        axis = getattr(axes, f"{name}axis")
        axis.set_major_locator(OneThree())
        axis.set_minor_locator(NullLocator())
    plotting.plain_numbers(axes)


def _slope(axes: Axes, rows: pd.DataFrame, slope: float, name: str) -> None:
    """A slope against log t over the last decade, hung from the lowest curve at its start."""
    last = rows["t"].max()
    late = rows[rows["t"] >= last / 10]
    start = late[late["t"] == late["t"].min()]
    t = np.array([start["t"].iloc[0], last])
    height = start["mean"].min() + slope * np.log(t / t[0])
    number = f"{slope:,.1f}" if slope < 1000 else f"{slope:,.0f}"
    axes.plot(t, height, color="black", linewidth=1.0, label=f"{name} = {number}")


def _bounds(axes: Axes, rows: pd.DataFrame, sums: Bounds) -> None:
    """The growing terms of the paper's bounds: drawn where they fit, else told in words."""
    t = np.unique(rows["t"])
    top = rows[["mean", "ci_high"]].max().max()
    curves = {
        "Lemma 2: (1+\u03b3)² C log t": (sums.composite_bound(t), "--"),
        "Theorems 1 + λ* · 2": (sums.theorems_bound(t), ":"),
    }
    notes = []
    for name, (height, dashes) in curves.items():
        if FILL * height[-1] <= top:
            axes.plot(t, height, color=REFERENCE, linestyle=dashes, linewidth=1.0, label=name)
        else:
            notes.append(f"{name}:\n{height[-1]:,.0f} at T, off the chart")
    style = {"fontsize": 7, "color": REFERENCE, "ha": "left", "va": "top"}
    axes.text(0.03, 0.98, "\n".join(notes), transform=axes.transAxes, **style)


def _plays_panel(
    axes: Axes, mean: np.ndarray, table: pd.DataFrame, look: Look, horizon: int
) -> None:
    _log(axes, "xy")
    suboptimal = ~table["optimal"].to_numpy() & table["gap"].notna().to_numpy()
    reached = suboptimal & np.isfinite(table["kl"].to_numpy())
    if not reached.any():
        defined = table["gap"].notna().any()
        plotting.no_data(axes, "no suboptimal arm has ξ < 1" if defined else NO_OPTIMUM)
        return
    predicted = np.log(horizon) / table["kl"].to_numpy()[reached]
    axes.plot(predicted, mean[reached], "o", color=look.colour, markersize=2.6, alpha=0.6, mew=0)
    ends = np.array([predicted.min(), predicted.max()])
    axes.plot(ends, ends, color="black", linewidth=0.8)
    axes.annotate("y = x", (ends[1], ends[1]), (-4, 0), textcoords="offset points", ha="right")
    below = np.mean(mean[reached] <= predicted)
    lines = [f"{below:.0%} of {reached.sum()} arms on or below y = x"]
    idle = suboptimal & ~reached
    if idle.any():
        lines.append(f"{idle.sum()} arms with ξ ≥ 1: {mean[idle].mean():.1f} plays each")
    style = {"fontsize": 7, "ha": "left", "va": "top"}
    axes.text(0.03, 0.98, "\n".join(lines), transform=axes.transAxes, **style)


def _finish(
    figure: Figure, axes: Axes | None, summary: pd.DataFrame, problem: Problem, text: str
) -> Figure:
    plotting.title(figure, text, problem)
    if axes is not None and axes.get_legend_handles_labels()[0]:
        plotting.shared_legend(figure, axes, columns=4 if figure.get_figwidth() > COLUMN else 2)
    plotting.footer(figure, problem, int(summary["n_runs"].iloc[0]), int(summary["t"].max()))
    return figure
