"""Pairwise elimination for bandits with cost subsidy: the best arm, then cheaper ones against it.

An arm is good enough if its mean is at least (1 - alpha) times the largest. With D = 2^-m in stage
m, arms are compared once each has ceil(2 log(T D^2) / D^2) plays; the radius is then
r = sqrt(log(T D^2) / (2 plays)), and m_i the observed mean.

1. While several arms are left, those with m_i + r <= max_k (m_k - r) are dropped.
2. From the cheapest on, an arm is played to the end as soon as m_i - r > (1 - alpha) (m_best + r),
   and dropped if m_i + r < (1 - alpha) (m_best - r).

Juneja et al., ICLR 2025 (arXiv 2501.10290; code: ishank-juneja/bandits-with-costs). It needs T.
Adapted: both arms of a pair have the same radius; theirs may be smaller for the best arm.
"""

from itertools import repeat

import numpy as np


class PairwiseElimination:
    def __init__(self, problem, rng, alpha=0.05):
        self.costs, self.horizon, self.kept = problem.costs, problem.horizon, 1.0 - alpha
        self.plays, self.events = np.zeros((2, len(self.costs)))
        self.stage = np.zeros(len(self.costs), int)
        self.order = self.plan()

    def choose(self, t):
        return next(self.order)

    def update(self, t, arm, event):
        self.plays[arm] += 1
        self.events[arm] += event

    def plan(self):
        """The arms in the order of play; in between it looks at what they gave."""
        by_cost = [int(i) for i in np.argsort(self.costs, kind="stable")]
        left = by_cost
        while len(left) > 1:
            radius = yield from self.compared(left)
            mean = self.events / np.maximum(self.plays, 1)
            lowest = max(mean[i] for i in left) - radius
            left = [i for i in left if mean[i] + radius > lowest]
            self.stage[left] += 1
        (best,) = left
        for arm in by_cost[: by_cost.index(best)]:
            while True:
                radius = yield from self.compared([arm, best], self.stage[arm])
                mean, needed = self.events[arm] / self.plays[arm], self.kept * self.events[best]
                needed /= self.plays[best]
                if mean - radius > needed + self.kept * radius:
                    yield from repeat(arm)
                if mean + radius < needed - self.kept * radius:
                    break
                self.stage[arm] += 1
        yield from repeat(best)

    def compared(self, arms, stage=None):
        """Play the arms until the stage has its plays; its radius."""
        stage = self.stage[arms].max() if stage is None else stage
        # Beyond this stage T D^2 < e; the plays of two arms at it are more than T.
        gap = 2.0 ** -min(stage, np.floor(np.log2(self.horizon / np.e) / 2))
        log = np.log(self.horizon * gap**2)
        plays = np.ceil(2.0 * log / gap**2)
        for arm in arms:
            while self.plays[arm] < plays:
                yield arm
        return np.sqrt(log / (2.0 * plays))
