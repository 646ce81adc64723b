"""What all charts share: the record, the switches, scales by policy, colours by token.

A specification names its data and its colours; the page's script fills in both, the colours by
theme. `@p0` stands for the colour of policy p0, `@ink` and the like for those of the theme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt
import pandas as pd
from altair.utils import schemapi

from lincon.page.looks import Look

HEIGHT = 280
NUMBER = ",.4~g"
TICKS = ",.12~g"
INK, FAINT, ACCENT, WARNING = "@ink", "@faint", "@accent", "@warning"


@dataclass(frozen=True)
class Chart:
    """A chart as the template needs it; `data` by name, the first being what is downloaded."""

    key: str
    title: str
    caption: str
    alt: str
    spec: dict[str, Any]
    data: Mapping[str, pd.DataFrame]
    figure: str = ""  # the static figure whose PDF belongs to it
    wide: bool = False
    log: bool = False  # whether its values are on a log axis unless the reader says otherwise
    labels: Mapping[str, str] = field(default_factory=dict)  # headings of the downloaded columns


def switches() -> list[alt.Parameter]:
    """What the page's controls set; their names are those of the script's state."""
    values: dict[str, Any] = {
        "basis": "expected",
        "bands": True,
        "muted": [],
        "focus": "",
        "logy": False,
    }
    return [alt.param(name=name, value=value) for name, value in values.items()]


def shown(basis: bool = True) -> str:
    """The rows of the policies that are not muted, on the basis that is chosen."""
    heard = "indexof(muted, datum.p) < 0"
    return f"{heard} && datum.b == basis" if basis else heard


def colour(looks: Mapping[str, Look]) -> dict[str, Any]:
    """Colour, dash and opacity by policy, without a legend: the page has one of its own."""
    domain = [look.key for look in looks.values()]
    return {
        "color": alt.Color(
            "p:N", legend=None, scale=alt.Scale(domain=domain, range=[f"@{key}" for key in domain])
        )
    }


def dashes(looks: Mapping[str, Look]) -> alt.StrokeDash:
    domain = [look.key for look in looks.values()]
    patterns = [list(look.dash) for look in looks.values()]
    return alt.StrokeDash("p:N", legend=None, scale=alt.Scale(domain=domain, range=patterns))


def shapes(looks: Mapping[str, Look]) -> alt.Shape:
    domain = [look.key for look in looks.values()]
    marks = [look.shape for look in looks.values()]
    return alt.Shape("p:N", legend=None, scale=alt.Scale(domain=domain, range=marks))


def opacity(strong: float = 1.0) -> Any:
    """Full, unless another policy is in focus."""
    return alt.condition("focus == '' || focus == datum.p", alt.value(strong), alt.value(0.12))


def named(rows: alt.Chart) -> alt.Chart:
    """The rows with the policies' own names, for texts and tooltips."""
    names = alt.LookupData(alt.NamedData("policies"), "p", ["name"])
    return rows.transform_lookup("p", from_=names)


def beside(x: str, gap: float = 8) -> dict[str, Any]:
    """Where a text stands that belongs to a point: to its left where it would leave the chart."""
    late = f"scale('x', datum.{x}) > 0.7 * width"
    return {
        "align": alt.ExprRef(f"{late} ? 'right' : 'left'"),
        "dx": alt.ExprRef(f"{late} ? {-gap} : {gap}"),
    }


def zoom(name: str) -> alt.Parameter:
    """Drag to move, Shift and the wheel to zoom (the wheel alone scrolls the page)."""
    return alt.selection_interval(
        name=name, bind="scales", zoom="wheel![event.shiftKey || event.ctrlKey]"
    )


def finish(layers: Sequence[Any], height: int = HEIGHT) -> dict[str, Any]:
    """Layers as one specification that is as wide as its place on the page."""
    chart = alt.layer(*layers).properties(width="container", height=height)
    spec = chart.add_params(*switches()).to_dict(validate=schemapi.DEBUG_MODE)
    for superfluous in ("$schema", "config"):
        spec.pop(superfluous, None)
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec
