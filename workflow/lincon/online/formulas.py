"""What the policies believe, with NumPy alone: the KL index, the learned prior, the Gittins index.

The same numbers as lincon.policies.estimators, prior and gittins, which the tests hold them to;
Numba takes longer to load than a service may take to start.
"""

import math

import numpy as np

STEPS, LONGEST, CLOSE = 30, 1.5, 1e-6
_log_gamma = np.vectorize(math.lgamma, otypes=[float])


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


# --- the optimistic Gittins index


def gittins(a: float, b: float, rounds: float, start: float) -> float:
    """The q with q - E theta = (rounds - 1) E[(theta - q)+] of theta ~ Beta(a, b), by Newton's
    steps from `start`, which climb to it from below."""
    mean = a / (a + b)
    if rounds <= 1.0:
        return mean
    q = start
    for _ in range(200):
        q = min(max(q, mean, 1e-12), 1.0 - 1e-12)
        change = _tail_weight(a, b, q)
        if q < (a + 1.0) / (a + b + 2.0):
            tail = 1.0 - change / a * _tail_fraction(b, a, 1.0 - q)
        else:
            tail = change / b * _tail_fraction(a, b, q)
        # theta weighted by itself is Beta(a + 1, b), whose tail is larger by change / a.
        more = max(mean * (tail + change / a) - q * tail, 0.0)
        step = ((rounds - 1.0) * more - (q - mean)) / (1.0 + (rounds - 1.0) * tail)
        q += step
        if abs(step) < 1e-11:
            break
    return min(max(q, mean), 1.0)


class GittinsIndices:
    """The indices of all arms; set again are those whose posterior or horizon has changed."""

    def __init__(self) -> None:
        self.known, self.theta = np.zeros((3, 0)), np.zeros(0)

    def __call__(self, a: np.ndarray, b: np.ndarray, rounds: float) -> np.ndarray:
        now = np.array([a, b, np.full(len(a), rounds)])
        if self.known.shape != now.shape:
            self.known, self.theta = np.full(now.shape, -1.0), a / (a + b)
        for i in (self.known != now).any(axis=0).nonzero()[0].tolist():
            self.theta[i] = gittins(float(a[i]), float(b[i]), rounds, float(self.theta[i]))
        self.known = now
        return self.theta.copy()


def rounds_ahead(ahead: float) -> float:
    """The rounds for which a discovery is valued, rounded down to a power of 1.02, at least 1: so
    an index is a constant for a while."""
    return math.pow(1.02, math.floor(math.log(ahead) / math.log(1.02))) if ahead > 1.0 else 1.0


def _stirling_error(n: float) -> float:
    """log n! - log(sqrt(2 pi n) (n / e)^n)."""
    if n < 16.0:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2.0 * math.pi)
    s = 1.0 / (n * n)
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188))))) / n


def _tail_weight(a: float, b: float, x: float) -> float:
    """x^a (1 - x)^b / B(a, b), without the cancellation of large log-gammas (Loader)."""
    n = a + b
    deviance = a * math.log(a / (n * x)) + b * math.log(b / (n * (1.0 - x)))
    errors = _stirling_error(n) - _stirling_error(a) - _stirling_error(b)
    return math.exp(errors - deviance) * math.sqrt(n / (2.0 * math.pi * a * b)) * a / n * b


def _tail_fraction(a: float, b: float, x: float) -> float:
    """P(theta > x) b / _tail_weight as a continued fraction, for x from about the mean on."""
    y, total = 1.0 - x, a + b
    plus, minus = b + 1.0, b - 1.0
    upper = lower = value = 1.0
    rest = 1.0 - total * y / plus
    for m in range(1, 20000):
        term = m * (a - m) * y / ((minus + 2.0 * m) * (b + 2.0 * m))
        up, low = value + term * upper, rest + term * lower
        term = -(b + m) * (total + m) * y / ((b + 2.0 * m) * (plus + 2.0 * m))
        scale, before = 1.0 / (low + term * rest), value
        upper, lower = up * scale, low * scale
        value, rest = (up + term * value) * scale, 1.0
        if abs(value - before) < 1e-14 * abs(value):
            break
    return value
