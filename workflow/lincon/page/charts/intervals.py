"""Intervals, one a row: the claims with their verdicts, the league with its ties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from lincon.page.charts import base
from lincon.page.charts.base import Chart
from lincon.page.looks import Look

ROW = 24
# As in the figure, red is for what does not hold: "not yet" is no verdict against a claim.
VERDICTS = {
    "holds": ("@good", "circle"),
    "does not hold": ("@warning", "cross"),
    "not yet at this T": ("@faint", "triangle-up"),
    "undecided": ("@faint", "diamond"),
}


def claims_chart(key: str, frame: pd.DataFrame, figure: str) -> Chart:
    """Each claim's difference with its 95% interval, in per cent of what it is held against."""
    verdicts = list(dict.fromkeys([*VERDICTS, *frame["verdict"]]))
    looks = [VERDICTS.get(verdict, ("@faint", "square")) for verdict in verdicts]
    rows = alt.Chart(alt.NamedData(key))
    y = alt.Y(
        "row:O",
        title=None,
        # Spelt out, so that a claim without an interval keeps its place.
        sort=frame["row"].tolist(),
        axis=alt.Axis(labelLimit=430, grid=True, ticks=False),
    )
    used = [verdict for verdict in verdicts if verdict in set(frame["verdict"])]
    scale: dict[str, Any] = {
        "domain": used,
        "range": [looks[verdicts.index(verdict)][0] for verdict in used],
    }
    marks: dict[str, Any] = {
        "domain": used,
        "range": [looks[verdicts.index(verdict)][1] for verdict in used],
    }
    legend = alt.Legend(title=None, orient="top", symbolType="circle")
    encoded = {"color": alt.Color("verdict:N", scale=alt.Scale(**scale), legend=legend)}
    x = alt.X(
        "middle:Q",
        # In two lines, which a phone has room for.
        title=["difference, in % of the baseline", "or of the theory's number"],
        axis=alt.Axis(format=base.TICKS, tickCount=8),
    )
    layers = [
        alt.Chart(alt.NamedData("zero"))
        .mark_rule(color=base.INK, aria=False, tooltip=None)
        .encode(x=alt.X("y:Q")),
        rows.mark_rule(strokeWidth=2.4, aria=False, tooltip=None, clip=True).encode(
            y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q"), **encoded
        ),
        rows.mark_point(filled=True, size=90, opacity=1, clip=True)
        .encode(
            y=y,
            x=x,
            **encoded,
            shape=alt.Shape("verdict:N", scale=alt.Scale(**marks), legend=legend),
            tooltip=[
                alt.Tooltip("claim:N"),
                alt.Tooltip("pair:N", title="policies"),
                alt.Tooltip("value:Q", format=base.NUMBER),
                alt.Tooltip("reference:Q", title="against", format=base.NUMBER),
                alt.Tooltip("middle:Q", title="difference, %", format=base.NUMBER),
                alt.Tooltip("low:Q", title="95% interval, low", format=base.NUMBER),
                alt.Tooltip("high:Q", title="95% interval, high", format=base.NUMBER),
                alt.Tooltip("verdict:N"),
            ],
        )
        .add_params(_zoom_across()),
    ]
    return Chart(
        key,
        "Claims as intervals",
        f"{frame['pair'].iloc[0]}, and both against theory: differences at T with 95% intervals. "
        "Hover for the numbers.",
        "Interval chart of the claims; numbers and verdicts are in the table of claims.",
        base.finish(layers, len(frame) * ROW),
        {key: frame},
        figure,
        wide=True,
    )


def _zoom_across() -> alt.Parameter:
    wheel = "wheel![event.shiftKey || event.ctrlKey]"
    return alt.selection_interval(name="zoom", bind="scales", encodings=["x"], zoom=wheel)


def league_chart(key: str, frame: pd.DataFrame, looks: Mapping[str, Look], figure: str) -> Chart:
    """Composite regret at T with its interval, the best first; columns p, mean, low, high."""
    rows = base.named(alt.Chart(alt.NamedData(key)).transform_filter(base.shown(basis=False)))
    y = alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=220, ticks=False))
    x = alt.X(
        "mean:Q", title="composite regret at T", axis=alt.Axis(format=base.TICKS, tickCount=8)
    )
    layers = [
        rows.transform_filter("isValid(datum.low) && isValid(datum.high)")
        .mark_rule(strokeWidth=2.2, aria=False, tooltip=None, clip=True)
        .encode(
            y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q"), **base.colour(looks), opacity=base.opacity()
        ),
        rows.mark_point(filled=True, size=90, clip=True)
        .encode(
            y=y,
            x=x,
            **base.colour(looks),
            shape=base.shapes(looks),
            opacity=base.opacity(),
            tooltip=[
                alt.Tooltip("name:N", title="policy"),
                alt.Tooltip("mean:Q", title="composite regret", format=base.NUMBER),
                alt.Tooltip("low:Q", title="95% interval, low", format=base.NUMBER),
                alt.Tooltip("high:Q", title="95% interval, high", format=base.NUMBER),
            ],
        )
        .add_params(_zoom_across()),
        rows.transform_filter("datum.tied")
        .mark_text(
            dy=-7, fontSize=13, color=base.FAINT, aria=False, tooltip=None, **base.beside("mean")
        )
        .encode(y=y, x=x, text=alt.value("=")),
    ]
    return Chart(
        key,
        "League",
        "Composite regret at T, expected, with its 95% interval: the best first, oracles last."
        + (" Those with = cannot be told from the best." if frame["tied"].any() else ""),
        "Interval chart of the composite regret of each policy; the values are in the league.",
        base.finish(layers, len(frame) * ROW),
        {key: frame},
        figure,
        wide=True,
        labels={"p": "policy", "mean": "composite regret"},
    )
