"""Three ways to meet a goal where requests come in kinds, each as its own optimum."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lincon.data.arms import Arms
from lincon.problem import simplex
from lincon.problem.goal import Goal
from lincon.problem.program import Program, program
from lincon.problem.record import Point

FLOORS = 41


def frontier(arms: Arms, goal: Goal, j: int, reachable: float) -> tuple[Point, ...]:
    """The best reward per request of each way, by the bound of constraint j.

    The bounds are as many below the goal's own, the one in the middle, as above it, up to what is
    reachable.
    """
    points = []
    for step in np.linspace(-1.0, 1.0, FLOORS):
        rules = list(goal.constraints)
        bound = float(rules[j].bound + step * (reachable - rules[j].bound))
        rules[j] = replace(rules[j], bound=bound)
        points.append((bound, *three_ways(arms, replace(goal, constraints=tuple(rules)))))
    return tuple(points)


def three_ways(arms: Arms, goal: Goal) -> tuple[float | None, ...]:
    """The best reward per request of three ways; None where one is infeasible.

    The constraints as given; each of them in every kind by itself; and one mixture for all
    requests, of the arms that serve every kind.
    """
    each = [
        one if one.kind is not None else replace(one, kind=kind, name=f"{one.name} ({kind})")
        for one in goal.constraints
        for kind in (arms.kinds if one.kind is None else [one.kind])
    ]
    as_given, in_each = program(arms, goal), program(arms, replace(goal, constraints=tuple(each)))
    return (
        _optimum(as_given, arms.mean),
        _optimum(in_each, arms.mean),
        _one_mixture(as_given, arms.mean, arms.label),
    )


def _optimum(numbers: Program, mean: np.ndarray) -> float | None:
    gain, amount = numbers.points(mean)
    best = simplex.solve(amount, gain, numbers.e, numbers.kind, numbers.share)
    part = numbers.part
    return float(sum(x * part[i] * gain[i] for i, x in best.shares.items())) if best else None


def _one_mixture(numbers: Program, mean: np.ndarray, label: Sequence[str]) -> float | None:
    """Arms of one label become one, whose numbers are the averages over the kinds."""
    rows = [{label[i]: i for i in of_kind.tolist()} for of_kind in numbers.rows]
    shared = [name for name in rows[0] if all(name in row for row in rows)]
    if not shared:
        return None
    gain, amount = numbers.points(mean)
    at = np.array([[row[name] for name in shared] for row in rows])
    g = (numbers.share[:, None] * gain[at]).sum(axis=0)
    h = (numbers.share[:, None] * amount[:, at]).sum(axis=1)
    best = simplex.solve(h, g, numbers.e)
    return float(sum(x * g[i] for i, x in best.shares.items())) if best else None
