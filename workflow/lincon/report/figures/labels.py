"""Names around points, without overlaps."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation

from lincon.report.figures.style import size

# Where a label may go around its point: the best direction first, and where points are crowded
# further and further away (in points), at the end of a line.
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
NEAR = len(AROUND)
# An offset, and which part of the label is there (0 its left or bottom, 1 its right or top).
PLACES = np.array(
    [
        (right * gap, up * gap, (1 - right) / 2, (1 - up) / 2)
        for gap in (5.0, 12.0, 20.0, 30.0, 42.0, 56.0)
        for right, up in AROUND
    ]
)
HALO = [withStroke(linewidth=2.0, foreground="white")]


def around(
    axes: Axes, points: np.ndarray, names: Sequence[tuple[str, str]], avoid: np.ndarray
) -> list[Annotation]:
    """Write names in their colours beside points, one after the other, where they overlap least.

    `points` and `avoid` are (n, 2) in data units; no label should lie on what is to be avoided.
    """
    figure: Any = axes.figure
    figure.draw_without_rendering()  # the layout has to be settled
    pixels = axes.transData.transform(points)
    clear = np.vstack([pixels, axes.transData.transform(avoid)])
    drawn = []
    for point, (name, colour), place in zip(
        points, names, _places(axes, pixels, [name for name, _ in names], clear), strict=True
    ):
        dx, dy, across, up = PLACES[place]
        leader = {"arrowstyle": "-", "lw": 0.5, "shrinkA": 1, "shrinkB": 2}
        leader |= {"color": colour, "relpos": (across, up)}
        text = axes.annotate(
            name, point, (dx, dy), textcoords="offset points", fontsize=size(6.5), color=colour,
            ha=("left", "center", "right")[int(2 * across)],
            va=("bottom", "center", "top")[int(2 * up)],
            annotation_clip=False, in_layout=False, zorder=6, path_effects=HALO, linespacing=1.0,
            arrowprops=None if place < NEAR else leader,
        )  # fmt: skip
        drawn.append(text)
    return drawn


def _places(axes: Axes, pixels: np.ndarray, names: Sequence[str], clear: np.ndarray) -> list[int]:
    """The place of each label."""
    scale = axes.figure.dpi / 72.0
    inside = np.array([axes.get_window_extent().extents])
    taken, named = np.hstack([clear - 3.0, clear + 3.0]), np.empty((0, 4))
    chosen = []
    for pixel, name in zip(pixels, names, strict=True):
        lines = name.split("\n")
        extent = np.array([0.62 * max(map(len, lines)), 1.25 * len(lines)]) * size(6.5) * scale
        corners = pixel + scale * PLACES[:, :2] - PLACES[:, 2:] * extent
        boxes = np.hstack([corners, corners + extent])
        outside = np.prod(extent) - _covered(boxes, inside)
        costs = _covered(boxes, taken) + 3.0 * outside + 0.5 * np.arange(len(PLACES))
        # No label on another, no leader through a label, no label on a leader.
        leaders = pixel + scale * PLACES[:, None, :2] * np.linspace(0.0, 1.0, 20)[:, None]
        across = leaders[:, :, None, :]
        struck = ((across > named[:, :2]) & (across < named[:, 2:])).all(axis=3)
        costs += 100.0 * struck.sum(axis=(1, 2)) + 30.0 * _covered(boxes, named)
        best = int(np.argmin(costs))
        chosen.append(best)
        taken, named = np.vstack([taken, boxes[best]]), np.vstack([named, boxes[best]])
        if best >= NEAR:
            taken = np.vstack([taken, np.hstack([leaders[best] - 1.5, leaders[best] + 1.5])])
    return chosen


def along(xs: np.ndarray, ys: np.ndarray, count: int = 60) -> np.ndarray:
    """Points along a line, for labels to keep off."""
    where, steps = np.linspace(0.0, len(xs) - 1.0, count), np.arange(len(xs))
    return np.column_stack([np.interp(where, steps, xs), np.interp(where, steps, ys)])


def _covered(boxes: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """The area of each box that others take, each as left, bottom, right, top."""
    low = np.maximum(boxes[:, None, :2], taken[:, :2])
    high = np.minimum(boxes[:, None, 2:], taken[:, 2:])
    return np.prod(np.clip(high - low, 0.0, None), axis=2).sum(axis=1)
