"""The exact solution of the LP with any number of constraints: a revised simplex.

    max sum x_i g_i   s.t.  sum x_i h_ji - s_j = e_j  (j = 1..m),   sum x_i = 1,   x, s >= 0

A basis has m + 1 columns out of the arms and the surpluses s_j (numbered from N on). Its inverse is
computed afresh in each step: m is small, so that costs less than looking at the arms, and rounding
does not add up. The start is the arm of the largest gain with all surpluses; while one of these is
negative, the sum of the negative ones is raised instead of the gain, so no artificial columns and
no large constants are needed.

Ties. The column of the largest reduced gain enters, of equals the lowest; of the columns that
could leave the one of the largest pivot does, of equals the first in the basis. After STALLS steps
that gain nothing, the lowest columns enter and leave (Bland 1977), which cannot cycle, until a step
gains.
"""

from typing import NamedTuple, Self

import numpy as np

from lincon.jit import entry, kernel

STALLS = 20
# What rounding leaves of a zero, as a part of the terms that were summed.
ROUNDING = 1e-13
# A pivot that is smaller than this part of its column is not one.
PIVOT = 1e-11


class Simplex(NamedTuple):
    """Room for a solution: which columns are basic, at which level, and the duals.

    After it `dual` holds -lambda_j, in the units given, and nu.
    """

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
    def new(cls, constraints: int) -> Self:
        size = constraints + 1
        vectors = np.zeros((7, size))
        return cls(np.zeros(size, np.int64), *vectors, *np.zeros((2, size, size)))


@kernel
def coefficient(h, scale, row, column):
    """The coefficient of a column in a row, each constraint scaled to numbers of about 1."""
    m, n = h.shape
    if column < n:
        return h[row, column] * scale[row] if row < m else 1.0
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
    """Scale the constraints and choose the first basis; the size of the gains."""
    m, n = h.shape
    best, size = 0, abs(g[0])
    for i in range(1, n):
        size = max(size, abs(g[i]))
        if g[i] > g[best]:
            best = i
    for j in range(m):
        most = abs(e[j])
        for i in range(n):
            most = max(most, abs(h[j, i]))
        work.scale[j] = 1.0 / most if most > 0.0 else 1.0
        work.basis[j] = n + j
    work.basis[m] = best
    return size


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
            work.matrix[row, k] = coefficient(h, work.scale, row, work.basis[k])
    if not invert(work.matrix, work.inverse):
        return False
    work.level[:] = 0.0
    for again in range(2):
        for row in range(size):
            rest = e[row] * work.scale[row] if row < m else 1.0
            for k in range(size):
                rest -= coefficient(h, work.scale, row, work.basis[k]) * work.level[k]
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
def set_duals(h, g, work, phase_one):
    """The duals of the gains, or of the negative levels in phase one; how large they are."""
    size, n, total = work.basis.size, g.size, 0.0
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
                rest -= work.dual[row] * coefficient(h, work.scale, row, work.basis[k])
            work.rest[k] = rest
        for row in range(size):
            for k in range(size):
                work.dual[row] += work.rest[k] * work.inverse[k, row]
    for row in range(size):
        total += abs(work.dual[row])
        work.dual[row] *= work.scale[row] if row < size - 1 else 1.0
    return total


@kernel
def entering(h, g, work, phase_one, least, first):
    """The column of the largest reduced gain above `least`, or the first such one; -1 if none."""
    m, n = h.shape
    best, most = -1, least
    for i in range(n + m):
        if i < n:
            reduced = -work.dual[m] if phase_one else g[i] - work.dual[m]
            for j in range(m):
                reduced -= work.dual[j] * h[j, i]
        else:
            reduced = work.dual[i - n] / work.scale[i - n]
        if reduced > most:
            best, most = i, reduced
            if first:
                break
    return best


@kernel
def leaving(h, work, column, first):
    """(place in the basis that the column takes, length of the step); -1 if none stops it."""
    size, largest = work.basis.size, 0.0
    for k in range(size):
        step = 0.0
        for row in range(size):
            step += work.inverse[k, row] * coefficient(h, work.scale, row, column)
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
    """Fill in basis, levels and duals of the optimum; False where no mixture is feasible."""
    gains = begin(h, g, e, work)
    stalled, generous = 0, False
    for _ in range(50 * (g.size + e.size) + 1000):
        factor(h, e, work, generous)
        phase_one = False
        for k in range(work.basis.size):
            phase_one |= work.level[k] < -work.noise[k]
        size = set_duals(h, g, work, phase_one)
        least = ROUNDING * (size + (1.0 if phase_one else gains))
        column = entering(h, g, work, phase_one, least, stalled > STALLS)
        place, length = -1, 0.0
        if column >= 0:
            place, length = leaving(h, work, column, stalled > STALLS)
        if place < 0:
            if generous or not phase_one:
                return not phase_one
            generous = True
            continue
        stalled = 0 if length > ROUNDING else stalled + 1
        work.basis[place] = column
    return not phase_one


class Solution(NamedTuple):
    """The optimal mixture by arm, and the prices lambda_j."""

    shares: dict[int, float]
    prices: tuple[float, ...]


def solve(h: np.ndarray, g: np.ndarray, e: np.ndarray) -> Solution | None:
    """What `solve_simplex` finds, arms in their order; None where no mixture is feasible."""
    work = Simplex.new(e.size)
    if not solve_simplex(np.ascontiguousarray(h), g, e, work):
        return None
    found = zip(work.basis.tolist(), work.level.tolist(), strict=True)
    shares = {arm: share for arm, share in sorted(found) if arm < g.size and share > 0.0}
    return Solution(shares, tuple(max(0.0, -float(dual)) for dual in work.dual[:-1]))
