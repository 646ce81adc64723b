"""The paper's empirical claims: differences with 95% intervals, and what follows."""

from collections import Counter

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.claims import FAILS, HOLDS, SENTENCES, UNDECIDED
from lincon.analysis.results import Results
from lincon.report.figures import parts
from lincon.report.figures.style import narrow, plt, size, width
from lincon.report.palette import INK, KEPT_SIDE


def claims(results: Results) -> Figure | None:
    """Differences in per cent of the baseline, expected basis; the tinted side is the claimed one.

    Each value is a line across its interval, which is never narrower than a mark could hide.
    """
    table = results.claims
    table = table[table["against"].isin(list(results.policies)) & (table["basis"] == "expected")]
    if table.empty:
        return None
    ends = table[["difference", "ci_low", "ci_high"]].astype(float)
    shown = 100.0 * ends.div(table["reference"].abs(), axis=0).mask(ends == 0.0, 0.0)
    shown = shown.replace([np.inf, -np.inf], np.nan)
    high = 0.45 + (0.38 if narrow() else 0.22) * len(table)
    figure, axes = plt.subplots(figsize=(width(), high))
    axes.set_xlim(*parts.padded(np.append(shown.to_numpy(), [-10.0, 0.0, 10.0])))
    parts.plain_numbers(axes, 3 if narrow() else 6)
    first, second = (results.labels[table.iloc[0][column]] for column in ("policy", "against"))
    axes.set_xlabel(f"{parts.wrapped(first, 24, 1)} minus {parts.wrapped(second, 24, 1)}, %")
    letters = (20, 3) if narrow() else (44, 1)
    axes.set_yticks(range(len(table)), [parts.wrapped(text, *letters) for text in table["claim"]])
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_ylim(len(table) - 0.4, -0.6)
    for place, (index, row) in enumerate(table.iterrows()):
        _claim(axes, row, shown.loc[index].to_numpy(), place)
    axes.axvline(0.0, color=INK, linewidth=0.8)
    return parts.framed(figure, _finding(results, table), [results])


def _claim(axes: Axes, row: pd.Series, ends: np.ndarray, place: int) -> None:
    sign = SENTENCES[row["quantity"]][1]
    axes.barh(place, sign * 1e9, height=0.84, color=KEPT_SIDE, linewidth=0, zorder=0)
    middle, low, high = ends
    if np.isfinite(middle):
        axes.hlines(place, low, high, color=INK, linewidth=1.8)
        axes.plot(middle, place, "|", color=INK, ms=7, mew=1.2)
    number = f"{middle:+.0f}%".replace("-", "\u2212") if np.isfinite(middle) else "not defined"
    weight = "normal" if row["verdict"] == HOLDS else "bold"
    words = f"{number}  {parts.wrapped(row['verdict'], 12)}" if np.isfinite(middle) else number
    axes.text(
        1.015, place, words, fontsize=size(7), weight=weight, va="center_baseline",
        transform=axes.get_yaxis_transform(),
    )  # fmt: skip


def _finding(results: Results, table: pd.DataFrame) -> str:
    first, second = (
        parts.wrapped(results.labels[table.iloc[0][column]], 32, 1)
        for column in ("policy", "against")
    )
    count = Counter(table["verdict"])
    if count[HOLDS] == len(table):
        text = (
            f"{first} beats {second} on all {len(table)} measures"
            if len(table) > 1
            else (f"{first} beats {second}")
        )
    else:
        text = f"{first} beats {second} on {count[HOLDS]} of {len(table)} measures"
        text += f", loses on {count[FAILS]}" if count[FAILS] else ""
        text += f", {count[UNDECIDED]} undecided" if count[UNDECIDED] else ""
    return f"{results.title}: {text}"
