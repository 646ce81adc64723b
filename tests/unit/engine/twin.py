"""Every policy once more, slowly, from the paper: plain Python and NumPy, no kernel of the library.

Shared with the engine are only the meaning of a round (each arm once, then believe, mix, draw) and
the source of randomness: the events are keyed draws, and a policy draws all its beliefs, in the
order of the arms, and then one uniform for the arm.
"""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

LOW = 0xFFFFFFFF


# --- luck


def philox4x32(counter: tuple[int, ...], key: tuple[int, ...]) -> tuple[int, ...]:
    """Philox4x32-10 in Python's integers."""
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(10):
        left, right = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (right >> 32) ^ c1 ^ k0, right & LOW, (left >> 32) ^ c3 ^ k1, left & LOW
        k0, k1 = (k0 + 0x9E3779B9) & LOW, (k1 + 0xBB67AE85) & LOW
    return c0, c1, c2, c3


def luck_key(seed: int, dataset: str) -> tuple[int, int]:
    digest = hashlib.sha256(f"'luck'\0{seed}\0{dataset!r}".encode()).digest()
    return int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:8], "little")


def luck(key: tuple[int, int], run: int, t: int, arm: int) -> float:
    """The first 53 random bits as a fraction, most significant first."""
    a, b, _, _ = philox4x32((t & LOW, arm, run, t >> 32), key)
    return ((a >> 5) << 26 | b >> 6) / 2**53


# --- beliefs


def divergence(p: float, q: float) -> float:
    ones = p * math.log(p / q) if p > 0 else 0.0
    return ones + (1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else ones


def kl_index(plays: int, events: int, budget: float) -> float:
    """max{q : n d(s/n, q) <= budget}, by halving [s/n, 1] until the floats run out."""
    low, high = events / plays, 1.0
    while low < (middle := (low + high) / 2) < high:
        if plays * divergence(events / plays, middle) <= budget:
            low = middle
        else:
            high = middle
    return low


def believe(estimator, parameter, rng, plays, events, t, mean) -> np.ndarray:
    counts = list(zip(plays.tolist(), events.tolist(), strict=True))
    if estimator == "beta_sample":
        return np.array([rng.beta(1 + s, 1 + n - s) for n, s in counts])
    if estimator == "kl_ucb":
        budget = math.log(t) + (parameter * math.log(math.log(t)) if t > math.e else 0.0)
        return np.array([kl_index(n, s, budget) for n, s in counts])
    if estimator == "ucb1":
        return np.array(
            [min(1.0, s / n + math.sqrt(parameter * math.log(t) / n)) for n, s in counts]
        )
    assert estimator == "truth"
    return mean


# --- mixtures


def best_arm(theta: np.ndarray, value: np.ndarray, among: list[int], price: float = 0.0) -> int:
    """The arm of the largest theta (value + price); then of the largest theta; then the first.

    Divided by 1 + price, as in the library: with known means arms come so close that it matters.
    """
    aim = price / (1.0 + price)
    return max(among, key=lambda i: (theta[i] * ((1.0 - aim) * value[i] + aim), theta[i], -i))


def lp_mixture(theta: np.ndarray, value: np.ndarray, eta: float) -> dict[int, float] | None:
    """The best of all arms and of all pairs that meet eta exactly, in the order of theta."""
    above, below = np.flatnonzero(theta >= eta), np.flatnonzero(theta < eta)
    if above.size == 0:
        return None
    alone = best_arm(theta, value, above.tolist())
    if below.size == 0:
        return {alone: 1.0}
    low, high = below[:, None], above[None, :]
    share = (theta[high] - eta) / (theta[high] - theta[low])
    worth = share * (theta[low] * value[low]) + (1 - share) * (theta[high] * value[high])
    i, j = np.unravel_index(np.argmax(worth), worth.shape)
    if worth[i, j] <= theta[alone] * value[alone]:
        return {alone: 1.0}
    return {int(below[i]): share[i, j], int(above[j]): 1 - share[i, j]}


def mixture(selector, theta, value, eta, price) -> dict[int, float] | None:
    if selector == "lp":
        return lp_mixture(theta, value, eta)
    price = price if selector == "queue" else 0.0
    return {best_arm(theta, value, list(range(theta.size)), price): 1.0}


def draw(shares: dict[int, float] | None, arms: int, uniform: float) -> int:
    if shares is None:
        return int(uniform * arms)
    first, *rest = shares
    return first if uniform < shares[first] or not rest else rest[0]


# --- a run


class Played(NamedTuple):
    """One row a round: the arm, whether it paid, the mixture (N shares), whether it was forced."""

    arm: np.ndarray
    event: np.ndarray
    shares: np.ndarray
    infeasible: np.ndarray


def deficits(event: np.ndarray, eta: float) -> np.ndarray:
    """[t eta - events]_+ after every round, in fractions of the decimal that eta is written as."""
    floor, total, missing = Fraction(str(eta)), 0, []
    for t, paid in enumerate(event.tolist(), start=1):
        total += paid
        missing.append(float(max(t * floor - total, Fraction(0))))
    return np.array(missing)


def play(policy, mean, value, eta, horizon, key, run, rng) -> Played:
    n = mean.size
    plays, events = np.zeros(n, int), np.zeros(n, int)
    behind, (v, epsilon) = 0.0, policy.queue
    played = Played(
        *(np.zeros(horizon, int) for _ in range(2)), np.zeros((horizon, n)), np.zeros(horizon, int)
    )
    for t in range(1, horizon + 1):
        if t <= n:
            arm, shares = t - 1, {t - 1: 1.0}
        else:
            theta = believe(policy.estimator, policy.parameter, rng, plays, events, t, mean)
            price = behind / (v * math.sqrt(t)) if v else 0.0
            shares = mixture(policy.selector, theta, value, eta, price)
            arm = draw(shares, n, rng.random())
        event = luck(key, run, t, arm) < mean[arm]
        plays[arm] += 1
        events[arm] += event
        behind = max(0.0, behind + eta + epsilon / math.sqrt(t) - event)
        played.arm[t - 1], played.event[t - 1] = arm, event
        played.infeasible[t - 1] = shares is None
        for i, share in (shares or dict.fromkeys(range(n), 1 / n)).items():
            played.shares[t - 1, i] = share
    return played
