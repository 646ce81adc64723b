"""The paper's four panels: regret, violation, cumulative reward, reward / violation."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.figures import drawing as plotting
from lincon.figures.drawing import COLUMN, PAGE, Look
from lincon.problem.record import Problem

PANELS = {
    "regret": ("Regret", "cumulative regret"),
    "violation": ("Violation", "cumulative violation"),
    "reward": ("Reward", "cumulative reward"),
    "ratio": ("Reward / violation", "reward per violation"),
}


def panel(axes: Axes, summary: pd.DataFrame, metric: str, basis: str, looks: Mapping[str, Look]):
    name, label = PANELS[metric]
    summary = plotting.shown(summary, looks)
    rows = summary[(summary["metric"] == metric) & (summary["basis"] == basis)]
    axes.set(title=name, xlabel="round t", ylabel=label)
    if rows["mean"].notna().any():
        for policy, look in looks.items():
            plotting.curve(axes, rows[rows["policy"] == policy], look)
    else:
        plotting.no_data(axes, "not defined here")
    axes.set_xlim(0, summary["t"].max())
    _frame_height(axes, rows, metric)
    plotting.plain_numbers(axes)


def _frame_height(axes: Axes, rows: pd.DataFrame, metric: str) -> None:
    """From zero up; the ratio without its first rounds, where it divides by almost nothing.

    A policy that makes up for its violations divides by nothing again: then by decades.
    """
    if metric == "ratio":
        rows = rows[rows["t"] > 0.05 * rows["t"].max()]
    top = rows[["mean", "ci_high"]].max().max()
    each = rows.groupby("policy")["mean"].max()
    if metric == "ratio" and each.max() > 100.0 * each.min() > 0.0:
        axes.set_yscale("log")
        axes.set_ylim(0.5 * rows["mean"][rows["mean"] > 0.0].min(), 2.0 * top)
        return
    if top > 0:
        axes.set_ylim(0, 1.05 * top)


def combined(
    summary: pd.DataFrame,
    problem: Problem,
    looks: Mapping[str, Look],
    text: str,
    basis: str,
    code: str = "",
) -> Figure:
    """All four panels on a page's width."""
    figure, axes = plotting.plt.subplots(2, 2, figsize=(PAGE, 4.8))
    for metric, ax in zip(PANELS, axes.flat, strict=True):
        panel(ax, summary, metric, basis, looks)
    plotting.title(figure, text, problem)
    plotting.shared_legend(figure, axes[0, 0])
    _footer(figure, summary, problem, code)
    return figure


def single(
    summary: pd.DataFrame,
    problem: Problem,
    looks: Mapping[str, Look],
    text: str,
    basis: str,
    metric: str,
    code: str = "",
) -> Figure:
    """One panel at a column's width."""
    figure, axes = plotting.plt.subplots(figsize=(COLUMN, 2.8))
    panel(axes, summary, metric, basis, looks)
    plotting.title(figure, text, problem)
    plotting.shared_legend(figure, axes)
    _footer(figure, summary, problem, code)
    return figure


def _footer(figure: Figure, summary: pd.DataFrame, problem: Problem, code: str) -> None:
    runs, horizon = int(summary["n_runs"].iloc[0]), int(summary["t"].max())
    plotting.footer(figure, problem, runs, horizon, code=code)


def all_figures(
    summary: pd.DataFrame,
    problem: Problem,
    looks: Mapping[str, Look],
    text: str,
    code: str = "",
) -> dict[str, Figure]:
    """By file name: the panels by the paper's equations, together and single; and as realised."""
    figures = {"panels": combined(summary, problem, looks, text, "expected", code)}
    for metric in PANELS:
        figures[metric] = single(summary, problem, looks, text, "expected", metric, code)
    realised = f"{text}, realised rewards and events"
    figures["panels_realised"] = combined(summary, problem, looks, realised, "realised", code)
    return figures
