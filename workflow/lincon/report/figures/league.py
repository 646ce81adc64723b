"""The league as a picture: how far above each bound, and at what joint regret."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import parts
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
    table, headings = _placed(results.league)
    rows = len(table) + len(headings)
    bounds = [] if narrow() else sorted(view.bounds(results.problem), key=lambda b: -b.price)[:MOST]
    figure, (panels,) = plt.subplots(
        1, len(bounds) + 1, figsize=(width(PAGE), 0.6 + 0.19 * rows), sharey=True, squeeze=False,
        width_ratios=[1.0] * len(bounds) + [1.15],
    )  # fmt: skip
    for axes, bound in zip(panels, bounds, strict=False):
        _margins(axes, table, results, bound)
    _joint(panels[-1], table, results)
    texts = headings | {row["place"]: _name(row, results) for _, row in table.iterrows()}
    for axes in panels:
        names = [texts[place] for place in range(rows)]
        parts.rows_from_the_top(axes, names, headings, color=FAINT[0], fontstyle="italic")
    return parts.finish(figure, results, finding(results))


def _placed(league: pd.DataFrame) -> tuple[pd.DataFrame, dict[int, str]]:
    """The league with the row of each policy, and the headings of its groups by their rows."""
    placed, headings, row = [], {}, 0
    for group, words in view.GROUPS.items():
        members = league[league["group"] == group]
        if len(members):
            headings[row] = parts.wrapped(words, 34, 1)
            placed.append(members.assign(place=range(row + 1, row + 1 + len(members))))
            row += 1 + len(members)
    return pd.concat(placed), headings


def _name(row: pd.Series, results: Results) -> str:
    name = parts.wrapped(results.labels[row["policy"]], 24 if narrow() else 30, 1)
    kept = f"  {row['kept_runs']}/{row['runs']}" if narrow() else ""
    return f"{row['rank']}  {name}{kept}" if row["rank"] else f"{name}{kept}"


def _margins(axes: Axes, table: pd.DataFrame, results: Results, bound: Bound) -> None:
    """The amount per round less its bound: to the right of zero the promise is kept."""
    factor = -(100.0 if bound.paper else 1.0) / results.horizon
    shown = factor * table[[f"shortfall_{bound.j}{end}" for end in ("", "_high", "_low")]]
    _dots(axes, table, shown)
    axes.set_xlim(*parts.padded(np.append(shown.to_numpy(dtype=float), 0.0), 0.12))
    axes.axvspan(0.0, axes.get_xlim()[1], color=KEPT_SIDE, zorder=0, linewidth=0)
    axes.axvline(0.0, color=INK[0], linewidth=0.8)
    parts.plain_numbers(axes, 4)
    side = "minus" if bound.at_least else "below"
    what = "floor (points)" if bound.paper else f"bound {bound.bound:g}"
    axes.set_xlabel(f"{bound.amount} {side} {what}")
    axes.set_title("kept \u2192", loc="right", color=KEPT, fontsize=size(7))


def _joint(axes: Axes, table: pd.DataFrame, results: Results) -> None:
    shown = results.factor("joint") * table[["joint", "joint_low", "joint_high"]]
    if not np.isfinite(shown["joint"]).any():
        axes.set_xticks([])
        parts.no_data(axes, "not defined: the bound is infeasible")
        return
    _dots(axes, table, shown)
    own = shown["joint"][table["group"] != REFERENCE]
    if len(own) and own.min() > 0.0 and own.max() > DECADES * own.min():
        parts.log_axes(axes, "x")
        axes.set_xlim(0.5 * own.min(), 2.0 * own.max())
        # What is far below the others has no place on such an axis.
        for place, value in zip(table["place"], shown["joint"], strict=True):
            if value < 0.5 * own.min():
                where = axes.get_yaxis_transform()
                axes.text(0.01, place, f"\u25c2 {value:,.3g}", transform=where, size=size(6.5),
                          va="center_baseline")  # fmt: skip
    else:
        axes.set_xlim(*parts.padded(np.append(shown.to_numpy(dtype=float), 0.0)))
        parts.plain_numbers(axes, 4)
    axes.set_xlabel(f"{parts.in_unit('joint regret at T', results.unit)}, 95% interval")


def _dots(axes: Axes, table: pd.DataFrame, shown: pd.DataFrame) -> None:
    """Marks with their intervals (the value, then both ends); filled where the promise was kept."""
    for group, colour in COLOURS.items():
        of = table["group"] == group
        place, (middle, low, high) = table.loc[of, "place"], shown[of].to_numpy(dtype=float).T
        axes.hlines(place, low, high, color=colour, linewidth=1.8)
        face = colour if group in ("kept", REFERENCE) else "white"
        mark = "D" if group == REFERENCE else "o"
        axes.plot(middle, place, mark, mfc=face, mec=colour, ms=4.4, mew=1.1)
