"""The dense engine once more, slowly, from docs/policies.md: plain Python and NumPy, no kernel.

Shared with the engine are only the source of randomness (the events are keyed draws; a policy draws
all its beliefs, in the order of the arms, and then one uniform for the arm).
"""

import math
from collections import defaultdict
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import betaincc, betaln

from lincon.policies.registry import Policy
from lincon.problem.program import Program
from tests.unit.engine.plain_lp import Shares, best_pair, best_vertex, first_of
from tests.unit.engine.plain_luck import luck


def paper(value, eta: float) -> Program:
    """The paper's problem: amounts theta, no costs."""
    value = np.array(value, dtype=float)
    ones = np.ones((1, value.size))
    return Program(value, 0.0 * value, ones, 0.0 * ones, np.array([float(eta)]))


def kl_index(p: float, budget: float) -> float:
    """The largest q with d(p, q) <= budget, by halving [p, 1] until the floats run out."""
    if p >= 1.0 or budget <= 0.0:
        return p
    low, high = p, 1.0
    while low < (middle := (low + high) / 2) < high:
        first = p * math.log(p / middle) if p > 0 else 0.0
        inside = first + (1 - p) * math.log((1 - p) / (1 - middle)) <= budget
        low, high = (middle, high) if inside else (low, middle)
    return low


def gittins_index(a: float, b: float, rounds: float) -> float:
    """The q with q - E theta = (H - 1) E[(theta - q)+] of theta ~ Beta(a, b)."""
    mean = a / (a + b)

    def above(q: float) -> float:
        more = mean * betaincc(a + 1, b, q) - q * betaincc(a, b, q)
        return q - mean - (rounds - 1) * more

    return brentq(above, mean, 1.0, xtol=1e-13) if rounds > 1 else mean


class Twin:
    """A policy and what it knows."""

    def __init__(self, policy: Policy, program: Program, horizon: int) -> None:
        self.policy, self.program, self.horizon = policy, program, horizon
        self.m, self.n = program.a.shape
        self.plays, self.events = np.zeros((2, self.n), int)
        self.amounts, self.heard = np.zeros(self.m), 0
        self.share, one = program.share, np.ones((1, self.n))
        self.kinds = one if len(self.share) == 1 else np.eye(len(self.share))[program.kind].T
        self.of = [np.flatnonzero(row).tolist() for row in self.kinds]
        ends = np.stack([program.b, program.a + program.b])
        self.lowest = self.share @ [ends[:, :, arms].min(axis=(0, 2)) for arms in self.of]
        self.highest = self.share @ [ends[:, :, arms].max(axis=(0, 2)) for arms in self.of]
        width = self.highest - self.lowest
        self.width = np.where(width > 0, width, 1.0)
        unforced = policy.estimator in ("gittins", "none")
        self.forced = 0 if unforced else self.n
        self.unplayed = [[] if unforced else list(arms) for arms in self.of]
        self.learned: tuple[float, ...] = ()
        self.next_fit = 1.0 if self.forced else 20.0  # it is looked at after the forced plays

    def __getitem__(self, parameter: str) -> float:
        return self.policy.parameters[parameter]

    def prior(self, t: int) -> tuple[float, float, float]:
        """The shapes of the prior, and by what counts are divided."""
        if self.policy.prior == "learned" and t >= self.next_fit:
            start = np.log(self.learned[:2]) if self.learned else np.zeros(2)
            best = minimize(
                lambda logs: -self.likelihood(*np.exp(logs)),
                start,
                method="Nelder-Mead",
                options={"xatol": 1e-11, "fatol": 1e-13, "maxiter": 4000},
            )
            factor = 1 + self["ramp"] * self.n**2 / t
            # Counts that say nothing leave the shapes at exactly 1, where NumPy samples otherwise
            # than just beside it.
            self.learned = (*np.exp(np.round(best.x, 6)), self["explore"] / factor)
            self.next_fit = max(t + 1, 1.3 * t)
        if self.policy.prior == "beta":
            return self["prior_a"], self["prior_b"], self["explore"]
        return self.learned or (1.0, 1.0, self["explore"])

    def likelihood(self, a: float, b: float) -> float:
        """Of all counts, as a logarithm, with the hyperprior."""
        n, s = self.plays[self.plays > 0], self.events[self.plays > 0]
        weak = (math.log(a) ** 2 + math.log(b) ** 2) / (2 * self["spread"] ** 2)
        return float((betaln(a + s, b + n - s) - betaln(a, b)).sum()) - weak

    def index(
        self, n: int, s: int, t: int, a: float, b: float, divisor: float, part: float
    ) -> float:
        """The optimistic mean of an arm with s events in n plays and the prior Beta(a, b).

        `part`: of the requests that are of its kind.
        """
        if self.policy.estimator == "gittins":
            ahead = max(self["reach"] * part * (self.horizon - t + 1), 1.0)
            ahead = 1.02 ** math.floor(math.log(ahead) / math.log(1.02))
            return gittins_index(a + s / divisor, b + (n - s) / divisor, ahead)
        if n == 0:
            return 1.0
        if self.policy.estimator == "ucb1":
            return min(1.0, s / n + math.sqrt(2 * self["explore"] * math.log(t) / n))
        budget = math.log(t) + self["c"] * math.log(max(math.log(t), 1.0))
        return kl_index(s / n, self["explore"] * budget / n)

    def believe(self, t: int, rng, mean) -> tuple[np.ndarray, np.ndarray]:
        """The upper and the lower end of what is believed."""
        parts = (self.share @ self.kinds).tolist()
        counts = list(zip(self.plays.tolist(), self.events.tolist(), parts, strict=True))
        if self.policy.estimator == "truth":
            return mean, mean
        a, b, x = (1.0, 1.0, 1.0)
        if self.policy.estimator in ("beta_sample", "gittins"):
            a, b, x = self.prior(t)
        if self.policy.estimator == "beta_sample":
            theta = np.array([rng.beta(a + s / x, b + (n - s) / x) for n, s, _ in counts])
            return theta, theta
        upper = [self.index(n, s, t, a, b, x, p) for n, s, p in counts]
        lower = [1 - self.index(n, n - s, t, b, a, x, p) for n, s, p in counts]
        return np.array(upper), np.array(lower)

    def target(self) -> np.ndarray:
        if self.policy.target == "none":
            return self.lowest
        if self.policy.target == "fixed":
            if len(self.share) == 1 or self.policy.steering != "ledger":
                return self.program.e
            now = self.heard + 1
            short = np.maximum(self.program.e * now - self.amounts, 0.0)
            return np.clip(self.program.e + 2 * short / now, self.lowest, self.highest)
        left = self.horizon - self.heard
        rate = (self.program.e * self.horizon - self.amounts) / left
        return np.clip(rate, self.lowest, self.highest)

    def mixture(self, t: int, rng, mean, kind: int = 0) -> tuple[Shares, bool]:
        """The mixture of a round, None for all arms alike; whether the LP was infeasible."""
        if self.policy.estimator == "none":
            return None, False
        upper, lower = self.believe(t, rng, mean)
        value, cost, a, b, e = self.program[:5]
        gain = np.where(value >= 0, upper, lower) * value - cost
        amount = np.where(a >= 0, upper, lower) * a + b
        target = self.target()
        if self.m == 1 and len(self.share) == 1:
            shares = best_pair(amount[0], gain, target[0])
        else:
            shares = best_vertex(amount, gain, target, self.kinds, self.share)
            if shares:  # of a request of this kind
                shares = {i: y / self.share[kind] for i, y in shares.items() if i in self.of[kind]}
        if shares is None:
            if self.policy.fallback == "uniform":
                return None, True
            short = np.maximum(target[:, None] - amount, 0.0) / self.width[:, None]
            nearest = amount[0] if self.m == 1 else -short.sum(axis=0)
            return {first_of(nearest, gain, self.of[kind]): 1.0}, True
        if self.policy.steering == "ledger" and len(shares) > 1:
            now = self.heard + 1
            # Amounts of mean e that are the least or the most that arms can have.
            sigma = np.sqrt(np.maximum((e - self.lowest) * (self.highest - e), 0.0))
            behind = self["allowance"] * sigma * math.sqrt(now) * (1.0 - now / self.horizon)
            owed = e * now + self["reserve"] * math.log(now) - behind
            debt = np.maximum(owed - self.amounts, 0.0)
            worth = debt / self.width**2 @ amount if debt.any() else gain
            shares = {max(shares, key=lambda i: worth[i]): 1.0}
        return shares, False

    def hear(self, arm: int, event: bool) -> None:
        self.heard += 1
        self.plays[arm] += 1
        self.events[arm] += int(event)
        self.amounts = self.amounts + self.program.a[:, arm] * event + self.program.b[:, arm]


class Played(NamedTuple):
    """One row per round: the arm, whether it paid, the mixture (N shares), whether infeasible."""

    arm: np.ndarray
    event: np.ndarray
    shares: np.ndarray
    infeasible: np.ndarray


def draw(shares: Shares, arms: list[int], uniform: float) -> int:
    if shares is None:
        return arms[int(uniform * len(arms))]
    total = 0.0
    for arm, share in shares.items():
        total += share
        if uniform < total:
            return arm
    return arm


def play(policy, means, program, key, run, rng, arrival=None, kinds=None) -> Played:
    """`means` float[T, N]; `arrival(t, arm)`: (when its feedback arrives, whether it is true);
    `kinds` int[T]: the kind of each request."""
    horizon, n = means.shape
    twin, due = Twin(policy, program, horizon), defaultdict(list)
    played = Played(*np.zeros((2, horizon), int), np.zeros((horizon, n)), np.zeros(horizon, int))
    for t, mean in enumerate(means, start=1):
        kind = 0 if kinds is None else kinds[t - 1]
        if twin.unplayed[kind]:
            arm = twin.unplayed[kind].pop(0)
            shares, infeasible = {arm: 1.0}, False
        else:
            shares, infeasible = twin.mixture(t, rng, mean, kind)
            arm = draw(shares, twin.of[kind], rng.random())
        event = luck(key, run, t, arm) < mean[arm]
        when, true = arrival(t, arm) if arrival else (t, True)
        due[when].append((arm, bool(event and true)))
        for feedback in due[t]:
            twin.hear(*feedback)
        played.arm[t - 1], played.event[t - 1], played.infeasible[t - 1] = arm, event, infeasible
        for i, share in (shares or dict.fromkeys(twin.of[kind], 1 / len(twin.of[kind]))).items():
            played.shares[t - 1, i] = share
    return played
