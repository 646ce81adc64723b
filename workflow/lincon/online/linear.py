"""The linear program of one decision, in NumPy and fast for few constraints.

    max  sum_k p_k sum_i x_ki g_ki
    s.t. sum_k p_k sum_i x_ki h_kij >= e_j,   sum_i x_ki = 1,   x >= 0

The same optimum as lincon.problem.lp and lincon.problem.simplex, which the tests hold it to.
"""

import numpy as np

# Arms, by their position, with their shares of the requests of their kind.
Mixture = dict[int, float]
# What rounding leaves of a zero, and the least pivot, as parts of numbers of at most 1.
ROUNDING, PIVOT = 1e-12, 1e-10
# Steps after which a program is given up.
LIMIT = 2000


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
    pairs = zip(gain, amount, strict=True)
    return [solve_simplex(g, h, bound, kind, share) for g, h in pairs]


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
    gain: np.ndarray, amount: np.ndarray, bound: np.ndarray, kind: np.ndarray, share: np.ndarray
) -> Mixture | None:
    """For any number of constraints and kinds, by the dual simplex method.

    Columns are the arms, then the surpluses; amounts are counted from their bounds and divided by
    the largest. The arm of the largest gain of each kind with all surpluses is optimal but for
    surpluses that are negative: the most negative one leaves for the column that costs the least
    gain, until none is. Of equals the one of the largest pivot enters, then the first.
    """
    (m, n), kinds = amount.shape, len(share)
    table, basis = np.zeros((m + kinds, n + m)), [*range(n, n + m)]
    rows = amount - bound[:, None]
    extent = np.abs(rows).max(axis=1, keepdims=True)
    table[:m, :n] = rows / np.where(extent > 0.0, extent, 1.0)
    table[m + kind, np.arange(n)] = 1.0
    table[np.arange(m), np.arange(n, n + m)] = -1.0
    objective = np.concatenate([gain / (np.abs(gain).max() or 1.0), np.zeros(m)])
    right = np.concatenate([np.zeros(m), share])
    for k in range(kinds):
        members = (kind == k).nonzero()[0]
        basis.append(int(members[gain[members].argmax()]))
    for _ in range(LIMIT):
        columns = table[:, basis]
        inverse = np.linalg.inv(columns)
        level = inverse.dot(right)
        level += inverse.dot(right - columns.dot(level))
        place = int(level.argmin())
        if level[place] >= -ROUNDING:
            break
        row = inverse[place].dot(table)
        row[basis] = 0.0
        enters = (row < -PIVOT * np.abs(row).max()).nonzero()[0]
        if not enters.size:
            return None
        reduced = objective[enters] - objective[basis].dot(inverse).dot(table[:, enters])
        cost = reduced / row[enters]
        equals = enters[cost <= cost.min() + ROUNDING]
        basis[place] = int(equals[row[equals].argmin()])
    else:
        return None
    arms = [(i, y) for i, y in sorted(zip(basis, level.tolist(), strict=True)) if i < n]
    total = [sum(y for i, y in arms if kind[i] == k and y > ROUNDING) for k in range(kinds)]
    return {i: y / total[kind[i]] for i, y in arms if y > ROUNDING}


def closest(gain: np.ndarray, amount: np.ndarray, bound: np.ndarray, extent: np.ndarray) -> int:
    """The arm of the least total shortfall, each as a share of its range; then the largest gain."""
    if len(bound) == 1:
        return largest(amount[0], gain)
    missing = np.maximum(bound[:, None] - amount, 0.0) / extent[:, None]
    return largest(-missing.sum(axis=0), gain)
