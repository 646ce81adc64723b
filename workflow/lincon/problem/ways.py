"""Three ways to meet a goal where requests come in kinds, each as its own optimum."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lincon.data.arms import Arms
from lincon.problem import simplex
from lincon.problem.goal import Goal
from lincon.problem.program import Program, program

TOGETHER, EACH, SAME = "one floor over all kinds", "the floor in every kind", "one mixture for all"


def three_ways(arms: Arms, goal: Goal) -> dict[str, float]:
    """The best reward per request of each way; NaN where it is infeasible.

    The constraints as given; each of them in every kind by itself; and one mixture for all
    requests, of the arms that serve every kind.
    """
    each = [
        one if one.kind is not None else replace(one, kind=kind, name=f"{one.name} ({kind})")
        for one in goal.constraints
        for kind in (arms.kinds if one.kind is None else [one.kind])
    ]
    as_given, in_each = program(arms, goal), program(arms, replace(goal, constraints=tuple(each)))
    return {
        TOGETHER: _optimum(*_points(as_given, arms), as_given),
        EACH: _optimum(*_points(in_each, arms), in_each),
        SAME: _one_mixture(*_points(as_given, arms), as_given, arms.label),
    }


def _points(numbers: Program, arms: Arms) -> tuple[np.ndarray, np.ndarray]:
    """Gains float[N] and amounts float[m, N]."""
    return arms.mean * numbers.value - numbers.cost, arms.mean * numbers.a + numbers.b


def _optimum(gain: np.ndarray, amount: np.ndarray, numbers: Program) -> float:
    best = simplex.solve(amount, gain, numbers.e, numbers.kind, numbers.share)
    part = numbers.part
    return float(sum(x * part[i] * gain[i] for i, x in best.shares.items())) if best else np.nan


def _one_mixture(
    gain: np.ndarray, amount: np.ndarray, numbers: Program, label: Sequence[str]
) -> float:
    """Arms of one label become one, whose numbers are the averages over the kinds."""
    rows = [{label[i]: i for i in of_kind.tolist()} for of_kind in numbers.rows]
    shared = [name for name in rows[0] if all(name in row for row in rows)]
    if not shared:
        return np.nan
    at = np.array([[row[name] for name in shared] for row in rows])
    g = (numbers.share[:, None] * gain[at]).sum(axis=0)
    h = (numbers.share[:, None] * amount[:, at]).sum(axis=1)
    best = simplex.solve(h, g, numbers.e)
    return float(sum(x * g[i] for i, x in best.shares.items())) if best else np.nan
