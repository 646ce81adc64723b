"""Epsilon-first: play the arms in turn for a share of the horizon, then the best that was seen.

The best is the arm of the largest estimated reward among those whose estimated amounts keep every
constraint; if none does, the arm of the smallest shortfall. Folklore; it needs T.
"""

import numpy as np


class EpsilonFirst:
    def __init__(self, problem, rng, epsilon=0.1):
        self.problem, self.arms = problem, len(problem.values)
        self.explored = max(epsilon * problem.horizon, self.arms)
        self.plays, self.events = np.zeros((2, self.arms))

    def choose(self, t):
        if t <= self.explored:
            return (t - 1) % self.arms
        mean, task = self.events / self.plays, self.problem
        short = np.zeros(self.arms)
        for one in task.constraints:
            amount = one.per_event * mean + one.per_play
            short += np.maximum(one.sign * (one.bound - amount), 0.0)
        reward = task.values * mean - task.costs
        return int(np.argmax(np.where(short <= short.min(), reward, -np.inf)))

    def update(self, t, arm, event):
        self.plays[arm] += 1
        self.events[arm] += event
