"""(arms, goal) -> the stationary optimum, its prices, and whether the optimum is unique."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lincon.data.arms import Arms
from lincon.problem import lp, simplex
from lincon.problem.goal import Goal, as_goal, program
from lincon.problem.record import TIE, Problem, worth

# How far beside a bound its prices on the left and on the right are looked up.
BESIDE = 1e-9


class Optimum(NamedTuple):
    """A solution of the linear program: shares by arm, and a price per constraint."""

    shares: dict[int, float]
    prices: tuple[float, ...]


def solve_problem(arms: Arms, goal: Goal | float) -> Problem:
    """Solve LP(mean); an infeasible goal is described, not refused."""
    goal = as_goal(goal)
    numbers = program(arms, goal)
    gain = arms.mean * numbers.value - numbers.cost
    amount = arms.mean * numbers.a + numbers.b
    signs = np.array([one.sign for one in goal.constraints])
    found = _solve(amount, gain, numbers.e)
    facts: dict[str, Any] = dict.fromkeys(("support", "shares", "prices", "amounts"), ())
    facts |= {"optimum": None, "level": None}
    unique, beside = False, _beside(amount, gain, numbers.e, found)
    if found is not None:
        value = worth(arms, goal, found.prices)
        optimum = sum(
            x * arms.mean[i] * numbers.value[i] - x * numbers.cost[i]
            for i, x in found.shares.items()
        )
        unique = _unique(amount, numbers.e, np.flatnonzero(value.max() - value < TIE), found)
        facts = {
            "support": tuple(int(i) for i in found.shares),
            "shares": tuple(float(x) for x in found.shares.values()),
            "optimum": float(optimum),
            "level": float(value.max()),
            "prices": found.prices,
            "amounts": _floats(signs * sum(x * amount[:, i] for i, x in found.shares.items())),
        }
    return Problem(
        dataset=arms.dataset,
        source=arms.source,
        note="; ".join(filter(None, (arms.note, _unused(arms, goal)))),
        arms=len(arms),
        goal=goal,
        feasible=found is not None,
        unique=unique,
        reachable=_floats(signs * amount.max(axis=1)),
        binding=tuple(price > 0.0 for price in found.prices) if found else (False,) * len(signs),
        prices_left=beside[0],
        prices_right=beside[1],
        **facts,
    )


def _unused(arms: Arms, goal: Goal) -> str:
    names = goal.unused(arms.columns)
    return f"not used: {', '.join(names)}" if names else ""


def _floats(numbers: np.ndarray) -> tuple[float, ...]:
    return tuple(float(x) for x in numbers)


def _solve(h: np.ndarray, g: np.ndarray, e: np.ndarray) -> Optimum | None:
    """With one constraint the envelope, whose price at a corner is the smaller slope."""
    if e.size != 1:
        found = simplex.solve(h, g, e)
        return None if found is None else Optimum(found.shares, found.prices)
    low, high, share = lp.solve_lp(h[0], g, float(e[0]))
    if low < 0:
        return None
    shares = {arm: x for arm, x in ((low, share), (high, 1.0 - share)) if x > 0.0}
    return Optimum(shares, (_slope(h[0], g, shares),))


def _slope(h: np.ndarray, g: np.ndarray, support: dict[int, float]) -> float:
    """lambda*: the slope of the envelope at e, the smallest one where it has a corner there."""
    if len(support) == 2:
        low, high = support
        return float((g[low] - g[high]) / (h[high] - h[low]))
    (only,) = support
    left = h < h[only]
    if not left.any():
        return 0.0
    return max(0.0, float(np.max((g[left] - g[only]) / (h[only] - h[left]))))


def _beside(
    h: np.ndarray, g: np.ndarray, e: np.ndarray, found: Optimum | None
) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """The price of each bound just below it and just above; None where it is infeasible there."""
    sides: list[tuple[float | None, ...]] = []
    for step in (-BESIDE, BESIDE):
        prices: list[float | None] = []
        for j in range(e.size):
            moved = e.copy()
            moved[j] += step * max(1.0, abs(e[j]))
            there = _solve(h, g, moved) if found else None
            prices.append(there.prices[j] if there else None)
        sides.append(tuple(prices))
    return sides[0], sides[1]


def _unique(h: np.ndarray, e: np.ndarray, tied: np.ndarray, found: Optimum) -> bool:
    """Whether no other mixture of the arms that tie with the support's is as good.

    The most that such a mixture can give to arms outside the support is a linear program itself,
    in which the constraints that have a price hold with equality.
    """
    inside = np.isin(tied, list(found.shares))
    if inside.all():
        return True
    exact = np.array(found.prices) > 0.0
    room = TIE * np.maximum(1.0, np.abs(e))
    rows = np.concatenate([h[:, tied], -h[np.ix_(exact, tied)]])
    bounds = np.concatenate([e - room, -e[exact] - room[exact]])
    other = simplex.solve(rows, (~inside).astype(float), bounds)
    if other is None:
        return True
    return sum(x for k, x in other.shares.items() if not inside[k]) < 1e-6
