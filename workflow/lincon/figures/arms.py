"""Every arm as a point, the upper envelope, the line mean = eta and the optimal mixture."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.data.arms import Arms
from lincon.figures import drawing as plotting
from lincon.figures.drawing import COLUMN
from lincon.problem.record import Problem

ARM, OPTIMAL, ENVELOPE, LINE = "#7A7A7A", "#0072B2", "#009E73", "#D55E00"


def upper_envelope(mean: np.ndarray, reward: np.ndarray) -> np.ndarray:
    """The arms on the upper concave envelope, from the best reward to the largest mean."""
    order = np.lexsort((-reward, mean))
    hull: list[int] = []
    for arm in order:
        while len(hull) > 1 and _is_below(mean, reward, hull[-2], hull[-1], arm):
            hull.pop()
        hull.append(int(arm))
    best = max(range(len(hull)), key=lambda k: (reward[hull[k]], mean[hull[k]]))
    return np.array(hull[best:])


def _is_below(mean: np.ndarray, reward: np.ndarray, left: int, middle: int, right: int) -> bool:
    run, rise = mean[right] - mean[left], reward[right] - reward[left]
    return (reward[middle] - reward[left]) * run <= rise * (mean[middle] - mean[left])


def arms_figure(arms: Arms, problem: Problem, text: str) -> Figure:
    figure, axes = plotting.plt.subplots(figsize=(COLUMN, 3.3))
    reward = arms.mean * arms.value
    axes.plot(arms.mean, reward, "o", ms=2.6, mew=0, color=ARM, alpha=0.55, label="arms")
    envelope = upper_envelope(arms.mean, reward)
    axes.plot(
        arms.mean[envelope],
        reward[envelope],
        color=ENVELOPE,
        lw=1,
        label="envelope",
        zorder=1,
    )
    axes.axvline(
        problem.eta, color=LINE, lw=1, ls="--", label=f"\u03b7 = {problem.eta:g}", zorder=1
    )
    _mark_optimum(axes, arms.mean, reward, problem)
    axes.set(xlabel="event probability \u03bc", ylabel="expected reward \u03bc r")
    axes.set_xlim(*plotting.padded(np.append(arms.mean, problem.eta)))
    axes.set_ylim(*plotting.padded(reward, 0.08))
    plotting.title(figure, text, problem)
    plotting.shared_legend(figure, axes, columns=3)
    plotting.footer(figure, problem)
    return figure


def _mark_optimum(axes: Axes, mean: np.ndarray, reward: np.ndarray, problem: Problem) -> None:
    support = list(problem.support)
    axes.plot(mean[support], reward[support], "o", ms=5, color=OPTIMAL, label="optimal arms")
    x = sum(share * mean[arm] for arm, share in zip(support, problem.shares, strict=True))
    axes.plot(x, problem.optimum, "D", ms=5, mfc="white", mec=OPTIMAL, mew=1.3, label="mixture")
    if not problem.binding:
        axes.set_title("the constraint does not bind: unconstrained")
