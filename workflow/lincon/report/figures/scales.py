"""Scales, limits and ticks of axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from lincon.report.figures.style import scale, size

NUMBER = "{x:,.10g}"  # 10,000, never 1e4


def plain_numbers(axes: Axes, bins: int | None = 5) -> None:
    """Numbers in full on both axes, and no more ticks than they have room for."""
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(NUMBER)
        if bins and axis.get_scale() == "linear":
            axis.set_major_locator(MaxNLocator(bins, steps=[1, 2, 2.5, 5, 10]))
    if bins and axes.get_xscale() == "linear" and abs(axes.get_xlim()[1]) >= 1e6:
        axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 2.5, 5, 10]))


class OneThree(LogLocator):
    """Ticks at 1, 3, 10, 30, ...; over more than three decades at powers of ten, at most `most`."""

    def __init__(self, most: int = 6) -> None:
        super().__init__()
        self.most = most

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        decades = np.log10(max(vmax, 1e-300) / max(vmin, 1e-300))
        self.set_params(subs=(1.0, 3.0) if decades <= 3.0 else (1.0,), numticks=self.most)
        return super().tick_values(vmin, vmax)


def log_axes(axes: Axes, which: str) -> None:
    """Log axes with plain numbers: 10,000 is read faster than a power, and drawn faster too."""
    for name in which:
        axes.set(**{f"{name}scale": "log"})
        axis = getattr(axes, f"{name}axis")
        axis.set_major_locator(OneThree())
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(NUMBER)


def above_zero(rows: pd.DataFrame) -> pd.DataFrame:
    """For a log axis: gaps where the mean is zero, and intervals cut off where they reach it."""
    mean = rows["mean"].where(rows["mean"] > 0.0)
    return rows.assign(mean=mean, ci_low=rows["ci_low"].clip(lower=1e-9))


def from_lowest(axes: Axes, rows: pd.DataFrame) -> None:
    """A log axis from the lowest mean above zero; at most six decades of it."""
    log_axes(axes, "y")
    highest = rows["mean"].max()
    lowest = rows["mean"][rows["mean"] > 0.0].min()
    if highest > 0.0:
        axes.set_ylim(0.5 * max(lowest, 1e-6 * highest), 2.0 * highest)


def over_rounds(axes: Axes, last: float, default: str = "linear", first: float = 1.0) -> None:
    """The axis of rounds up to the last: from zero, or on a log axis from `first`."""
    if scale("round", default) == "log":
        log_axes(axes, "x")
        room = axes.get_position().width * axes.figure.bbox.width / axes.figure.dpi
        axes.xaxis.set_major_locator(OneThree(6 if room > size(1.9) else 4))
        axes.set_xlim(min(first, 0.5 * last), last)
    else:
        axes.set_xlim(0, last)


def from_zero(axes: Axes, top: float) -> None:
    """From a little below zero up, so that a curve on zero does not hide behind the axis."""
    top = top if np.isfinite(top) and top > 0.0 else 1.0
    axes.set_ylim(-0.02 * top, 1.05 * top)


def padded(values: np.ndarray, share: float = 0.05) -> tuple[float, float]:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    pad = share * (high - low) or 0.05
    return low - pad, high + pad
