"""The paper's four panels: regret, violation, cumulative reward, reward / violation."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.figures import drawing, labels
from lincon.figures.drawing import COLUMN, PAGE, Look
from lincon.figures.of_results import finish, looks_of

PANELS = {
    "regret": ("Regret", "cumulative regret"),
    "violation": ("Violation", "cumulative violation"),
    "reward": ("Reward", "cumulative reward"),
    "ratio": ("Reward / violation", "reward per violation"),
}


def panels(results: Results) -> Figure:
    """All four by the paper's equations, on a page's width."""
    return _combined(results, "expected", results.title)


def panels_realised(results: Results) -> Figure:
    """All four of the rewards and events that were seen."""
    return _combined(results, "realised", f"{results.title}, realised rewards and events")


def regret(results: Results) -> Figure:
    return _single(results, "regret")


def violation(results: Results) -> Figure:
    return _single(results, "violation")


def reward(results: Results) -> Figure:
    return _single(results, "reward")


def ratio(results: Results) -> Figure:
    return _single(results, "ratio")


def _combined(results: Results, basis: str, text: str) -> Figure:
    looks = looks_of(results)
    figure, axes = drawing.plt.subplots(2, 2, figsize=(PAGE, 4.8))
    for metric, ax in zip(PANELS, axes.flat, strict=True):
        panel(ax, results.rows(metric, basis), metric, looks)
        if any(look.muted for look in looks.values()):
            labels.at_ends(ax, results.rows(metric, basis), looks, 1.6, 6, muted=False, width=16)
    return finish(figure, results, text, axes[0, 0])


def _single(results: Results, metric: str) -> Figure:
    """One panel at a column's width; more policies than colours are named at their curves' ends."""
    looks = looks_of(results)
    rows = results.rows(metric, "expected")
    many = any(look.muted for look in looks.values())
    height = max(2.8, 1.2 + 0.115 * len(looks)) if many else 2.8
    figure, axes = drawing.plt.subplots(figsize=(COLUMN * (1.45 if many else 1.0), height))
    panel(axes, rows, metric, looks)
    if many:
        labels.at_ends(axes, rows, looks, height - 1.2)
        return finish(figure, results)
    return finish(figure, results, axes=axes)


def panel(axes: Axes, rows: pd.DataFrame, metric: str, looks: Mapping[str, Look]) -> None:
    name, label = PANELS[metric]
    axes.set(title=name, xlabel="round t", ylabel=label)
    if rows["mean"].notna().any():
        drawing.curves(axes, rows, looks)
    else:
        drawing.no_data(axes, "not defined here")
    if len(rows):
        axes.set_xlim(0, rows["t"].max())
    frame_height(axes, drawing.prominent(rows, looks), metric)
    drawing.plain_numbers(axes)


def frame_height(axes: Axes, rows: pd.DataFrame, metric: str) -> None:
    """From zero up; the ratio without its first rounds, where it divides by almost nothing.

    A policy that makes up for its violations divides by nothing again: then by decades.
    """
    if metric == "ratio":
        rows = rows[rows["t"] > 0.05 * rows["t"].max()]
    top = rows[["mean", "ci_high"]].max().max()
    each = rows.groupby("policy")["mean"].max()
    if metric == "ratio" and each.max() > 100.0 * each.min() > 0.0:
        drawing.log_axes(axes, "y")
        lowest = rows["mean"][rows["mean"] > 0.0].min()
        axes.set_ylim(0.5 * lowest, 2.0 * rows["mean"].max())
        return
    drawing.from_zero(axes, float(top))
