"""What a policy does with its belief: a mixture of at most m + 1 arms, then an arm."""

from typing import NamedTuple, Self

import numpy as np

from lincon.jit import kernel, lean
from lincon.policies.estimators import mean_of
from lincon.policies.parts import Belief, Selector, Steering
from lincon.policies.prior import DIVISOR, FIRST, SECOND
from lincon.problem.lp import better, largest, solve_lp
from lincon.problem.simplex import OPTIMAL, Simplex, solve_simplex

# In the place of a mixture's size: arms are drawn uniformly, because no mixture meets the target or
# because the policy explores.
INFEASIBLE_ROUND, EXPLORED_ROUND = 0, -1
# An arm that uses up nothing costs 0; it is taken for this.
LEAST_COST = 1e-300


class Mixture(NamedTuple):
    """The first `size` arms with their shares, and with their gain and amounts as believed."""

    arm: np.ndarray
    share: np.ndarray
    gain: np.ndarray
    amount: np.ndarray

    @classmethod
    def new(cls, constraints: int) -> Self:
        most = constraints + 1
        return cls(
            np.zeros(most, np.int64), np.zeros(most), np.zeros(most), np.zeros((constraints, most))
        )


class Points(NamedTuple):
    """The beliefs of a round, both ends of an index, and the gain and amounts that they give."""

    upper: np.ndarray
    lower: np.ndarray
    gain: np.ndarray
    amount: np.ndarray
    simplex: Simplex

    @classmethod
    def new(cls, arms: int, constraints: int, two_ended: bool) -> Self:
        upper = np.zeros(arms)
        lower = np.zeros(arms) if two_ended else upper
        amount = np.zeros((constraints, arms))
        return cls(upper, lower, np.zeros(arms), amount, Simplex.new(constraints, np.zeros(arms)))


class Sure(NamedTuple):
    """The points of the posterior means, and the counts and the prior that they are of."""

    plays: np.ndarray
    events: np.ndarray
    prior: np.ndarray
    gain: np.ndarray
    amount: np.ndarray

    @classmethod
    def new(cls, arms: int) -> Self:
        return cls(*np.full((2, arms), -1.0), np.zeros(3), *np.zeros((2, arms)))


@lean
def set_points(control, program, plays, events, points):
    """The gain and the amounts of every arm, as the LP believes them."""
    for i in range(control.arms):
        theta = points.upper[i] if program.value[i] >= 0.0 else points.lower[i]
        points.gain[i] = theta * program.value[i] - program.cost[i]
    for j in range(control.bound.size):
        for i in range(control.arms):
            rises = program.a[j, i] >= 0.0
            if control.belief == Belief.MEAN:
                theta = mean_of(plays[i], events[i])
            elif rises == (control.belief == Belief.SAME):
                theta = points.upper[i]
            else:
                theta = points.lower[i]
            points.amount[j, i] = program.a[j, i] * theta + program.b[j, i]


@lean
def put(mixture, k, arm, share, points):
    mixture.arm[k], mixture.share[k] = arm, share
    mixture.gain[k] = points.gain[arm]
    for j in range(mixture.amount.shape[0]):
        mixture.amount[j, k] = points.amount[j, arm]


@lean
def solve_mixture(control, points, mixture):
    """The size of the mixture that solves the LP, 0 where none is feasible.

    Two arms come in the order of their amounts, several in that of their numbers.
    """
    if control.rate.size == 1:
        low, high, share = solve_lp(points.amount[0], points.gain, control.rate[0])
        if low < 0:
            return 0
        put(mixture, 0, low, share, points)
        put(mixture, 1, high, 1.0 - share, points)
        return 1 if low == high else 2
    work, size = points.simplex, 0
    if solve_simplex(points.amount, points.gain, control.rate, work) != OPTIMAL:
        return 0
    before = -1
    for _ in range(work.basis.size):
        arm, share = control.arms, 0.0
        for k in range(work.basis.size):
            if before < work.basis[k] < arm and work.level[k] > 0.0:
                arm, share = work.basis[k], work.level[k]
        if arm < control.arms:
            put(mixture, size, arm, share, points)
            size, before = size + 1, arm
    return size


@lean
def closest(control, points):
    """The arm of the smallest total shortfall (in shares of the ranges), then the largest gain."""
    if control.rate.size == 1:
        return largest(points.amount[0], points.gain)
    best, best_short = 0, 0.0
    for i in range(control.arms):
        short = 0.0
        for j in range(control.rate.size):
            missing = max(control.rate[j] - points.amount[j, i], 0.0)
            short -= missing / max(control.highest[j] - control.lowest[j], LEAST_COST)
        if i == 0 or better(short, points.gain[i], i, best_short, points.gain[best], best):
            best, best_short = i, short
    return best


@lean
def score(control, program, points, i):
    """By what arms are compared where a single one is played, and the belief that it uses."""
    rest = 1.0
    for j in range(control.tilt.size):
        rest -= control.tilt[j]
    per_event, per_play = rest * program.value[i], -rest * program.cost[i]
    for j in range(control.tilt.size):
        per_event += control.tilt[j] * program.a[j, i]
        per_play += control.tilt[j] * program.b[j, i]
    theta = points.upper[i] if per_event >= 0.0 else points.lower[i]
    if control.selector != Selector.PRIMAL_DUAL:
        return theta * per_event + per_play, theta
    cost = 0.0
    for j in range(control.tilt.size):
        amount = program.a[j, i] * theta + program.b[j, i]
        cost += control.weight[j] * (control.consumption[j] * (control.highest[j] - amount))
    cost += control.weight[control.tilt.size] * control.budget
    gain = theta * program.value[i] - program.cost[i] - control.least_gain
    return gain / max(cost, LEAST_COST), theta


@lean
def highest(control, program, points):
    """The arm of the largest score; of equals that of the largest belief."""
    best, best_score, best_theta = 0, 0.0, 0.0
    for i in range(control.arms):
        found, theta = score(control, program, points, i)
        if i == 0 or better(found, theta, i, best_score, best_theta, best):
            best, best_score, best_theta = i, found, theta
    return best, best_theta


@lean
def select(control, program, plays, events, points, mixture):
    """Fill in the mixture of a round; its size, or INFEASIBLE_ROUND."""
    if control.selector == Selector.LP or control.selector == Selector.EPS_GREEDY:
        set_points(control, program, plays, events, points)
        size = solve_mixture(control, points, mixture)
        if size == 0 and control.greedy:
            put(mixture, 0, closest(control, points), 1.0, points)
            size = 1
        return size
    if control.selector not in (
        Selector.ARGMAX,
        Selector.AMOUNTS,
        Selector.QUEUE,
        Selector.PRIMAL_DUAL,
    ):
        raise ValueError("no selector has this code")
    best, theta = highest(control, program, points)
    points.gain[best] = theta * program.value[best] - program.cost[best]
    for j in range(control.bound.size):
        points.amount[j, best] = program.a[j, best] * theta + program.b[j, best]
    put(mixture, 0, best, 1.0, points)
    return 1


@lean
def steer(control, program, plays, events, mixture, size):
    """Change the mixture by what is behind, if the policy does; the new size."""
    if control.steering == Steering.DRAW or size < 2:
        return size
    if control.steering not in (Steering.LEDGER, Steering.RATIONED):
        raise ValueError("no steering has this code")
    chosen = ledger_arm(control, mixture, size)
    share = mixture.share[chosen]
    keep_alone(mixture, chosen)
    if control.steering == Steering.LEDGER or control.rate.size > 1:
        return 1
    low, high = sure_pair(control.sure, control.prior, plays, events, program, control.rate[0])
    other = high if control.behind[0] > 0.0 else low
    if other < 0 or other == mixture.arm[0]:
        return 1
    mixture.share[0], mixture.arm[1], mixture.share[1] = share, other, 1.0 - share
    return 2


@kernel
def sure_pair(sure, prior, plays, events, program, rate):
    """The two arms that LP(posterior means) mixes; (-1, -1) if it does not mix two."""
    a, b, divisor = prior[FIRST], prior[SECOND], prior[DIVISOR]
    moved = sure.prior[FIRST] != a or sure.prior[SECOND] != b or sure.prior[DIVISOR] != divisor
    sure.prior[FIRST], sure.prior[SECOND], sure.prior[DIVISOR] = a, b, divisor
    for i in range(sure.gain.size):
        if moved or sure.plays[i] != plays[i] or sure.events[i] != events[i]:
            sure.plays[i], sure.events[i] = plays[i], events[i]
            theta = (a + events[i] / divisor) / (a + b + plays[i] / divisor)
            sure.gain[i] = theta * program.value[i] - program.cost[i]
            sure.amount[i] = program.a[0, i] * theta + program.b[0, i]
    low, high, share = solve_lp(sure.amount, sure.gain, rate)
    # A mean may lie on the bound itself, and the arm below it has no share then.
    if low == high or share == 0.0:
        return -1, -1
    return low, high


@lean
def keep_alone(mixture, k):
    mixture.arm[0], mixture.share[0], mixture.gain[0] = mixture.arm[k], 1.0, mixture.gain[k]
    for j in range(mixture.amount.shape[0]):
        mixture.amount[j, 0] = mixture.amount[j, k]


@lean
def ledger_arm(control, mixture, size):
    """Which arm of the mixture repays most of what is behind; if nothing is, which gains most."""
    debt = False
    for j in range(control.behind.size):
        debt |= control.behind[j] > 0.0
    best, most = 0, 0.0
    for k in range(size):
        worth = mixture.gain[k]
        if debt:
            worth = 0.0
            for j in range(control.behind.size):
                extent = max(control.highest[j] - control.lowest[j], LEAST_COST)
                repaid = mixture.amount[j, k] / extent
                worth += max(control.behind[j], 0.0) / extent * repaid
        if k == 0 or worth > most:
            best, most = k, worth
    return best


@lean
def draw(mixture, size, arms, uniform):
    """The arm that one uniform picks from the mixture."""
    if size < 1:
        return min(int(uniform * arms), arms - 1)
    total = 0.0
    for k in range(size - 1):
        total += mixture.share[k]
        if uniform < total:
            return mixture.arm[k]
    return mixture.arm[size - 1]
