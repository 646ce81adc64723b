"""The formulas of the engine's kernels on whole arrays, with NumPy alone.

The same numbers as lincon.problem.lp, lincon.policies.estimators and lincon.policies.prior, which
the tests hold them to; Numba takes longer to load than a service may take to start.
"""

import math

import numpy as np

from lincon.errors import UserError

STEPS, TRIES, LONGEST, CLOSE = 30, 40, 1.5, 1e-6
_log_gamma = np.vectorize(math.lgamma, otypes=[float])
# Arms with their shares, in the order in which they are drawn.
Mixture = dict[int, float]


def solve(amount: np.ndarray, gain: np.ndarray, bound: np.ndarray) -> Mixture | None:
    """The mixture of the largest gain whose amounts reach the bounds; None where none does.

    Several constraints are left to SciPy's HiGHS, about a millisecond.
    """
    if len(bound) == 1:
        found = solve_lp(amount[0], gain, float(bound[0]))
        if found is None:
            return None
        low, high, share = found
        return {low: 1.0} if low == high else {low: share, high: 1.0 - share}
    try:
        from scipy.optimize import linprog
    except ImportError:
        raise UserError("a policy with several constraints needs SciPy; install it") from None
    ones = np.ones((1, gain.size))
    solved = linprog(-gain, -amount, -bound, ones, [1.0], method="highs-ds")
    if not solved.success:
        return None
    arms = np.flatnonzero(solved.x > 1e-12)
    total = solved.x[arms].sum()
    return {int(arm): float(solved.x[arm] / total) for arm in arms}


def closest(amount: np.ndarray, gain: np.ndarray, bound: np.ndarray, extent: np.ndarray) -> int:
    """The arm of the least total shortfall, each as a share of its range; then the largest gain."""
    if len(bound) == 1:
        return largest(amount[0], gain)
    missing = np.maximum(bound[:, None] - amount, 0.0) / extent[:, None]
    return largest(-missing.sum(axis=0), gain)


def largest(first: np.ndarray, second: np.ndarray) -> int:
    """The arm of the largest `first`; of equals that of the largest `second`, then the first."""
    equals = np.flatnonzero(first == first.max())
    return int(equals[np.argmax(second[equals])])


def solve_lp(amount: np.ndarray, gain: np.ndarray, bound: float) -> tuple[int, int, float] | None:
    """(low, high, share of low) for one constraint; None where no mixture reaches the bound.

    From a pair around the bound to the optimal one: the arm farthest above its line enters, or,
    where rounding makes that arm useless, the one whose entering raises the mixture's gain most.
    """
    low, high = largest(gain, amount), largest(amount, gain)
    if amount[high] < bound:
        return None
    if amount[low] >= bound:
        return low, low, 1.0

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
        arm = int(np.argmax(above))
        if above[arm] <= 0.0 or arm == low:
            break
        best = entered(arm)
        if best[0] <= current:
            best = max((entered(i) for i in range(amount.size)), key=lambda one: one[0])
        if best[0] <= current:
            break
        current, low, high = best
    return low, high, share(low, high)


def kl_upper(p: np.ndarray, budget: np.ndarray) -> np.ndarray:
    """The largest q in [p, 1] with d(p, q) <= budget, by Newton's method from above; all arms go on
    until the last is there, which costs less than taking each out."""
    found = p.astype(float)
    zero = (p <= 0.0) & (budget > 0.0)
    found[zero] = -np.expm1(-budget[zero])
    inner = (p > 0.0) & (p < 1.0) & (budget > 0.0)
    p, budget, rest = p[inner], budget[inner], 1.0 - p[inner]
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
    found[inner] = np.clip(q, p, 1.0)
    return found


def kl_budget(t: int, explore: float, c: float) -> float:
    """explore (log t + c log log t), the second term from t = e on."""
    log_t = math.log(t)
    return explore * (log_t + c * math.log(max(log_t, 1.0)))


# --- the learned prior


def fit_prior(
    a: float, b: float, plays: np.ndarray, events: np.ndarray, spread: float
) -> tuple[float, float]:
    """(a, b) of the fit, by Newton's steps in (log a, log b), each damped until it climbs."""
    known = plays > 0.0
    counts, logs = np.array([events[known], (plays - events)[known]]), np.log([a, b])
    reached = _height(logs, counts, spread)
    for _ in range(STEPS):
        up, curve = _derivatives(logs, counts, spread)
        damping, new, step = 0.0, -math.inf, np.zeros(2)
        for _ in range(TRIES):
            bend = damping * np.eye(2) - curve
            determinant = bend[0, 0] * bend[1, 1] - bend[0, 1] ** 2
            if bend[0, 0] > 0.0 and determinant > 1e-12 * bend[0, 0] * abs(bend[1, 1]):
                step = np.linalg.solve(bend, up)
                step *= min(1.0, LONGEST / max(np.abs(step).max(), 1e-300))
                new = _height(logs + step, counts, spread)
                if new >= reached:
                    break
            damping = max(2.0 * damping, 1e-3 * np.abs(np.diag(curve)).sum())
        if new < reached:
            break
        logs, reached = logs + step, new
        if np.abs(step).sum() < CLOSE:
            break
    fitted = np.exp(logs)
    return float(fitted[0]), float(fitted[1])


def _height(logs: np.ndarray, counts: np.ndarray, spread: float) -> float:
    shapes = np.exp(logs)
    fits = (
        _log_gamma(shapes[:, None] + counts).sum() - _log_gamma(shapes.sum() + counts.sum(0)).sum()
    )
    constant = math.lgamma(shapes.sum()) - math.lgamma(shapes[0]) - math.lgamma(shapes[1])
    return float(fits + counts.shape[1] * constant - 0.5 * (logs @ logs) / spread**2)


def _derivatives(
    logs: np.ndarray, counts: np.ndarray, spread: float
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and Hessian of the height."""
    shapes = np.exp(logs)
    first, second = digamma_trigamma(shapes)
    first_after, second_after = digamma_trigamma(shapes[:, None] + counts)
    both, both_after = (
        digamma_trigamma(shapes.sum() + number) for number in (np.zeros(1), counts.sum(0))
    )
    by = (first_after - first[:, None] + both[0] - both_after[0]).sum(-1)
    shared = (both[1] - both_after[1]).sum()
    own = shapes**2 * (second_after - second[:, None]).sum(-1) + shapes * by
    curve = np.outer(shapes, shapes) * shared + np.diag(own - 1.0 / spread**2)
    return shapes * by - logs / spread**2, curve


def digamma_trigamma(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first two derivatives of log-gamma: six steps of the recurrence, then their series."""
    steps, z = x[..., None] + np.arange(6.0), x + 6.0
    y = 1.0 / (z * z)
    first = np.log(z) - 0.5 / z - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))
    second = 1.0 / z + 0.5 * y + y / z * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))
    return first - (1.0 / steps).sum(-1), second + (1.0 / steps**2).sum(-1)
