"""The shortfall over time: how much a policy is short of each bound."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import labels, parts
from lincon.report.figures.style import PAGE, narrow, plt, size, width
from lincon.report.palette import INK, KEPT, KEPT_SIDE


def shortfall(results: Results) -> Figure:
    """Mean shortfall over runs, realised, one panel per constraint: above zero it is missed."""
    looks, bounds = parts.looks_of(results), view.bounds(results.problem)
    height = 2.3 if len(looks) <= 8 else 2.7
    figure, panels = plt.subplots(
        len(bounds), 1, figsize=(width(0.8 * PAGE), height * len(bounds)), squeeze=False
    )
    for axes, bound in zip(panels[:, 0], bounds, strict=True):
        rows = results.rows(f"shortfall_{bound.j}", "realised")
        axes.set(xlabel="round t", ylabel=bound.shortfall)
        parts.curves(axes, rows, looks)
        low, high = _limits(parts.scaling(rows, looks))
        axes.set_ylim(low, high)
        parts.over_rounds(axes, results.horizon)
        axes.axhspan(low, 0.0, color=KEPT_SIDE, zorder=0, linewidth=0)
        axes.axhline(0.0, color=INK[0], linewidth=0.8, zorder=2)
        style: dict[str, Any] = {"fontsize": size(7), "color": KEPT, "zorder": 4}
        axes.text(0.01, 0.015, "kept", transform=axes.transAxes, **style)
        parts.plain_numbers(axes)
        if not narrow():
            labels.at_ends(axes, rows, looks, height - 0.5, 20)
    kept_from = results.ranked[[f"kept_from_{bound.j}" for bound in bounds]]
    held = view.keepers(results, int(kept_from.notna().all(axis=1).sum()))
    text = f"{held} by round {results.horizon:,} in at least half of the runs"
    return parts.finish(figure, results, text, panels[0, 0] if narrow() else None)


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
