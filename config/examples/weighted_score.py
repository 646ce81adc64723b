"""A weighted score, as model routers use it: quality traded against cost at fixed weights.

    play the arm of the largest  quality * theta_i + (1 - quality) * (1 - cost_i / max_k cost_k)

with theta_i a Thompson sample, Beta(1 + s_i, 1 + n_i - s_i). Routers such as RouteLLM (Ong et al.,
2024) and RouterBench (Hu et al., 2024) tune such a weight by hand: no weight is known to keep a
constraint, and no mixture is played. Where arms have no costs, 1 - value_i takes the place of the
cost. Anytime.
"""

import numpy as np


class WeightedScore:
    def __init__(self, problem, rng, quality=0.7):
        costs = problem.costs if problem.costs.any() else 1.0 - problem.values
        cheap = 1.0 - costs / max(np.abs(costs).max(), 1e-300)
        self.rng, self.quality, self.score = rng, quality, (1.0 - quality) * cheap
        self.plays, self.events = np.zeros((2, len(costs)))

    def choose(self, t):
        theta = self.rng.beta(1.0 + self.events, 1.0 + self.plays - self.events)
        return int(np.argmax(self.quality * theta + self.score))

    def update(self, t, arm, event):
        self.plays[arm] += 1
        self.events[arm] += event
