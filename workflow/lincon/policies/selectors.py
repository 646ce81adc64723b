"""From beliefs to an arm: the points of the LP, its mixture of at most m + 1 arms, then the arm."""

from typing import NamedTuple, Self

import numpy as np

from lincon.jit import lean
from lincon.problem.lp import better, solve_lp
from lincon.problem.program import Program
from lincon.problem.simplex import OPTIMAL, Simplex, solve_simplex

# In the place of a range of amounts that is 0.
LEAST_EXTENT = 1e-300


class Mixture(NamedTuple):
    """The first arms with their shares, and with their gain and amounts as believed.

    arm int[m + 1], share float[m + 1], gain float[m + 1], amount float[m, m + 1]; how many of them
    count is the mixture's size, 0 where arms are drawn uniformly.
    """

    arm: np.ndarray
    share: np.ndarray
    gain: np.ndarray
    amount: np.ndarray

    @classmethod
    def new(cls, constraints: int) -> Self:
        most = constraints + 1
        return cls(
            arm=np.zeros(most, np.int64),
            share=np.zeros(most),
            gain=np.zeros(most),
            amount=np.zeros((constraints, most)),
        )


class Points(NamedTuple):
    """What the LP sees of the arms: gain float[N], amount float[m, N]; and room to solve it."""

    gain: np.ndarray
    amount: np.ndarray
    simplex: Simplex

    @classmethod
    def new(cls, program: Program) -> Self:
        constraints, arms = program.a.shape
        kind = program.kind if program.share.size > 1 else np.zeros(arms)
        return cls(
            gain=np.zeros(arms),
            amount=np.zeros((constraints, arms)),
            simplex=Simplex.new(constraints, kind, program.share),
        )


@lean
def set_points(program, upper, lower, points):
    """Gains and amounts by the beliefs: the upper end of a mean, the lower where it does harm.

    Parameters
    ----------
    program : Program
    upper, lower : float[N]
        The ends of what is believed of each mean; the same array where there is one belief.
    points : Points
        Its `gain` and `amount` are set.
    """
    for i in range(program.value.size):
        theta = upper[i] if program.value[i] >= 0.0 else lower[i]
        points.gain[i] = theta * program.value[i] - program.cost[i]
    for j in range(program.e.size):
        for i in range(program.value.size):
            theta = upper[i] if program.a[j, i] >= 0.0 else lower[i]
            points.amount[j, i] = program.a[j, i] * theta + program.b[j, i]


@lean
def put(mixture, k, arm, share, points):
    """Place k of the mixture is this arm."""
    mixture.arm[k], mixture.share[k] = arm, share
    mixture.gain[k] = points.gain[arm]
    for j in range(mixture.amount.shape[0]):
        mixture.amount[j, k] = points.amount[j, arm]


@lean
def solve_mixture(control, points, mixture, kind=0):
    """Fill in the mixture that solves the LP at the target, for a request of this kind.

    With one constraint and kind, two arms come in the order of their amounts; otherwise arms come
    in that of their numbers.

    Returns
    -------
    size : int
        How many arms; 0 where the round is infeasible and arms are drawn uniformly.
    infeasible : bool
        Whether no mixture meets the target, also where the policy then plays an arm.
    """
    size = 0
    if control.target.size == 1 and points.simplex.share.size == 1:
        low, high, share = solve_lp(points.amount[0], points.gain, control.target[0])
        if low >= 0:
            put(mixture, 0, low, share, points)
            put(mixture, 1, high, 1.0 - share, points)
            size = 1 if low == high else 2
    elif solve_simplex(points.amount, points.gain, control.target, points.simplex) == OPTIMAL:
        size = put_basis(points, mixture, kind)
    infeasible = size == 0
    if infeasible and control.greedy:
        put(mixture, 0, closest(control, points, kind), 1.0, points)
        size = 1
    return size, infeasible


@lean
def put_basis(points, mixture, kind):
    """Fill in the arms of a kind in the simplex's solution, in their order; how many."""
    simplex, arms, size, before = points.simplex, points.gain.size, 0, -1
    for _ in range(simplex.basis.size):
        arm, share = arms, 0.0
        for k in range(simplex.basis.size):
            column, level = simplex.basis[k], simplex.level[k]
            if before < column < arm and level > 0.0 and simplex.kind[column] == kind:
                arm, share = column, level / simplex.share[kind]
        if arm < arms:
            put(mixture, size, arm, share, points)
            size, before = size + 1, arm
    return size


@lean
def closest(control, points, kind):
    """The arm of a kind with the largest amount, or of several constraints the smallest total
    shortfall (in shares of the ranges); of equals that of the largest gain."""
    best, best_amount = -1, 0.0
    for i in range(points.gain.size):
        if points.simplex.kind[i] != kind:
            continue
        amount = points.amount[0, i] if control.target.size == 1 else -shortfall(control, points, i)
        if best < 0 or better(amount, points.gain[i], i, best_amount, points.gain[best], best):
            best, best_amount = i, amount
    return best


@lean
def shortfall(control, points, arm):
    """What an arm misses of all targets, in shares of the ranges."""
    total = 0.0
    for j in range(control.target.size):
        total += max(control.target[j] - points.amount[j, arm], 0.0) / extent(control, j)
    return total


@lean
def extent(control, j):
    """The range of the amounts of constraint j."""
    return max(control.highest[j] - control.lowest[j], LEAST_EXTENT)


@lean
def steer(control, mixture, size):
    """Keep the ledger's arm alone, if the policy has a ledger; the new size of the mixture."""
    if not control.ledger or size < 2:
        return size
    k = ledger_place(control, mixture, size)
    mixture.arm[0], mixture.share[0], mixture.gain[0] = mixture.arm[k], 1.0, mixture.gain[k]
    for j in range(mixture.amount.shape[0]):
        mixture.amount[j, 0] = mixture.amount[j, k]
    return 1


@lean
def ledger_place(control, mixture, size):
    """The place of the arm that repays most of the debt; if there is none, that gains most."""
    indebted = False
    for j in range(control.debt.size):
        indebted |= control.debt[j] > 0.0
    best, most = 0, 0.0
    for k in range(size):
        worth = mixture.gain[k]
        if indebted:
            worth = 0.0
            for j in range(control.debt.size):
                width = extent(control, j)
                worth += max(control.debt[j], 0.0) / width * (mixture.amount[j, k] / width)
        if k == 0 or worth > most:
            best, most = k, worth
    return best


@lean
def missed_target(control, mixture, size):
    """Whether a round with one constraint is infeasible: no arm was mixed, or one that is short."""
    return size == 0 or (size == 1 and mixture.amount[0, 0] < control.target[0])


@lean
def draw(mixture, size, arms, uniform):
    """The arm that `uniform`, in [0, 1), picks from the mixture, or of size 0 from all arms."""
    if size < 1:
        return min(int(uniform * arms), arms - 1)
    total = 0.0
    for k in range(size - 1):
        total += mixture.share[k]
        if uniform < total:
            return mixture.arm[k]
    return mixture.arm[size - 1]
