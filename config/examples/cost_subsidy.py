"""Bandits with cost subsidy: the cheapest single arm of those that are nearly as good as the best.

An arm is good enough if its mean is at least (1 - alpha) times the largest. These policies know
alpha, not the floor, and never mix arms. CS-TS, CS-UCB and CS-ETC are by Sinha, Sankararaman,
Kazerouni and Avadhanula (AISTATS 2021); the code of Juneja et al. (ICLR 2025; ishank-juneja/
bandits-with-costs) settles the constants. Ties go to the first arm. The last two need T.
"""

import numpy as np


class CostSubsidyTS:
    """S_i ~ Beta(1 + s_i, 1 + n_i - s_i); the cheapest arm with S_i >= (1 - alpha) max_k S_k."""

    def __init__(self, problem, rng, alpha=0.05):
        self.costs, self.rng, self.kept = problem.costs, rng, 1.0 - alpha
        self.arms, self.horizon = len(problem.costs), problem.horizon
        self.plays, self.events = np.zeros((2, self.arms))

    def choose(self, t):
        if t <= self.arms:
            return t - 1
        scores = self.rng.beta(1.0 + self.events, 1.0 + self.plays - self.events)
        return self.cheapest(scores >= self.kept * scores.max())

    def update(self, t, arm, event):
        self.plays[arm] += 1
        self.events[arm] += event

    def cheapest(self, good_enough):
        return int(np.argmin(np.where(good_enough, self.costs, np.inf)))

    def bounds(self):
        """max(0, m_i - w_i) and min(1, m_i + w_i), w_i = sqrt(2 log T / n_i)."""
        mean, width = self.events / self.plays, np.sqrt(2.0 * np.log(self.horizon) / self.plays)
        return np.maximum(mean - width, 0.0), np.minimum(mean + width, 1.0)


class CostSubsidyUCB(CostSubsidyTS):
    """The same with the upper confidence bound for S_i."""

    def choose(self, t):
        if t <= self.arms:
            return t - 1
        _, upper = self.bounds()
        return self.cheapest(upper >= self.kept * upper.max())


class CostSubsidyETC(CostSubsidyTS):
    """Each arm (T / N)^(2/3) times; then the cheapest with upper_i >= (1 - alpha) max_k lower_k."""

    def choose(self, t):
        if t <= self.arms * int(np.ceil((self.horizon / self.arms) ** (2 / 3))):
            return (t - 1) % self.arms
        lower, upper = self.bounds()
        return self.cheapest(upper >= self.kept * lower.max())
