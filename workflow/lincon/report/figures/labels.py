"""Names around points, without overlaps."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation

from lincon.report.figures.style import points as font

# Where a label may go around its point, the best direction first, and where points are crowded
# further and further away (in points), at the end of a line.
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
PLACES = np.array([(x * gap, y * gap) for gap in (5, 12, 20, 30, 42, 56) for x, y in AROUND])
HALO = [withStroke(linewidth=2.0, foreground="white")]


def around(
    axes: Axes, points: np.ndarray, names: Sequence[str], colours: Sequence[str], avoid: np.ndarray
) -> list[Annotation]:
    """Write names in their colours beside points, one after the other, where they overlap least.

    `points` and `avoid` are (n, 2) in data units; no label should lie on what is to be avoided.
    """
    figure: Any = axes.figure
    figure.draw_without_rendering()  # the layout has to be settled
    scale, small = figure.dpi / 72.0, 0.833 * font()
    pixels = axes.transData.transform(points)
    inside = np.array([axes.get_window_extent().extents])
    clear = np.vstack([pixels, axes.transData.transform(avoid)])
    taken, named, drawn = np.hstack([clear - 3.0, clear + 3.0]), np.empty((0, 4)), []
    sides = (1 - np.sign(PLACES)) / 2  # which part of the label is at the place
    for point, pixel, name, colour in zip(points, pixels, names, colours, strict=True):
        lines = name.split("\n")
        extent = np.array([0.62 * max(map(len, lines)), 1.25 * len(lines)]) * small * scale
        corners = pixel + scale * PLACES - sides * extent
        boxes = np.hstack([corners, corners + extent])
        outside = np.prod(extent) - _covered(boxes, inside)
        costs = _covered(boxes, taken) + 3.0 * outside + 30.0 * _covered(boxes, named)
        best = int(np.argmin(costs + 0.5 * np.arange(len(PLACES))))
        named = np.vstack([named, boxes[best]])
        leader = {"arrowstyle": "-", "lw": 0.5, "shrinkA": 1, "shrinkB": 2, "color": colour}
        far = best >= len(AROUND)
        drawn.append(axes.annotate(
            name, point, PLACES[best], textcoords="offset points", fontsize="small", color=colour,
            ha=("left", "center", "right")[int(2 * sides[best, 0])],
            va=("bottom", "center", "top")[int(2 * sides[best, 1])],
            annotation_clip=False, in_layout=False, zorder=6, path_effects=HALO, linespacing=1.0,
            arrowprops=leader | {"relpos": sides[best]} if far else None,
        ))  # fmt: skip
    return drawn


def along(xs: Any, ys: Any, count: int = 60) -> np.ndarray:
    """Points along a line, for labels to keep off."""
    where, steps = np.linspace(0.0, len(xs) - 1.0, count), np.arange(len(xs))
    return np.column_stack([np.interp(where, steps, xs), np.interp(where, steps, ys)])


def _covered(boxes: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """The area of each box that others take, each as left, bottom, right, top."""
    low = np.maximum(boxes[:, None, :2], taken[:, :2])
    high = np.minimum(boxes[:, None, 2:], taken[:, 2:])
    return np.prod(np.clip(high - low, 0.0, None), axis=2).sum(axis=1)
