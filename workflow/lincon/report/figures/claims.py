"""The claims as a picture: one interval per row, its verdict in colour, mark and word."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.claims import FAILS, HOLDS, SENTENCES, UNDECIDED
from lincon.analysis.results import Results
from lincon.report.figures import parts
from lincon.report.figures.style import PAGE, narrow, plt, size, width
from lincon.report.palette import FAINT, HUES, INK, MISSED

# Verdict -> its colour and mark; what is not listed is neither for nor against.
VERDICTS = {HOLDS: (HUES[0][0], "o"), FAILS: (MISSED, "X"), UNDECIDED: (FAINT[0], "D")}
OTHER = (FAINT[0], "s")
CLAIMED_SIDE = "#E8F1F8"


def claims(results: Results) -> Figure:
    """The difference of each claim with its 95% interval, in per cent of what it is held against.

    The tinted half of a row is the side that the claim is on.
    """
    table = results.claims
    assert table is not None
    rows: list[pd.Series | str] = []
    headings = table.apply(_heading, axis=1, labels=results.labels)
    for heading, members in table.groupby(headings, sort=False):
        rows += [str(heading), *(row for _, row in members.iterrows())]
    each = 0.38 if narrow() else 0.19
    figure, axes = plt.subplots(figsize=(width(PAGE), 0.4 + each * len(rows)))
    _limits(axes, table, rows)
    for place, row in enumerate(rows):
        if not isinstance(row, str):
            _row(axes, row, place)
    axes.axvline(0.0, color=INK[0], linewidth=0.8)
    return parts.finish(figure, results, _finding(table))


def _finding(table: pd.DataFrame) -> str:
    """How the comparisons ended."""
    count = Counter(table.loc[table["against"] != "theory", "verdict"])
    said = [f"{count[HOLDS]} of {sum(count.values())} claims hold"]
    said += [f"{count[FAILS]} fail"] if count[FAILS] else []
    said += [f"{count[UNDECIDED]} undecided"] if count[UNDECIDED] else []
    return ", ".join(said)


def _heading(row: pd.Series, labels: dict[str, str]) -> str:
    name = labels[row["policy"]]
    if row["against"] == "theory":
        return f"{name} against the paper's bounds"
    return f"{name} minus {labels[row['against']]}, {row['basis']}"


def _row(axes: Axes, row: pd.Series, place: int) -> None:
    sign = SENTENCES[row["quantity"]][1] if row["quantity"] in SENTENCES else -1
    axes.barh(place, sign * 1e9, height=0.84, color=CLAIMED_SIDE, linewidth=0, zorder=0)
    colour, mark = VERDICTS.get(row["verdict"], OTHER)
    middle, low, high = _percent(row)
    across = axes.get_yaxis_transform()
    style: dict[str, Any] = {"color": colour, "ms": 6, "mec": "white", "mew": 0.5}
    x0, x1 = axes.get_xlim()
    if np.isfinite(middle) and x0 <= middle <= x1:
        axes.plot([low, high], [place, place], color=colour, linewidth=1.6, solid_capstyle="butt")
        axes.plot(middle, place, mark, **style)
    elif not np.isnan(middle):
        # Off the scale, or per cent of a baseline of zero: at the edge of its side.
        axes.plot(0.985 if middle > 0.0 else 0.015, place, mark, transform=across, **style)
    style = {"color": colour, "fontsize": size(7), "va": "center_baseline", "transform": across}
    axes.text(1.015, place, _words(row, middle), **style)


def _words(row: pd.Series, middle: float) -> str:
    if not np.isfinite(row["difference"]):
        return "not defined"
    number = f"{middle:+.0f}%".replace("-", "\u2212") if np.isfinite(middle) else "of 0"
    return parts.wrapped(row["verdict"], 12) if narrow() else f"{number}  {row['verdict']}"


def _limits(axes: Axes, table: pd.DataFrame, rows: list[pd.Series | str]) -> None:
    """Wide enough for the comparisons; the paper's bounds may be far off."""
    ends = np.concatenate([_percent(row) for _, row in table.iterrows()])
    compared = table[table["against"] != "theory"]
    inner = np.concatenate([_percent(row) for _, row in compared.iterrows()])
    inner = inner[np.isfinite(inner)] if len(inner) else ends[np.isfinite(ends)]
    reach = max(100.0, 1.1 * np.abs(inner).max(initial=0.0))
    axes.set_xlim(*parts.padded(np.clip(np.append(ends[np.isfinite(ends)], 0.0), -reach, reach)))
    parts.plain_numbers(axes, 2 if narrow() else 5)
    room = (20, 3) if narrow() else (44, 1)
    texts = [parts.wrapped(row if isinstance(row, str) else row["claim"], *room) for row in rows]
    headings = [place for place, row in enumerate(rows) if isinstance(row, str)]
    parts.rows_from_the_top(axes, texts, headings, fontweight="bold")
    text = "difference, in % of the baseline or of the bound"
    axes.set_xlabel("difference in %" if narrow() else text)


def _percent(row: pd.Series) -> np.ndarray:
    numbers = row[["difference", "ci_low", "ci_high"]].to_numpy(dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(numbers == 0.0, 0.0, 100.0 * numbers / np.abs(row["reference"]))
