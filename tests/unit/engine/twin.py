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


def believe(policy, rng, plays, events, t, mean) -> np.ndarray:
    estimator, given = policy.estimator, policy.parameters
    counts = list(zip(plays.tolist(), events.tolist(), strict=True))
    if estimator == "beta_sample":
        return np.array([rng.beta(1 + s, 1 + n - s) for n, s in counts])
    if estimator == "kl_ucb":
        budget = math.log(t) + (given["c"] * math.log(math.log(t)) if t > math.e else 0.0)
        return np.array([kl_index(n, s, budget) for n, s in counts])
    if estimator == "ucb1":
        return np.array(
            [min(1.0, s / n + math.sqrt(given["alpha"] * math.log(t) / n)) for n, s in counts]
        )
    if estimator == "empirical":
        return np.array([s / n for n, s in counts])
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


def best_per_cost(theta, value, eta: float, weights: list[float]) -> int:
    """The arm of the largest reward per cost, with the weights of failures and of time.

    Of arms that cost nothing, which a floor of 1 allows, that of the largest reward.
    """

    def ratio(i: int) -> float:
        cost = weights[0] * (1.0 - theta[i]) + weights[1] * (1.0 - eta)
        return theta[i] * value[i] / max(cost, 1e-300)

    return max(range(theta.size), key=lambda i: (ratio(i), theta[i], -i))


# --- targets


def lower_bounds(given, plays, events, t) -> list[float]:
    """Of the arms that were played often enough."""
    bounds = []
    for n, s in zip(plays.tolist(), events.tolist(), strict=True):
        if n > given["least_plays"]:
            spread = given["width"] * (s / n) * (1.0 - s / n) * math.log(t) / n
            bounds.append(s / n - math.sqrt(spread))
    return bounds


def asked_rate(policy, eta, horizon, t, plays, events) -> float:
    """What the LP is asked for in round t."""
    given, total = policy.parameters, events.sum()
    if policy.target == "fixed":
        return eta
    if policy.target == "tightened":
        return min(1.0, eta + given["k"] * math.sqrt(math.log(t) / t))
    if policy.target == "controlled":
        behind = total - eta * (t - 1) < given["buffer"] * math.log(max(horizon - t, 1))
        rate = eta + given["margin"] if behind else eta - given["margin"]
        return min(1.0, max(0.0, rate))
    aim = eta * horizon + given.get("surplus", 0.0) * math.log(horizon)
    paced = min(1.0, max(0.0, (aim - total) / (horizon - t + 1)))
    if policy.target == "paced":
        return paced
    assert policy.target == "safe_paced"
    return min(paced, max([eta, *lower_bounds(given, plays, events, t)]))


# --- choices


class Memory:
    """What a policy remembers of its rounds: the virtual queue, and the weights of resources."""

    def __init__(self, policy, eta, horizon):
        self.policy, self.eta, self.horizon = policy, eta, horizon
        self.queue, self.weights = 0.0, [1.0, 1.0]

    def price(self, t: int) -> float:
        if self.policy.selector != "queue":
            return 0.0
        return self.queue / (self.policy.parameters["v"] * math.sqrt(t))

    def update(self, t: int, event: bool, theta: float | None) -> None:
        if self.policy.selector == "queue":
            more = self.policy.parameters["epsilon"] / math.sqrt(t)
            self.queue = max(0.0, self.queue + self.eta + more - event)
        if self.policy.selector == "primal_dual" and theta is not None:
            budget = (1.0 - self.eta) * self.horizon
            base = 1.0 + (min(1.0, math.sqrt(math.log(2) / budget)) if budget > 0 else 1.0)
            self.weights[0] *= base ** (1.0 - theta)
            self.weights[1] *= base ** (1.0 - self.eta)


def explores(policy, arms: int, t: int, rng) -> bool:
    if policy.selector == "uniform":
        return True
    if policy.selector != "eps_greedy":
        return False
    chance = min(1.0, policy.parameters["explore"] * arms * math.log(t) / t)
    return chance == 1.0 or (chance > 0.0 and rng.random() < chance)


def mixture(policy, theta, value, rate, memory, t) -> dict[int, float] | None:
    everyone = list(range(theta.size))
    if policy.selector in ("lp", "lp_greedy", "eps_greedy"):
        shares = lp_mixture(theta, value, rate)
        if shares is None and (policy.target == "paced" or policy.selector == "lp_greedy"):
            return {max(everyone, key=lambda i: (theta[i], theta[i] * value[i], -i)): 1.0}
        return shares
    if policy.selector == "primal_dual":
        return {best_per_cost(theta, value, memory.eta, memory.weights): 1.0}
    return {best_arm(theta, value, everyone, memory.price(t)): 1.0}


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
    memory = Memory(policy, eta, horizon)
    played = Played(
        *(np.zeros(horizon, int) for _ in range(2)), np.zeros((horizon, n)), np.zeros(horizon, int)
    )
    for t in range(1, horizon + 1):
        theta, explored = None, False
        if t <= n:
            arm, shares = t - 1, {t - 1: 1.0}
        elif explores(policy, n, t, rng):
            arm, shares, explored = draw(None, n, rng.random()), None, True
        else:
            theta = believe(policy, rng, plays, events, t, mean)
            rate = asked_rate(policy, eta, horizon, t, plays, events)
            shares = mixture(policy, theta, value, rate, memory, t)
            arm = draw(shares, n, rng.random())
        event = luck(key, run, t, arm) < mean[arm]
        plays[arm] += 1
        events[arm] += event
        memory.update(t, event, None if theta is None else theta[arm])
        played.arm[t - 1], played.event[t - 1] = arm, event
        played.infeasible[t - 1] = shares is None and not explored
        for i, share in (shares or dict.fromkeys(range(n), 1 / n)).items():
            played.shares[t - 1, i] = share
    return played
