"""Names beside what they name: at the ends of curves, and around points, without overlaps."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from lincon.figures import drawing
from lincon.figures.drawing import Look, shortened

# Where a label may go around its point, in points, with its alignment: the first is the best.
PLACES = (
    *(((5, 0), "left", "center"), ((-5, 0), "right", "center")),
    *(((0, 5), "center", "bottom"), ((0, -5), "center", "top")),
    *(((4, 4), "left", "bottom"), ((4, -4), "left", "top")),
    *(((-4, 4), "right", "bottom"), ((-4, -4), "right", "top")),
    # Where points are crowded: further and further away, at the end of a line.
    *(
        ((sign * gap, up * gap), ha, va)
        for gap in (12, 20, 30, 42, 56)
        for sign, ha in ((1, "left"), (-1, "right"))
        for up, va in ((1, "bottom"), (-1, "top"), (0, "center"))
    ),
)
NEAR = 8
# From the end of a curve to the left edge of its label.
LEADER = {"arrowstyle": "-", "lw": 0.5, "shrinkA": 1, "shrinkB": 0, "relpos": (0.0, 0.5)}
HALO = [withStroke(linewidth=2.0, foreground="white")]


def spread(places: np.ndarray, gap: float) -> np.ndarray:
    """The nearest places (least squares) that keep their order and are `gap` or more apart.

    With q_i = p_i - i gap this is a monotone regression: neighbours that collide are pooled.
    """
    order = np.argsort(places, kind="stable")
    shifted = places[order] - gap * np.arange(len(places))
    blocks: list[list[float]] = []
    for value in shifted:
        blocks.append([value, 1.0])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            value, weight = blocks.pop()
            before = blocks[-1]
            before[0] = (before[0] * before[1] + value * weight) / (before[1] + weight)
            before[1] += weight
    pooled = np.concatenate([np.full(int(weight), value) for value, weight in blocks])
    result = np.empty(len(places))
    result[order] = pooled + gap * np.arange(len(places))
    return result


def within(places: np.ndarray, low: float = 0.0, high: float = 1.05) -> np.ndarray:
    """The places, moved so that they stay inside the axes: the ticks are below."""
    order = np.argsort(places, kind="stable")
    gaps = np.diff(places[order])
    result = np.array(places, dtype=float)
    result[order[-1]] = min(result[order[-1]], high)
    # Down from the top, then up from the bottom, none pushed further than it must be.
    smallest = gaps.min() if len(gaps) else 0.0
    for upper, lower in zip(order[:0:-1], order[-2::-1], strict=True):
        result[lower] = min(result[lower], result[upper] - smallest)
    result[order[0]] = max(result[order[0]], low)
    for lower, upper in itertools.pairwise(order):
        result[upper] = max(result[upper], result[lower] + smallest)
    return result


def at_ends(
    axes: Axes,
    rows: pd.DataFrame,
    looks: Mapping[str, Look],
    height: float,
    size: float = 6.5,
    muted: bool = True,
    width: int = 24,
) -> None:
    """Name each curve where it ends, at the right; `height` of the axes is in inches.

    Call it when the limits of the axes are set.
    """
    size = drawing.size(size)
    last = rows[rows["t"] == rows["t"].max()].set_index("policy")["mean"]
    named = [
        policy
        for policy, look in looks.items()
        if policy in last.index and np.isfinite(last[policy]) and (muted or not look.muted)
    ]
    if not named:
        return
    into_axes = axes.transScale + axes.transLimits
    low, high = axes.get_ylim()
    ends = np.array([[rows["t"].max(), min(max(last[p], low), high)] for p in named], dtype=float)
    true = into_axes.transform(ends)[:, 1]
    placed = within(spread(true, min(1.25 * size / 72.0 / height, 1.05 / len(true))))
    for policy, end, place in zip(named, true, placed, strict=True):
        look = looks[policy]
        colour = "#808080" if look.muted else look.colour
        axes.annotate(
            shortened(look.label, width),
            (1.0, end),
            (9, place),
            xycoords="axes fraction",
            # In points, as the layout would have to guess a share of a width that it sets itself.
            textcoords=("offset points", "axes fraction"),
            fontsize=size,
            color=colour,
            va="center",
            annotation_clip=False,
            arrowprops=LEADER | {"color": colour},
        )


def around(
    axes: Axes,
    points: np.ndarray,
    names: Sequence[str],
    colours: Sequence[str],
    size: float = 6.5,
    avoid: np.ndarray | None = None,
) -> None:
    """Name points, each where its label overlaps least; the layout has to be settled before.

    `avoid` has further points that no label should lie on.
    """
    size = drawing.size(size)
    inside = axes.get_window_extent()
    scale = axes.figure.dpi / 72.0
    pixels = axes.transData.transform(points)
    kept_clear = pixels if avoid is None else [*pixels, *axes.transData.transform(avoid)]
    taken = [(x - 3, y - 3, x + 3, y + 3) for x, y in kept_clear]
    for (x, y), point, name, colour in zip(pixels, points, names, colours, strict=True):
        wide, high = 0.56 * size * len(name) * scale, 1.15 * size * scale
        boxes = [_box(x, y, place, wide, high, scale) for place in PLACES]
        costs = [_cost(box, taken, inside) + 0.5 * i for i, box in enumerate(boxes)]
        best = int(np.argmin(costs))
        taken.append(boxes[best])
        offset, ha, va = PLACES[best]
        # From the corner or the side of the name that is next to its point.
        corner = (float(ha == "right"), {"bottom": 0.0, "center": 0.5, "top": 1.0}[va])
        line = LEADER | {"color": colour, "relpos": corner, "shrinkB": 2}
        axes.annotate(
            name, point, offset, textcoords="offset points", fontsize=size, color=colour,
            ha=ha, va=va, annotation_clip=False, in_layout=False, zorder=6, path_effects=HALO,
            arrowprops=None if best < NEAR else line,
        )  # fmt: skip


Box = tuple[float, float, float, float]


def _box(x: float, y: float, place: tuple, wide: float, high: float, scale: float) -> Box:
    (dx, dy), ha, va = place
    x0 = x + dx * scale - {"left": 0.0, "center": 0.5, "right": 1.0}[ha] * wide
    y0 = y + dy * scale - {"bottom": 0.0, "center": 0.5, "top": 1.0}[va] * high
    return x0, y0, x0 + wide, y0 + high


def _cost(box: Box, taken: Sequence[Box], inside: Any) -> float:
    """The area that is covered already, or lies outside the axes."""
    x0, y0, x1, y1 = box
    covered = sum(
        max(0.0, min(x1, b[2]) - max(x0, b[0])) * max(0.0, min(y1, b[3]) - max(y0, b[1]))
        for b in taken
    )
    within = max(0.0, min(x1, inside.x1) - max(x0, inside.x0)) * max(
        0.0, min(y1, inside.y1) - max(y0, inside.y0)
    )
    return covered + 3.0 * ((x1 - x0) * (y1 - y0) - within)
