"""The league as a picture: composite regret with its interval, and how the floor was kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.league_text import kept_from
from lincon.analysis.results import Results
from lincon.analysis.text import number
from lincon.figures import drawing, scales
from lincon.figures.drawing import PAGE
from lincon.figures.of_results import finish

TIED, BEHIND, ORACLE = "#0072B2", "#666666", "#000000"
# Beyond this ratio of the largest to the smallest, the axis goes by decades.
DECADES = 30.0
# Heading -> its right edge in the columns of text beside the dots.
COLUMNS = {"floor met\nat T": 0.3, "worst\ndeficit": 0.6, "kept from\nround": 1.0}


def league(results: Results) -> Figure:
    """One row a policy, the best on top: blue for those that cannot be told from the best.

    A column's width has room for the dots alone; the numbers beside them are in league.tex.
    """
    table = results.league
    columns = {} if drawing.narrow() else COLUMNS
    figure, (axes, beside) = drawing.plt.subplots(
        1,
        2,
        figsize=(drawing.width(PAGE), 1.3 + 0.2 * len(table)),
        width_ratios=(2.0, 1.2 if columns else 1e-3),
        sharey=True,
    )
    # On the line of the names, as tick labels are.
    style = {"fontsize": drawing.size(7), "va": "center_baseline"}
    for place, (_, row) in enumerate(table.iterrows()):
        _row(axes, row, place)
        cells = (f"{row['floor_met']} of {row['n_runs']}", number(row["worst_deficit"]))
        for text, x in zip((*cells, kept_from(row)), columns.values(), strict=bool(columns)):
            beside.text(x, place, text, ha="right", **style)
    axes.set_yticks(range(len(table)), [_name(row, results) for _, row in table.iterrows()])
    axes.set_ylim(len(table) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    _scale(axes, table)
    between = " " if columns else "\n"
    what = "composite regret" if results.problem.feasible else "violation"
    axes.set_xlabel(f"{what} at T,{between}with its 95% interval")
    beside.set_xlim(0, 1)
    beside.axis("off")
    for heading, x in columns.items():
        style = {"fontsize": drawing.size(7), "ha": "right", "va": "bottom", "fontweight": "bold"}
        beside.text(x, -0.6, heading, **style)
    return finish(figure, results)


def _row(axes: Axes, row: pd.Series, place: int) -> None:
    colour = ORACLE if row["reference"] else TIED if row["tied"] else BEHIND
    mark = "D" if row["reference"] else "o"
    if np.isfinite(row["ci_low"]):
        ends = [row["ci_low"], row["ci_high"]]
        axes.plot(ends, [place, place], color=colour, linewidth=1.8, solid_capstyle="butt")
    axes.plot(row["composite"], place, mark, color=colour, ms=4.5, mec="white", mew=0.4)


def _name(row: pd.Series, results: Results) -> str:
    label = drawing.shortened(results.labels[row["policy"]], 32)
    # A figure space is as wide as a digit, so that names end at one place.
    return f"{label}  {(row['rank'] or 'ref.').rjust(2, chr(0x2007))}"


def _scale(axes: Axes, table: pd.DataFrame) -> None:
    """By decades where the last is far behind the first; then a reference at zero has no place."""
    ranked = table[~table["reference"]]
    lowest, highest = ranked["composite"].min(), ranked["composite"].max()
    if lowest > 0.0 and highest > DECADES * lowest:
        scales.log_axes(axes, "x")
        axes.set_xlim(0.5 * lowest, 2.0 * highest)
        # What is at zero has no place on such an axis.
        for place in np.flatnonzero(table["composite"] <= 0.0):
            across = axes.get_yaxis_transform()
            style: dict[str, Any] = {
                "fontsize": drawing.size(7),
                "va": "center",
                "transform": across,
            }
            axes.text(0.01, float(place), "\u25c2 0", **style)
        return
    ends = table[["composite", "ci_low", "ci_high"]].to_numpy(dtype=float)
    axes.set_xlim(*scales.padded(np.append(ends[np.isfinite(ends)], 0.0)))
    axes.xaxis.set_major_formatter("{x:,.10g}")
