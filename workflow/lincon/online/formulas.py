"""The formulas of the engine's kernels on whole arrays, with NumPy alone.

The same numbers as lincon.problem.lp, lincon.policies.estimators and lincon.policies.prior, which
the tests hold them to; Numba takes longer to load than a service may take to start.
"""

import math

import numpy as np

from lincon.errors import UserError

STEPS, LONGEST, CLOSE = 30, 1.5, 1e-6
_log_gamma = np.vectorize(math.lgamma, otypes=[float])
# Arms with their shares, in the order in which they are drawn.
Mixture = dict[int, float]


def solve(amount: np.ndarray, gain: np.ndarray, bound: np.ndarray) -> Mixture | None:
    """The mixture of the largest gain whose amounts reach the bounds; None where none does.

    Several constraints are left to SciPy's HiGHS, about a millisecond.
    """
    if len(bound) == 1:
        return solve_lp(amount[0], gain, float(bound[0]))
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


def solve_lp(amount: np.ndarray, gain: np.ndarray, bound: float) -> Mixture | None:
    """For one constraint, one arm or two, the lower amount first.

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
        arm = int(np.argmax(above))
        if above[arm] <= 0.0 or arm == low:
            break
        best = entered(arm)
        if best[0] <= current:
            best = max((entered(i) for i in range(amount.size)), key=lambda one: one[0])
        if best[0] <= current:
            break
        current, low, high = best
    return {low: share(low, high), high: 1.0 - share(low, high)}


def kl_upper(p: np.ndarray, budget: np.ndarray) -> np.ndarray:
    """The largest q in [p, 1] with d(p, q) <= budget, by Newton's method from above; all arms go on
    until the last is there, which costs less than taking each out."""
    # Next to 0 and to 1 the formulas have the limits that they should have at 0 and at 1.
    p = np.clip(p, 1e-300, 1.0 - 2.0**-53)
    rest = 1.0 - p
    near_one = p - rest * np.expm1((p * np.log(p) - budget) / rest)
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


# --- the learned prior


def fit_prior(
    a: float, b: float, plays: np.ndarray, events: np.ndarray, spread: float
) -> tuple[float, float]:
    """(a, b) of the fit, by Newton's steps in (log a, log b), each halved until it climbs."""
    known, logs = plays > 0.0, np.log([a, b])
    counts = np.array([events, plays - events, plays])[:, known]

    def height(logs: np.ndarray) -> float:
        shapes = _shapes(logs)
        grown = (_log_gamma(shapes + counts) - _log_gamma(shapes)).sum(axis=1)
        return float(grown[0] + grown[1] - grown[2] - 0.5 * (logs @ logs) / spread**2)

    reached = height(logs)
    for _ in range(STEPS):
        up, curve = _derivatives(logs, counts, spread)
        # Where the height is not concave, uphill all the same.
        bend, axes = np.linalg.eigh(curve)
        step = axes @ ((up @ axes) / np.maximum(np.abs(bend), 1e-9 * np.abs(bend).max()))
        step *= min(1.0, LONGEST / max(np.abs(step).max(), 1e-300))
        while (new := height(logs + step)) < reached and np.abs(step).sum() > CLOSE:
            step /= 2.0
        logs, reached = logs + step, new
        if np.abs(step).sum() <= CLOSE:
            break
    fitted = np.exp(logs)
    return float(fitted[0]), float(fitted[1])


def _derivatives(
    logs: np.ndarray, counts: np.ndarray, spread: float
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and Hessian of the height."""
    shapes = _shapes(logs)
    before, after = digamma_trigamma(shapes), digamma_trigamma(shapes + counts)
    first, second = ((new - old).sum(axis=1) for new, old in zip(after, before, strict=True))
    own, by = shapes[:2, 0], first[:2] - first[2]
    curve = np.diag(own**2 * second[:2] + own * by - 1.0 / spread**2)
    return own * by - logs / spread**2, curve - np.outer(own, own) * second[2]


def _shapes(logs: np.ndarray) -> np.ndarray:
    """a, b and a + b, to which events, misses and plays are added."""
    a, b = np.exp(logs)
    return np.array([[a], [b], [a + b]])


def digamma_trigamma(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first two derivatives of log-gamma: six steps of the recurrence, then their series."""
    steps, z = x[..., None] + np.arange(6.0), x + 6.0
    y = 1.0 / (z * z)
    first = np.log(z) - 0.5 / z - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))
    second = 1.0 / z + 0.5 * y + y / z * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))
    return first - (1.0 / steps).sum(-1), second + (1.0 / steps**2).sum(-1)
