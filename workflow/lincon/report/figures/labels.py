"""Names beside what they name: at the ends of curves, and around points, without overlaps."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from scipy.optimize import isotonic_regression

from lincon.report.figures.parts import wrapped
from lincon.report.figures.style import narrow, size
from lincon.report.palette import FAINT, Look
from lincon.report.text import counted

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
# From the end of a curve to the left edge of its label.
LEADER = {"arrowstyle": "-", "lw": 0.5, "shrinkA": 1, "shrinkB": 0, "relpos": (0.0, 0.5)}
Names = Sequence[tuple[str, str, bool]]
HALO = [withStroke(linewidth=2.0, foreground="white")]


def spread(places: np.ndarray, heights: np.ndarray, low: float, high: float) -> np.ndarray:
    """The nearest places (least squares) in their order that do not overlap, from low to high.

    With each place less what the labels below it need, this is a monotone regression.
    """
    order = np.argsort(places, kind="stable")
    tall = heights[order]
    needed = np.concatenate([[0.0], np.cumsum((tall[1:] + tall[:-1]) / 2.0)])
    free = isotonic_regression(places[order] - needed).x
    result = np.empty(len(places))
    result[order] = np.clip(free, low, max(low, high - needed[-1])) + needed
    return result


def at_ends(
    axes: Axes, rows: pd.DataFrame, looks: Mapping[str, Look], height: float, letters: int = 15
) -> None:
    """Name each curve where it ends, at the right; `height` of the axes is in inches.

    Grey curves have one name together, and in a column a legend has all names. Call it when the
    limits of the axes are set.
    """
    last = rows[rows["t"] == rows["t"].max()].set_index("policy")["mean"].dropna()
    ends = [
        (wrapped(look.label, letters), look.ink, last[policy])
        for policy, look in looks.items()
        if policy in last.index and not look.muted
    ]
    grey = last[[policy for policy in last.index if looks[policy].muted]]
    if len(grey):
        ends.append((counted(len(grey), "other"), FAINT[0], grey.median()))
    if narrow() or not ends:
        return
    values = np.clip([y for _, _, y in ends], *axes.get_ylim())
    where = np.column_stack([np.full(len(ends), axes.get_xlim()[1]), values])
    true = (axes.transScale + axes.transLimits).transform(where)[:, 1]
    line = 1.2 * size(6.5) / 72.0 / height
    if line * sum(1 + text.count("\n") for text, _, _ in ends) > 1.1:
        ends = [(wrapped(t.replace("\n", " "), letters, 1), ink, y) for t, ink, y in ends]
    tall = np.array([line * (1 + text.count("\n")) for text, _, _ in ends])
    tall *= min(1.0, 1.1 / tall.sum())
    places = spread(true, tall, 0.0, 1.05)
    for (text, colour, _), end, place in zip(ends, true, places, strict=True):
        axes.annotate(
            text, (1.0, end), (9, place), xycoords="axes fraction",
            # In points, as the layout would have to guess a share of a width that it sets itself.
            textcoords=("offset points", "axes fraction"), fontsize=size(6.5), color=colour,
            va="center", linespacing=1.0, annotation_clip=False,
            arrowprops=LEADER | {"color": colour},
        )  # fmt: skip


def around(axes: Axes, points: np.ndarray, names: Names, avoid: np.ndarray) -> None:
    """Name points one after the other, each where its label overlaps least.

    A name has its colour, and whether it may be left out where there is no room right beside its
    point: these come last. `avoid` has further points that no label should lie on.
    """
    figure: Any = axes.figure
    figure.draw_without_rendering()  # the layout has to be settled
    pixels = axes.transData.transform(points)
    clear = np.vstack([pixels, axes.transData.transform(avoid)])
    for i, place in _places(axes, pixels, names, clear).items():
        (name, colour, _), (dx, dy, across, up) = names[i], PLACES[place]
        leader = LEADER | {"color": colour, "relpos": (across, up), "shrinkB": 2}
        axes.annotate(
            name, points[i], (dx, dy), textcoords="offset points", fontsize=size(6.5), color=colour,
            ha=("left", "center", "right")[int(2 * across)],
            va=("bottom", "center", "top")[int(2 * up)],
            annotation_clip=False, in_layout=False, zorder=6, path_effects=HALO, linespacing=1.0,
            arrowprops=None if place < NEAR else leader,
        )  # fmt: skip


def _places(axes: Axes, pixels: np.ndarray, names: Names, clear: np.ndarray) -> dict[int, int]:
    """The place of each label."""
    scale = axes.figure.dpi / 72.0
    inside = np.array([axes.get_window_extent().extents])
    taken, named = np.hstack([clear - 3.0, clear + 3.0]), np.empty((0, 4))
    chosen = {}
    for i in sorted(range(len(names)), key=lambda i: names[i][2]):
        text, _, optional = names[i]
        lines = text.split("\n")
        extent = np.array([0.56 * max(map(len, lines)), 1.15 * len(lines)]) * size(6.5) * scale
        corners = pixels[i] + scale * PLACES[:, :2] - PLACES[:, 2:] * extent
        boxes = np.hstack([corners, corners + extent])
        outside = np.prod(extent) - _covered(boxes, inside)
        costs = _covered(boxes, taken) + 3.0 * outside + 0.5 * np.arange(len(PLACES))
        # No label on another, no leader through a label, no label on a leader.
        leaders = pixels[i] + scale * PLACES[:, None, :2] * np.linspace(0.0, 1.0, 20)[:, None]
        across = leaders[:, :, None, :]
        struck = ((across > named[:, :2]) & (across < named[:, 2:])).all(axis=3)
        costs += 100.0 * struck.sum(axis=(1, 2)) + 3.0 * _covered(boxes, named)
        best = int(np.argmin(costs))
        if optional and (best >= NEAR or costs[best] > NEAR):
            continue
        chosen[i] = best
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
