"""Names beside what they name: at the ends of curves, and around points, without overlaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from lincon.report.figures.parts import others, wrapped
from lincon.report.figures.style import size
from lincon.report.palette import FAINT, Look

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


def spread(places: np.ndarray, heights: np.ndarray, low: float, high: float) -> np.ndarray:
    """The nearest places (least squares) in their order that do not overlap, from low to high.

    With each place less what the labels below it need, this is a monotone regression: neighbours
    that collide are pooled.
    """
    order = np.argsort(places, kind="stable")
    tall = heights[order]
    needed = np.concatenate([[0.0], np.cumsum((tall[1:] + tall[:-1]) / 2.0)])
    blocks: list[list[float]] = []
    for value in places[order] - needed:
        blocks.append([value, 1.0])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            last, weight = blocks.pop()
            before = blocks[-1]
            before[0] = (before[0] * before[1] + last * weight) / (before[1] + weight)
            before[1] += weight
    pooled = np.concatenate([np.full(int(weight), value) for value, weight in blocks]) + needed
    # Down from the top, then up from the bottom, none pushed further than it must be.
    gaps = np.diff(needed)
    pooled[-1] = min(pooled[-1], high)
    for i in range(len(pooled) - 2, -1, -1):
        pooled[i] = min(pooled[i], pooled[i + 1] - gaps[i])
    pooled[0] = max(pooled[0], low)
    for i, gap in enumerate(gaps):
        pooled[i + 1] = max(pooled[i + 1], pooled[i] + gap)
    result = np.empty(len(places))
    result[order] = pooled
    return result


def at_ends(
    axes: Axes, rows: pd.DataFrame, looks: Mapping[str, Look], height: float,
    points: float = 6.5, letters: int = 20, x: str = "t", muted: bool = False,
) -> None:  # fmt: skip
    """Name each curve where it ends, at the right; `height` of the axes is in inches.

    Grey curves have one name together unless `muted` asks for each. Call it when the limits of
    the axes are set.
    """
    last = rows[rows[x] == rows[x].max()].set_index("policy")["mean"]
    ends = [
        (wrapped(look.label, letters), look.ink, float(last[policy]))
        for policy, look in looks.items()
        if policy in last.index and np.isfinite(last[policy]) and (muted or not look.muted)
    ]
    grey = last[[p for p, look in looks.items() if look.muted and p in last.index]].dropna()
    if len(grey) and not muted:
        ends.append((others(len(grey)), FAINT[0], float(grey.median())))
    if not ends:
        return
    low, high = axes.get_ylim()
    scaled = axes.transScale + axes.transLimits
    where = np.array([[rows[x].max(), min(max(y, low), high)] for _, _, y in ends], dtype=float)
    true = scaled.transform(where)[:, 1]
    line = 1.2 * size(points) / 72.0 / height
    if line * sum(1 + text.count("\n") for text, _, _ in ends) > 1.1:
        ends = [(wrapped(t.replace("\n", " "), letters, 1), ink, y) for t, ink, y in ends]
    tall = np.array([line * (1 + text.count("\n")) for text, _, _ in ends])
    tall *= min(1.0, 1.1 / tall.sum())
    for (text, colour, _), end, place in zip(
        ends, true, spread(true, tall, 0.0, 1.05), strict=True
    ):
        axes.annotate(
            text, (1.0, end), (9, place), xycoords="axes fraction",
            # In points, as the layout would have to guess a share of a width that it sets itself.
            textcoords=("offset points", "axes fraction"), fontsize=size(points), color=colour,
            va="center", linespacing=1.0, annotation_clip=False,
            arrowprops=LEADER | {"color": colour},
        )  # fmt: skip


def around(
    axes: Axes,
    points: np.ndarray,
    names: Sequence[str],
    colours: Sequence[str],
    font: float = 6.5,
    avoid: np.ndarray | None = None,
    optional: Sequence[bool] | None = None,
) -> None:
    """Name points, each where its label overlaps least; the layout has to be settled before.

    `avoid` has further points that no label should lie on. Names that are `optional` are left out
    where there is no room for them right beside their point.
    """
    inside = axes.get_window_extent()
    scale = axes.figure.dpi / 72.0
    pixels = axes.transData.transform(points)
    kept_clear = pixels if avoid is None else [*pixels, *axes.transData.transform(avoid)]
    taken = [(x - 3, y - 3, x + 3, y + 3) for x, y in kept_clear]
    spare = optional or [False] * len(names)
    for (x, y), point, name, colour, may_go in zip(
        pixels, points, names, colours, spare, strict=True
    ):
        lines = name.split("\n")
        wide = 0.56 * size(font) * max(map(len, lines)) * scale
        high = 1.15 * size(font) * len(lines) * scale
        boxes = [_box(x, y, place, wide, high, scale) for place in PLACES]
        costs = [_cost(box, taken, inside) + 0.5 * i for i, box in enumerate(boxes)]
        best = int(np.argmin(costs))
        if may_go and (best >= NEAR or costs[best] > NEAR):
            continue
        taken.append(boxes[best])
        offset, ha, va = PLACES[best]
        # From the corner or the side of the name that is next to its point.
        corner = (float(ha == "right"), {"bottom": 0.0, "center": 0.5, "top": 1.0}[va])
        leader = LEADER | {"color": colour, "relpos": corner, "shrinkB": 2}
        axes.annotate(
            name, point, offset, textcoords="offset points", fontsize=size(font), color=colour,
            ha=ha, va=va, annotation_clip=False, in_layout=False, zorder=6, path_effects=HALO,
            linespacing=1.0, arrowprops=None if best < NEAR else leader,
        )  # fmt: skip


def along(xs: np.ndarray, ys: np.ndarray, count: int = 60) -> np.ndarray:
    """Points along a line, for labels to keep off."""
    where = np.linspace(0.0, len(xs) - 1.0, count)
    steps = np.arange(len(xs))
    return np.column_stack([np.interp(where, steps, xs), np.interp(where, steps, ys)])


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
