"""Points: the arms, the regret-violation plane, plays against theory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from lincon.page.charts import base
from lincon.page.charts.base import Chart
from lincon.page.looks import Look

Looks = Mapping[str, Look]
# So many clouds of points can be looked at in one chart.
CLOUDS = 7


def plane_chart(
    key: str,
    frame: pd.DataFrame,
    lines: pd.DataFrame,
    looks: Looks,
    figure: str,
    named: Sequence[str],
) -> Chart:
    """Regret against violation at T, one mark a policy with both its intervals."""
    rows = alt.Chart(alt.NamedData(key)).transform_filter(base.shown())
    rows = base.named(rows)
    x = alt.X(
        "x:Q",
        title="signed violation at T (events short)",
        axis=alt.Axis(format=base.TICKS, tickCount=6),
    )
    y = alt.Y("y:Q", title="signed regret at T", axis=alt.Axis(format=base.TICKS))
    tips = [alt.Tooltip("name:N", title="policy")]
    for name, title in (("x", "violation"), ("y", "regret")):
        tips.append(alt.Tooltip(f"{name}:Q", title=title, format=base.NUMBER))
        for end in ("low", "high"):
            column = f"{name}_{end}:Q"
            tips.append(alt.Tooltip(column, title=f"{title}, {end} end", format=base.NUMBER))
    opacity = alt.value(alt.ExprRef("bands ? 0.6 : 0"))
    bar: dict[str, Any] = {"aria": False, "clip": True, "tooltip": None, "strokeWidth": 1.2}
    points = (
        rows.mark_point(filled=True, size=110, stroke="@page", strokeWidth=0.8)
        .encode(
            x=x, y=y, **base.colour(looks), shape=base.shapes(looks), opacity=base.opacity(0.95),
            tooltip=tips,
        )
        .add_params(base.zoom("zoom"))
    )  # fmt: skip
    names = (
        rows.transform_filter(
            f"focus == datum.p || (focus == '' && indexof({list(named)}, datum.p) >= 0)"
        )
        .mark_text(dy=-6, fontSize=11, aria=False, tooltip=None, **base.beside("x"))
        .encode(x=x, y=y, text=alt.Text("name:N"), **base.colour(looks), opacity=base.opacity())
    )
    layers = [
        _lines(f"{key}.lines"),
        rows.mark_rule(**bar).encode(
            x=alt.X("x_low:Q"), x2=alt.X2("x_high:Q"), y=y, **base.colour(looks), opacity=opacity
        ),
        rows.mark_rule(**bar).encode(
            y=alt.Y("y_low:Q"), y2=alt.Y2("y_high:Q"), x=x, **base.colour(looks), opacity=opacity
        ),
        names,
        points,
    ]
    return Chart(
        key,
        "Regret against violation",
        "At T, signed: left of zero the floor is met, below zero more than the optimum was earned. "
        "Dashed lines join points of equal composite regret; towards the lower left is better.",
        "Scatter chart of the regret and the violation of each policy at the horizon; the values "
        "are in the table of values at T.",
        base.finish(layers),
        {key: frame, f"{key}.lines": lines},
        figure,
        labels={"p": "policy", "b": "basis", "x": "violation", "y": "regret"}
        | {f"x_{end}": f"violation, {end}" for end in ("low", "high")}
        | {f"y_{end}": f"regret, {end}" for end in ("low", "high")},
    )


def _lines(name: str) -> alt.Chart:
    return (
        alt.Chart(alt.NamedData(name))
        .mark_rule(aria=False, color=base.FAINT, strokeDash=[3, 3], tooltip=None, clip=True)
        .encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"))
    )


def arms_chart(
    key: str, frame: pd.DataFrame, mixture: pd.DataFrame, looks: Looks, eta: float, figure: str
) -> Chart:
    """Every arm as a point, the envelope, the floor, the optimal mixture."""
    rows = alt.Chart(alt.NamedData(key))
    x = alt.X(
        "mean:Q",
        title="event probability \u03bc",
        scale=alt.Scale(zero=False, nice=False, padding=24),
    )
    y = alt.Y(
        "reward:Q",
        title="expected reward a round, \u03bc r",
        scale=alt.Scale(zero=False, nice=False, padding=24),
    )
    tips = [
        alt.Tooltip("label:N", title="arm"),
        alt.Tooltip("mean:Q", title="\u03bc", format=".4~f"),
        alt.Tooltip("value:Q", title="r", format=".4~g"),
        alt.Tooltip("reward:Q", title="\u03bc r", format=".4~g"),
        alt.Tooltip("share:Q", title="share of the optimum", format=".1~%"),
    ]
    for look in looks.values():
        if look.key in frame:
            tips.append(alt.Tooltip(f"{look.key}:Q", title=f"plays, {look.label}", format=",.1~f"))
    optimal = rows.transform_filter("datum.optimal")
    layers = [
        rows.transform_filter("datum.envelope").mark_line(
            color="@good", strokeWidth=1.2, aria=False, tooltip=None, clip=True
        ).encode(x=x, y=y, order=alt.Order("mean:Q")),
        alt.Chart(alt.NamedData(f"{key}.mixture")).mark_rule(
            color=base.WARNING, strokeDash=[5, 3], aria=False, tooltip=None
        ).encode(x=alt.X("eta:Q")),
        rows.transform_filter("!datum.optimal").mark_point(
            filled=True, color=base.FAINT, size=36, opacity=0.6, clip=True
        ).encode(x=x, y=y, tooltip=tips).add_params(base.zoom("zoom")),
        optimal.mark_point(filled=True, color=base.ACCENT, size=110, opacity=1, clip=True)
        .encode(x=x, y=y, tooltip=tips),
        # One above its point, one below: they may be close.
        optimal.mark_text(
            dy=alt.ExprRef(f"datum.mean > {float(eta)!r} ? 14 : -8"), fontSize=12,
            color=base.ACCENT, aria=False, limit=180, tooltip=None,
            **base.beside("mean"),
        ).encode(x=x, y=y, text=alt.Text("label:N")),
        alt.Chart(alt.NamedData(f"{key}.mixture")).mark_point(
            shape="diamond", size=120, filled=True, color="@page", stroke=base.ACCENT,
            strokeWidth=1.8, opacity=1,
        ).encode(
            x=alt.X("mean:Q"), y=alt.Y("reward:Q"),
            tooltip=[
                alt.Tooltip("label:N", title="optimum"),
                alt.Tooltip("mean:Q", title="event rate", format=".4~f"),
                alt.Tooltip("reward:Q", title="reward a round", format=".4~g"),
            ],
        ),
    ]  # fmt: skip
    return Chart(
        key,
        "The arms",
        f"The optimum (diamond) is where the upper envelope meets the floor \u03b7 = {eta:g}: a "
        "mixture of the named arms.",
        f"Scatter chart of the arms: event probability across, expected reward up; the floor is at "
        f"{eta:g}. The values are in the table of arms.",
        base.finish(layers),
        {key: frame, f"{key}.mixture": mixture},
        figure,
        labels={"mean": "mu", "value": "r", "reward": "mu r"}
        | {look.key: f"plays, {look.label}" for look in looks.values()},
    )


def plays_chart(
    key: str, frame: pd.DataFrame, looks: Looks, figure: str, best: Sequence[str]
) -> Chart:
    """Lemma 2: mean plays against log T / d(mu_i, xi_i), on log axes.

    Clouds of many policies hide each other: then those of the best, and of the one pointed at.
    """
    rows = alt.Chart(alt.NamedData(key)).transform_filter(
        base.shown(basis=False) + " && datum.plays > 0"
    )
    many = len(looks) > CLOUDS
    if many:
        rows = rows.transform_filter(
            f"focus == datum.p || length(muted) >= {len(looks) - CLOUDS}"
            f" || indexof({list(best)}, datum.p) >= 0"
        )
    rows = base.named(rows)
    log = alt.Scale(type="log", nice=False, padding=8)
    axis = alt.Axis(format=base.TICKS, labelOverlap=True, tickCount=4, grid=False)
    points = rows.mark_point(filled=True, size=34, clip=True).encode(
        x=alt.X("predicted:Q", title="log T / d(\u03bc\u1d62, \u03be\u1d62)", scale=log, axis=axis),
        y=alt.Y("plays:Q", title="mean plays at T", scale=log, axis=axis),
        **base.colour(looks),
        shape=base.shapes(looks),
        opacity=base.opacity(0.65),
        tooltip=[
            alt.Tooltip("label:N", title="arm"),
            alt.Tooltip("name:N", title="policy"),
            alt.Tooltip("plays:Q", title="mean plays", format=",.2~f"),
            alt.Tooltip("predicted:Q", title="log T / d", format=",.2~f"),
        ],
    )
    ends = frame["predicted"].to_numpy(dtype=float)
    ends = np.array([ends.min(), ends.max()]) if len(ends) else np.array([1.0, 10.0])
    diagonal = pd.DataFrame({"predicted": ends, "plays": ends})
    line = (
        alt.Chart(alt.NamedData(f"{key}.diagonal"))
        .mark_line(color=base.INK, strokeWidth=1.2, aria=False, tooltip=None, clip=True)
        .encode(x=alt.X("predicted:Q"), y=alt.Y("plays:Q"))
    )
    return Chart(
        key,
        "Plays against theory",
        "Each suboptimal arm's mean plays at T beside Lemma 2's number; the line is y = x, and "
        "points below it were played less often than that."
        + (f" Of the {len(best)} best policies, and of the one pointed at above." if many else ""),
        "Scatter chart of the plays of the suboptimal arms against the theory's number; the values "
        "are in the data of the figure.",
        base.finish([line, points.add_params(base.zoom("zoom"))]),
        {key: frame, f"{key}.diagonal": diagonal},
        figure,
        labels={"p": "policy", "label": "arm", "predicted": "log T / d"},
    )
