"""Where requests come in kinds: who answers each, and what three ways to keep the floor cost."""

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.problem.ways import EACH, SAME, TOGETHER, three_ways
from lincon.report import view
from lincon.report.figures import parts
from lincon.report.figures.style import PAGE, plt, width
from lincon.report.palette import FAINT, INK, Look

KINDS, ARMS, FLOORS = 4, 6, 41
SEEN = 0.005  # of a kind's requests; smaller shares have no bar
DASHES = {TOGETHER: (), EACH: (1.5, 1.6), SAME: (5, 2)}


def kinds(results: Results) -> Figure | None:
    """The optimal share of each arm in each kind beside what the first policy of the league played,
    and the optimum of three ways against the threshold; None without kinds."""
    arms, problem = results.arms, results.problem
    if len(arms.kinds) < 2 or not problem.feasible:
        return None
    ranked = results.ranked if len(results.ranked) else results.league
    policy = str(ranked["policy"].iloc[0])
    shown = np.argsort(-arms.kind_shares, kind="stable")[:KINDS]
    figure = plt.figure(figsize=(width(PAGE), 4.4))
    grid = figure.add_gridspec(2, len(shown))
    panels = [figure.add_subplot(grid[0, k]) for k in range(len(shown))]
    look = parts.looks_of(results)[policy]
    for axes, k in zip(panels, np.sort(shown), strict=True):
        _shares(axes, results, policy, look, int(k))
    _ways(figure.add_subplot(grid[1, :]), results)
    handles = [
        plt.Rectangle((0, 0), 1, 1, color=INK, label="optimal"),
        plt.Rectangle((0, 0), 1, 1, color=look.colour, label=f"played by {parts.short(look)}"),
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
    parts.tag(axes.barh(at + 0.2, played[order], 0.36, color=look.colour)[0], policy)
    axes.set_yticks(at, [parts.wrapped(arms.label[rows[i]], 22, 1) for i in order])
    axes.set(xlim=(0.0, 1.0), ylim=(len(order) - 0.4, -0.6))
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
    axes.set_title(f"{parts.wrapped(arms.kinds[k], 16, 1)} ({arms.kind_shares[k]:.0%})")
    axes.grid(axis="y", visible=False)


def _ways(axes: Axes, results: Results) -> None:
    """The optimum of every way against the dearest constraint's threshold."""
    problem, bound = results.problem, view.dearest(results.problem)
    what, sign = view.counted_in(problem)
    floors = np.linspace(*_floors(results), FLOORS)
    made = [_at(results, floor) for floor in floors]
    now, factor = _at(results, bound.bound), sign * results.scale
    for name, dashes in DASHES.items():
        line = factor * np.array([each[name] for each in made])
        style: dict[str, Any] = {
            "color": INK if name == TOGETHER else FAINT,
            "linestyle": (0, dashes) if dashes else "-",
        }
        axes.plot(floors, line, label=f"{name}: {factor * now[name]:.3g}", **style)
        axes.plot([bound.bound], [factor * now[name]], "o", ms=4, color=style["color"])
    axes.axvline(bound.bound, color=INK, lw=0.9, ls=(0, (5, 2)), zorder=1)
    axes.set_xlabel(f"threshold of {bound.name}; dots and numbers at {bound.bound:g}")
    axes.set_ylabel(parts.in_unit(f"optimal {what} per request", results.unit))
    if sign < 0:
        axes.set_ylim(bottom=0.0)
    axes.legend(loc="upper left" if sign < 0 else "lower left")
    parts.plain_numbers(axes)


def _floors(results: Results) -> tuple[float, float]:
    """As far as the constraint can be met, and as far to its other side."""
    bound = view.dearest(results.problem)
    reach = results.problem.reachable[bound.j]
    return 2.0 * bound.bound - reach, reach


def _at(results: Results, threshold: float) -> dict[str, float]:
    """The three ways at another threshold of the dearest constraint."""
    goal, j = results.problem.goal, view.dearest(results.problem).j
    changed = [
        replace(one, bound=threshold) if i == j else one for i, one in enumerate(goal.constraints)
    ]
    return three_ways(results.arms, replace(goal, constraints=tuple(changed)))


def _finding(results: Results) -> str:
    """How much less one threshold over all kinds costs, or how much more it earns."""
    now = three_ways(results.arms, results.problem.goal)
    gain = {name: now[TOGETHER] - x for name, x in now.items() if name != TOGETHER and x == x}
    other = {name: gain[name] / abs(now[name]) for name in gain if gain[name] > 0.0}
    what = "cheaper than" if view.counted_in(results.problem)[1] < 0 else "better than"
    named = {EACH: "keeping it in every kind", SAME: "one mixture for all"}
    texts = [f"{share:.0%} {what} {named[name]}" for name, share in other.items()]
    found = f"one floor over {len(results.arms.kinds)} kinds is {' and '.join(texts)}"
    return f"{results.title}: {found if texts else 'three ways cost the same'}"
