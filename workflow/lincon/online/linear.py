"""The linear program of one decision, with NumPy alone and fast for few constraints.

    max  sum_k p_k sum_i x_ki g_ki
    s.t. sum_k p_k sum_i x_ki h_kij >= e_j,   sum_i x_ki = 1,   x >= 0

The same optimum as lincon.problem.lp and lincon.problem.simplex, which the tests hold it to.
"""

from contextlib import suppress

import numpy as np

# Arms, by their position, with their shares of the requests of their kind.
Mixture = dict[int, float]
# What rounding leaves of a zero, and the least pivot, as parts of numbers of at most 1.
ROUNDING, PIVOT = 1e-12, 1e-10
# Steps after which the lowest columns enter and leave (Bland, 1977), which cannot cycle; after
# which the inverse is computed afresh; and after which the problem is given up.
PATIENCE, FRESH, LIMIT = 40, 20, 2000


def largest(first: np.ndarray, second: np.ndarray) -> int:
    """The arm of the largest `first`; of equals that of the largest `second`, then the first."""
    equals = (first == first.max()).nonzero()[0]
    return int(equals[second[equals].argmax()] if len(equals) > 1 else equals[0])


def solve(
    gain: np.ndarray, amount: np.ndarray, bound: np.ndarray, kind: np.ndarray, share: np.ndarray
) -> list[Mixture | None]:
    """The optimal mixture of each of D programs; None where none is feasible.

    Parameters
    ----------
    gain, amount, bound
        g float[D, N], h float[D, m, N] and e float[m].
    kind, share
        The kind of each arm int[N], and the share of each kind in all requests float[K].
    """
    if len(bound) == len(share) == 1:
        return [solve_pair(h[0], g, float(bound[0])) for g, h in zip(gain, amount, strict=True)]
    return solve_simplex(gain, amount, bound, kind, share)


def solve_pair(amount: np.ndarray, gain: np.ndarray, bound: float) -> Mixture | None:
    """For one constraint and kind: one arm or two, the lower amount first.

    From a pair around the bound to the optimal one: the arm farthest above its line enters, or,
    where rounding makes that arm useless, the one whose entering raises the mixture's gain most.
    """
    low, high = largest(gain, amount), largest(amount, gain)
    if amount[high] < bound:
        return None
    if amount[low] >= bound:
        return {low: 1.0}

    def share(low: int, high: int) -> float:
        return float((amount[high] - bound) / (amount[high] - amount[low]))

    def entered(arm: int) -> tuple[float, int, int]:
        """The gain of the pair that an arm enters, and the pair."""
        pair = (arm, high) if amount[arm] < bound else (low, arm)
        x = share(*pair)
        return float(x * gain[pair[0]] + (1.0 - x) * gain[pair[1]]), *pair

    current = entered(low)[0]
    while True:
        price = (gain[low] - gain[high]) / (amount[high] - amount[low])
        above = (gain - gain[low]) + price * (amount - amount[low])
        arm = int(above.argmax())
        if above[arm] <= 0.0 or arm == low:
            break
        best = entered(arm)
        if best[0] <= current:
            best = max((entered(i) for i in range(amount.size)), key=lambda one: one[0])
        if best[0] <= current:
            break
        current, low, high = best
    return {low: share(low, high), high: 1.0 - share(low, high)}


def solve_simplex(
    gain: np.ndarray, amount: np.ndarray, bound: np.ndarray, kind: np.ndarray, share: np.ndarray
) -> list[Mixture | None]:
    """For any number of constraints and kinds: the arms in their order, by a revised simplex.

    Columns are the arms, then the surpluses; amounts are counted from their bounds and divided by
    the largest. The first program starts from the arm of the largest gain of each kind, every other
    from the last basis.
    """
    (draws, m, n), kinds = amount.shape, len(share)
    tables = np.zeros((draws, m + kinds, n + m))
    rows = np.subtract(amount, bound[:, None], out=tables[:, :m, :n])
    extent = np.abs(rows).max(axis=2, keepdims=True)
    rows /= np.where(extent > 0.0, extent, 1.0)
    tables[:, m + kind, np.arange(n)] = 1.0
    tables[:, np.arange(m), np.arange(n, n + m)] = -1.0
    objectives = np.zeros((draws, n + m))
    largest_gain = np.abs(gain).max(axis=1, keepdims=True)
    objectives[:, :n] = gain / np.where(largest_gain > 0.0, largest_gain, 1.0)
    right = np.array([0.0] * m + share.tolist())
    first = [*range(n, n + m)]
    for k in range(kinds):
        members = (kind == k).nonzero()[0]
        first.append(int(members[gain[0, members].argmax()]))
    mixtures, basis = [], first
    for table, objective in zip(tables, objectives, strict=True):
        inverse = None
        for start in ([*basis], [*first]):  # for other numbers a basis may be singular
            with suppress(np.linalg.LinAlgError):
                basis, inverse = start, _pivot(table, objective, right, start)
                break
        mixtures.append(_mixture(table, right, inverse, basis, kind))
    return mixtures


def _pivot(
    table: np.ndarray, objective: np.ndarray, right: np.ndarray, basis: list[int]
) -> np.ndarray | None:
    """Turn `basis` into the optimal one; its inverse, None where no mixture is feasible.

    While a level is negative, the sum of the negative levels is raised instead of the gain.
    """
    for step in range(LIMIT):
        if step % FRESH == 0:
            inverse = np.linalg.inv(table[:, basis])
        levels: list[float] = inverse.dot(right).tolist()
        short = [level < -ROUNDING for level in levels]
        phase_one = any(short)
        dual = (np.array(short, float) if phase_one else objective[basis]).dot(inverse)
        reduced = -dual.dot(table) if phase_one else objective - dual.dot(table)
        reduced[basis] = 0.0
        rise, bland = ROUNDING * (1.0 + sum(map(abs, dual.tolist()))), step > PATIENCE
        column = int((reduced > rise).argmax() if bland else reduced.argmax())
        if reduced[column] <= rise:
            return None if phase_one else inverse
        pivots = inverse.dot(table[:, column])
        place = _leaving(levels, short, pivots.tolist(), basis, bland)
        if place < 0:
            return None
        row = inverse[place] / pivots[place]
        inverse = inverse - pivots[:, None] * row
        inverse[place] = row
        basis[place] = column
    return None


def _leaving(
    levels: list[float], short: list[bool], pivots: list[float], basis: list[int], bland: bool
) -> int:
    """The place in the basis whose level is the first to reach 0; -1 if none does."""
    best, shortest, least = -1, np.inf, PIVOT * max(map(abs, pivots))
    for k, pivot in enumerate(pivots):
        if abs(pivot) <= least or short[k] == (pivot > 0.0):
            continue
        length = (levels[k] if short[k] else max(levels[k], 0.0)) / pivot
        room = ROUNDING * (1.0 + length)
        equal = best >= 0 and abs(length - shortest) <= room
        wins = basis[k] < basis[best] if bland else abs(pivot) > abs(pivots[best])
        if length < shortest - room or (equal and wins):
            best, shortest = k, min(length, shortest)
    return best


def _mixture(
    table: np.ndarray,
    right: np.ndarray,
    inverse: np.ndarray | None,
    basis: list[int],
    kind: np.ndarray,
) -> Mixture | None:
    """The arms in the basis with their shares, which sum to 1 in each kind."""
    if inverse is None:
        return None
    levels = inverse.dot(right)
    levels += inverse.dot(right - table[:, basis].dot(levels))
    total = [0.0] * len(basis)
    pairs = zip(basis, levels.tolist(), strict=True)
    arms = [(i, int(kind[i]), y) for i, y in sorted(pairs) if i < len(kind) and y > ROUNDING]
    for _, k, y in arms:
        total[k] += y
    return {i: y / total[k] for i, k, y in arms}


def closest(gain: np.ndarray, amount: np.ndarray, bound: np.ndarray, extent: np.ndarray) -> int:
    """The arm of the least total shortfall, each as a share of its range; then the largest gain."""
    if len(bound) == 1:
        return largest(amount[0], gain)
    missing = np.maximum(bound[:, None] - amount, 0.0) / extent[:, None]
    return largest(-missing.sum(axis=0), gain)
