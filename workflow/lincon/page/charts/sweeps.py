"""Sweeps: values at the horizon as curves over one quantity, as heat maps over two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from lincon.analysis.sweeps import colour_top
from lincon.page.charts import base
from lincon.page.charts.base import Chart
from lincon.page.looks import Look
from lincon.page.record import Sweep
from lincon.page.views import keys

METRICS = {
    "regret": "regret at T",
    "violation": "violation at T (events short)",
    "composite": "composite regret at T",
}
AXES = {"eta": "floor \u03b7", "horizon": "horizon T", "snr": "mean SNR (dB)"}
# Up to so many columns a cell has room for its number; rows are then so high, else all of them.
NUMBERED, CELL, HEIGHT = 12, 38, 480
# Three figures are enough for a tick; whole numbers stay whole.
TICK = "datum.value % 1 ? format(datum.value, '.3~g') : format(datum.value, ',')"


def sweep_charts(key: str, sweep: Sweep, looks: Mapping[str, Look]) -> list[Chart]:
    if len(sweep.axes) == 1:
        return [
            curve_chart(f"{key}.{metric}", sweep, looks, metric, title)
            for metric, title in METRICS.items()
            if (sweep.values["metric"] == metric).any()
        ]
    return [
        heat_chart(f"{key}.{look.key}", sweep, policy, look)
        for policy, look in looks.items()
        if (sweep.values["policy"] == policy).any()
    ]


def axis_title(axis: str) -> str:
    return AXES.get(axis, axis.replace(".", ", parameter "))


def _rows(sweep: Sweep, metric: str) -> pd.DataFrame:
    rows = sweep.values[sweep.values["metric"] == metric]
    return rows if "basis" in rows else rows.assign(basis="expected")


def curve_chart(
    key: str, sweep: Sweep, looks: Mapping[str, Look], metric: str, title: str
) -> Chart:
    """A metric at T against what was swept, with intervals, and where the floor is out of reach."""
    (axis,) = sweep.axes
    rows = _rows(sweep, metric)
    rows = rows[rows["policy"].isin(list(looks))].sort_values(axis)
    frame = pd.DataFrame(
        {
            "p": keys(rows["policy"], looks),
            "b": rows["basis"].to_numpy(),
            "x": rows[axis].to_numpy(),
            "mean": rows["mean"].to_numpy(),
            "low": rows["ci_low"].to_numpy(),
            "high": rows["ci_high"].to_numpy(),
        }
    )
    chart = base.named(alt.Chart(alt.NamedData(key)).transform_filter(base.shown(basis=False)))
    x = alt.X("x:Q", title=axis_title(axis), scale=alt.Scale(zero=False, nice=False, padding=8))
    scale = alt.Scale(type="linear", zero=True)
    y = alt.Y("mean:Q", title=title, scale=scale, axis=alt.Axis(format=base.TICKS))
    valid = chart.transform_filter("isValid(datum.mean) && (!logy || datum.mean > 0)")
    layers = [
        valid.transform_filter("isValid(datum.low)")
        .mark_area(aria=False, tooltip=None, clip=True)
        .encode(
            x=x,
            y=alt.Y("low:Q"),
            y2=alt.Y2("high:Q"),
            **base.colour(looks),
            opacity=alt.value(alt.ExprRef("bands ? 0.15 : 0")),
        ),
        valid.mark_line(tooltip=None, clip=True, strokeWidth=1.7).encode(
            x=x, y=y, **base.colour(looks), strokeDash=base.dashes(looks), opacity=base.opacity()
        ),
        valid.mark_point(filled=True, size=60, clip=True)
        .encode(
            x=x,
            y=y,
            **base.colour(looks),
            shape=base.shapes(looks),
            opacity=base.opacity(),
            tooltip=[
                alt.Tooltip("name:N", title="policy"),
                alt.Tooltip("x:Q", title=axis_title(axis), format=base.NUMBER),
                alt.Tooltip("mean:Q", title=title, format=base.NUMBER),
                alt.Tooltip("low:Q", title="95% interval, low", format=base.NUMBER),
                alt.Tooltip("high:Q", title="95% interval, high", format=base.NUMBER),
            ],
        )
        .add_params(base.zoom("zoom")),
    ]
    data = {key: frame}
    states = _states(sweep, axis)
    if len(states):
        data[f"{key}.states"] = states
        layers += _state_marks(f"{key}.states")
    return Chart(
        key,
        title[0].upper() + title[1:],
        f"Against {axis_title(axis)}, with 95% intervals.{_states_caption(states)}",
        f"Curves of the {title} against {axis_title(axis)}, one a policy; the values are in the "
        "table of the sweep.",
        base.finish(layers),
        data,
        "sweep",
        wide=metric == "composite",
        labels={"p": "policy", "b": "basis", "x": axis},
    )


def _states(sweep: Sweep, axis: str) -> pd.DataFrame:
    """The points at which there is something to say: out of reach, or not binding."""
    states = sweep.states
    word = pd.Series("", index=states.index)
    word[~states["binding"].astype(bool)] = "does not bind"
    word[~states["feasible"].astype(bool)] = "out of reach"
    frame = pd.DataFrame({"x": states[axis], "state": word})
    return frame[frame["state"] != ""].reset_index(drop=True)


def _states_caption(states: pd.DataFrame) -> str:
    if states.empty:
        return ""
    return " Marks on the axis: the floor is out of reach (cross) or does not bind (ring)."


def _state_marks(name: str) -> list[alt.Chart]:
    """On the axis itself; each with a fixed colour, for the policies own the scale of colours."""
    marks = {"out of reach": ("cross", base.WARNING), "does not bind": ("circle", base.FAINT)}
    return [
        alt.Chart(alt.NamedData(name))
        .transform_filter(f"datum.state == '{state}'")
        .mark_point(size=90, strokeWidth=2, opacity=1, shape=shape, color=colour)
        .encode(
            x=alt.X("x:Q"),
            y=alt.value(alt.ExprRef("height")),
            tooltip=[alt.Tooltip("state:N", title="the floor")],
        )
        for state, (shape, colour) in marks.items()
    ]


def heat_chart(key: str, sweep: Sweep, policy: str, look: Look) -> Chart:
    """Composite regret over two swept values, each cell with its number if there is room."""
    across, down = sweep.axes
    rows = sweep.expected("composite")
    low, top, largest = rows["mean"].min(), colour_top(rows["mean"]), rows["mean"].max()
    rows = rows[rows["policy"] == policy]
    frame = sweep.states[[across, down, "feasible"]].merge(
        rows[[across, down, "mean", "ci_low", "ci_high"]], on=[across, down], how="left"
    )
    frame.columns = ["x", "y", "feasible", "mean", "low", "high"]
    frame["text"] = ["" if feasible else "\u00d7" for feasible in frame["feasible"].astype(bool)]
    cells = alt.Chart(alt.NamedData(key))
    ticks: dict[str, Any] = {
        "labelExpr": TICK,
        "labelOverlap": "greedy",
        "labelAngle": 0,
        "labelSeparation": 6,
    }
    x = alt.X("x:O", title=axis_title(across), axis=alt.Axis(**ticks))
    y = alt.Y("y:O", title=axis_title(down), sort="descending", axis=alt.Axis(**ticks))
    # One scale for all policies; what is beyond it has its last colour.
    scale = alt.Scale(scheme="viridis", domain=[min(0.0, float(low)), top], clamp=True)
    numbered = frame["x"].nunique() <= NUMBERED
    legend = None if numbered else alt.Legend(title=None, orient="bottom", format=base.TICKS)
    bright = f"datum.mean > {0.55 * top:.6g}"
    tips = [
        alt.Tooltip("x:O", title=axis_title(across)),
        alt.Tooltip("y:O", title=axis_title(down)),
        alt.Tooltip("mean:Q", title="composite regret", format=base.NUMBER),
        alt.Tooltip("low:Q", title="95% interval, low", format=base.NUMBER),
        alt.Tooltip("high:Q", title="95% interval, high", format=base.NUMBER),
    ]
    layers = [
        cells.transform_filter("isValid(datum.mean)")
        .mark_rect()
        .encode(x=x, y=y, color=alt.Color("mean:Q", scale=scale, legend=legend), tooltip=tips),
        cells.transform_filter("isValid(datum.mean)" if numbered else "false")
        .mark_text(fontSize=11, aria=False, tooltip=None)
        .encode(
            x=x,
            y=y,
            text=alt.Text("mean:Q", format=",.3~s"),
            color=alt.condition(bright, alt.value("#101010"), alt.value("#ffffff")),
        ),
        cells.transform_filter("!datum.feasible")
        .mark_text(fontSize=13, color=base.WARNING, aria=False, tooltip=None)
        .encode(x=x, y=y, text=alt.Text("text:N")),
    ]
    beyond = f" The brightest colour stands for {top:,.4g} and more." if largest > top else ""
    return Chart(
        key,
        look.label,
        f"Composite regret at T; a cross marks a floor out of reach.{beyond}",
        f"Heat map of the composite regret of {look.label}; the values are in the table of the "
        "sweep.",
        base.finish(layers, frame["y"].nunique() * CELL if numbered else HEIGHT),
        {key: frame},
        "heat_map",
        labels={"x": across, "y": down},
    )
