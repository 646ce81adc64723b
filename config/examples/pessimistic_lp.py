"""OPB: the LP with an optimistic objective and a pessimistic constraint.

    max sum_i x_i g_i(upper_i)   s.t.  sum_i x_i h_i(lower_i) >= e,     upper, lower = m_i +- w_i
    w_i = sqrt(radius log t / n_i)

so that, with high probability, every round's mixture keeps the constraint in expectation.
Pacchiano, Ghavamzadeh, Bartlett, Jiang, AISTATS 2021. One constraint. Anytime.

Adapted: no safe arm is known, so arms are drawn uniformly while no mixture is surely safe; log t in
place of log(4 N T / delta), and the objective's width is not enlarged.
"""

import numpy as np

from lincon.problem.lp import solve_lp


class PessimisticLP:
    def __init__(self, problem, rng, radius=0.5):
        (self.constraint,) = problem.constraints
        self.values, self.costs, self.radius = problem.values, problem.costs, radius
        self.plays, self.events = np.zeros((2, len(self.values)))

    def choose(self, t):
        if t <= len(self.values):
            return t - 1
        one, mean = self.constraint, self.events / self.plays
        width = np.sqrt(self.radius * np.log(t) / self.plays)
        per_event, per_play = one.sign * one.per_event, one.sign * one.per_play
        optimistic = np.clip(mean + np.sign(self.values) * width, 0.0, 1.0)
        pessimistic = np.clip(mean - np.sign(per_event) * width, 0.0, 1.0)
        reward = optimistic * self.values - self.costs
        amount = pessimistic * per_event + per_play
        low, high, share = solve_lp(amount, reward, one.sign * one.bound)
        return None if low < 0 else {low: share, high: 1.0 - share} if low != high else low

    def update(self, t, arm, event):
        self.plays[arm] += 1
        self.events[arm] += event
