"""Beliefs in NumPy: the KL index, the learned prior, the Gittins index.

The same numbers as lincon.policies.estimators, prior and gittins, which the tests hold them to;
Numba takes longer to load than a service may take to start.
"""

import math
from collections.abc import Iterable
from functools import lru_cache

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
    logs = np.log([a, b])
    counts = np.array([events, plays - events, plays])[:, plays > 0.0]

    def shapes(logs: np.ndarray) -> np.ndarray:
        """a, b and a + b, to which events, misses and plays are added."""
        a, b = np.exp(logs)
        return np.array([[a], [b], [a + b]])

    def height(logs: np.ndarray) -> float:
        grown = (_log_gamma(shapes(logs) + counts) - _log_gamma(shapes(logs))).sum(axis=1)
        return float(grown[0] + grown[1] - grown[2] - 0.5 * (logs @ logs) / spread**2)

    reached = height(logs)
    for _ in range(STEPS):
        before, after = (digamma_trigamma(shapes(logs) + more) for more in (0.0 * counts, counts))
        first, second = (after - before).sum(axis=2)
        size, by = np.exp(logs), first[:2] - first[2]
        up = size * by - logs / spread**2
        curve = np.diag(size**2 * second[:2] + size * by - 1.0 / spread**2)
        # Where the height is not concave, uphill all the same.
        bend, axes = np.linalg.eigh(curve - np.outer(size, size) * second[2])
        step = axes @ ((up @ axes) / np.maximum(np.abs(bend), 1e-9 * np.abs(bend).max()))
        step *= min(1.0, LONGEST / max(np.abs(step).max(), 1e-300))
        while (new := height(logs + step)) < reached and np.abs(step).sum() > CLOSE:
            step /= 2.0
        logs, reached = logs + step, new
        if np.abs(step).sum() <= CLOSE:
            break
    fitted = np.exp(logs)
    return float(fitted[0]), float(fitted[1])


def digamma_trigamma(x: np.ndarray) -> np.ndarray:
    """The first two derivatives of log-gamma: six steps of the recurrence, then their series."""
    steps, z = x[..., None] + np.arange(6.0), x + 6.0
    y = 1.0 / (z * z)
    first = np.log(z) - 0.5 / z - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))
    second = 1.0 / z + 0.5 * y + y / z * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))
    return np.array([first - (1.0 / steps).sum(-1), second + (1.0 / steps**2).sum(-1)])


# --- the optimistic Gittins index


def rounds_ahead(ahead: float) -> float:
    """The rounds for which a discovery is valued, rounded down to a power of 1.02, at least 1: so
    an index is a constant for a while."""
    return math.pow(1.02, math.floor(math.log(ahead) / math.log(1.02))) if ahead > 1.0 else 1.0


def gittins_indices(a: np.ndarray, b: np.ndarray, rounds: Iterable[float]) -> np.ndarray:
    each = zip(a.tolist(), b.tolist(), rounds, strict=True)
    return np.array([gittins(*one) for one in each])


@lru_cache(maxsize=100_000)
def gittins(a: float, b: float, rounds: float) -> float:
    """The q with q - E theta = (rounds - 1) E[(theta - q)+] of theta ~ Beta(a, b), by Newton's
    steps, which climb to it from below."""
    q = mean = a / (a + b)
    for _ in range(200 if rounds > 1.0 else 0):
        q = min(max(q, mean, 1e-12), 1.0 - 1e-12)
        weight = tail_weight(a, b, q)
        if q < (a + 1.0) / (a + b + 2.0):
            tail = 1.0 - weight / a * tail_fraction(b, a, 1.0 - q)
        else:
            tail = weight / b * tail_fraction(a, b, q)
        # theta weighted by itself is Beta(a + 1, b), whose tail is larger by weight / a.
        more = max(mean * (tail + weight / a) - q * tail, 0.0)
        step = ((rounds - 1.0) * more - (q - mean)) / (1.0 + (rounds - 1.0) * tail)
        q += step
        if abs(step) < 1e-11:
            break
    return min(max(q, mean), 1.0)


def tail_weight(a: float, b: float, x: float) -> float:
    """x^a (1 - x)^b / B(a, b)."""
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    return math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta)


def tail_fraction(a: float, b: float, x: float) -> float:
    """P(theta > x) b / tail_weight as a continued fraction, for x from about the mean on."""
    y, total = 1.0 - x, a + b
    upper = lower = value = 1.0
    rest = 1.0 - total * y / (b + 1.0)
    for m in range(1, 20000):
        even = b + 2.0 * m
        term = m * (a - m) * y / ((even - 1.0) * even)
        up, low = value + term * upper, rest + term * lower
        term = -(b + m) * (total + m) * y / (even * (even + 1.0))
        scale, before = 1.0 / (low + term * rest), value
        upper, lower = up * scale, low * scale
        value, rest = (up + term * value) * scale, 1.0
        if abs(value - before) < 1e-14 * abs(value):
            break
    return value
