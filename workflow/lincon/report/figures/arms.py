"""Every arm by what it adds to the constraint and what it earns, with the optimum."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.report.figures import labels, parts
from lincon.report.figures.style import PAGE, plt, width
from lincon.report.palette import FAINT, INK, KEPT_SIDE
from lincon.report.text import listed
from lincon.report.words import dearest, earnings, promise

# More points than this are stored as pixels: a PDF of a million marks has 15 MB.
RASTER = 3_000
# An axis on which half of the arms have less than this share of the largest is a square root.
CRUSHED = 0.15


def arms(results: Results) -> Figure:
    """Optimal arms are named with their shares; their mixture meets the threshold."""
    problem, bound = results.problem, dearest(results.problem)
    (what, sign), table = earnings(problem), results.theory
    threshold, at_least = bound.constraint.bound, bound.constraint.sense == "at_least"
    amount = table[f"amount_{bound.j}"].to_numpy()
    reward = results.arms.scale * table["reward"].to_numpy()
    points = np.column_stack([amount, sign * reward])
    figure, axes = plt.subplots(figsize=(width(0.8 * PAGE), 3.0))
    many = len(points) > RASTER
    style: dict[str, Any] = {"mew": 0, "color": FAINT, "rasterized": many}
    axes.plot(*points.T, "," if many else "o", ms=2.6, alpha=0.6, **style)
    axes.plot([], [], "o", label="arms", ms=2.6, mew=0, color=FAINT)
    axes.set_xlabel("event probability \u03bc" if bound.floor else f"{bound.name} per play")
    axes.set_ylabel(parts.per_play(f"expected {what}", results))
    parts.plain_numbers(axes)
    _scale(axes, "x", np.append(amount, threshold))
    _scale(axes, "y", points[:, 1])
    lines = [labels.along((threshold, threshold), axes.get_ylim(), 40)]
    support, shares = list(problem.support), np.array(problem.shares)
    if len(support) == 2 and not results.arms.kinds:  # a line, which is curved on root axes
        lines.append(labels.along(points[support][:, 0], points[support][:, 1], 100))
        axes.plot(*lines[-1].T, color=INK, lw=0.9, label="mixtures of two arms", zorder=3)
    axes.axvline(threshold, color=INK, lw=0.9, ls=(0, (5, 2)), label=bound.promise, zorder=1)
    edge = axes.get_xlim()[1 if at_least else 0]
    axes.axvspan(threshold, edge, color=KEPT_SIDE, zorder=0, linewidth=0)
    if support:
        style = {"zorder": 4, "linestyle": "none", "ms": 5, "mec": INK}
        axes.plot(*points[support].T, "o", mfc=INK, label="optimal arms", **style)
        # Shares are of the requests of a kind.
        weights = shares * results.arms.kind_shares[results.arms.kind[support]]
        axes.plot(*(weights @ points[support]), "D", mfc="white", mew=1.3, label="mixture", **style)
    parts.framed(figure, _finding(results), [results], axes.get_legend_handles_labels()[0])
    names = [
        f"{parts.wrapped(results.arms.names[arm], 18, 3)} ({share:.0%})"
        for arm, share in zip(support, shares, strict=True)
    ]
    if names:
        labels.around(axes, points[support], names, [INK] * len(names), np.concatenate(lines))
    return figure


def _scale(axes: Axes, which: str, values: np.ndarray) -> None:
    """A square-root axis where most points would be crushed at the origin."""
    top = float(values.max())
    if values.min() >= 0.0 and np.median(values) < CRUSHED * top:
        parts.root_axis(axes, which, top)
        axes.set(**{f"{which}lim": (0.0, 1.12 * top)})
    else:
        low, high = parts.padded(values, 0.1)
        low = max(low, -0.02 * top) if values.min() >= 0.0 else low
        axes.set(**{f"{which}lim": (low, high)})


def _finding(results: Results) -> str:
    problem, title = results.problem, results.title
    if not problem.feasible:
        return f"{title}: no mixture of arms keeps {promise(problem)}"
    if results.arms.kinds:
        return f"{title}: {_split(results)}"
    shares = [f"{share:.0%}" for share in problem.shares]
    if results.arms.kinds:
        return f"{title}: the optimum plays {len(shares)} arms in {len(problem.kinds)} kinds"
    if len(shares) == 1:
        return f"{title}: one arm is optimal" + ("" if problem.binds else "; no constraint binds")
    return f"{title}: the optimum mixes {len(shares)} arms, {listed(shares)}"


def _split(results: Results) -> str:
    """Between which arms the optimum splits the requests of a kind."""
    arms, problem = results.arms, results.problem
    of_kind: dict[str, list[str]] = {}
    for arm, share in zip(problem.support, problem.shares, strict=True):
        of_kind.setdefault(arms.kinds[arms.kind[arm]], []).append(
            f"{arms.label[arm]} ({share:.0%})"
        )
    texts = [f"{kind} between {listed(names)}" for kind, names in of_kind.items() if len(names) > 1]
    if not texts:
        return "in the optimum every kind has one arm"
    return f"the optimum splits {listed(texts)}"
