"""(arms, goal) -> the stationary optimum, its prices, and whether the optimum is unique."""

import numpy as np

from lincon.data.arms import Arms
from lincon.problem import lp, simplex
from lincon.problem.goal import Goal, as_goal, program
from lincon.problem.record import TIE, Problem, worth
from lincon.problem.simplex import Solution

# How far beside a bound its prices on the left and on the right are looked up.
BESIDE = 1e-9


def solve_problem(arms: Arms, goal: Goal | float) -> Problem:
    """Solve LP(mean); an infeasible goal is described, not refused."""
    goal = as_goal(goal)
    value, cost, a, b, e = program(arms, goal)
    gain, amount = arms.mean * value - cost, arms.mean * a + b
    signs = np.array([one.sign for one in goal.constraints])
    found = _solve(amount, gain, e)
    shares, prices = found or Solution({}, ())
    optimum, level, amounts, unique = None, None, (), False
    if found:
        height = worth(arms, goal, prices)
        level = float(height.max())
        optimum = float(sum(x * arms.mean[i] * value[i] - x * cost[i] for i, x in shares.items()))
        amounts = tuple((signs * sum(x * amount[:, i] for i, x in shares.items())).tolist())
        unique = _unique(amount, e, np.flatnonzero(level - height < TIE), found)
    unused, nowhere = ", ".join(goal.unused(arms.columns)), (None,) * e.size
    return Problem(
        dataset=arms.dataset,
        source=arms.source,
        note="; ".join(filter(None, (arms.note, unused and f"not used: {unused}"))),
        arms=len(arms),
        goal=goal,
        feasible=found is not None,
        unique=unique,
        support=tuple(int(i) for i in shares),
        shares=tuple(float(x) for x in shares.values()),
        optimum=optimum,
        level=level,
        prices=prices,
        amounts=amounts,
        reachable=tuple((signs * amount.max(axis=1)).tolist()),
        binding=tuple(price > 0.0 for price in prices) or (False,) * e.size,
        prices_left=_beside(amount, gain, e, -BESIDE) if found else nowhere,
        prices_right=_beside(amount, gain, e, BESIDE) if found else nowhere,
    )


def _solve(h: np.ndarray, g: np.ndarray, e: np.ndarray) -> Solution | None:
    """With one constraint the envelope, whose price at a corner is the smaller slope."""
    if e.size != 1:
        return simplex.solve(h, g, e)
    low, high, share = lp.solve_lp(h[0], g, float(e[0]))
    if low < 0:
        return None
    shares = {arm: x for arm, x in ((low, share), (high, 1.0 - share)) if x > 0.0}
    if len(shares) == 2:
        return Solution(shares, (float((g[low] - g[high]) / (h[0, high] - h[0, low])),))
    (only,) = shares
    left = h[0] < h[0, only]
    slopes = (g[left] - g[only]) / (h[0, only] - h[0, left])
    return Solution(shares, (float(slopes.max(initial=0.0)),))


def _beside(h: np.ndarray, g: np.ndarray, e: np.ndarray, step: float) -> tuple[float | None, ...]:
    """The price of each bound a step beside it; None where it is infeasible there."""
    prices: list[float | None] = []
    for j in range(e.size):
        moved = e.copy()
        moved[j] += step * max(1.0, abs(e[j]))
        there = _solve(h, g, moved)
        prices.append(there.prices[j] if there else None)
    return tuple(prices)


def _unique(h: np.ndarray, e: np.ndarray, tied: np.ndarray, found: Solution) -> bool:
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
    return other is None or sum(x for k, x in other.shares.items() if not inside[k]) < 1e-6
