"""The paper's empirical claims: differences with 95% intervals, and what follows."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.claims import FAILS, HOLDS, SENTENCES, UNDECIDED
from lincon.analysis.results import Results
from lincon.report.figures import parts
from lincon.report.figures.style import narrow, plt, width
from lincon.report.palette import INK, KEPT_SIDE
from lincon.report.text import rounded
from lincon.report.words import label


def claims(results: Results) -> Figure | None:
    """Differences in per cent of the baseline, expected basis; the tinted side is the claimed one.

    Each value is a line across its interval, which is never narrower than a mark could hide.
    """
    table = results.claims
    table = table[table["basis"] == "expected"].reset_index(drop=True)
    if table.empty:
        return None
    ends = table[["difference", "ci_low", "ci_high"]].astype(float)
    shown = 100.0 * ends.div(table["reference"].abs(), axis=0).mask(ends == 0.0, 0.0)
    shown = shown.replace([np.inf, -np.inf], np.nan)
    high = 0.45 + (0.38 if narrow() else 0.22) * len(table)
    figure, axes = plt.subplots(figsize=(width(), high))
    axes.set_xlim(*parts.padded(np.append(shown.to_numpy(), [-10.0, 0.0, 10.0])))
    parts.plain_numbers(axes, 3 if narrow() else 6)
    first, second = (parts.wrapped(label(results, policy), 28) for policy in results.compare)
    axes.set_xlabel(f"{first} minus {second}, %")
    letters = (20, 3) if narrow() else (44, 1)
    axes.set_yticks(table.index, [parts.wrapped(text, *letters) for text in table["claim"]])
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_ylim(len(table) - 0.4, -0.6)
    for place, row in table.iterrows():
        _claim(axes, int(place), row, *shown.loc[place])
    axes.axvline(0.0, color=INK, linewidth=0.8)
    count = table["verdict"].value_counts()
    won = f"all {len(table)}" if count.get(HOLDS) == len(table) else f"{count.get(HOLDS, 0)}"
    text = f"{results.title}: {first} beats {second} on {won} of {len(table)} measures"
    text = text.replace(f"all {len(table)} of {len(table)}", f"all {len(table)}")
    text += f", loses on {count[FAILS]}" if FAILS in count else ""
    text += f", {count[UNDECIDED]} undecided" if UNDECIDED in count else ""
    return parts.framed(figure, text, [results])


def _claim(axes: Axes, place: int, row: pd.Series, middle: float, low: float, high: float) -> None:
    """One line: the interval, the value across it, and the verdict beside it."""
    sign = SENTENCES[row["quantity"]][1]
    axes.barh(place, sign * 1e9, height=0.84, color=KEPT_SIDE, linewidth=0, zorder=0)
    words = "not defined"
    if np.isfinite(middle):
        axes.hlines(place, low, high, color=INK, linewidth=1.8)
        axes.plot(middle, place, "|", color=INK, ms=7, mew=1.2)
        words = f"{'+' * (middle > 0.0)}{rounded(middle, 0)}%  {row['verdict']}"
    axes.text(
        1.015, place, words, fontsize="small", va="center_baseline",
        weight="normal" if row["verdict"] == HOLDS else "bold",
        transform=axes.get_yaxis_transform(),
    )  # fmt: skip
