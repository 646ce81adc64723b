"""Bandits with cost subsidy: the cheapest single arm of those that are nearly as good as the best.

An arm is good enough if its mean is at least (1 - alpha) times the largest. These policies know
alpha, not the floor, and never mix arms. CS-TS, CS-UCB and CS-ETC are by Sinha, Sankararaman,
Kazerouni and Avadhanula (AISTATS 2021), pairwise elimination by Juneja et al. (ICLR 2025), whose
code (ishank-juneja/bandits-with-costs) settles the constants here. Ties go to the first arm.
"""

from itertools import repeat

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


class PairwiseElimination(CostSubsidyTS):
    """First the best arm, then the cheaper ones against it, from the cheapest on.

    With D = 2^-m in stage m, arms are compared once each has ceil(2 log(T D^2) / D^2) plays; the
    radius is then r = sqrt(log(T D^2) / (2 plays)). 1. While several arms are left, those with
    m_i + r <= max_k (m_k - r) are dropped. 2. A cheaper arm is played to the end as soon as
    m_i - r > (1 - alpha) (m_best + r), and dropped if m_i + r < (1 - alpha) (m_best - r). Here both
    arms have the same radius; the published variant may give the best arm a smaller one.
    """

    def __init__(self, problem, rng, alpha=0.05):
        super().__init__(problem, rng, alpha)
        self.stage = np.zeros(self.arms, int)
        self.order = self.plan()

    def choose(self, t):
        return next(self.order)

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
