"""The linear program by trying all corners, slowly."""

import math
from itertools import combinations

import numpy as np

Shares = dict[int, float] | None  # in the order of the draw; None where arms are drawn uniformly


def best_pair(h: np.ndarray, g: np.ndarray, e: float) -> Shares:
    """The best of all arms and of all pairs that meet e exactly, in the order of h."""
    above, below = np.flatnonzero(h >= e), np.flatnonzero(h < e)
    if above.size == 0:
        return None
    alone = first_of(g, h, above.tolist())
    if below.size == 0:
        return {alone: 1.0}
    low, high = below[:, None], above[None, :]
    share = (h[high] - e) / (h[high] - h[low])
    worth = share * g[low] + (1 - share) * g[high]
    i, j = np.unravel_index(np.argmax(worth), worth.shape)
    if worth[i, j] <= g[alone]:
        return {alone: 1.0}
    return {int(below[i]): float(share[i, j]), int(above[j]): float(1 - share[i, j])}


def best_vertex(h: np.ndarray, g: np.ndarray, e: np.ndarray, kinds=None, share=(1.0,)) -> Shares:
    """The best corner of the feasible set, by trying all: arms with as many tight constraints.

    `kinds` float[K, N]: 1 where an arm is of a kind, whose shares of all requests are `share`.
    """
    m, n = h.shape
    kinds = np.ones((1, n)) if kinds is None else kinds
    best, most = None, -math.inf
    for size in range(len(kinds), min(m + len(kinds), n) + 1):
        for arms in combinations(range(n), size):
            for tight in combinations(range(m), size - len(kinds)):
                left = np.vstack([kinds[:, arms], h[np.ix_(tight, arms)]])
                if abs(np.linalg.det(left)) < 1e-12:
                    continue
                x = np.linalg.solve(left, np.array([*share, *e[list(tight)]]))
                feasible = (x > 0).all() and (h[:, arms] @ x >= e - 1e-12).all()
                if feasible and g[list(arms)] @ x > most + 1e-12:
                    best, most = dict(zip(arms, x.tolist(), strict=True)), g[list(arms)] @ x
    return best


def first_of(first, second, among) -> int:
    """Of the largest `first` that of the largest `second`, then the lowest index."""
    return max(among, key=lambda i: (first[i], second[i], -i))
