"""LinConTS in plain NumPy: the built-in policy `lincon_ts`, written as a user-defined policy.

Each arm once; then a sample of every mean from its posterior Beta(1 + s_i, 1 + n_i - s_i), and the
best mixture that keeps the floor if the sample were true (Saxena, Gonzalez, Jalden, AISTATS 2020).
"""

import numpy as np


class LinConTS:
    def __init__(self, problem, rng):
        (floor,) = problem.constraints
        self.values, self.eta, self.rng = problem.values, floor.bound, rng
        self.plays, self.events = np.zeros((2, len(self.values)))

    def choose(self, t):
        if t <= len(self.values):
            return t - 1
        theta = self.rng.beta(1 + self.events, 1 + self.plays - self.events)
        return best_mixture(theta, theta * self.values, self.eta)

    def update(self, t, arm, event):
        self.plays[arm] += 1
        self.events[arm] += event


def best_mixture(amount, reward, eta):
    """{arm: share}, the solution of the LP with one constraint; None where it is infeasible.

    The optimum is where the upper concave envelope of the points (amount, reward) meets eta. Start
    from the arms at its ends; the point farthest above their line replaces the one on its side of
    eta, until no point is above.
    """
    low, high = int(np.argmax(reward)), int(np.argmax(amount))
    if amount[high] < eta:
        return None
    if amount[low] >= eta:
        return {low: 1.0}
    while True:
        slope = (reward[high] - reward[low]) / (amount[high] - amount[low])
        above = reward - reward[low] - slope * (amount - amount[low])
        above[[low, high]] = 0.0
        arm = int(np.argmax(above))
        if above[arm] <= 1e-15:
            share = float((amount[high] - eta) / (amount[high] - amount[low]))
            return {low: share, high: 1.0 - share}
        low, high = (arm, high) if amount[arm] < eta else (low, arm)
