"""Every arm as a point, the upper envelope, the line mean = eta and the optimal mixture."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.figures import drawing, labels, scales
from lincon.figures.of_results import finish
from lincon.problem.envelope import upper_envelope
from lincon.problem.record import Problem

ARM, OPTIMAL, ENVELOPE, LINE = "#7A7A7A", "#0072B2", "#009E73", "#D55E00"
# More points than this are stored as pixels: a PDF of a million marks has 15 MB.
RASTER = 3_000


def arms(results: Results) -> Figure:
    problem, mean = results.problem, results.arms.mean
    reward = mean * results.arms.value
    figure, axes = drawing.plt.subplots(figsize=(drawing.width(4.6), 3.6))
    many = len(mean) > RASTER
    axes.plot(
        mean, reward, "," if many else "o", ms=2.6, mew=0, color=ARM, alpha=0.55,
        rasterized=many, label="_nolegend_",
    )  # fmt: skip
    axes.plot([], [], "o", ms=2.6, mew=0, color=ARM, label="arms")
    envelope = upper_envelope(mean, reward)
    axes.plot(mean[envelope], reward[envelope], color=ENVELOPE, lw=1, label="envelope", zorder=3)
    axes.axvline(
        problem.eta, color=LINE, lw=1, ls="--", label=f"\u03b7 = {problem.eta:g}", zorder=1
    )
    _mark_optimum(axes, mean, reward, problem)
    axes.set(xlabel="event probability \u03bc", ylabel="expected reward \u03bc r")
    axes.set_xlim(*scales.padded(np.append(mean, problem.eta), 0.08))
    axes.set_ylim(*scales.padded(reward, 0.12))
    scales.plain_numbers(axes)
    finish(figure, results, axes=axes)
    _name_optimal(figure, axes, results, reward)
    return figure


def _mark_optimum(axes: Axes, mean: np.ndarray, reward: np.ndarray, problem: Problem) -> None:
    if problem.optimum is None:
        axes.set_title("\u03b7 is out of reach")
        return
    support = list(problem.support)
    style: dict[str, Any] = {"zorder": 4, "linestyle": "none"}
    axes.plot(
        mean[support], reward[support], "o", ms=5, color=OPTIMAL, label="optimal arms", **style
    )
    x = sum(share * mean[arm] for arm, share in zip(support, problem.shares, strict=True))
    axes.plot(
        x, problem.optimum, "D", ms=5, mfc="white", mec=OPTIMAL, mew=1.3, label="mixture", **style
    )
    if not problem.binds:
        axes.set_title("the constraint does not bind: unconstrained")


def _name_optimal(figure: Figure, axes: Axes, results: Results, reward: np.ndarray) -> None:
    """The optimal arms by name, with their shares, once the layout is known."""
    support = list(results.problem.support)
    if not support:
        return
    figure.draw_without_rendering()
    names = [
        f"{drawing.shortened(results.arms.label[arm], 28)} ({share:.0%})"
        for arm, share in zip(support, results.problem.shares, strict=True)
    ]
    points = np.column_stack([results.arms.mean[support], reward[support]])
    labels.around(axes, points, names, [OPTIMAL] * len(support), 7, _lines(axes, results, reward))


def _lines(axes: Axes, results: Results, reward: np.ndarray) -> np.ndarray:
    """Points along the envelope and the line of the floor, for labels to keep off."""
    mean = results.arms.mean
    envelope = upper_envelope(mean, reward)
    across = np.linspace(mean[envelope[0]], mean[envelope[-1]], 60)
    along = np.column_stack([across, np.interp(across, mean[envelope], reward[envelope])])
    up = np.linspace(*axes.get_ylim(), 40)
    return np.concatenate([along, np.column_stack([np.full(40, results.problem.eta), up])])
