"""Composite regret over two swept values: one panel a policy, numbers in the cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.sweeps import colour_top
from lincon.analysis.text import number
from lincon.figures import drawing
from lincon.figures.drawing import PAGE, Look
from lincon.figures.sweeps import METRICS, UNREACHABLE, Sweep, axis_label, finish

# Inches that a number of five characters needs in a cell, across and up.
ROOM, HEIGHT = 0.27, 0.12


def heat_map(sweep: Sweep, looks: Mapping[str, Look], text: str) -> Figure:
    """One colour scale for all panels; a cross where the floor is out of reach."""
    across, down = sweep.axes
    rows = sweep.values[sweep.values["metric"] == "composite"]
    grids = {policy: _grid(sweep, rows, policy) for policy in looks}
    wide = len(next(iter(grids.values())).columns)
    most = 1 if drawing.narrow() else 3 if wide <= 6 else 2
    columns = min(len(looks), most)
    lines = -(-len(looks) // columns)
    figure, panels = drawing.plt.subplots(
        lines,
        columns,
        figsize=(drawing.width(PAGE), 0.9 + 2.3 * lines),
        squeeze=False,
        sharex=True,
        sharey=True,
    )
    low, high = min(0.0, rows["mean"].min()), colour_top(rows["mean"])
    image: Any = None
    for axes, (policy, look) in zip(panels.flat, looks.items(), strict=False):
        grid = grids[policy]
        image = axes.imshow(
            grid, origin="lower", aspect="auto", cmap="viridis", vmin=low, vmax=high
        )
        axes.grid(False)
        axes.set_title(
            drawing.shortened(look.label, int(90 * drawing.width(PAGE) / PAGE) // columns)
        )
        _name_ticks(axes, grid)
        _cells(axes, grid, low, high, (drawing.width(PAGE) - 1.4) / columns / wide)
    for axes in panels.flat[len(looks) :]:
        axes.set_visible(False)
    for axes in panels[-1]:
        axes.set_xlabel(axis_label(across))
    for axes in panels[:, 0]:
        axes.set_ylabel(axis_label(down))
    bar = figure.colorbar(
        image,
        ax=panels,
        label=METRICS["composite"],
        shrink=0.9,
        format="{x:,.10g}",
        extend="max" if rows["mean"].max() > high else "neither",
    )
    bar.outline.set_visible(False)
    if any(grid.isna().to_numpy().any() for grid in grids.values()):
        panels[0, 0].plot([], [], "x", color=UNREACHABLE, ms=5, label="η out of reach")
    return finish(figure, panels[0, 0], sweep, text)


def _grid(sweep: Sweep, rows: pd.DataFrame, policy: str) -> pd.DataFrame:
    across, down = sweep.axes
    grid = rows[rows["policy"] == policy].pivot_table(index=down, columns=across, values="mean")
    return grid.reindex(
        index=sorted(sweep.states[down].unique()), columns=sorted(sweep.states[across].unique())
    )


def _cells(axes: Axes, grid: pd.DataFrame, low: float, high: float, width: float) -> None:
    """The number of each cell where it has room, in white on dark and black on bright."""
    values = grid.to_numpy(dtype=float)
    for (y, x), value in np.ndenumerate(values):
        if np.isnan(value):
            axes.plot(x, y, "x", color=UNREACHABLE, ms=5, label="_nolegend_")
        elif width >= ROOM and 2.1 / len(values) >= HEIGHT:
            bright = (value - low) / ((high - low) or 1.0) > 0.6
            axes.text(
                x, y, number(value), ha="center", va="center", color="black" if bright else "white",
                fontsize=drawing.size(6 if width < 1.6 * ROOM else 7),
            )  # fmt: skip


def _name_ticks(axes: Axes, grid: pd.DataFrame) -> None:
    for labels, set_ticks in ((grid.columns, axes.set_xticks), (grid.index, axes.set_yticks)):
        step = max(1, -(-len(labels) // (4 if drawing.narrow() else 8)))
        set_ticks(range(0, len(labels), step), [short(x) for x in labels[::step]])


def short(x: float) -> str:
    """Three figures are enough for a tick; whole numbers stay whole."""
    return f"{x:,.0f}" if x == round(x) else f"{x:,.3g}"
