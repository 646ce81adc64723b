"""The formulas of the engine's kernels on whole arrays, with NumPy alone.

The same numbers as lincon.problem.lp and lincon.policies.estimators, which the tests hold them to;
Numba takes longer to load than a service may take to start.
"""

from __future__ import annotations

import math

import numpy as np

from lincon.errors import UserError

# Arms with their shares, in the order in which they are drawn.
Mixture = dict[int, float]


def solve(amount: np.ndarray, gain: np.ndarray, bound: np.ndarray) -> Mixture | None:
    """The mixture of the largest gain whose amounts reach the bounds; None where none does."""
    if len(bound) == 1:
        found = solve_lp(amount[0], gain, float(bound[0]))
        if found is None:
            return None
        low, high, share = found
        return {low: 1.0} if low == high else {low: share, high: 1.0 - share}
    return _solve_many(amount, gain, bound)


def _solve_many(amount: np.ndarray, gain: np.ndarray, bound: np.ndarray) -> Mixture | None:
    """Several constraints: SciPy's HiGHS, about a millisecond."""
    try:
        from scipy.optimize import linprog
    except ImportError:
        raise UserError("a policy with several constraints needs SciPy; install it") from None
    found = linprog(
        -gain,
        A_ub=-amount,
        b_ub=-bound,
        A_eq=np.ones((1, gain.size)),
        b_eq=[1.0],
        method="highs-ds",
    )
    if not found.success:
        return None
    arms = np.flatnonzero(found.x > 1e-12)
    total = found.x[arms].sum()
    return {int(arm): float(found.x[arm] / total) for arm in arms}


def closest(amount: np.ndarray, gain: np.ndarray, bound: np.ndarray, extent: np.ndarray) -> int:
    """The arm of the least total shortfall, each as a share of its range; then the largest gain."""
    if len(bound) == 1:
        return largest(amount[0], gain)
    missing = np.maximum(bound[:, None] - amount, 0.0) / extent[:, None]
    return largest(-missing.sum(axis=0), gain)


def solve_lp(amount: np.ndarray, gain: np.ndarray, bound: float) -> tuple[int, int, float] | None:
    """(low, high, share of low) for one constraint; None where no mixture reaches the bound."""
    best, top = largest(gain, amount), largest(amount, gain)
    if amount[top] < bound:
        return None
    if amount[best] >= bound:
        return best, best, 1.0
    low, high = _climb(amount, gain, bound, best, top)
    return low, high, float(_share(amount[low], amount[high], bound))


def largest(first: np.ndarray, second: np.ndarray) -> int:
    """The arm of the largest `first`; of equals that of the largest `second`, then the first."""
    equals = np.flatnonzero(first == first.max())
    return int(equals[np.argmax(second[equals])])


def _share(amount_low: float, amount_high: float, bound: float) -> float:
    return (amount_high - bound) / (amount_high - amount_low)


def _climb(
    amount: np.ndarray, gain: np.ndarray, bound: float, low: int, high: int
) -> tuple[int, int]:
    """From a pair around the bound to the optimal one: the arm farthest above its line enters, or,
    where rounding makes that arm useless, the one whose entering raises the mixture's gain most."""
    current = _pair_value(amount, gain, low, high, bound)
    while True:
        arm = _steepest(amount, gain, low, high)
        pair = _swap(amount, low, high, arm, bound)
        candidate = _pair_value(amount, gain, *pair, bound)
        if arm != low and candidate <= current:
            values = [
                _pair_value(amount, gain, *_swap(amount, low, high, i, bound), bound)
                for i in range(amount.size)
            ]
            arm = int(np.argmax(values))
            pair, candidate = _swap(amount, low, high, arm, bound), values[arm]
        if arm == low or candidate <= current:
            return low, high
        (low, high), current = pair, candidate


def _pair_value(amount: np.ndarray, gain: np.ndarray, low: int, high: int, bound: float) -> float:
    x = _share(amount[low], amount[high], bound)
    return float(x * gain[low] + (1.0 - x) * gain[high])


def _swap(amount: np.ndarray, low: int, high: int, arm: int, bound: float) -> tuple[int, int]:
    return (arm, high) if amount[arm] < bound else (low, arm)


def _steepest(amount: np.ndarray, gain: np.ndarray, low: int, high: int) -> int:
    price = (gain[low] - gain[high]) / (amount[high] - amount[low])
    above = (gain - gain[low]) + price * (amount - amount[low])
    arm = int(np.argmax(above))
    return arm if above[arm] > 0.0 else low


def kl_upper(p: np.ndarray, budget: np.ndarray) -> np.ndarray:
    """The largest q in [p, 1] with d(p, q) <= budget, by Newton's method from above."""
    q = p.astype(float)
    zero = (p <= 0.0) & (budget > 0.0)
    q[zero] = -np.expm1(-budget[zero])
    inner = np.flatnonzero((p > 0.0) & (p < 1.0) & (budget > 0.0))
    q[inner] = _newton(p[inner], budget[inner])
    return q


def _newton(p: np.ndarray, budget: np.ndarray) -> np.ndarray:
    """The root of d(p, q) = budget above p, for 0 < p < 1; all arms go on until the last is there,
    which costs less than taking each out."""
    rest = 1.0 - p
    near_one = 1.0 - rest * np.exp((p * np.log(p) - budget) / rest)
    q = np.minimum(p + np.sqrt(0.5 * budget), near_one)
    for _ in range(100):
        # At p and at 1 it stays: the slope there is 0 or infinite.
        gap, over = q - p, np.where(q < 1.0, 1.0 - q, 1.0)
        divergence = p * np.log(p / q) + rest * np.log(rest / over)
        step = (divergence - budget) * q * over / np.where(gap > 0.0, gap, 1.0)
        step[(gap <= 0.0) | (q >= 1.0)] = 0.0
        q = q - step
        if not (step > 1e-14 * q).any():
            break
    return np.clip(q, p, 1.0)


def kl_budget(t: int, explore: float, c: float) -> float:
    """explore (log t + c log log t), the second term from t = e on."""
    log_t = math.log(t)
    return explore * (log_t + c * math.log(max(log_t, 1.0)))
