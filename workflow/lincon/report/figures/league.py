"""The league as a picture: how far above each bound, and at what joint regret."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import scales
from lincon.report.figures.parts import finish, no_data, wrapped
from lincon.report.figures.style import PAGE, narrow, plt, size, width
from lincon.report.palette import FAINT, INK, KEPT, KEPT_SIDE, MISSED
from lincon.report.sentences import finding
from lincon.report.view import REFERENCE, Bound

COLOURS = {"kept": KEPT, "sometimes": "#8A6000", "never": MISSED, REFERENCE: INK[0]}
# Beyond this ratio of the largest to the smallest, the axis goes by decades.
DECADES = 30.0
MOST = 3  # constraints; more are in the tables


def league(results: Results) -> Figure:
    """Aligned dots, one row per policy, in groups: kept, sometimes, never, references.

    A column's width has room for the joint regret alone: there a filled mark is a kept promise,
    and the runs that kept it stand beside the name.
    """
    rows = _rows(results.league)
    bounds = [] if narrow() else sorted(view.bounds(results.problem), key=lambda b: -b.price)[:MOST]
    figure, panels = plt.subplots(
        1,
        len(bounds) + 1,
        figsize=(width(PAGE), 0.6 + 0.19 * len(rows)),
        width_ratios=[1.0] * len(bounds) + [1.15],
        sharey=True,
    )
    panels = np.atleast_1d(panels)
    for axes, bound in zip(panels, bounds, strict=False):
        _margins(axes, rows, results, bound)
    _joint(panels[-1], rows, results)
    _names(panels[0], rows, results)
    for axes in panels:
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        axes.set_ylim(len(rows) - 0.4, -0.6)
    return finish(figure, results, finding(results))


def _rows(league: pd.DataFrame) -> list[pd.Series | str]:
    """The rows of the picture: a heading for each group, then its policies."""
    rows: list[pd.Series | str] = []
    for group, words in view.GROUPS.items():
        members = [row for _, row in league[league["group"] == group].iterrows()]
        rows += [words, *members] if members else []
    return rows


def _names(axes: Axes, rows: list[pd.Series | str], results: Results) -> None:
    texts = []
    for row in rows:
        if isinstance(row, str):
            texts.append(wrapped(row, 24 if narrow() else 34, 1))
            continue
        name = wrapped(results.labels[row["policy"]], 20 if narrow() else 30, 1)
        kept = f"  {row['kept_runs']}/{row['runs']}" if narrow() else ""
        texts.append(f"{row['rank']}  {name}{kept}" if row["rank"] else f"{name}{kept}")
    axes.set_yticks(range(len(rows)), texts)
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        if isinstance(row, str):
            label.set(color=FAINT[0], fontstyle="italic")


def _margins(axes: Axes, rows: list[pd.Series | str], results: Results, bound: Bound) -> None:
    """The amount per round less its bound: to the right of zero the promise is kept."""
    share = 100.0 if bound.paper else 1.0
    factor = -share / results.horizon
    ends = [0.0]
    for place, row in enumerate(rows):
        if isinstance(row, str):
            continue
        names = (f"shortfall_{bound.j}{end}" for end in ("", "_high", "_low"))
        middle, low, high = (factor * row[name] for name in names)
        _dot(axes, place, middle, low, high, row["group"])
        ends += [middle, low, high]
    axes.set_xlim(*scales.padded(np.array([x for x in ends if np.isfinite(x)]), 0.12))
    axes.axvspan(0.0, axes.get_xlim()[1], color=KEPT_SIDE, zorder=0, linewidth=0)
    axes.axvline(0.0, color=INK[0], linewidth=0.8)
    scales.plain_numbers(axes, 4)
    axes.yaxis.set_major_locator(plt.FixedLocator(range(len(rows))))
    side = "minus" if bound.at_least else "below"
    unit = " (points)" if bound.paper else ""
    what = "floor" if bound.paper else f"bound {bound.bound:g}"
    axes.set_xlabel(f"{bound.amount} {side} {what}{unit}")
    axes.set_title("kept \u2192", loc="right", color=KEPT, fontsize=size(7))


def _joint(axes: Axes, rows: list[pd.Series | str], results: Results) -> None:
    policies = [row for row in rows if not isinstance(row, str)]
    values = np.array([row["joint"] for row in policies], dtype=float)
    if not np.isfinite(values).any():
        axes.set_xticks([])
        no_data(axes, "not defined: the bound is infeasible")
        return
    factor, unit = results.factor("joint"), results.unit_of("joint")
    for place, row in enumerate(rows):
        if not isinstance(row, str):
            middle, low, high = (factor * row[f"joint{end}"] for end in ("", "_low", "_high"))
            _dot(axes, place, middle, low, high, row["group"])
    own = factor * np.array([row["joint"] for row in policies if row["group"] != REFERENCE])
    if len(own) and own.min() > 0.0 and own.max() > DECADES * own.min():
        scales.log_axes(axes, "x")
        axes.set_xlim(0.5 * own.min(), 2.0 * own.max())
        for place, row in enumerate(rows):
            # What is far below the others has no place on such an axis.
            if not isinstance(row, str) and factor * row["joint"] < 0.5 * own.min():
                style: dict[str, Any] = {"fontsize": size(6.5), "va": "center_baseline"}
                text = f"\u25c2 {factor * row['joint']:,.3g}"
                axes.text(0.01, place, text, transform=axes.get_yaxis_transform(), **style)
    else:
        ends = factor * np.array(
            [[row[f"joint{e}"] for e in ("", "_low", "_high")] for row in policies]
        )
        axes.set_xlim(*scales.padded(np.append(ends[np.isfinite(ends)], 0.0)))
        scales.plain_numbers(axes, 4)
        axes.yaxis.set_major_locator(plt.FixedLocator(range(len(rows))))
    axes.set_xlabel(f"joint regret at T{f', {unit}' if unit else ''}, 95% interval")


def _dot(axes: Axes, place: int, middle: float, low: float, high: float, group: str) -> None:
    """A mark with its interval; filled where the promise was kept."""
    colour = COLOURS[group]
    if np.isfinite(low):
        axes.plot([low, high], [place, place], color=colour, linewidth=1.8, solid_capstyle="butt")
    face = colour if group in ("kept", REFERENCE) else "white"
    mark = "D" if group == REFERENCE else "o"
    axes.plot(middle, place, mark, mfc=face, mec=colour, ms=4.4, mew=1.1)
