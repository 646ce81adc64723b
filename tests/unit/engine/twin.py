"""Every policy once more, slowly, from its formula: plain Python and NumPy, no kernel.

Shared with the engine are only the meaning of a round (each arm once, then believe, mix, draw) and
the source of randomness: the events are keyed draws, and a policy draws all its beliefs, in the
order of the arms, and then one uniform for the arm.
"""

import math
from collections import defaultdict
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import betaincc, betaln

from lincon.policies.registry import Policy
from lincon.problem.goal import Program
from tests.unit.engine.plain_lp import Shares, best_pair, best_vertex, first_of
from tests.unit.engine.plain_luck import luck


def paper(value, eta: float) -> Program:
    """The paper's problem: amounts theta, no costs."""
    value = np.array(value, dtype=float)
    ones = np.ones((1, value.size))
    return Program(value, 0.0 * value, ones, 0.0 * ones, np.array([float(eta)]))


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


def gittins_index(a: float, b: float, rounds: float) -> float:
    """The q with q - E theta = (H - 1) E[(theta - q)+] of theta ~ Beta(a, b)."""
    mean = a / (a + b)

    def above(q: float) -> float:
        more = mean * betaincc(a + 1, b, q) - q * betaincc(a, b, q)
        return q - mean - (rounds - 1) * more

    return brentq(above, mean, 1.0, xtol=1e-13) if rounds > 1 else mean


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
        self.forced = 0 if policy.estimator == "gittins" else self.n
        self.next_fit = self.forced + 1.0 if self.forced else 20.0
        self.waiting, self.told = 0, []

    def __getitem__(self, parameter: str) -> float:
        return self.policy.parameters[parameter]

    @property
    def now(self) -> int:
        """The number of the first play of which nothing is known."""
        return int(self.plays.sum()) + 1

    @property
    def t(self) -> int:
        return self.now + self.waiting

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
            case "discounted_sample":
                n, s = np.zeros((2, self.n))
                for age, (i, event) in enumerate(reversed(self.told)):
                    n[i] += math.exp(-age / self["memory"])
                    s[i] += event * math.exp(-age / self["memory"])
                theta = np.array([rng.beta(1 + s[i], 1 + (n[i] - s[i])) for i in range(self.n)])
            case "kl_ucb":
                budget = log_t + self["c"] * (math.log(log_t) if log_t > 1 else 0.0)
                budget *= self["explore"]
                upper = [kl_index(s / n, budget / n) if n else 1.0 for n, s in counts]
                lower = [1 - kl_index((n - s) / n, budget / n) if n else 0.0 for n, s in counts]
                return np.array(upper), np.array(lower)
            case "ucb1":
                explore = 2 * self["explore"] * log_t
                width = [math.sqrt(explore / n) if n else 1.0 for n, _ in counts]
                m = self.sample_means()
                upper = [min(1.0, m + w) for m, w in zip(m, width, strict=True)]
                lower = [1 - min(1.0, 1 - m + w) for m, w in zip(m, width, strict=True)]
                return np.array(upper), np.array(lower)
            case "gittins":
                a, b, x = self.prior()
                ahead = max(self["reach"] * (self.horizon - self.t + 1), 1.0)
                ahead = 1.02 ** math.floor(math.log(ahead) / math.log(1.02))
                shapes = [(a + s / x, b + (n - s) / x) for n, s in counts]
                upper = [gittins_index(a, b, ahead) for a, b in shapes]
                lower = [1 - gittins_index(b, a, ahead) for a, b in shapes]
                return np.array(upper), np.array(lower)
            case "empirical":
                theta = self.sample_means()
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
            theta = np.tile(self.sample_means(), (self.m, 1))
        return gain, a * theta + b

    def mixture(self, belief) -> Shares:
        """The mixture of a round that is neither forced nor played at random."""
        if self.policy.selector in ("lp", "eps_greedy"):
            gain, amount = self.points(belief)
            rate, one = self.rate(), self.m == 1
            found = self.solved(gain, amount)
            if found is None and self.policy.fallback == "greedy":
                short = np.maximum(rate[:, None] - amount, 0.0) / self.extent()[:, None]
                nearest = amount[0] if one else -short.sum(axis=0)
                return {first_of(nearest, gain, range(self.n)): 1.0}
            return self.steered(found, gain, amount)
        scores, theta = np.array([self.score(belief, i) for i in range(self.n)]).T
        return {first_of(scores, theta, range(self.n)): 1.0}

    def rate(self) -> np.ndarray:
        return np.array([self.target(j) for j in range(self.m)])

    def solved(self, gain, amount) -> Shares:
        if self.m == 1:
            return best_pair(amount[0], gain, self.rate()[0])
        return best_vertex(amount, gain, self.rate())

    def extent(self) -> np.ndarray:
        return np.where(self.highest > self.lowest, self.highest - self.lowest, 1.0)

    def steered(self, shares: Shares, gain, amount) -> Shares:
        if shares is None or len(shares) < 2 or self.policy.steering == "draw":
            return shares
        arm = self.repays(shares, gain, amount)
        if self.policy.steering == "rationed" and self.m == 1:
            value, cost, a, b, _ = self.program
            first, second, divisor = self.prior()
            means = (first + self.events / divisor) / (first + second + self.plays / divisor)
            gain, amount = means * value - cost, means * a + b
            sure = self.solved(gain, amount)
            other = arm if sure is None or len(sure) < 2 else self.repays(sure, gain, amount)
            return {arm: shares[arm], other: 1.0 - shares[arm]} if other != arm else {arm: 1.0}
        assert self.policy.steering in ("ledger", "rationed")
        return {arm: 1.0}

    def repays(self, shares: Shares, gain, amount) -> int:
        """The arm of a mixture that repays most, or gains most where nothing is missing."""
        reserve = self["reserve"] * math.log(self.now)
        debt = np.maximum(self.program.e * self.now + reserve - self.amounts, 0.0)
        worth = debt / self.extent() ** 2 @ amount if debt.any() else gain
        return max(shares, key=lambda i: worth[i])

    def score(self, belief, i: int) -> tuple[float, float]:
        """By what a single arm is chosen, and its belief."""
        value, cost, a, b = (column[..., i] for column in self.program[:4])
        price = np.zeros(self.m)
        if self.policy.selector == "amounts":
            return float((a * belief[0][i] + b).sum() / self.m), belief[0][i]
        if self.policy.selector == "queue":
            price = self.queue / (self["v"] * math.sqrt(self.now))
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
        e, horizon, t, total = self.program.e[j], self.horizon, self.now, self.amounts[j]

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

    def sample_means(self) -> np.ndarray:
        return np.where(self.plays > 0, self.events / np.maximum(self.plays, 1), 0.5)

    def update(self, arm: int, event: bool, belief) -> None:
        """What the round gave, known at once; `belief` is None in a forced round."""
        t = self.t
        self.chose(arm, belief)
        self.hear(t, arm, event)

    def chose(self, arm: int, belief) -> None:
        _, _, a, b, _ = self.program
        self.waiting += 1
        if self.policy.selector == "primal_dual" and belief is not None:
            used, budget = self.consumption()
            step = 1 + min(1.0, math.sqrt(math.log(self.m + 1) / max(budget * self.horizon, 1e-9)))
            believed = a[:, arm] * belief[0][arm] + b[:, arm]
            self.weights = self.weights * step ** (used * (self.highest - believed))
            self.time *= step**budget

    def hear(self, t: int, arm: int, event: bool) -> None:
        """What round t gave."""
        _, _, a, b, e = self.program
        amount = a[:, arm] * event + b[:, arm]
        if self.policy.selector == "queue":
            grown = self.queue + e + self["epsilon"] / math.sqrt(t) - amount
            self.queue = np.maximum(grown, 0.0)
        self.waiting -= 1
        self.told.append((arm, event))
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


def play(policy, mean, program, horizon, key, run, rng, means=None, arrival=None) -> Played:
    """`means`: of every round; `arrival(t, arm)`: (when its feedback arrives, whether it is true).

    Where they are not given, means stay and feedback is known at once.
    """
    twin, n, due = Twin(policy, mean, program, horizon), len(mean), defaultdict(list)
    whole = [np.zeros(horizon, int) for _ in range(3)]
    played = Played(whole[0], whole[1], np.zeros((horizon, n)), whole[2])
    for t in range(1, horizon + 1):
        twin.mean = np.asarray(mean if means is None else means[t - 1], float)
        belief, explored, shares = None, False, {t - 1: 1.0}
        arm = t - 1
        if t > twin.forced:
            chance = twin.exploration()
            explored = chance >= 1.0 or (chance > 0.0 and rng.random() < chance)
            belief = None if explored else twin.believe(rng)
            shares = None if explored else twin.mixture(belief)
            arm = draw(shares, n, rng.random())
        event = luck(key, run, t, arm) < twin.mean[arm]
        twin.chose(arm, belief)
        when, true = arrival(t, arm) if arrival else (t, True)
        due[when].append((t, arm, bool(event and true)))
        for told in due[t]:
            twin.hear(*told)
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
