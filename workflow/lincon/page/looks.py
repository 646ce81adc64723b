"""How a policy looks on the page: a colour for light and for dark, a dash and a shape.

Colours and dashes repeat with periods of nine and four, so 36 policies differ. Every colour has a
contrast of at least 3 to 1 against its background, as WCAG asks of the lines of a chart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

LIGHT_PAGE, DARK_PAGE = "#ffffff", "#16191d"
# Okabe and Ito's hues, those darkened or lightened that would be faint on the background.
LIGHT = (
    *("#0072B2", "#D55E00", "#008A64", "#B8559A", "#A87400"),
    *("#3D8FC7", "#33373B", "#8C4A3F", "#7A7F00"),
)
DARK = (
    *("#4FA8E0", "#FF8A3D", "#2CC295", "#E08CC3", "#E5B23A"),
    *("#8FD0F7", "#D5D9DE", "#D2968A", "#C3C84A"),
)
DASHES = ((1, 0), (6, 2.5), (1.5, 2), (8, 2, 1.5, 2))
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "triangle-right")
HEX = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True)
class Look:
    """The policy `key` (p0, p1, ... in the order of the legend) as the charts name it."""

    key: str
    policy: str
    label: str
    light: str
    dark: str
    dash: tuple[float, ...]
    shape: str


def looks(policies: Mapping[str, Mapping[str, str]]) -> dict[str, Look]:
    """Policy id -> look; labels that are the same get their id behind them."""
    labels = [str(entry.get("label", name)) for name, entry in policies.items()]
    result = {}
    for i, (name, entry) in enumerate(policies.items()):
        label = labels[i] if labels.count(labels[i]) == 1 else f"{labels[i]} ({name})"
        own = _hex(entry.get("colour", ""))
        result[name] = Look(
            f"p{i}",
            name,
            label,
            own or LIGHT[i % len(LIGHT)],
            own or DARK[i % len(DARK)],
            DASHES[i % len(DASHES)],
            SHAPES[i % len(SHAPES)],
        )
    return result


def _hex(colour: str) -> str:
    """A config's colour, by name or number, as #rrggbb; nothing where it is no colour."""
    if not colour or HEX.fullmatch(colour):
        return colour
    from matplotlib.colors import to_hex

    try:
        return to_hex(colour)
    except ValueError:
        return ""
