"""The claims as a picture: one interval a row, its verdict in colour, mark and word."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.claims import (
    COMPARISON,
    FAILS,
    HOLDS,
    MEASURED,
    MEASUREMENT,
    NOT_YET,
    SENTENCES,
    UNDECIDED,
)
from lincon.analysis.results import Results
from lincon.figures import drawing, scales
from lincon.figures.drawing import PAGE, Look
from lincon.figures.of_results import finish

NEUTRAL = "#777777"
VERDICTS = {
    HOLDS: ("#0072B2", "o"),
    FAILS: ("#D55E00", "X"),
    UNDECIDED: (NEUTRAL, "D"),
    NOT_YET: (NEUTRAL, ">"),
    MEASURED: ("#333333", "s"),
}
CLAIMED_SIDE = "#E8F1F8"


def claims(results: Results) -> Figure:
    """One row a claim: the difference and its 95% interval, in per cent of what it is held against.

    The tinted half of a row is the side that the claim is on.
    """
    table, looks = results.claims, drawing.looks(results.policies)
    assert table is not None
    groups = _groups(table, looks)
    row_height = 0.25 if drawing.narrow() else 0.19
    figure, axes = drawing.plt.subplots(
        figsize=(drawing.width(PAGE), 1.0 + row_height * (len(table) + len(groups)))
    )
    names: dict[int, str] = {}
    place = 0
    for heading, rows in groups.items():
        _heading(axes, heading, place)
        for _, row in rows.iterrows():
            place += 1
            names[place] = _sentence(row, looks)
            _claim_row(axes, row, place)
        place += 1
    axes.axvline(0.0, color="#555555", linewidth=0.8)
    _claim_axes(axes, table, names, place)
    return finish(figure, results)


def _groups(claims: pd.DataFrame, looks: Mapping[str, Look]) -> dict[str, pd.DataFrame]:
    """Heading -> its claims: the comparison on each basis, then each policy against theory."""

    def heading(row: pd.Series) -> str:
        name = drawing.shortened(looks[row["policy"]].label, 24)
        if row["kind"] == MEASUREMENT:
            return "measured, with no claim"
        if row["against"] == "theory":
            return f"{name} against theory"
        return f"{name} minus {drawing.shortened(looks[row['against']].label, 24)}, {row['basis']}"

    in_order = claims.sort_values("kind", key=lambda kind: kind == MEASUREMENT, kind="stable")
    return dict(list(in_order.groupby(in_order.apply(heading, axis=1), sort=False)))


def _heading(axes: Axes, heading: str, place: int) -> None:
    across = axes.get_yaxis_transform()
    style: dict[str, Any] = {
        "fontweight": "bold",
        "fontsize": drawing.size(7),
        "ha": "right",
        "va": "center_baseline",
    }
    # Above the names of the rows; where they are short of room, over the whole width.
    x = 1.35 if drawing.narrow() else -0.015
    axes.text(x, place, heading, transform=across, **style)


def _claim_row(axes: Axes, row: pd.Series, place: int) -> None:
    if row["kind"] != MEASUREMENT:
        sign = SENTENCES[row["quantity"]][1] if row["kind"] == COMPARISON else -1
        axes.barh(place, sign * 1e9, height=0.84, color=CLAIMED_SIDE, linewidth=0, zorder=0)
    colour, mark = VERDICTS[row["verdict"]]
    numbers = row[["difference", "ci_low", "ci_high"]].to_numpy(dtype=float)
    middle, low, high = _percent(numbers, row["reference"])
    across = axes.get_yaxis_transform()
    style: dict[str, Any] = {"color": colour, "ms": 6, "mec": "white", "mew": 0.5}
    if np.isinf(middle):
        # There are no per cent of a baseline of 0: at the edge of its side, off the scale.
        axes.plot(0.985 if middle > 0.0 else 0.015, place, mark, transform=across, **style)
    else:
        axes.plot([low, high], [place, place], color=colour, linewidth=1.6, solid_capstyle="butt")
        axes.plot(middle, place, mark, **style)
    words = _words(row)
    axes.text(
        1.015,
        place,
        words,
        color=colour,
        fontsize=drawing.size(7),
        va="center_baseline",
        transform=across,
    )


def _sentence(row: pd.Series, looks: Mapping[str, Look]) -> str:
    name = drawing.shortened(looks[row["policy"]].label, 24)
    text = f"{name}: composite slope / C" if row["kind"] == MEASUREMENT else row["claim"]
    return textwrap.fill(text, 22) if drawing.narrow() else text


def _words(row: pd.Series) -> str:
    if not np.isfinite(row["difference"]):
        return "not defined"
    if row["kind"] == MEASUREMENT:
        return f"{row['value']:.2f} of C"
    return f"{row['verdict']} (of 0)" if row["reference"] == 0.0 else row["verdict"]


def _claim_axes(axes: Axes, claims: pd.DataFrame, names: Mapping[int, str], last: int) -> None:
    ends = _percent(
        claims[["difference", "ci_low", "ci_high"]].to_numpy(dtype=float),
        claims[["reference"]].to_numpy(dtype=float),
    )
    ends = ends[np.isfinite(ends)]
    axes.set_xlim(*scales.padded(np.append(ends, 0.0)))
    axes.set_ylim(last - 0.4, -0.6)
    axes.set_yticks(list(names), list(names.values()))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    scales.plain_numbers(axes)
    axes.set_yticks(list(names), list(names.values()))
    text = "difference, in % of the baseline or of the theory's number"
    axes.set_xlabel(textwrap.fill(text, 30) if drawing.narrow() else text)


def _percent(numbers: np.ndarray, reference: np.ndarray | float) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(numbers == 0.0, 0.0, 100.0 * numbers / np.abs(reference))
