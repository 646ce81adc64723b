"""Every policy once more, slowly, from its formula: plain Python and NumPy, no kernel.

Shared with the engine are only the meaning of a round (each arm once, then believe, mix, draw) and
the source of randomness: the events are keyed draws, and a policy draws all its beliefs, in the
order of the arms, and then one uniform for the arm.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaln

from lincon.policies.registry import Policy
from lincon.problem.goal import Program
from tests.unit.engine.plain_luck import luck

Shares = dict[int, float] | None  # in the order of the draw; None where arms are drawn uniformly


# --- linear programs


def paper(value, eta: float) -> Program:
    """The paper's problem: amounts theta, no costs."""
    value = np.array(value, dtype=float)
    ones = np.ones((1, value.size))
    return Program(value, 0.0 * value, ones, 0.0 * ones, np.array([float(eta)]))


def best_pair(h: np.ndarray, g: np.ndarray, e: float) -> Shares:
    """The best of all arms and of all pairs that meet e exactly, in the order of h."""
    above, below = np.flatnonzero(h >= e), np.flatnonzero(h < e)
    if above.size == 0:
        return None
    alone = first_of(g, h, above.tolist())
    if below.size == 0:
        return {alone: 1.0}
    low, high = below[:, None], above[None, :]
    share = (h[high] - e) / (h[high] - h[low])
    worth = share * g[low] + (1 - share) * g[high]
    i, j = np.unravel_index(np.argmax(worth), worth.shape)
    if worth[i, j] <= g[alone]:
        return {alone: 1.0}
    return {int(below[i]): float(share[i, j]), int(above[j]): float(1 - share[i, j])}


def best_vertex(h: np.ndarray, g: np.ndarray, e: np.ndarray) -> Shares:
    """The best corner of the feasible set, by trying all: arms with as many tight constraints."""
    m, n = h.shape
    best, most = None, -math.inf
    for size in range(1, min(m + 1, n) + 1):
        for arms in combinations(range(n), size):
            for tight in combinations(range(m), size - 1):
                left = np.vstack([np.ones(size), h[np.ix_(tight, arms)]])
                if abs(np.linalg.det(left)) < 1e-12:
                    continue
                x = np.linalg.solve(left, np.array([1.0, *e[list(tight)]]))
                feasible = (x > 0).all() and (h[:, arms] @ x >= e - 1e-12).all()
                if feasible and g[list(arms)] @ x > most + 1e-12:
                    best, most = dict(zip(arms, x.tolist(), strict=True)), g[list(arms)] @ x
    return best


def first_of(first, second, among) -> int:
    """Of the largest `first` that of the largest `second`, then the lowest index."""
    return max(among, key=lambda i: (first[i], second[i], -i))


# --- policies


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


class Twin:
    """A policy and what it has seen."""

    def __init__(self, policy: Policy, mean, program: Program, horizon: int) -> None:
        self.policy, self.horizon, self.program = policy, horizon, program
        self.mean = np.array(mean, dtype=float)
        self.m, self.n = program.a.shape
        self.plays, self.events = np.zeros(self.n, int), np.zeros(self.n, int)
        self.amounts, self.queue = np.zeros(self.m), np.zeros(self.m)
        ends = np.stack([program.b, program.a + program.b])
        self.lowest, self.highest = ends.min(axis=(0, 2)), ends.max(axis=(0, 2))
        self.weights, self.time = np.ones(self.m), 1.0
        self.learned: tuple[float, ...] = ()
        self.next_fit = self.n + 1.0

    def __getitem__(self, parameter: str) -> float:
        return self.policy.parameters[parameter]

    @property
    def t(self) -> int:
        return int(self.plays.sum()) + 1

    def exploration(self) -> float:
        """The probability of a round played at random, decided before all else."""
        if self.policy.selector == "uniform":
            return 1.0
        if self.policy.selector == "eps_greedy":
            return min(1.0, self["uniform_rate"] * self.n * math.log(self.t) / self.t)
        return 0.0

    def believe(self, rng: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """The upper and the lower end of what is believed."""
        counts = list(zip(self.plays.tolist(), self.events.tolist(), strict=True))
        log_t = math.log(self.t)
        match self.policy.estimator:
            case "beta_sample":
                a, b, x = self.prior()
                theta = np.array([rng.beta(a + s / x, b + (n - s) / x) for n, s in counts])
            case "kl_ucb":
                budget = log_t + self["c"] * (math.log(log_t) if log_t > 1 else 0.0)
                budget *= self["explore"]
                upper = [kl_index(s / n, budget / n) for n, s in counts]
                lower = [1 - kl_index((n - s) / n, budget / n) for n, s in counts]
                return np.array(upper), np.array(lower)
            case "ucb1":
                width = [math.sqrt(2 * self["explore"] * log_t / n) for n, _ in counts]
                m = [s / n for n, s in counts]
                upper = [min(1.0, m + w) for m, w in zip(m, width, strict=True)]
                lower = [1 - min(1.0, 1 - m + w) for m, w in zip(m, width, strict=True)]
                return np.array(upper), np.array(lower)
            case "empirical":
                theta = np.array([s / n for n, s in counts])
            case "truth":
                theta = self.mean
        return theta, theta

    def prior(self) -> tuple[float, float, float]:
        """The shapes of the prior, and by what counts are divided."""
        if self.policy.prior == "learned" and self.t >= self.next_fit:
            start = np.log(self.learned[:2]) if self.learned else np.zeros(2)
            found = minimize(
                lambda logs: -self.likelihood(*np.exp(logs)),
                start,
                method="Nelder-Mead",
                options={"xatol": 1e-11, "fatol": 1e-13, "maxiter": 4000},
            )
            factor = 1 + self["ramp"] * self.n**2 / self.t
            # Counts that say nothing leave the shapes at exactly 1, where NumPy samples otherwise
            # than just beside it.
            self.learned = (*np.exp(np.round(found.x, 6)), self["explore"] / factor)
            self.next_fit = max(self.t + 1, 1.3 * self.t)
        if self.policy.prior == "beta":
            return self["prior_a"], self["prior_b"], self["explore"]
        return self.learned or (1.0, 1.0, self["explore"])

    def likelihood(self, a: float, b: float) -> float:
        """Of all counts, as a logarithm, with the hyperprior."""
        n, s = self.plays[self.plays > 0], self.events[self.plays > 0]
        weak = (math.log(a) ** 2 + math.log(b) ** 2) / (2 * self["spread"] ** 2)
        return float((betaln(a + s, b + n - s) - betaln(a, b)).sum()) - weak

    def points(self, belief) -> tuple[np.ndarray, np.ndarray]:
        """(gains, amounts): optimistic ends, unless the policy believes less of a constraint."""
        upper, lower = belief
        value, cost, a, b, _ = self.program
        gain = np.where(value >= 0, upper, lower) * value - cost
        theta = np.where(a >= 0, upper, lower)
        if self.policy.constraint_belief == "lower":
            theta = np.where(a >= 0, lower, upper)
        elif self.policy.constraint_belief == "mean":
            theta = np.tile(self.events / self.plays, (self.m, 1))
        return gain, a * theta + b

    def mixture(self, belief) -> Shares:
        """The mixture of a round that is neither forced nor played at random."""
        if self.policy.selector in ("lp", "eps_greedy"):
            gain, amount = self.points(belief)
            rate = np.array([self.target(j) for j in range(self.m)])
            one = self.m == 1
            found = best_pair(amount[0], gain, rate[0]) if one else best_vertex(amount, gain, rate)
            if found is None and self.policy.fallback == "greedy":
                short = np.maximum(rate[:, None] - amount, 0.0) / self.extent()[:, None]
                nearest = amount[0] if one else -short.sum(axis=0)
                return {first_of(nearest, gain, range(self.n)): 1.0}
            return self.steered(found, gain, amount)
        scores, theta = np.array([self.score(belief, i) for i in range(self.n)]).T
        return {first_of(scores, theta, range(self.n)): 1.0}

    def extent(self) -> np.ndarray:
        return np.where(self.highest > self.lowest, self.highest - self.lowest, 1.0)

    def steered(self, shares: Shares, gain, amount) -> Shares:
        if shares is None or len(shares) < 2 or self.policy.steering == "draw":
            return shares
        assert self.policy.steering == "ledger"
        reserve = self["reserve"] * math.log(self.t)
        debt = np.maximum(self.program.e * self.t + reserve - self.amounts, 0.0)
        worth = debt / self.extent() ** 2 @ amount if debt.any() else gain
        return {max(shares, key=lambda i: worth[i]): 1.0}

    def score(self, belief, i: int) -> tuple[float, float]:
        """By what a single arm is chosen, and its belief."""
        value, cost, a, b = (column[..., i] for column in self.program[:4])
        price = np.zeros(self.m)
        if self.policy.selector == "amounts":
            return float((a * belief[0][i] + b).sum() / self.m), belief[0][i]
        if self.policy.selector == "queue":
            price = self.queue / (self["v"] * math.sqrt(self.t))
        scale = 1.0 + price.sum()
        slope = (value + price @ a) / scale
        theta = belief[0][i] if slope >= 0 else belief[1][i]
        if self.policy.selector != "primal_dual":
            # Divided as in the library: with known means arms come so close that it matters.
            tilt = price / scale
            rest = 1.0 - tilt.sum()
            return theta * (rest * value + tilt @ a) + (tilt @ b - rest * cost), theta
        used, budget = self.consumption()
        spent = self.weights @ (used * (self.highest - (a * theta + b))) + self.time * budget
        least = np.min(np.minimum(self.program.value, 0.0) - self.program.cost)
        return (theta * value - cost - least) / max(spent, 1e-300), theta

    def consumption(self) -> tuple[np.ndarray, float]:
        """What a missing unit uses up, scaled to one budget of a round."""
        budgets = np.maximum(self.highest - self.program.e, 0.0) / self.extent()
        least = budgets.min()
        scale = np.array([least / one if one > 0 else 1.0 for one in budgets])
        return scale / self.extent(), least

    def target(self, j: int) -> float:
        e, horizon, t, total = self.program.e[j], self.horizon, self.t, self.amounts[j]

        def within(rate: float) -> float:
            return min(max(rate, self.lowest[j]), self.highest[j])

        match self.policy.target:
            case "fixed":
                return e
            case "paced":
                return within((e * horizon - total) / (horizon - t + 1))
            case "controlled":
                left = math.log(horizon - t) if t < horizon else 0.0
                below = total - e * (t - 1) < self["buffer"] * left
                return within(e + self["margin"] if below else e - self["margin"])
        raise ValueError(self.policy.target)

    def update(self, arm: int, event: bool, belief) -> None:
        """What the round gave; `belief` is None in a forced round."""
        t, (_, _, a, b, e) = self.t, self.program
        amount = a[:, arm] * event + b[:, arm]
        if self.policy.selector == "queue":
            grown = self.queue + e + self["epsilon"] / math.sqrt(t) - amount
            self.queue = np.maximum(grown, 0.0)
        if self.policy.selector == "primal_dual" and belief is not None:
            used, budget = self.consumption()
            step = 1 + min(1.0, math.sqrt(math.log(self.m + 1) / max(budget * self.horizon, 1e-9)))
            believed = a[:, arm] * belief[0][arm] + b[:, arm]
            self.weights = self.weights * step ** (used * (self.highest - believed))
            self.time *= step**budget
        self.plays[arm] += 1
        self.events[arm] += int(event)
        self.amounts = self.amounts + amount


# --- a run


class Played(NamedTuple):
    """One row per round: the arm, whether it paid, the mixture (N shares), whether infeasible."""

    arm: np.ndarray
    event: np.ndarray
    shares: np.ndarray
    infeasible: np.ndarray


def draw(shares: Shares, arms: int, uniform: float) -> int:
    if shares is None:
        return int(uniform * arms)
    total = 0.0
    for arm, share in shares.items():
        total += share
        if uniform < total:
            return arm
    return arm


def play(policy, mean, program, horizon, key, run, rng) -> Played:
    twin, n = Twin(policy, mean, program, horizon), len(mean)
    whole = [np.zeros(horizon, int) for _ in range(3)]
    played = Played(whole[0], whole[1], np.zeros((horizon, n)), whole[2])
    for t in range(1, horizon + 1):
        belief, explored, shares = None, False, {t - 1: 1.0}
        arm = t - 1
        if t > n:
            chance = twin.exploration()
            explored = chance >= 1.0 or (chance > 0.0 and rng.random() < chance)
            belief = None if explored else twin.believe(rng)
            shares = None if explored else twin.mixture(belief)
            arm = draw(shares, n, rng.random())
        event = luck(key, run, t, arm) < mean[arm]
        twin.update(arm, event, belief)
        played.arm[t - 1], played.event[t - 1] = arm, event
        played.infeasible[t - 1] = shares is None and not explored
        for i, share in (shares or dict.fromkeys(range(n), 1 / n)).items():
            played.shares[t - 1, i] = share
    return played


def shortfalls(event: np.ndarray, eta: float) -> np.ndarray:
    """[t eta - events]_+ after every round, in fractions of the decimal that eta is written as."""
    floor, total, missing = Fraction(str(eta)), 0, []
    for t, paid in enumerate(event.tolist(), start=1):
        total += paid
        missing.append(float(max(t * floor - total, Fraction(0))))
    return np.array(missing)
