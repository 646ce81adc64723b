"""The paper's four panels: regret, violation, cumulative reward, reward / violation.

A style may choose others and their order.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.analysis.theory import noise_floors
from lincon.report import view
from lincon.report.figures import labels, parts
from lincon.report.figures.style import PAGE, chosen, narrow, plt, scale, width
from lincon.report.palette import FAINT, Look

SIGNED = ("composite", "shortfall")
HEIGHT = 1.75  # inches of a panel with its labels


def panels(results: Results, basis: str = "expected") -> Figure:
    """All of them by the paper's equations (expected basis)."""
    looks, shown = parts.looks_of(results), view.panels(results, chosen().panels)
    columns = 1 if narrow() else {1: 1, 2: 2, 4: 2}.get(len(shown), 3)
    lines = -(-len(shown) // columns)
    inches = (width(PAGE), (1.3 if narrow() else HEIGHT + 0.1) * lines)
    figure, grid = plt.subplots(lines, columns, figsize=inches, squeeze=False)
    for (metric, title, label), axes in zip(shown, grid.flat, strict=False):
        rows = view.rows_of(results, metric, basis)
        axes.set(title=title, xlabel="round t", ylabel=label)
        rows = _panel(axes, rows, metric.split("_")[0], looks, bins=4 if columns < 3 else 2)
        if basis == "realised":
            _luck(axes, results, metric)
        if not narrow():
            labels.at_ends(axes, rows, looks, HEIGHT - 0.6)
    for axes in grid.flat[len(shown) :]:
        axes.set_visible(False)
    for axes in grid[:-1].flat:
        axes.set_xlabel("")
    luck = "dotted: luck of the optimal mixture" if basis == "realised" else ""
    marks = " \u00b7 ".join(filter(None, [luck, parts.banded(figure)]))
    legend = grid[0, 0] if narrow() else None
    return parts.finish(figure, results, _finding(results, basis), legend, marks)


def realised(results: Results) -> Figure:
    """All of them, of the rewards and events that were seen, beside what luck alone shows."""
    return panels(results, "realised")


def _panel(
    axes: Axes, rows: pd.DataFrame, metric: str, looks: Mapping[str, Look], bins: int
) -> pd.DataFrame:
    """One metric over the rounds, from zero up; returns the rows that are drawn."""
    if metric == "ratio":
        rows, left_out = view.comparable(rows, looks)
        if left_out:
            axes.set_title(f"{axes.get_title(loc='left')} ({left_out} left out: no violation)")
    log = scale(metric) == "log"
    if rows["mean"].notna().any():
        parts.curves(axes, parts.above_zero(rows) if log else rows, looks)
    else:
        parts.no_data(axes, "not defined here")
    if len(rows):
        parts.over_rounds(axes, rows["t"].max())
    # Without the ratio's first rounds, where it divides by almost nothing.
    late = rows[rows["t"] > view.LATE * rows["t"].max()] if metric == "ratio" else rows
    framing = parts.scaling(late, looks)
    if log:
        parts.from_lowest(axes, framing)
    else:
        parts.from_zero(axes, parts.highest(late, looks))
        if metric in SIGNED and framing["mean"].min() < 0.0:
            axes.set_ylim(bottom=1.1 * framing["mean"].min())
    parts.plain_numbers(axes, bins)
    return rows


def _luck(axes: Axes, results: Results, metric: str) -> None:
    """What the optimal mixture itself shows by luck alone, dotted."""
    t = np.unique(results.summary["t"]).astype(float)
    floor = noise_floors(results.arms, results.problem, t).get(metric)
    if floor is not None and np.isfinite(floor).all():
        axes.plot(t, results.factor(metric) * floor, color=FAINT[0], linestyle=":", linewidth=1.0)


def _finding(results: Results, basis: str) -> str:
    """How the two compared policies differ; otherwise who is best by each of the two measures."""
    claims = results.claims
    if claims is not None:
        rows = claims[(claims["basis"] == basis) & (claims["against"] != "theory")]
        rows = rows[rows["quantity"].isin(["regret", "violation"]) & (rows["reference"] > 0.0)]
        parts_of = [
            f"{abs(100.0 * row['difference'] / row['reference']):.0f}% "
            f"{'less' if row['difference'] < 0.0 else 'more'} {row['quantity']}"
            for _, row in rows.iterrows()
        ]
        if parts_of:
            first, second = (parts.name_of(results, rows.iloc[0][c]) for c in ("policy", "against"))
            seen = ", realised" if basis == "realised" else ""
            return f"{first} has {' and '.join(parts_of)} than {second}{seen}"
    return f"{basis} over {results.horizon:,} rounds"
