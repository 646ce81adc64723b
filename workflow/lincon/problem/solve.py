"""The stationary optimum of arms under a goal, its prices, and whether it is unique."""

from typing import NamedTuple

import numpy as np

from lincon.data.arms import Arms
from lincon.errors import UserError
from lincon.problem import lp, simplex
from lincon.problem.goal import Goal, as_goal
from lincon.problem.program import program
from lincon.problem.record import TIE, Problem, gaps_at
from lincon.problem.simplex import Solution
from lincon.problem.ways import frontier

# What an optimal mixture must be able to move for the optimum not to be unique.
MOVED = 1e-6


class _Program(NamedTuple):
    """The linear program at the true means: amounts h[m, N], gains g[N], and the kinds."""

    h: np.ndarray
    g: np.ndarray
    kind: np.ndarray
    share: np.ndarray

    def solve(self, e: np.ndarray) -> Solution | None:
        """With one constraint and kind the envelope, whose price at a corner is the smaller slope.

        `UserError` where the solution is lost to rounding.
        """
        h, g = self.h[:1].ravel(), self.g
        if e.size != 1 or self.share.size != 1:
            return simplex.solve(self.h, g, e, self.kind, self.share)
        low, high, share = lp.solve_lp(h, g, float(e[0]))
        if low < 0:
            return None
        shares = {arm: x for arm, x in ((low, share), (high, 1.0 - share)) if x > 0.0}
        if len(shares) == 2:
            return Solution(shares, (float((g[low] - g[high]) / (h[high] - h[low])),))
        (only,) = shares
        left = h < h[only]
        slopes = (g[left] - g[only]) / (h[only] - h[left])
        return Solution(shares, (float(slopes.max(initial=0.0)),))


def solve_problem(arms: Arms, goal: Goal | float) -> Problem:
    """Solve the linear program at the arms' means.

    Parameters
    ----------
    arms
        N arms.
    goal
        What is asked of them; a number is the paper's floor.

    Returns
    -------
    Problem
        The optimum. An infeasible goal is described, not refused (see `require_feasible`).
    """
    goal = as_goal(goal)
    numbers = program(arms, goal)
    value, cost, e = numbers.value, numbers.cost, numbers.e
    gain, amount = numbers.points(arms.mean)
    linear = _Program(amount, gain, arms.kind, arms.kind_shares)
    try:
        solution = linear.solve(e)
    except UserError as error:
        names = ", ".join(one.name for one in goal.constraints)
        raise UserError(f"constraints {names} on {arms.dataset or 'the arms'}: {error}") from None
    shares, prices = solution or Solution({}, ())
    optimum, levels, amounts, unique = None, np.zeros(0), np.zeros(0), False
    if solution:
        play = {i: x * float(arms.kind_shares[arms.kind[i]]) for i, x in shares.items()}
        optimum = float(sum(y * arms.mean[i] * value[i] - y * cost[i] for i, y in play.items()))
        amounts = np.sum([y * amount[:, i] for i, y in play.items()], axis=0)
        gap, levels = gaps_at(numbers, arms, prices, tuple(shares))
        unique = _unique(linear, e, np.flatnonzero(gap == 0.0), solution)
    best = numbers.extreme(amount, np.maximum)
    reachable = _concerned(arms, goal, best)
    dearest = int(np.argmax(prices)) if prices else 0
    unused = ", ".join(goal.unused(arms.columns))
    return Problem(
        dataset=arms.dataset,
        source=arms.source,
        note="; ".join(filter(None, (arms.note, unused and f"not used: {unused}"))),
        arms=len(arms),
        goal=goal,
        feasible=solution is not None,
        unique=unique,
        support=tuple(int(i) for i in shares),
        shares=tuple(float(x) for x in shares.values()),
        optimum=optimum,
        levels=tuple(levels.tolist()),
        prices=prices,
        amounts=_concerned(arms, goal, amounts),
        reachable=reachable,
        binding=tuple(price > 0.0 for price in prices) or (False,) * e.size,
        kinds=arms.kinds,
        kind_shares=tuple(arms.kind_shares.tolist()),
        frontier=frontier(arms, goal, dearest, reachable[dearest])
        if solution and len(arms.kinds) > 1
        else (),
    )


def _concerned(arms: Arms, goal: Goal, amounts: np.ndarray) -> tuple[float, ...]:
    """Average amounts in the user's sign, per request that the constraint concerns."""
    pairs = zip(goal.constraints, amounts.tolist(), strict=False)
    shares = dict(zip(arms.kinds, arms.kind_shares.tolist(), strict=False))
    return tuple(one.per_concerned(one.sign * x, shares) for one, x in pairs)


def _unique(linear: _Program, e: np.ndarray, tied: np.ndarray, solution: Solution) -> bool:
    """Whether no other mixture of the arms that tie with the support's is as good.

    What is zero at the optimum, a share or a surplus, stays zero in every other if the optimum is
    unique: the most that it can become is a linear program itself, in which the constraints that
    have a price hold with equality.
    """
    kind, share = linear.kind[tied], linear.share
    if tied.size == share.size:
        return True
    surplus = linear.h[:, tied] - e[:, None]
    extent = abs(surplus).max(axis=1, initial=0.0)
    x = np.array([solution.shares.get(int(i), 0.0) for i in tied])
    priced = np.array(solution.prices) > 0.0
    tight = ~priced & (surplus @ (x * share[kind]) <= TIE * extent) & (extent > 0.0)
    objective = (x == 0.0) + (surplus[tight] / extent[tight, None]).sum(axis=0)
    rows, room = np.concatenate([surplus, -surplus[priced]]), TIE * extent
    bounds = -np.concatenate([room, room[priced]])
    try:
        other = simplex.solve(rows, objective, bounds, kind, share)
    except UserError:
        return False
    shares = other.shares if other else {}
    return bool(sum(x * share[kind[i]] * objective[i] for i, x in shares.items()) < MOVED)
