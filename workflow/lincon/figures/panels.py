"""The paper's four panels: regret, violation, cumulative reward, reward / violation.

A style may choose others and their order.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.figures import drawing, labels, scales
from lincon.figures.drawing import COLUMN, PAGE, Look
from lincon.figures.of_results import finish, looks_of

PANELS = {
    "regret": ("Regret", "cumulative regret"),
    "violation": ("Violation", "cumulative violation"),
    "reward": ("Reward", "cumulative reward"),
    "ratio": ("Reward / violation", "reward per violation"),
    "composite": ("Composite regret", "composite regret"),
    "deficit": ("Deficit", "deficit: t η - events(t)"),
}
SIGNED = ("composite", "deficit")


def panels(results: Results) -> Figure:
    """All of them by the paper's equations, on a page's width."""
    return _combined(results, "expected", results.title)


def panels_realised(results: Results) -> Figure:
    """All of them, of the rewards and events that were seen."""
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
    metrics = drawing.chosen().panels
    columns = _columns(len(metrics))
    lines = -(-len(metrics) // columns)
    size = (drawing.width(PAGE), (1.0 + 1.5 * lines) if drawing.narrow() else 0.6 + 2.1 * lines)
    figure, grid = drawing.plt.subplots(lines, columns, figsize=size, squeeze=False)
    for metric, ax in zip(metrics, grid.flat, strict=False):
        panel(ax, results.rows(metric, basis), metric, looks)
        if any(look.muted for look in looks.values()) and not drawing.narrow():
            labels.at_ends(ax, results.rows(metric, basis), looks, 1.6, 6, muted=False, width=18)
    for ax in grid.flat[len(metrics) :]:
        ax.set_visible(False)
    if columns == 1:
        for ax in grid[:-1, 0]:
            ax.set_xlabel("")
    return finish(figure, results, text, grid[0, 0])


def _columns(count: int) -> int:
    """Two columns of two, three of one or two lines; a column's width has one."""
    if drawing.narrow():
        return 1
    return {1: 1, 2: 2, 4: 2}.get(count, 3)


def _single(results: Results, metric: str) -> Figure:
    """One panel at a column's width; more policies than colours are named at their curves' ends."""
    looks = looks_of(results)
    rows = results.rows(metric, "expected")
    many = any(look.muted for look in looks.values())
    height = max(2.8, 1.2 + 0.115 * len(looks)) if many else 2.8
    figure, axes = drawing.plt.subplots(
        figsize=(drawing.width(COLUMN * (1.45 if many else 1.0)), height)
    )
    panel(axes, rows, metric, looks)
    if many:
        labels.at_ends(axes, rows, looks, height - 1.2)
        return finish(figure, results)
    return finish(figure, results, axes=axes)


def panel(axes: Axes, rows: pd.DataFrame, metric: str, looks: Mapping[str, Look]) -> None:
    name, label = PANELS[metric]
    axes.set(title=name, xlabel="round t", ylabel=label)
    if rows["mean"].notna().any():
        log = drawing.scale(metric) == "log"
        drawing.curves(axes, scales.above_zero(rows) if log else rows, looks)
    else:
        drawing.no_data(axes, "not defined here")
    if len(rows):
        scales.over_rounds(axes, rows["t"].max())
    frame_height(axes, drawing.prominent(rows, looks), metric)
    scales.plain_numbers(axes)


def frame_height(axes: Axes, rows: pd.DataFrame, metric: str) -> None:
    """From zero up; the ratio without its first rounds, where it divides by almost nothing.

    A policy that makes up for its violations divides by nothing again: then by decades, unless the
    style says otherwise.
    """
    if metric == "ratio":
        rows = rows[rows["t"] > 0.05 * rows["t"].max()]
    top = rows[["mean", "ci_high"]].max().max()
    each = rows.groupby("policy")["mean"].max()
    vast = metric == "ratio" and each.max() > 100.0 * each.min() > 0.0
    if drawing.scale(metric, "log" if vast else "linear") == "log":
        scales.from_lowest(axes, rows)
        return
    scales.from_zero(axes, float(top))
    if metric in SIGNED and rows["mean"].min() < 0.0:
        axes.set_ylim(bottom=1.1 * rows["mean"].min())
