"""Curves over the rounds: the four panels, the deficit, the composite regret."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import pandas as pd

from lincon.page.charts import base
from lincon.page.charts.base import Chart
from lincon.page.looks import Look

VISIBLE = f"{base.shown()} && isValid(datum.mean) && (!logy || datum.mean > 0)"
# On a log axis an interval that reaches zero is cut off two decades below the mean; on a linear one
# the interval of what is never negative is cut off at zero.
LOW = "logy ? max(datum.low, datum.mean / 100) : {least}"
COLUMNS = {
    "p": "policy",
    "b": "basis",
    "t": "round",
    "mean": "mean",
    "low": "95% interval, low",
    "high": "95% interval, high",
}


def curve_chart(
    key: str,
    title: str,
    frame: pd.DataFrame,
    looks: Mapping[str, Look],
    *,
    axis: str,
    caption: str,
    alt_text: str,
    figure: str = "",
    log_x: bool = False,
    signed: bool = False,
    reference: tuple[pd.DataFrame, str] | None = None,
    wide: bool = False,
    log: bool = False,
) -> Chart:
    """Means with their intervals; `reference` is a line of theory and its name."""
    layers = [_zero_line(), *_curves(key, looks, axis, log_x, signed)]
    data = {key: frame}
    if reference is not None and len(reference[0]):
        data[f"{key}.reference"] = reference[0]
        layers += _reference(f"{key}.reference", reference[1], _below(reference[0], frame))
    spec = base.finish(layers)
    return Chart(key, title, caption, alt_text, spec, data, figure, wide, log, COLUMNS)


def _curves(
    key: str, looks: Mapping[str, Look], axis: str, log_x: bool, signed: bool
) -> list[alt.Chart]:
    rows = alt.Chart(alt.NamedData(key)).transform_filter(VISIBLE)
    x = alt.X(
        "t:Q",
        title="round t",
        scale=alt.Scale(type="log" if log_x else "linear", nice=False),
        axis=alt.Axis(format=base.TICKS, tickCount=6, grid=False, labelOverlap=True),
    )
    y = alt.Y(
        "mean:Q",
        title=axis,
        scale=alt.Scale(type="linear", zero=True),
        axis=alt.Axis(format=base.TICKS, tickCount=6, labelOverlap=True),
    )
    band = (
        rows.transform_filter("isValid(datum.low) && isValid(datum.high)")
        .transform_calculate(low=LOW.format(least="datum.low" if signed else "max(datum.low, 0)"))
        .mark_area(clip=True, aria=False, tooltip=None)
        .encode(
            x=x,
            y=alt.Y("low:Q", title=axis),
            y2=alt.Y2("high:Q"),
            **base.colour(looks),
            opacity=alt.value(alt.ExprRef(_band_opacity(len(looks)))),
        )
    )
    width = 1.9 if len(looks) <= 8 else 1.5
    line = (
        rows.mark_line(clip=True, strokeWidth=width, tooltip=None)
        .encode(
            x=x, y=y, **base.colour(looks), strokeDash=base.dashes(looks), opacity=base.opacity()
        )
        .add_params(base.zoom("zoom"))
    )
    return [band, line, *_hover(key, looks, x)]


def _band_opacity(policies: int) -> str:
    """Fainter where many bands lie upon each other."""
    return f"bands ? ({policies} - length(muted) > 6 ? 0.07 : 0.16) : 0"


def _hover(key: str, looks: Mapping[str, Look], x: alt.X) -> list[alt.Chart]:
    """A vertical line at the nearest recorded round; its tooltip lists every policy there."""
    near = alt.selection_point(
        name="near",
        nearest=True,
        on="pointermove",
        clear="pointerout",
        encodings=["x"],
        empty=False,
    )
    rule = (
        alt.Chart(alt.NamedData(f"{key}#wide"))
        .transform_filter("datum.b == basis")
        .mark_rule(aria=False, color=base.FAINT, tooltip=alt.TooltipContent("data"))
        .encode(x=x, opacity=alt.condition(near, alt.value(0.8), alt.value(0)))
        .add_params(near)
    )
    points = (
        alt.Chart(alt.NamedData(key))
        .transform_filter(VISIBLE)
        .transform_filter(near)
        .mark_point(aria=False, filled=True, size=42, clip=True, tooltip=None, opacity=1)
        .encode(x=x, y=alt.Y("mean:Q"), **base.colour(looks))
    )
    return [rule, points]


def _zero_line() -> alt.Chart:
    """A curve that lies on zero is seen against a line that is there."""
    return (
        alt.Chart(alt.NamedData("zero"))
        .transform_filter("!logy")
        .mark_rule(aria=False, color=base.INK, strokeWidth=0.7, tooltip=None)
        .encode(y=alt.Y("y:Q"))
    )


def _below(line: pd.DataFrame, frame: pd.DataFrame) -> bool:
    """Whether a line of theory ends below the median curve; its name is then below the line."""
    last = frame.loc[frame["t"] == frame["t"].max(), "mean"].median()
    return bool(line.loc[line["t"].idxmax(), "mean"] < last)


def _reference(name: str, text: str, below: bool) -> list[alt.Chart]:
    rows = alt.Chart(alt.NamedData(name)).transform_filter("!logy || datum.mean > 0")
    line = rows.mark_line(
        color=base.INK, strokeWidth=1.3, clip=True, tooltip=None, description=text
    ).encode(x=alt.X("t:Q"), y=alt.Y("mean:Q"))
    label = (
        rows.transform_window(rank="rank()", sort=[alt.SortField("t", order="descending")])
        .transform_filter("datum.rank == 1")
        .mark_text(
            align="right",
            dy=14 if below else -8,
            dx=-4,
            color=base.INK,
            fontSize=11,
            aria=False,
            tooltip=None,
        )
        .encode(x=alt.X("t:Q"), y=alt.Y("mean:Q"), text=alt.value(text))
    )
    return [line, label]
