"""The exact solution of the LP with any number of constraints and kinds: a revised simplex.

    max sum y_i g_i   s.t.  sum y_i (h_ji - e_j) - s_j = 0  (j = 1..m),
                            sum of y_i over kind k = p_k  (k = 1..K),   y, s >= 0

y_i is the share of arm i in all requests; without kinds K = 1 and p = (1), so y is the mixture.
Amounts are counted from their bound and divided by the largest of a constraint, so that tolerances
are relative to the range of the amounts, whatever their units.

A basis has m + K columns out of the arms and the surpluses s_j (numbered from N on). Its inverse is
computed afresh in each step: m is small, so that costs less than looking at the arms, and rounding
does not add up. The start is the arm of the largest gain of each kind with all surpluses; while one
of these is negative, the sum of the negative ones is raised instead of the gain, so no artificial
columns and no large constants are needed.

Ties. The column of the largest reduced gain enters, of equals the lowest; of the columns that
could leave the one of the largest pivot does, of equals the first in the basis. After STALLS steps
that gain nothing, the lowest columns enter and leave (Bland 1977), which cannot cycle, until a step
gains.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from lincon.errors import UserError
from lincon.jit import entry, kernel

OPTIMAL, INFEASIBLE, FAILED = 1, 0, -1
STALLS = 20
# Rounding error of a zero, relative to the terms that were summed.
ROUNDING = 1e-13
# The smallest pivot, relative to its column.
PIVOT = 1e-11
# The largest residual of a solution, relative to the range of the amounts.
MISSED = 1e-9


class Simplex(NamedTuple):
    """The kinds of the arms, and room for a solution: basic columns, their levels and the duals.

    After a solution `dual` holds -lambda_j, in the units given, and nu_k - sum_j lambda_j e_j.
    """

    kind: np.ndarray
    share: np.ndarray
    basis: np.ndarray
    level: np.ndarray
    noise: np.ndarray
    dual: np.ndarray
    gain: np.ndarray
    rest: np.ndarray
    step: np.ndarray
    scale: np.ndarray
    inverse: np.ndarray
    matrix: np.ndarray

    @classmethod
    def new(cls, constraints: int, kind: np.ndarray, share: Sequence[float] = (1.0,)) -> Self:
        """Room for so many constraints.

        Parameters
        ----------
        constraints
            Their number m.
        kind
            The kind of each of N arms, int[N]; zeros without kinds.
        share
            The share of each kind in all requests, float[K].
        """
        size = constraints + len(share)
        vectors, squares = np.zeros((7, size)), np.zeros((2, size, size))
        kinds = np.array(kind, np.int64), np.array(share, np.float64)
        return cls(*kinds, np.zeros(size, np.int64), *vectors, *squares)


@kernel
def coefficient(h, e, work, row, column):
    """The coefficient of a column in a row, each constraint scaled to numbers of at most 1."""
    m, n = h.shape
    if column < n:
        if row < m:
            return (h[row, column] - e[row]) * work.scale[row]
        return 1.0 if row - m == work.kind[column] else 0.0
    return -1.0 if row == column - n else 0.0


@kernel
def invert(matrix, inverse):
    """Gauss-Jordan with partial pivoting; False if the matrix is singular."""
    size = matrix.shape[0]
    for i in range(size):
        for j in range(size):
            inverse[i, j] = 1.0 if i == j else 0.0
    for k in range(size):
        pivot = k
        for i in range(k + 1, size):
            if abs(matrix[i, k]) > abs(matrix[pivot, k]):
                pivot = i
        if matrix[pivot, k] == 0.0:
            return False
        if pivot != k:
            for j in range(size):
                matrix[k, j], matrix[pivot, j] = matrix[pivot, j], matrix[k, j]
                inverse[k, j], inverse[pivot, j] = inverse[pivot, j], inverse[k, j]
        over = 1.0 / matrix[k, k]
        for j in range(size):
            matrix[k, j] *= over
            inverse[k, j] *= over
        for i in range(size):
            factor = matrix[i, k]
            if i != k and factor != 0.0:
                for j in range(size):
                    matrix[i, j] -= factor * matrix[k, j]
                    inverse[i, j] -= factor * inverse[k, j]
    return True


@kernel
def begin(h, g, e, work):
    """Scale the constraints and choose the first basis."""
    m, n = h.shape
    for j in range(m):
        most = 0.0
        for i in range(n):
            most = max(most, abs(h[j, i] - e[j]))
        work.scale[j] = 1.0 / most if most > 0.0 else 1.0
        work.basis[j] = n + j
    for k in range(work.share.size):
        work.basis[m + k] = -1
    for i in range(n):
        place = m + work.kind[i]
        if work.basis[place] < 0 or g[i] > g[work.basis[place]]:
            work.basis[place] = i


@kernel
def factor(h, e, work, generous):
    """The inverse of the basis and the levels of its columns; False if it is singular.

    Levels are refined once by what is left of the right-hand side: an inverse alone would miss the
    constraints by its condition number times the rounding. `noise` is what counts as zero: if
    `generous`, all that a nearly singular basis may have made of it.
    """
    size, m = work.basis.size, e.size
    for row in range(size):
        for k in range(size):
            work.matrix[row, k] = coefficient(h, e, work, row, work.basis[k])
    if not invert(work.matrix, work.inverse):
        return False
    work.level[:] = 0.0
    for again in range(2):
        for row in range(size):
            rest = work.share[row - m] if row >= m else 0.0
            for k in range(size):
                rest -= coefficient(h, e, work, row, work.basis[k]) * work.level[k]
            work.rest[row] = rest
        for k in range(size):
            more, noise = 0.0, 0.0
            for row in range(size):
                more += work.inverse[k, row] * work.rest[row]
                noise += abs(work.inverse[k, row] * work.rest[row])
            work.level[k] += more
            if again == 0:
                work.noise[k] = ROUNDING * (1.0 + noise if generous else 1.0)
    return True


@kernel
def set_duals(h, g, e, work, phase_one):
    """The duals of the gains, or of the negative levels in phase one; how large they are."""
    size, m, n, total = work.basis.size, e.size, g.size, 0.0
    for k in range(size):
        column = work.basis[k]
        if phase_one:
            work.gain[k] = 1.0 if work.level[k] < -work.noise[k] else 0.0
        else:
            work.gain[k] = g[column] if column < n else 0.0
    work.dual[:] = 0.0
    for _ in range(2):
        for k in range(size):
            rest = work.gain[k]
            for row in range(size):
                rest -= work.dual[row] * coefficient(h, e, work, row, work.basis[k])
            work.rest[k] = rest
        for row in range(size):
            for k in range(size):
                work.dual[row] += work.rest[k] * work.inverse[k, row]
    for row in range(size):
        total += abs(work.dual[row])
        work.dual[row] *= work.scale[row] if row < m else 1.0
    return total


@kernel
def entering(h, g, e, work, phase_one, size, first):
    """The column of the largest reduced gain above rounding, or the first such one; -1 if none."""
    m, n = h.shape
    best, most = -1, 0.0
    for i in range(n + m):
        if i < n:
            gain = 0.0 if phase_one else g[i]
            reduced = gain - work.dual[m + work.kind[i]]
            for j in range(m):
                reduced -= work.dual[j] * (h[j, i] - e[j])
        else:
            gain, reduced = 0.0, work.dual[i - n] / work.scale[i - n]
        if reduced > most and reduced > ROUNDING * (size + abs(gain)):
            best, most = i, reduced
            if first:
                break
    return best


@kernel
def leaving(h, e, work, column, first):
    """(place in the basis that the column takes, length of the step); -1 if none stops it."""
    size, largest = work.basis.size, 0.0
    for k in range(size):
        step = 0.0
        for row in range(size):
            step += work.inverse[k, row] * coefficient(h, e, work, row, column)
        work.step[k] = step
        largest = max(largest, abs(step))
    best, shortest = -1, 0.0
    for k in range(size):
        step, level = work.step[k], work.level[k]
        negative = level < -work.noise[k]
        if abs(step) <= PIVOT * largest or negative == (step > 0.0):
            continue
        length = level / step if negative else max(level, 0.0) / step
        room = 1e-12 * max(length, shortest)
        if best < 0 or length < shortest - room:
            best, shortest = k, length
        elif length <= shortest + room:
            wins = work.basis[k] < work.basis[best] if first else abs(step) > abs(work.step[best])
            if wins:
                best, shortest = k, min(length, shortest)
    return best, shortest


@entry
def solve_simplex(h, g, e, work):
    """Fill in basis, levels and duals of the optimum.

    Parameters
    ----------
    h, g, e
        Amounts float[m, N], gains float[N] and bounds float[m].
    work
        A `Simplex` for m constraints and N arms; its previous content is overwritten.

    Returns
    -------
    int
        OPTIMAL, INFEASIBLE, or FAILED where rounding makes a basis singular.
    """
    begin(h, g, e, work)
    stalled, generous = 0, False
    for _ in range(50 * (g.size + e.size) + 1000):
        if not factor(h, e, work, generous):
            return FAILED
        phase_one = False
        for k in range(work.basis.size):
            phase_one |= work.level[k] < -work.noise[k]
        size = set_duals(h, g, e, work, phase_one)
        column = entering(h, g, e, work, phase_one, size, stalled > STALLS)
        place, length = -1, 0.0
        if column >= 0:
            place, length = leaving(h, e, work, column, stalled > STALLS)
        if place < 0:
            if not phase_one:
                return OPTIMAL
            if generous:
                return INFEASIBLE
            generous = True
            continue
        stalled = 0 if length > ROUNDING else stalled + 1
        work.basis[place] = column
    return FAILED


class Solution(NamedTuple):
    """The optimal mixture by arm, summing to 1 in each kind, and the prices lambda_j."""

    shares: dict[int, float]
    prices: tuple[float, ...]


def solve(
    h: np.ndarray,
    g: np.ndarray,
    e: np.ndarray,
    kind: np.ndarray | None = None,
    share: Sequence[float] | np.ndarray = (1.0,),
) -> Solution | None:
    """The optimum, arms in their order; None where no mixture is feasible.

    Parameters
    ----------
    h, g, e
        Amounts float[m, N], gains float[N] and bounds float[m].
    kind, share
        The kind of each arm, int[N], and the share of each kind; by default a single kind.

    Raises
    ------
    UserError
        If the constraints are so nearly dependent that rounding dominates the solution.
    """
    work = Simplex.new(e.size, np.zeros(g.size) if kind is None else kind, share)
    status = solve_simplex(np.ascontiguousarray(h), g, e, work)
    if status == INFEASIBLE:
        return None
    columns, n = work.basis.tolist(), g.size
    level = {c: float(y) for c, y in sorted(zip(columns, work.level, strict=True)) if c < n}
    mixture = np.zeros(n)
    mixture[list(level)] = list(level.values())
    missed = (e[:, None] - h) @ mixture * work.scale[: e.size]
    sums = np.bincount(work.kind, mixture, work.share.size) - work.share
    if status == FAILED or max(*missed, *abs(sums), -mixture.min()) > MISSED:
        raise UserError("the constraints are too nearly dependent to be solved in floating point")
    shares = {i: y / work.share[work.kind[i]] for i, y in level.items() if y > 0.0}
    # A surplus in the basis has no price, up to rounding.
    prices = [0.0 if n + j in columns else max(0.0, -work.dual[j]) for j in range(e.size)]
    return Solution({i: float(x) for i, x in shares.items()}, tuple(map(float, prices)))
