"""Every arm as a point: what it adds to the dearest constraint, and what it earns."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import labels, parts, scales
from lincon.report.figures.style import PAGE, plt, width
from lincon.report.palette import FAINT, HUES, KEPT, KEPT_SIDE, MISSED
from lincon.report.sentences import finding
from lincon.report.text import listed
from lincon.report.view import Bound

OPTIMAL = HUES[0][0]
# More points than this are stored as pixels: a PDF of a million marks has 15 MB.
RASTER = 3_000


def arms(results: Results) -> Figure:
    """With one constraint, also the upper envelope, which meets the bound at the optimum."""
    problem, bound = results.problem, view.dearest(results.problem)
    amount = results.theory[f"amount_{bound.j}"].to_numpy(dtype=float)
    reward = results.factor("reward") * results.theory["reward"].to_numpy(dtype=float)
    figure, axes = plt.subplots(figsize=(width(0.8 * PAGE), 3.0))
    many = len(amount) > RASTER
    axes.plot(
        amount, reward, "," if many else "o", ms=2.6, mew=0, color=FAINT[0], alpha=0.55,
        rasterized=many, label="_nolegend_",
    )  # fmt: skip
    axes.plot([], [], "o", ms=2.6, mew=0, color=FAINT[0], label="arms")
    lines = [np.empty((0, 2))]
    if len(view.bounds(problem)) == 1 and bound.at_least:
        hull = upper_envelope(amount, reward)
        axes.plot(amount[hull], reward[hull], color=KEPT, lw=1, label="envelope", zorder=3)
        lines.append(labels.along(amount[hull], reward[hull]))
    unit = results.unit_of("reward")
    axes.set(
        xlabel="event probability \u03bc" if bound.paper else f"{bound.name} per play",
        ylabel=f"expected reward per play{f', {unit}' if unit else ''}",
    )
    axes.set_xlim(*scales.padded(np.append(amount, bound.bound), 0.08))
    axes.set_ylim(*scales.padded(reward, 0.12))
    lines.append(labels.along(np.full(2, bound.bound), np.array(axes.get_ylim()), 40))
    _bound(axes, bound)
    _optimum(axes, amount, reward, results)
    scales.plain_numbers(axes)
    parts.finish(figure, results, _finding(results), axes)
    _name_optimal(figure, axes, results, np.column_stack([amount, reward]), np.concatenate(lines))
    return figure


def _bound(axes: Axes, bound: Bound) -> None:
    """The line of the bound, with the side that keeps it shaded."""
    axes.axvline(bound.bound, color=MISSED, lw=1, ls="--", label=bound.text, zorder=1)
    edge = axes.get_xlim()[1 if bound.at_least else 0]
    axes.axvspan(bound.bound, edge, color=KEPT_SIDE, zorder=0, linewidth=0)


def _optimum(axes: Axes, amount: np.ndarray, reward: np.ndarray, results: Results) -> None:
    support, shares = list(results.problem.support), list(results.problem.shares)
    if not support:
        return
    style: dict[str, Any] = {"zorder": 4, "linestyle": "none", "ms": 5}
    axes.plot(amount[support], reward[support], "o", color=OPTIMAL, label="optimal arms", **style)
    at = (np.dot(shares, amount[support]), np.dot(shares, reward[support]))
    axes.plot(*at, "D", mfc="white", mec=OPTIMAL, mew=1.3, label="their mixture", **style)


def _finding(results: Results) -> str:
    problem = results.problem
    if not problem.feasible:
        return finding(results)
    shares = [f"{share:.0%}" for share in problem.shares]
    if len(shares) == 1:
        binds = "" if any(problem.binding) else ", and no constraint binds"
        return f"one arm is optimal{binds}"
    return f"the optimum mixes {len(shares)} arms, {listed(shares)}"


def _name_optimal(
    figure: Figure, axes: Axes, results: Results, points: np.ndarray, avoid: np.ndarray
) -> None:
    """The optimal arms by name, with their shares, once the layout is known."""
    support = list(results.problem.support)
    if not support:
        return
    figure.draw_without_rendering()
    names = [
        parts.wrapped(f"{results.arms.label[arm]} ({share:.0%})", 28)
        for arm, share in zip(support, results.problem.shares, strict=True)
    ]
    labels.around(axes, points[support], names, [OPTIMAL] * len(support), 7, avoid)


def upper_envelope(mean: np.ndarray, reward: np.ndarray) -> np.ndarray:
    """The arms on the upper concave envelope, from the best reward to the largest mean."""
    candidates = _above_the_chord(mean, reward)
    order = candidates[np.lexsort((-reward[candidates], mean[candidates]))]
    hull: list[int] = []
    for arm in order:
        while len(hull) > 1 and _is_below(mean, reward, hull[-2], hull[-1], arm):
            hull.pop()
        hull.append(int(arm))
    best = max(range(len(hull)), key=lambda k: (reward[hull[k]], mean[hull[k]]))
    return np.array(hull[best:])


def _above_the_chord(mean: np.ndarray, reward: np.ndarray) -> np.ndarray:
    """Arms on or above the line from the best reward to the largest mean: the others are below it.

    Among a million arms these are few.
    """
    left = np.lexsort((-mean, -reward))[0]
    right = np.lexsort((-reward, -mean))[0]
    run, rise = mean[right] - mean[left], reward[right] - reward[left]
    height = (reward - reward[left]) * run - rise * (mean - mean[left])
    return np.flatnonzero((mean >= mean[left]) & (height >= -1e-15))


def _is_below(mean: np.ndarray, reward: np.ndarray, left: int, middle: int, right: int) -> bool:
    run, rise = mean[right] - mean[left], reward[right] - reward[left]
    return (reward[middle] - reward[left]) * run <= rise * (mean[middle] - mean[left])
