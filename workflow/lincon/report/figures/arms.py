"""Every arm as a point: what it adds to the dearest constraint, and what it earns or costs."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import labels, parts
from lincon.report.figures.style import PAGE, plt, width
from lincon.report.palette import FAINT, HUES, KEPT, KEPT_SIDE, MISSED
from lincon.report.sentences import finding
from lincon.report.text import listed

OPTIMAL = HUES[0][0]
# More points than this are stored as pixels: a PDF of a million marks has 15 MB.
RASTER = 3_000


def arms(results: Results) -> Figure:
    """With one constraint, also the envelope, which meets the bound at the optimum."""
    problem, bound = results.problem, view.dearest(results.problem)
    what, sign = view.counted_in(problem)
    amount = results.theory[f"amount_{bound.j}"].to_numpy(dtype=float)
    reward = results.scale * results.theory["reward"].to_numpy(dtype=float)
    points = np.column_stack([amount, sign * reward])
    figure, axes = plt.subplots(figsize=(width(0.8 * PAGE), 3.0))
    many = len(amount) > RASTER
    style: dict[str, Any] = {"ms": 2.6, "mew": 0, "color": FAINT[0]}
    axes.plot(*points.T, "," if many else "o", alpha=0.55, rasterized=many, **style)
    axes.plot([], [], "o", label="arms", **style)
    axes.set_xlabel("event probability \u03bc" if bound.paper else f"{bound.name} per play")
    axes.set_ylabel(parts.in_unit(f"expected {what} per play", results.unit))
    axes.set_xlim(*parts.padded(np.append(amount, bound.bound), 0.08))
    axes.set_ylim(*parts.padded(points[:, 1], 0.12))
    lines = [labels.along(np.full(2, bound.bound), np.array(axes.get_ylim()), 40)]
    if len(view.bounds(problem)) == 1 and bound.at_least:
        hull = points[envelope(amount, reward)]
        axes.plot(*hull.T, color=KEPT, lw=1, label="envelope", zorder=3)
        lines.append(labels.along(*hull.T))
    axes.axvline(bound.bound, color=MISSED, lw=1, ls="--", label=bound.text, zorder=1)
    edge = axes.get_xlim()[1 if bound.at_least else 0]
    axes.axvspan(bound.bound, edge, color=KEPT_SIDE, zorder=0, linewidth=0)
    support, shares = list(problem.support), np.array(problem.shares)
    if support:
        style = {"zorder": 4, "linestyle": "none", "ms": 5, "mec": OPTIMAL}
        axes.plot(*points[support].T, "o", mfc=OPTIMAL, label="optimal arms", **style)
        mixed = shares @ points[support]
        axes.plot(*mixed, "D", mfc="white", mew=1.3, label="their mixture", **style)
    parts.plain_numbers(axes)
    parts.finish(figure, results, _finding(results), axes)
    texts = [
        parts.wrapped(f"{results.arms.label[arm]} ({share:.0%})", 28)
        for arm, share in zip(support, shares, strict=True)
    ]
    names = [(text, OPTIMAL, False) for text in texts]
    labels.around(axes, points[support], names, np.concatenate(lines))
    return figure


def _finding(results: Results) -> str:
    problem = results.problem
    if not problem.feasible:
        return finding(results)
    shares = [f"{share:.0%}" for share in problem.shares]
    if len(shares) == 1:
        binds = "" if problem.binds else ", and no constraint binds"
        return f"one arm is optimal{binds}"
    return f"the optimum mixes {len(shares)} arms, {listed(shares)}"


def envelope(mean: np.ndarray, reward: np.ndarray) -> np.ndarray:
    """The arms on the upper concave envelope, from the largest mean to the best reward."""
    order = np.lexsort((-reward, -mean))
    before = np.maximum.accumulate(np.append(-np.inf, reward[order][:-1]))
    hull: list[int] = []
    # Only arms that earn more than all of larger means: among a million these are few.
    for arm in order[reward[order] > before]:
        while len(hull) > 1 and _is_below(mean, reward, hull[-2], hull[-1], arm):
            hull.pop()
        hull.append(int(arm))
    return np.array(hull)


def _is_below(mean: np.ndarray, reward: np.ndarray, right: int, middle: int, left: int) -> bool:
    run, rise = mean[left] - mean[right], reward[left] - reward[right]
    return (reward[middle] - reward[right]) * run >= rise * (mean[middle] - mean[right])
