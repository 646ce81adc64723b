"""Figures of a sweep: final values against what was swept, the frontier, the heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis import tables
from lincon.figures import drawing as plotting
from lincon.figures.drawing import PAGE, Look
from lincon.problem.record import Problem
from lincon.study.paths import StudyPaths

METRICS = {
    "regret": "regret at T",
    "violation": "violation at T",
    "composite": "composite regret at T",
}
AXES = {"eta": "\u03b7", "horizon": "horizon T", "snr": "mean SNR (dB)"}
UNREACHABLE, UNBOUND = "#B00020", "#777777"


@dataclass(frozen=True)
class Sweep:
    """Final values (one row a point, policy and metric) and the problem at every point."""

    axes: tuple[str, ...]
    values: pd.DataFrame
    states: pd.DataFrame
    problem: Problem
    runs: int


def read(study: StudyPaths, points: Sequence[Mapping[str, Any]], axes: Sequence[str]) -> Sweep:
    """The points of a sweep: each names its setting, its coordinates and its policies."""
    parts, states = [], []
    for point in points:
        setting = (point["dataset"], point["eta"], point["horizon"])
        (problem,) = tables.read_problems([setting[:2]])
        final = tables.final_values(tables.collect(study, [setting], [problem]))
        final = final[(final["basis"] == "expected") & final["policy"].isin(point["policies"])]
        final = final.assign(policy=final["policy"].map(point["policies"]), **point["coordinates"])
        parts.append(final)
        flags = {"feasible": problem.feasible, "binding": problem.binding}
        states.append(point["coordinates"] | flags)
    values = pd.concat(parts, ignore_index=True)
    return Sweep(tuple(axes), values, pd.DataFrame(states), problem, int(values["n_runs"].iloc[0]))


def curves(sweep: Sweep, looks: Mapping[str, Look], text: str) -> Figure:
    (axis,) = sweep.axes
    figure, panels = plotting.plt.subplots(1, len(METRICS), figsize=(PAGE, 2.7))
    for axes, (metric, label) in zip(panels, METRICS.items(), strict=True):
        rows = sweep.values[sweep.values["metric"] == metric].sort_values(axis)
        for policy, look in looks.items():
            plotting.curve(axes, rows[rows["policy"] == policy], look, axis)
        axes.set(xlabel=axis_label(axis), ylabel=label)
        # From zero, even where the interval of a few runs goes below what can be.
        axes.set_ylim(bottom=min(0.0, rows["mean"].min()) if len(rows) else 0.0)
        mark_states(axes, sweep.states, axis)
    return _finish(figure, panels[0], sweep, text)


def mark_states(axes: Axes, states: pd.DataFrame, axis: str) -> None:
    """On the axis itself: crosses where eta is out of reach, rings where it does not bind."""
    place = {"transform": axes.get_xaxis_transform(), "clip_on": False, "linestyle": "none"}
    unreachable = states.loc[~states["feasible"], axis]
    unbound = states.loc[states["feasible"] & ~states["binding"], axis]
    axes.set_xlim(*plotting.padded(states[axis].to_numpy(dtype=float)))
    if len(unreachable):
        axes.plot(
            unreachable, np.zeros(len(unreachable)), "x", ms=5, mew=1.4, color=UNREACHABLE,
            label="out of reach", zorder=5, **place,
        )  # fmt: skip
    if len(unbound):
        axes.plot(
            unbound, np.zeros(len(unbound)), "o", ms=4, mfc="white", mec=UNBOUND,
            label="does not bind", zorder=5, **place,
        )  # fmt: skip


def frontier(sweep: Sweep, looks: Mapping[str, Look], text: str) -> Figure:
    """Regret against violation as eta moves, one curve a policy; the ends are labelled by eta."""
    figure, axes = plotting.plt.subplots(figsize=(0.62 * PAGE, 3.2))
    table = sweep.values.pivot_table(index=["policy", "eta"], columns="metric", values="mean")
    for policy, look in looks.items():
        if policy not in table.index or "regret" not in table:
            continue
        rows = table.loc[policy].dropna(subset=["regret", "violation"]).sort_index()
        if rows.empty:
            continue
        axes.plot(
            rows["violation"], rows["regret"], "o", ms=3, ls=look.dashes, color=look.colour,
            label=look.entry,
        )  # fmt: skip
        for eta, offset in zip(rows.index[[0, -1]], ((4, 4), (5, -9)), strict=True):
            axes.annotate(
                f"\u03b7 = {eta:g}", (rows.loc[eta, "violation"], rows.loc[eta, "regret"]),
                textcoords="offset points", xytext=offset, fontsize=6.5, color=look.colour,
            )  # fmt: skip
    axes.set(xlabel="violation at T", ylabel="regret at T")
    axes.margins(0.12)
    return _finish(figure, axes, sweep, text)


def heat_map(sweep: Sweep, looks: Mapping[str, Look], text: str) -> Figure:
    """Composite regret over two swept values, one panel a policy, one colour scale for all."""
    across, down = sweep.axes
    rows = sweep.values[sweep.values["metric"] == "composite"]
    figure, panels = plotting.plt.subplots(
        1, len(looks), figsize=(PAGE, 3.2), squeeze=False, sharey=True
    )
    top = rows["mean"].max()
    for axes, (policy, look) in zip(panels[0], looks.items(), strict=True):
        grid = rows[rows["policy"] == policy].pivot_table(index=down, columns=across, values="mean")
        grid = grid.reindex(
            index=sorted(sweep.states[down].unique()), columns=sorted(sweep.states[across].unique())
        )
        image = axes.imshow(
            grid, origin="lower", aspect="auto", cmap="viridis", vmin=min(0.0, rows["mean"].min()),
            vmax=top,
        )  # fmt: skip
        axes.grid(False)
        axes.set(title=look.label, xlabel=axis_label(across))
        _name_ticks(axes, grid)
        for y, x in np.argwhere(grid.isna().to_numpy()):
            axes.plot(x, y, "x", color=UNREACHABLE, ms=5)
    panels[0, 0].set_ylabel(axis_label(down))
    figure.colorbar(image, ax=panels[0], label=METRICS["composite"], shrink=0.9)
    plotting.title(figure, text, sweep.problem)
    _footer(figure, sweep)
    return figure


def _name_ticks(axes: Axes, grid: pd.DataFrame) -> None:
    for labels, set_ticks in ((grid.columns, axes.set_xticks), (grid.index, axes.set_yticks)):
        step = max(1, -(-len(labels) // 8))
        set_ticks(range(0, len(labels), step), [f"{x:g}" for x in labels[::step]])


def axis_label(axis: str) -> str:
    return AXES.get(axis, axis.replace(".", ", parameter "))


def _finish(figure: Figure, axes: Axes, sweep: Sweep, text: str) -> Figure:
    plotting.title(figure, text, sweep.problem)
    plotting.shared_legend(figure, axes)
    _footer(figure, sweep)
    return figure


def _footer(figure: Figure, sweep: Sweep) -> None:
    horizons = sweep.values["horizon"].unique()
    plotting.footer(
        figure,
        sweep.problem,
        sweep.runs,
        int(horizons[0]) if len(horizons) == 1 else None,
        swept=sweep.axes,
    )


FIGURES = {"sweep": curves, "frontier": frontier, "heat_map": heat_map}
