"""A weighted score of quality and cost, as the adaptive router of LiteLLM decides.

    play the arm of the largest  quality * theta_i + (1 - quality) * cheap_i,
    cheap_i = 1 - (c_i - min c) / (max c - min c)

over the arms of the request's kind, with theta_i ~ Beta(1 + s_i, 1 + n_i - s_i) and c_i the cost.
Weights .7 and .3 are those of LiteLLM's documentation (docs.litellm.ai/docs/adaptive_router); the
score, and that a posterior whose two shapes sum to `cap` learns no more, are in its code
(litellm/router_strategy/adaptive_router/bandit.py, 2026). No weight is known to keep a constraint.
Anytime.

Adapted: a uniform prior in place of one from declared tiers; costs of a request of the kind in
place of prices per token; the answer's correctness in place of signals from a conversation. Where
arms have no costs, 1 - value_i takes their place.
"""

import numpy as np


class WeightedScore:
    def __init__(self, problem, rng, quality=0.7, cap=200):
        costs = problem.costs if problem.costs.any() else 1.0 - problem.values
        self.arms, self.rng, self.quality, self.cap = problem.arms, rng, quality, cap
        self.cheap = np.zeros(len(costs))
        for arms in problem.arms:
            dear = (costs[arms] - costs[arms].min()) / max(np.ptp(costs[arms]), 1e-300)
            self.cheap[arms] = 1.0 - dear
        self.plays, self.events = np.zeros((2, len(costs)))

    def choose(self, t, kind=0):
        arms = self.arms[kind]
        misses = self.plays[arms] - self.events[arms]
        theta = self.rng.beta(1.0 + self.events[arms], 1.0 + misses)
        score = self.quality * theta + (1.0 - self.quality) * self.cheap[arms]
        return int(arms[np.argmax(score)])

    def update(self, t, arm, event):
        if self.plays[arm] + 3.0 <= self.cap:
            self.plays[arm] += 1
            self.events[arm] += event
