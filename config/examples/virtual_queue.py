"""Pess-Opt: a virtual queue of missing amounts is the price of each constraint.

    play the arm of the largest  g_i + sum_j Q_j h_ij / (v sqrt t),   theta_i = its upper bound
    Q_j <- [Q_j + e_j + epsilon / sqrt t - amount_j of the play]_+

The pessimism is epsilon / sqrt t, by which the queue asks for more than the constraint. Liu, Li,
Shi, Ying, NeurIPS 2021: with K constraints and Slater's gap d, v = d K^(1/4) sqrt(2/3) and epsilon
= K^(3/4) sqrt 6. Anytime.

Adapted: Slater's gap is not known, so d = 1; theta_i = min(1, m_i + sqrt(2 log t / n_i)).
"""

import numpy as np


class VirtualQueue:
    def __init__(self, problem, rng, v=(2 / 3) ** 0.5, epsilon=6**0.5):
        self.values, self.costs, constraints = problem.values, problem.costs, problem.constraints
        # Every constraint as "at least", one row each.
        self.a = np.array([one.sign * one.per_event for one in constraints])
        self.b = np.array([one.sign * one.per_play for one in constraints])
        self.bound = np.array([one.sign * one.bound for one in constraints])
        self.v, self.epsilon, self.queue = v, epsilon, np.zeros(len(constraints))
        self.plays, self.events = np.zeros((2, len(self.values)))

    def choose(self, t):
        if t <= len(self.values):
            return t - 1
        prices = self.queue / (self.v * np.sqrt(t))
        per_event = self.values + prices @ self.a
        mean, width = self.events / self.plays, np.sqrt(2.0 * np.log(t) / self.plays)
        # Optimism is the upper end where an event is worth something, the lower where it harms.
        theta = np.clip(mean + np.sign(per_event) * width, 0.0, 1.0)
        return int(np.argmax(theta * per_event - self.costs + prices @ self.b))

    def update(self, t, arm, event):
        self.plays[arm] += 1
        self.events[arm] += event
        missing = self.bound - self.a[:, arm] * event - self.b[:, arm]
        self.queue = np.maximum(self.queue + missing + self.epsilon / np.sqrt(t), 0.0)
