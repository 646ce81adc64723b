"""The formulas of the engine's kernels on whole arrays, with NumPy alone.

The same numbers as lincon.problem.lp and lincon.policies.estimators, which the tests hold them to;
Numba takes longer to load than a service may take to start.
"""

from __future__ import annotations

import math

import numpy as np

Mixture = tuple[int, int, float]


def solve_lp(theta: np.ndarray, value: np.ndarray, eta: float) -> Mixture | None:
    """(low, high, share of low), the solution of LP(theta); None where no mixture reaches eta."""
    reward = theta * value
    best, top = largest(reward, theta), largest(theta, reward)
    if theta[top] < eta:
        return None
    if theta[best] >= eta:
        return best, best, 1.0
    low, high = _climb(theta, reward, eta, best, top)
    return low, high, float(_share(theta[low], theta[high], eta))


def largest(first: np.ndarray, second: np.ndarray) -> int:
    """The arm of the largest `first`; of equals that of the largest `second`, then the first."""
    equals = np.flatnonzero(first == first.max())
    return int(equals[np.argmax(second[equals])])


def _share(theta_low: float, theta_high: float, eta: float) -> float:
    return (theta_high - eta) / (theta_high - theta_low)


def _climb(
    theta: np.ndarray, reward: np.ndarray, eta: float, low: int, high: int
) -> tuple[int, int]:
    """From a pair around eta to the optimal one: the arm farthest above its line enters, or, where
    rounding makes that arm useless, the one whose entering raises the mixture's value most."""
    current = _pair_value(theta, reward, low, high, eta)
    while True:
        arm = _steepest(theta, reward, low, high)
        pair = _swap(theta, low, high, arm, eta)
        candidate = _pair_value(theta, reward, *pair, eta)
        if arm != low and candidate <= current:
            values = [
                _pair_value(theta, reward, *_swap(theta, low, high, i, eta), eta)
                for i in range(theta.size)
            ]
            arm = int(np.argmax(values))
            pair, candidate = _swap(theta, low, high, arm, eta), values[arm]
        if arm == low or candidate <= current:
            return low, high
        (low, high), current = pair, candidate


def _pair_value(theta: np.ndarray, reward: np.ndarray, low: int, high: int, eta: float) -> float:
    x = _share(theta[low], theta[high], eta)
    return float(x * reward[low] + (1.0 - x) * reward[high])


def _swap(theta: np.ndarray, low: int, high: int, arm: int, eta: float) -> tuple[int, int]:
    return (arm, high) if theta[arm] < eta else (low, arm)


def _steepest(theta: np.ndarray, reward: np.ndarray, low: int, high: int) -> int:
    price = (reward[low] - reward[high]) / (theta[high] - theta[low])
    gain = (reward - reward[low]) + price * (theta - theta[low])
    arm = int(np.argmax(gain))
    return arm if gain[arm] > 0.0 else low


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


def kl_budget(t: int, c: float) -> float:
    """log t + c log log t, the second term from t = e on."""
    log_t = math.log(t)
    return log_t + c * math.log(max(log_t, 1.0))


def best_lower_bound(
    plays: np.ndarray, events: np.ndarray, t: int, least_plays: float, width: float
) -> float:
    """max over arms with n > least_plays of m - sqrt(width m (1 - m) log t / n); 0 without any."""
    known = plays > least_plays
    if not known.any():
        return 0.0
    n, m = plays[known], events[known] / plays[known]
    return float(np.max(m - np.sqrt(width * m * (1.0 - m) * math.log(t) / n)))
