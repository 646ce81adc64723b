"""One row each, from the top: the policies of the league, and the claims with their verdicts."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.claims import FAILS, HOLDS, SENTENCES, UNDECIDED
from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import parts
from lincon.report.figures.style import narrow, plt, size, width
from lincon.report.palette import FAINT, HUES, INK, KEPT, KEPT_SIDE, MISSED
from lincon.report.sentences import finding
from lincon.report.view import REFERENCE, Bound

COLOURS = {"kept": KEPT, "sometimes": "#8A6000", "never": MISSED, REFERENCE: INK[0]}
# Beyond this ratio of the largest to the smallest, the axis goes by decades.
DECADES = 30.0
MOST = 3  # constraints; more are in the tables
# Verdict -> its colour and mark; what is not listed is neither for nor against.
VERDICTS = {HOLDS: (HUES[0][0], "o"), FAILS: (MISSED, "X"), UNDECIDED: (FAINT[0], "D")}
CLAIMED_SIDE = "#E8F1F8"


def league(results: Results) -> Figure:
    """Aligned dots, one row per policy, in groups: kept, sometimes, never, references.

    A column's width has room for the joint regret alone: there a filled mark is a kept promise,
    and the runs that kept it stand beside the name.
    """
    table, texts, headings = _placed(results)
    bounds = [] if narrow() else sorted(view.bounds(results.problem), key=lambda b: -b.price)[:MOST]
    ratios = [1.0] * len(bounds) + [1.15]
    figure, (panels,) = parts.grid(
        len(ratios), len(ratios), 0.6 + 0.19 * len(texts), sharey=True, width_ratios=ratios
    )
    for axes, bound in zip(panels, bounds, strict=False):
        _margins(axes, table, results, bound)
    _joint(panels[-1], table, results)
    for axes in panels:
        _rows(axes, texts, headings, color=FAINT[0], fontstyle="italic")
    return parts.finish(figure, results, finding(results))


def _rows(axes: Axes, texts: Sequence[str], headings: Sequence[int], **heading: Any) -> None:
    """One row per text, without ticks and lines; `heading` is how those that are one look."""
    axes.set_yticks(range(len(texts)), texts)
    labels = enumerate(axes.get_yticklabels())
    plt.setp([label for place, label in labels if place in headings], **heading)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_ylim(len(texts) - 0.4, -0.6)


def _placed(results: Results) -> tuple[pd.DataFrame, list[str], list[int]]:
    """The league with the row of each policy, the texts of all rows, and which are headings."""
    placed, texts, headings = [], list[str](), []
    for group, words in view.GROUPS.items():
        members = results.league[results.league["group"] == group]
        if len(members):
            headings.append(len(texts))
            placed.append(members.assign(place=len(texts) + 1 + np.arange(len(members))))
            texts.append(parts.wrapped(words, 34, 1))
            texts += [_name(row, results) for _, row in members.iterrows()]
    return pd.concat(placed), texts, headings


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


def claims(results: Results) -> Figure:
    """The difference of each claim with its 95% interval, in per cent of what it is held against.

    The tinted half of a row is the side that the claim is on.
    """
    table = results.claims.join(_percent(results.claims))
    rows: list[pd.Series | str] = []
    first, second = (table[column].map(results.labels) for column in ("policy", "against"))
    headings = first + " minus " + second + ", " + table["basis"]
    headings = headings.where(table["against"] != "theory", first + " against the paper's bounds")
    for heading, members in table.groupby(headings, sort=False):
        rows += [str(heading), *(row for _, row in members.iterrows())]
    high = 0.4 + (0.38 if narrow() else 0.19) * len(rows)
    figure, axes = plt.subplots(figsize=(width(), high))
    axes.set_xlim(*_limits(table))
    parts.plain_numbers(axes, 2 if narrow() else 5)
    room = (20, 3) if narrow() else (44, 1)
    texts = [parts.wrapped(row if isinstance(row, str) else row["claim"], *room) for row in rows]
    bold = [place for place, row in enumerate(rows) if isinstance(row, str)]
    _rows(axes, texts, bold, fontweight="bold")
    text = "difference, in % of the baseline or of the bound"
    axes.set_xlabel("difference in %" if narrow() else text)
    for place, row in enumerate(rows):
        if not isinstance(row, str):
            _claim(axes, row, place)
    axes.axvline(0.0, color=INK[0], linewidth=0.8)
    return parts.finish(figure, results, _ended(table))


def _percent(table: pd.DataFrame) -> pd.DataFrame:
    """The difference and both ends of its interval; infinite where the baseline is zero."""
    numbers = table[["difference", "ci_low", "ci_high"]].astype(float)
    shown = 100.0 * numbers.div(table["reference"].abs(), axis=0)
    return shown.mask(numbers == 0.0, 0.0).set_axis(["middle", "low", "high"], axis=1)


def _limits(table: pd.DataFrame) -> tuple[float, float]:
    """Wide enough for the comparisons; the paper's bounds may be far off."""
    ends = table[["middle", "low", "high"]].replace([-np.inf, np.inf], np.nan)
    compared = ends[table["against"] != "theory"]
    inner = compared if len(compared) else ends
    reach = max(100.0, 1.1 * inner.abs().max().max())
    return parts.padded(np.append(ends.clip(-reach, reach), 0.0))


def _ended(table: pd.DataFrame) -> str:
    """How the comparisons ended."""
    count = Counter(table.loc[table["against"] != "theory", "verdict"])
    said = [f"{count[HOLDS]} of {sum(count.values())} claims hold"]
    said += [f"{count[FAILS]} fail"] if count[FAILS] else []
    said += [f"{count[UNDECIDED]} undecided"] if count[UNDECIDED] else []
    return ", ".join(said)


def _claim(axes: Axes, row: pd.Series, place: int) -> None:
    sign = SENTENCES[row["quantity"]][1] if row["quantity"] in SENTENCES else -1
    axes.barh(place, sign * 1e9, height=0.84, color=CLAIMED_SIDE, linewidth=0, zorder=0)
    colour, mark = VERDICTS.get(row["verdict"], (FAINT[0], "s"))
    middle, across = row["middle"], axes.get_yaxis_transform()
    style: dict[str, Any] = {"color": colour, "ms": 6, "mec": "white", "mew": 0.5}
    x0, x1 = axes.get_xlim()
    if np.isfinite(middle) and x0 <= middle <= x1:
        axes.hlines(place, row["low"], row["high"], color=colour, linewidth=1.6)
        axes.plot(middle, place, mark, **style)
    elif not np.isnan(middle):
        # Off the scale, or per cent of a baseline of zero: at the edge of its side.
        axes.plot(0.985 if middle > 0.0 else 0.015, place, mark, transform=across, **style)
    number = f"{middle:+.0f}%".replace("-", "\u2212") if np.isfinite(middle) else "of 0"
    words = parts.wrapped(row["verdict"], 12) if narrow() else f"{number}  {row['verdict']}"
    words = words if np.isfinite(row["difference"]) else "not defined"
    style = {"color": colour, "fontsize": size(7), "va": "center_baseline", "transform": across}
    axes.text(1.015, place, words, **style)
