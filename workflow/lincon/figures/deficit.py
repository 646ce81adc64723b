"""The deficit over time against the floor: how many events a policy is short of t eta."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.figures import drawing, labels, scales
from lincon.figures.drawing import PAGE
from lincon.figures.of_results import finish, looks_of

MET = "#E8F3EC"


def deficit(results: Results) -> Figure:
    """Mean of t eta - events(t) over runs, realised: above zero the floor is missed.

    Policies that leave the floor for good would flatten all others: the axis ends at four times
    the median of the final deficits, and what goes beyond it is named at the upper edge.
    """
    looks = looks_of(results)
    rows = results.rows("deficit", "realised")
    height = max(3.0, 1.3 + 0.125 * len(looks))
    figure, axes = drawing.plt.subplots(figsize=(drawing.width(0.75 * PAGE), height))
    axes.set(xlabel="round t", ylabel="deficit: t η - events(t)")
    drawing.curves(axes, rows, looks)
    low, high = _limits(rows)
    axes.set_ylim(low, high)
    scales.over_rounds(axes, results.horizon)
    axes.axhline(0.0, color="black", linewidth=0.8, zorder=2)
    axes.axhspan(low, 0.0, color=MET, zorder=0)
    axes.text(
        0.015,
        0.008,
        "floor met",
        transform=axes.transAxes,
        fontsize=drawing.size(7),
        color="#3B7A57",
        zorder=4,
    )
    scales.plain_numbers(axes)
    if drawing.narrow():
        return finish(figure, results, axes=axes)
    labels.at_ends(axes, rows, looks, height - 1.2, 7)
    return finish(figure, results)


def _limits(rows: pd.DataFrame) -> tuple[float, float]:
    peak = rows.groupby("policy")[["mean", "ci_high"]].max().max(axis=1)
    dip = rows.groupby("policy")["mean"].min()
    high = min(float(peak.max()), 4.0 * float(np.median(np.maximum(peak, 1.0))))
    low = max(float(dip.min()), -4.0 * max(float(np.median(np.abs(dip))), 0.25 * high))
    pad = 0.06 * (high - low) or 1.0
    return low - pad, high + pad
