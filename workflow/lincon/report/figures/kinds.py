"""With kinds of request: which arms answer each, and what three ways to keep the floor cost."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.problem.record import WAYS
from lincon.report import words
from lincon.report.figures import parts
from lincon.report.figures.style import PAGE, narrow, plt, width
from lincon.report.palette import FAINT, INK, Look
from lincon.report.text import listed

KINDS, ARMS = 4, 6
SEEN = 0.005  # of a kind's requests; smaller shares have no bar
DASHES: tuple[tuple[float, ...], ...] = ((), (1.5, 1.6), (5, 2))


def kinds(results: Results) -> Figure | None:
    """The optimal share of each arm in each kind beside what the first policy of the league played,
    and the optimum of three ways against the threshold; None without kinds."""
    arms, problem = results.arms, results.problem
    if len(arms.kinds) < 2 or not problem.feasible:
        return None
    ranked = results.ranked if len(results.ranked) else results.league
    policy = str(ranked["policy"].iloc[0])
    shown = np.argsort(-arms.kind_shares, kind="stable")[:KINDS]
    lines = len(shown) if narrow() else 1
    figure = plt.figure(figsize=(width(PAGE), 2.2 + (1.3 * lines if narrow() else 2.2)))
    grid = figure.add_gridspec(lines + 1, len(shown) // lines)
    panels = [figure.add_subplot(grid[place]) for place in range(len(shown))]
    look = parts.looks_of(results)[policy]
    for axes, k in zip(panels, np.sort(shown), strict=True):
        _shares(axes, results, policy, look, int(k))
    _ways(figure.add_subplot(grid[lines, :]), results)
    handles = [
        plt.Rectangle((0, 0), 1, 1, color=INK, label="optimal"),
        plt.Rectangle(
            (0, 0), 1, 1, color=look.colour, label=f"played by {parts.wrapped(look.label, 30, 1)}"
        ),
    ]
    return parts.framed(figure, _finding(results), [results], handles)


def _shares(axes: Axes, results: Results, policy: str, look: Look, k: int) -> None:
    """Bars of the arms of one kind, the largest shares first."""
    arms, runs = results.arms, results.outcomes[results.outcomes["policy"] == policy]
    rows = np.flatnonzero(arms.kind == k)
    optimal = np.zeros(len(arms))
    optimal[list(results.problem.support)] = results.problem.shares
    plays = np.array([runs[f"plays_{i}"].mean() for i in rows])
    played, best = plays / plays.sum(), optimal[rows]
    order = np.lexsort((-played, -best))[:ARMS]
    order = order[np.maximum(best, played)[order] > SEEN]
    at = np.arange(len(order), dtype=float)
    axes.barh(at - 0.2, best[order], 0.36, color=INK)
    bars = axes.barh(at + 0.2, played[order], 0.36, color=look.colour)
    parts.tag(policy, *bars)
    axes.set_yticks(at, [parts.wrapped(arms.label[rows[i]], 22, 1) for i in order])
    axes.set(xlim=(0.0, 1.0), ylim=(len(order) - 0.4, -0.6))
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
    axes.set_title(f"{parts.wrapped(arms.kinds[k], 16, 1)} ({arms.kind_shares[k]:.0%})")
    axes.grid(axis="y", visible=False)


def _ways(axes: Axes, results: Results) -> None:
    """The optimum of every way against the dearest constraint's threshold."""
    bound, (what, sign) = words.dearest(results.problem), words.earnings(results.problem)
    floors, *ways = np.array(results.problem.frontier, dtype=float).T
    here = len(floors) // 2
    for name, dashes, way in zip(WAYS, DASHES, ways, strict=True):
        line, colour = sign * results.arms.scale * way, FAINT if dashes else INK
        style: Any = (0, dashes) if dashes else "-"
        label = f"{name}: {line[here]:.3g}" if np.isfinite(line[here]) else f"{name}: infeasible"
        axes.plot(floors, line, label=label, color=colour, linestyle=style)
        axes.plot(floors[here], line[here], "o", ms=4, color=colour)
    axes.axvline(floors[here], color=INK, lw=0.9, ls=(0, (5, 2)), zorder=1)
    axes.set_xlabel(f"threshold of {bound.name} (marks: {floors[here]:g})")
    axes.set_ylabel(parts.wrapped(parts.per_play(f"optimal {what}", results), 24, 2))
    above: Any = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "fontsize": "small"}
    axes.legend(ncols=1 if narrow() else len(WAYS), **above)
    parts.plain_numbers(axes)


def _finding(results: Results) -> str:
    """How much better one threshold over all kinds is than the other ways."""
    now = np.array(results.problem.frontier[len(results.problem.frontier) // 2][1:], dtype=float)
    gain = (now[0] - now) / abs(now)
    better = "cheaper than" if words.earnings(results.problem)[1] < 0 else "better than"
    others = [f"{gain[k]:.0%} {better} {WAYS[k]}" for k in (1, 2) if gain[k] > SEEN]
    return f"{results.title}: {WAYS[0]} is {listed(others) if others else 'no better'}"
