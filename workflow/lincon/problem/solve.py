"""(arms, goal) -> the stationary optimum, its prices, and whether the optimum is unique."""

from __future__ import annotations

import numpy as np

from lincon.data.arms import Arms
from lincon.problem.goal import Goal, as_goal, program
from lincon.problem.lp import solve
from lincon.problem.record import TIE, Problem, worth


def solve_problem(arms: Arms, goal: Goal | float) -> Problem:
    """Solve LP(mean); an infeasible goal is described, not refused."""
    goal = as_goal(goal)
    numbers = program(arms, goal)
    gain = arms.mean * numbers.value - numbers.cost
    amount = arms.mean * numbers.a + numbers.b
    (h,), (e,) = amount, numbers.e
    low, high, share = solve(h, gain, e)
    support: dict[int, float] = {}
    if low >= 0:
        support = {arm: x for arm, x in ((low, share), (high, 1.0 - share)) if x > 0.0}
    prices = (_price(h, gain, support),) if support else ()
    value = worth(arms, goal, prices) if support else gain
    level = float(value.max()) if support else None
    signs = np.array([one.sign for one in goal.constraints])
    optimum = sum(
        x * arms.mean[i] * numbers.value[i] - x * numbers.cost[i] for i, x in support.items()
    )
    tied = {int(i) for i in np.flatnonzero(value.max() - value < TIE)}
    return Problem(
        dataset=arms.dataset,
        source=arms.source,
        note=arms.note,
        arms=len(arms),
        goal=goal,
        feasible=bool(support),
        unique=bool(support) and _unique(h, e, tied, support),
        support=tuple(int(i) for i in support),
        shares=tuple(float(x) for x in support.values()),
        optimum=float(optimum) if support else None,
        level=level,
        prices=prices,
        amounts=_floats(signs * sum(x * amount[:, i] for i, x in support.items()))
        if support
        else (),
        reachable=_floats(signs * amount.max(axis=1)),
        binding=tuple(price > 0.0 for price in prices) or (False,) * len(signs),
        prices_left=prices or (None,),
        prices_right=(_price_beyond(h, gain, e),) if support else (None,),
    )


def _floats(numbers: np.ndarray) -> tuple[float, ...]:
    return tuple(float(x) for x in numbers)


def _unique(h: np.ndarray, e: float, tied: set[int], support: dict[int, float]) -> bool:
    """Whether x* is the only optimum: no arm outside its support is as good as those inside.

    One arm exactly at the bound is on the edge of what is feasible: an equally good arm below it
    could only be mixed with one above it that is as good too.
    """
    if len(support) == 1 and h[next(iter(support))] == e:
        tied = {i for i in tied if h[i] >= e}
    return len(tied) <= len(support)


def _price(h: np.ndarray, g: np.ndarray, support: dict[int, float]) -> float:
    """lambda*: the slope of the envelope at e, the smallest one where it has a corner there."""
    if len(support) == 2:
        low, high = support
        return float((g[low] - g[high]) / (h[high] - h[low]))
    (only,) = support
    left = h < h[only]
    if not left.any():
        return 0.0
    return max(0.0, float(np.max((g[left] - g[only]) / (h[only] - h[left]))))


def _price_beyond(h: np.ndarray, g: np.ndarray, e: float) -> float | None:
    """The slope of the envelope just above e; None where no arm has more."""
    above = np.nextafter(e, np.inf)
    low, high, share = solve(h, g, above)
    if low < 0:
        return None
    return 0.0 if low == high else _price(h, g, {low: share, high: 1.0 - share})
