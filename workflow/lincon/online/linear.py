"""The linear program of one decision, with NumPy alone and fast for few constraints.

    max  sum_k p_k sum_i x_ki g_ki
    s.t. sum_k p_k sum_i x_ki h_kij >= e_j,   sum_i x_ki = 1,   x >= 0

The same optimum as lincon.problem.lp and lincon.problem.simplex, which the tests hold it to.
"""

import numpy as np

# Arms, by their position, with their shares of the requests of their kind.
Mixture = dict[int, float]
# What rounding leaves of a zero, and the least pivot, as parts of numbers of at most 1.
ROUNDING, PIVOT = 1e-12, 1e-10
# Steps after which the lowest columns enter and leave (Bland, 1977), which cannot cycle; and after
# which a program is given up.
PATIENCE, LIMIT = 40, 2000


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
    mixtures, basis = [], None
    for g, h in zip(gain, amount, strict=True):
        mixture, basis = solve_simplex(g, h, bound, kind, share, basis)
        mixtures.append(mixture)
    return mixtures


def solve_pair(amount: np.ndarray, gain: np.ndarray, bound: float) -> Mixture | None:
    """For one constraint and kind: one arm or two, the lower amount first.

    From a pair around the bound to the optimal one: the arm farthest above its line enters, as long
    as that raises the mixture's gain.
    """
    low, high = largest(gain, amount), largest(amount, gain)
    if amount[high] < bound:
        return None
    if amount[low] >= bound:
        return {low: 1.0}

    x = (amount[high] - bound) / (amount[high] - amount[low])
    current = x * gain[low] + (1.0 - x) * gain[high]
    while True:
        price = (gain[low] - gain[high]) / (amount[high] - amount[low])
        arm = int(((gain - gain[low]) + price * (amount - amount[low])).argmax())
        pair = (arm, high) if amount[arm] < bound else (low, arm)
        y = (amount[pair[1]] - bound) / (amount[pair[1]] - amount[pair[0]])
        better = y * gain[pair[0]] + (1.0 - y) * gain[pair[1]]
        if better <= current:
            return {low: float(x), high: float(1.0 - x)}
        low, high, x, current = *pair, y, better


def solve_simplex(
    gain: np.ndarray,
    amount: np.ndarray,
    bound: np.ndarray,
    kind: np.ndarray,
    share: np.ndarray,
    basis: list[int] | None = None,
) -> tuple[Mixture | None, list[int]]:
    """For any number of constraints and kinds, by a revised simplex: the mixture, and its basis.

    Columns are the arms, then the surpluses; amounts are counted from their bounds and divided by
    the largest. It starts from `basis`, that of a similar program, or from the arm of the largest
    gain of each kind.
    """
    (m, n), kinds = amount.shape, len(share)
    table = np.zeros((m + kinds, n + m))
    rows = amount - bound[:, None]
    extent = np.abs(rows).max(axis=1, keepdims=True)
    table[:m, :n] = rows / np.where(extent > 0.0, extent, 1.0)
    table[m + kind, np.arange(n)] = 1.0
    table[np.arange(m), np.arange(n, n + m)] = -1.0
    objective = np.concatenate([gain / (np.abs(gain).max() or 1.0), np.zeros(m)])
    right = np.concatenate([np.zeros(m), share])
    by_gain = [
        int(at[gain[at].argmax()]) for at in ((kind == k).nonzero()[0] for k in range(kinds))
    ]
    first = [*range(n, n + m), *by_gain]
    try:
        levels = _pivot(table, objective, right, basis := [*(basis or first)])
    except np.linalg.LinAlgError:  # the other program's basis may be singular in this one
        levels = _pivot(table, objective, right, basis := first)
    if levels is None:
        return None, basis
    arms = [(i, y) for i, y in sorted(zip(basis, levels, strict=True)) if i < n and y > ROUNDING]
    total = [sum(y for i, y in arms if kind[i] == k) for k in range(kinds)]
    return {i: y / total[kind[i]] for i, y in arms}, basis


def _pivot(
    table: np.ndarray, objective: np.ndarray, right: np.ndarray, basis: list[int]
) -> list[float] | None:
    """Turn `basis` into the optimal one; its levels, None where no mixture is feasible.

    While a level is negative, the sum of the negative levels is raised instead of the gain.
    """
    for step in range(LIMIT):
        columns = table[:, basis]
        inverse = np.linalg.inv(columns)
        level = inverse.dot(right)
        level += inverse.dot(right - columns.dot(level))
        levels: list[float] = level.tolist()
        short = [one < -ROUNDING for one in levels]
        phase_one = any(short)
        dual = (np.array(short, float) if phase_one else objective[basis]).dot(inverse)
        reduced = -dual.dot(table) if phase_one else objective - dual.dot(table)
        reduced[basis] = 0.0
        rise, bland = ROUNDING * (1.0 + float(np.abs(dual).sum())), step > PATIENCE
        column = int((reduced > rise).argmax() if bland else reduced.argmax())
        if reduced[column] <= rise:
            return None if phase_one else levels
        pivots = inverse.dot(table[:, column]).tolist()
        place = _leaving(levels, short, pivots, basis, bland)
        if place < 0:
            return None
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


def closest(gain: np.ndarray, amount: np.ndarray, bound: np.ndarray, extent: np.ndarray) -> int:
    """The arm of the least total shortfall, each as a share of its range; then the largest gain."""
    if len(bound) == 1:
        return largest(amount[0], gain)
    missing = np.maximum(bound[:, None] - amount, 0.0) / extent[:, None]
    return largest(-missing.sum(axis=0), gain)
