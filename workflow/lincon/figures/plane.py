"""The regret-violation plane: one mark a policy, an ellipse for the spread of its runs."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from matplotlib.ticker import MaxNLocator

from lincon.analysis.results import Results
from lincon.analysis.text import number
from lincon.figures import drawing, labels, scales
from lincon.figures.drawing import PAGE, Look
from lincon.figures.of_results import finish, looks_of
from lincon.figures.theory import NO_OPTIMUM

LINE = "#9A9A9A"
DEVIATIONS = 2.0
# Policies whose composite regret is beyond so many times the median leave a second, closer view.
FAR = 4.0


def plane(results: Results) -> Figure:
    """Signed regret against signed violation at T (expected), with lines of equal R + lambda* V.

    Below a line is better; along it, reward has been traded for violations at the market's price.
    """
    looks = looks_of(results)
    if not results.problem.feasible:
        figure, axes = drawing.plt.subplots(figsize=(drawing.width(0.75 * PAGE), 3.4))
        drawing.no_data(axes, NO_OPTIMUM)
        return finish(figure, results)
    points = _points(results)
    near = _near(points)
    whole = len(near) == len(points)
    count = 1 if whole else 2
    lines, columns = (count, 1) if drawing.narrow() else (1, count)
    figure, panels = drawing.plt.subplots(
        lines,
        columns,
        figsize=(drawing.width(PAGE if count == 2 else 0.75 * PAGE), 3.6 * lines),
    )
    panels = np.atleast_1d(panels)
    _view(panels[0], points, points, results, looks)
    note = "dashed: equal composite regret R + λ* V"
    # Above the axes, where no name can come to lie on it.
    panels[0].set_title(note, loc="right", fontsize=drawing.size(6.5), color="#666666")
    if not whole:
        panels[0].set_title("all policies")
        panels[1].set_title(f"the nearest {len(near)}")
        _view(panels[1], points, near, results, looks)
    finish(figure, results)
    figure.draw_without_rendering()
    far = points[~points.index.isin(near.index)] if not whole else points
    _names(panels[0], far, looks)
    if not whole:
        _names(panels[1], near, looks)
    return figure


def _points(results: Results) -> pd.DataFrame:
    """Per policy: means, the covariance of its runs, and its composite regret."""
    rows = {}
    for policy, runs in results.outcomes.groupby("policy"):
        xy = runs[["signed_violation_expected", "signed_regret_expected"]].to_numpy(dtype=float)
        spread = np.cov(xy.T) if len(xy) > 1 else np.zeros((2, 2))
        x, y = xy.mean(axis=0)
        composite = runs["composite_expected"].mean()
        rows[policy] = {"x": x, "y": y, "composite": composite, "spread": spread}
    return pd.DataFrame.from_dict(rows, orient="index")


def _near(points: pd.DataFrame) -> pd.DataFrame:
    """Those in a window around the origin that holds about half of the policies."""
    reach = np.maximum(
        np.abs(points["x"]) / max(np.median(np.abs(points["x"])), 1e-9),
        np.abs(points["y"]) / max(np.median(np.abs(points["y"])), 1e-9),
    )
    near = points[reach <= FAR]
    spans = [np.ptp(points[axis]) > 2.0 * max(np.ptp(near[axis]), 1e-9) for axis in ("x", "y")]
    return near if any(spans) and len(near) > 1 else points


def _view(
    axes: Axes,
    points: pd.DataFrame,
    within: pd.DataFrame,
    results: Results,
    looks: Mapping[str, Look],
) -> None:
    axes.set(xlabel="violation at T:  T η - events", ylabel="regret at T:  T r* - reward")
    xs, ys = (_ends(within, axis, k) for k, axis in enumerate(("x", "y")))
    axes.set_xlim(*scales.padded(xs, 0.14))
    axes.set_ylim(*scales.padded(ys, 0.14))
    axes.axhline(0.0, color="black", linewidth=0.6)
    axes.axvline(0.0, color="black", linewidth=0.6)
    axes.grid(False)
    _equal_composite(axes, results.problem.price or 0.0)
    for policy, row in points.iterrows():
        look = looks[policy]
        _ellipse(axes, row, look)
        mark = "D" if look.reference else "o"
        colour = "#8A8A8A" if look.muted else look.colour
        axes.plot(row["x"], row["y"], mark, color=colour, ms=5, mec="white", mew=0.6, zorder=5)
    scales.plain_numbers(axes)


def _ends(points: pd.DataFrame, axis: str, k: int) -> np.ndarray:
    error = np.array([DEVIATIONS * np.sqrt(each[k, k]) for each in points["spread"]])
    return np.concatenate([points[axis] - error, points[axis] + error, [0.0]])


def _ellipse(axes: Axes, row: pd.Series, look: Look) -> None:
    """Two standard deviations of the runs in every direction."""
    # The eigenvectors of a symmetric 2 x 2 matrix; LAPACK's depend on the processor.
    (a, b), (_, c) = np.asarray(row["spread"], dtype=float).tolist()
    middle, radius = (a + c) / 2.0, math.hypot((a - c) / 2.0, b)
    wide, high = (
        2.0 * DEVIATIONS * math.sqrt(max(x, 0.0)) for x in (middle + radius, middle - radius)
    )
    angle = math.degrees(0.5 * math.atan2(2.0 * b, a - c))
    style = {"facecolor": look.colour, "edgecolor": look.colour, "linewidth": 0.6, "alpha": 0.22}
    axes.add_patch(Ellipse((row["x"], row["y"]), wide, high, angle=angle, zorder=3, **style))


def _equal_composite(axes: Axes, price: float) -> None:
    """Lines R + lambda* V = c for round c, each with its c where it leaves the axes."""
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    corners = [y + price * x for x in (x0, x1) for y in (y0, y1)]
    levels = MaxNLocator(7, steps=[1, 2, 2.5, 5, 10]).tick_values(min(corners), max(corners))
    for level in levels:
        if level < 0.0 or not min(corners) < level < max(corners):
            continue
        xs = np.array([x0, x1])
        axes.plot(
            xs, level - price * xs, color=LINE, linewidth=0.6, linestyle=(0, (3, 2)), zorder=1
        )
        x = x0 + 0.01 * (x1 - x0)
        y = level - price * x
        if not y0 < y < y1 - 0.04 * (y1 - y0):
            continue
        axes.text(
            x, y, number(level), fontsize=drawing.size(6), color="#777777", va="bottom", zorder=2
        )


def _names(axes: Axes, points: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    if points.empty:
        return
    named = points.sort_values("composite")
    xy = named[["x", "y"]].to_numpy(dtype=float)
    names = [drawing.shortened(looks[policy].label, 22) for policy in named.index]
    colours = ["#666666" if looks[p].muted else looks[p].colour for p in named.index]
    labels.around(axes, xy, names, colours)
