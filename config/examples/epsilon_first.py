"""Epsilon-first: play the arms in turn for a share of the horizon, then the best that was seen.

The best is the arm of the largest estimated reward among those seen to keep the floor.
"""

import numpy as np


class EpsilonFirst:
    def __init__(self, values, eta, horizon, rng, epsilon=0.1):
        self.values, self.eta, self.rounds = values, eta, epsilon * horizon
        self.plays, self.events = np.zeros((2, len(values)))

    def choose(self, t):
        if t <= max(self.rounds, len(self.values)):
            return (t - 1) % len(self.values)
        seen = self.events / self.plays
        keeps = seen >= min(self.eta, seen.max())
        return int(np.argmax(np.where(keeps, seen * self.values, -1.0)))

    def update(self, t, arm, event):
        self.plays[arm] += 1
        self.events[arm] += event
