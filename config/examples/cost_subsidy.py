"""Bandits with cost subsidy: the cheapest single arm of those that seem nearly as good as the best.

Each arm once; then the scores S_i(t) of a round make every arm feasible whose score is at least
(1 - alpha) times the largest, and the cheapest of these is played (Sinha, Sankararaman, Kazerouni,
Avadhanula, AISTATS 2021: CS-TS with posterior samples, CS-UCB with confidence bounds). They know
alpha, not the floor, and never mix arms.
"""

import numpy as np


class CostSubsidyTS:
    """S_i(t) ~ Beta(1 + s_i, 1 + n_i - s_i)."""

    def __init__(self, problem, rng, alpha=0.05):
        self.costs, self.rng, self.kept = problem.costs, rng, 1.0 - alpha
        self.plays, self.events = np.zeros((2, len(problem.costs)))

    def scores(self, t):
        return self.rng.beta(1.0 + self.events, 1.0 + self.plays - self.events)

    def choose(self, t):
        if t <= len(self.costs):
            return t - 1
        scores = self.scores(t)
        feasible = scores >= self.kept * scores.max()
        return int(np.argmin(np.where(feasible, self.costs, np.inf)))

    def update(self, t, arm, event):
        self.plays[arm] += 1
        self.events[arm] += event


class CostSubsidyUCB(CostSubsidyTS):
    """S_i(t) = min(1, m_i + sqrt(2 log t / n_i))."""

    def scores(self, t):
        width = np.sqrt(2.0 * np.log(t) / self.plays)
        return np.minimum(self.events / self.plays + width, 1.0)
