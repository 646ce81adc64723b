"""LinConTS in plain NumPy: the built-in policy `lincon_ts`, written as a user-defined policy.

Each arm once; then a sample of every mean from its posterior, and the best mixture that keeps the
floor if the sample were true (Saxena, Gonzalez, Jalden, AISTATS 2020).
"""

import numpy as np


class LinConTS:
    def __init__(self, values, eta, horizon, rng):
        self.values, self.eta, self.rng = values, eta, rng
        self.plays, self.events = np.zeros((2, len(values)))

    def choose(self, t):
        if t <= len(self.values):
            return t - 1
        theta = self.rng.beta(1 + self.events, 1 + self.plays - self.events)
        return best_mixture(theta, theta * self.values, self.eta)

    def update(self, t, arm, event):
        self.plays[arm] += 1
        self.events[arm] += event


def best_mixture(theta, reward, eta):
    """(low, high, share of low), the solution of LP(theta); None where no mixture reaches eta."""
    best, top = int(np.argmax(reward)), int(np.argmax(theta))
    if theta[top] < eta:
        return None
    if theta[best] >= eta:
        return best, best, 1.0
    # The optimum is where the upper concave envelope of the points (theta, reward) meets eta.
    # Start from the pair at its ends; the point farthest above their line takes the place of the
    # one on its side of eta, until no point is above.
    low, high = best, top
    while True:
        slope = (reward[high] - reward[low]) / (theta[high] - theta[low])
        above = reward - reward[low] - slope * (theta - theta[low])
        above[[low, high]] = 0.0
        arm = int(np.argmax(above))
        if above[arm] <= 1e-15:
            return low, high, float((theta[high] - eta) / (theta[high] - theta[low]))
        low, high = (arm, high) if theta[arm] < eta else (low, arm)
