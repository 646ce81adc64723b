"""Every policy once more, from its formula, in plain Python: slow, and sharing no code with the
engines. Indices by bisection, the LP by trying all pairs, weights as they are published.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lincon.policies.registry import Policy


class Plain:
    """A policy and what it has seen. A mixture is a list of N probabilities."""

    def __init__(self, policy: Policy, mean, value, eta: float, horizon: int) -> None:
        self.policy, self.eta, self.horizon = policy, eta, horizon
        self.mean, self.value = [float(m) for m in mean], [float(r) for r in value]
        self.n = len(self.value)
        self.plays, self.events = [0] * self.n, [0] * self.n
        self.queue, self.w1, self.w2 = 0.0, 1.0, 1.0

    def __getitem__(self, parameter: str) -> float:
        return self.policy.parameters[parameter]

    @property
    def t(self) -> int:
        return sum(self.plays) + 1

    # --- a round

    def exploration(self) -> float:
        """The probability of a round played at random, decided before all else."""
        if self.policy.selector == "uniform":
            return 1.0
        if self.policy.selector == "eps_greedy":
            return min(1.0, self["explore"] * self.n * math.log(self.t) / self.t)
        return 0.0

    def believe(self, rng: Any = None) -> list[float]:
        counts = list(zip(self.plays, self.events, strict=True))
        match self.policy.estimator:
            case "beta_sample":
                return [rng.beta(1 + s, 1 + n - s) for n, s in counts]
            case "kl_ucb":
                log_t = math.log(self.t)
                budget = log_t + self["c"] * (math.log(log_t) if log_t > 1 else 0.0)
                return [kl_index(s / n, budget / n) for n, s in counts]
            case "ucb1":
                log_t = math.log(self.t)
                return [min(1.0, s / n + math.sqrt(self["alpha"] * log_t / n)) for n, s in counts]
            case "empirical":
                return [s / n for n, s in counts]
            case "truth":
                return self.mean
        raise AssertionError(self.policy.estimator)

    def mixture(self, theta: list[float]) -> list[float]:
        """The probabilities of a round that is neither forced nor played at random."""
        worth = [r * x for r, x in zip(self.value, theta, strict=True)]
        match self.policy.selector:
            case "lp" | "lp_greedy" | "eps_greedy":
                found = best_pair(theta, worth, self.target())
                if found is not None:
                    return found
                if self.policy.target == "paced" or self.policy.selector == "lp_greedy":
                    return self.alone(argmax(theta, worth))
                return [1 / self.n] * self.n
            case "argmax":
                return self.alone(argmax(worth, theta))
            case "queue":
                price = self.queue / (self["v"] * math.sqrt(self.t))
                return self.alone(argmax([w + price * x for w, x in pairs(worth, theta)], theta))
            case "primal_dual":
                time = self.w2 * (1 - self.eta)
                cost = [self.w1 * (1 - x) + time for x in theta]
                ratio = [w / c if c > 0 else math.inf * w for w, c in pairs(worth, cost)]
                return self.alone(argmax(ratio, theta))
        raise AssertionError(self.policy.selector)

    def target(self) -> float:
        eta, horizon, t, total = self.eta, self.horizon, self.t, sum(self.events)
        match self.policy.target:
            case "fixed":
                return eta
            case "tightened":
                return min(1.0, eta + self["k"] * math.sqrt(math.log(t) / t))
            case "paced":
                return within((eta * horizon - total) / (horizon - t + 1))
            case "controlled":
                left = math.log(horizon - t) if t < horizon else 0.0
                below = total - eta * (t - 1) < self["buffer"] * left
                return within(eta + self["margin"] if below else eta - self["margin"])
            case "safe_paced":
                aim = eta * horizon + self["surplus"] * math.log(horizon)
                paced = within((aim - total) / (horizon - t + 1))
                return min(paced, max([eta, *self.lower_bounds()]))
        raise AssertionError(self.policy.target)

    def lower_bounds(self) -> list[float]:
        known = [(n, s / n) for n, s in pairs(self.plays, self.events) if n > self["least_plays"]]
        log_t = math.log(self.t)
        return [m - math.sqrt(self["width"] * m * (1 - m) * log_t / n) for n, m in known]

    def update(self, arm: int, event: bool, theta: list[float] | None) -> None:
        """What the round gave; `theta` is None in a forced round."""
        t = self.t
        self.plays[arm] += 1
        self.events[arm] += int(event)
        if self.policy.selector == "queue":
            self.queue += self.eta + self["epsilon"] / math.sqrt(t) - event
            self.queue = max(self.queue, 0.0)
        if self.policy.selector == "primal_dual" and theta is not None:
            step = min(1.0, math.sqrt(math.log(2) / max((1 - self.eta) * self.horizon, 1e-9)))
            self.w1 *= (1 + step) ** (1 - theta[arm])
            self.w2 *= (1 + step) ** (1 - self.eta)

    def alone(self, arm: int) -> list[float]:
        return [float(i == arm) for i in range(self.n)]


def pairs(first: list, second: list) -> list[tuple]:
    return list(zip(first, second, strict=True))


def within(rate: float) -> float:
    return min(max(rate, 0.0), 1.0)


def argmax(first: list[float], second: list[float]) -> int:
    """Of the largest `first` that of the largest `second`, then the lowest index."""
    return max(range(len(first)), key=lambda i: (first[i], second[i], -i))


def kl_index(p: float, budget: float) -> float:
    """The largest q with d(p, q) <= budget, by bisection down to neighbouring numbers."""
    if p >= 1.0 or budget <= 0.0:
        return p
    low, high = p, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        first = p * math.log(p / middle) if p > 0 else 0.0
        inside = first + (1 - p) * math.log((1 - p) / (1 - middle)) <= budget
        low, high = (middle, high) if inside else (low, middle)
    return low


def best_pair(theta: list[float], worth: list[float], rate: float) -> list[float] | None:
    """The mixture of at most two arms of the largest worth whose theta is at least `rate`."""
    n = len(theta)
    alone = argmax(worth, theta)
    if theta[alone] >= rate:
        return [float(i == alone) for i in range(n)]
    best: tuple[float, float, int, int, float] | None = None
    for i in range(n):
        for j in range(n):
            if theta[i] < rate <= theta[j]:
                share = (theta[j] - rate) / (theta[j] - theta[i])
                candidate = (share * worth[i] + (1 - share) * worth[j], worth[j], i, j, share)
                if best is None or candidate[:2] > best[:2]:
                    best = candidate
    if best is None:
        return None
    _, _, i, j, share = best
    found = [0.0] * n
    found[i], found[j] = share, 1 - share
    return found


def play(plain: Plain, horizon: int, luck, rng: np.random.Generator) -> list[int]:
    """The arms of a run; `luck(t, arm)` is the event's uniform."""
    arms = []
    for t in range(1, horizon + 1):
        theta = None
        if t <= plain.n:
            arm = t - 1
        else:
            chance = plain.exploration()
            if chance >= 1.0 or (chance > 0.0 and rng.random() < chance):
                theta, shares = [0.0] * plain.n, [1 / plain.n] * plain.n
            else:
                theta = plain.believe(rng)
                shares = plain.mixture(theta)
            arm = draw(shares, theta, plain.value, rng.random())
        plain.update(arm, luck(t, arm) < plain.mean[arm], theta)
        arms.append(arm)
    return arms


def draw(shares: list[float], theta: list[float], value: list[float], uniform: float) -> int:
    """By one uniform; of two arms the one of the smaller theta comes first."""
    played = sorted((i for i, share in enumerate(shares) if share > 0), key=lambda i: theta[i])
    if len(played) == 1:
        return played[0]
    if len(set(shares)) == 1 and len(played) == len(shares) > 2:
        return int(uniform * len(shares))
    if len(shares) == 2 and shares[0] == shares[1]:
        return int(uniform * 2)
    return played[0] if uniform < shares[played[0]] else played[1]
