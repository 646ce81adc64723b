"""LagrangeBwK: two no-regret learners play the Lagrangian of the problem against each other.

Missing amounts and time are resources with a budget of B per round; c_j is what a play uses up of
resource j. The payoff of arm i against resource j is L(i, j) = r_i + 1 - c_ij / B, which is r_i for
time. The arms' learner is EXP3.P (Auer, Cesa-Bianchi, Freund, Schapire, 2002) and sees L of the arm
and the resource that were drawn; the resources' learner is Hedge and sees L for all resources
(Immorlica, Sankararaman, Schapire, Slivkins, FOCS 2019; Slivkins' book, section 10.3).

Adapted: it is played to T instead of stopping when a budget is used up. It needs T.
"""

import numpy as np


class LagrangeBwK:
    def __init__(self, problem, rng):
        self.rng, arms, rounds = rng, len(problem.values), problem.horizon
        self.values, self.costs = problem.values, problem.costs
        gains = np.stack([-self.costs, self.values - self.costs])
        self.least, self.range = gains.min(), max(gains.max() - gains.min(), 1e-12)
        # Every constraint as "at least", its amounts as shares of their range.
        sign = np.array([1.0 if one.sense == "at_least" else -1.0 for one in problem.constraints])
        self.a = np.stack([one.per_event for one in problem.constraints]) * sign[:, None]
        self.b = np.stack([one.per_play for one in problem.constraints]) * sign[:, None]
        bound = np.array([one.bound for one in problem.constraints]) * sign
        ends = np.stack([self.b, self.a + self.b])
        self.most, extent = ends.max(axis=(0, 2)), np.ptp(ends, axis=(0, 2))
        budget = np.maximum(self.most - bound, 1e-9) / np.where(extent > 0, extent, 1.0)
        # A unit of budget per round for all: c_j / B_j is what counts.
        self.used_by = 1.0 / (np.where(extent > 0, extent, 1.0) * budget)
        self.lowest = 1.0 - max(1.0, float((extent * self.used_by).max(initial=0.0)))
        # EXP3.P with failure probability 1 / T, and Hedge, both for payoffs in [0, 1].
        self.mix = min(0.6, 2.0 * np.sqrt(0.6 * arms * np.log(max(arms, 2)) / rounds))
        self.bonus = 2.0 * np.sqrt(np.log(arms * rounds**2.0) / (arms * rounds))
        self.step = np.sqrt(8.0 * np.log(len(sign) + 1.0) / rounds)
        self.arm_logs, self.resource_logs = np.zeros(arms), np.zeros(len(sign) + 1)

    def choose(self, t):
        self.shares = (1.0 - self.mix) * softmax(self.arm_logs) + self.mix / self.arm_logs.size
        # Drawn here: to hand over hundreds of shares in every round would take ten times as long.
        drawn = np.searchsorted(self.shares.cumsum(), self.rng.random())
        return min(int(drawn), self.shares.size - 1)

    def update(self, t, arm, event):
        reward = (self.values[arm] * event - self.costs[arm] - self.least) / self.range
        used = (self.most - self.a[:, arm] * event - self.b[:, arm]) * self.used_by
        payoffs = reward + 1.0 - np.append(used, 1.0)
        payoffs = (payoffs - self.lowest) / (2.0 - self.lowest)
        resource = self.rng.choice(payoffs.size, p=softmax(self.resource_logs))
        grown = self.bonus / self.shares
        grown[arm] += payoffs[resource] / self.shares[arm]
        self.arm_logs += self.mix / (3.0 * self.arm_logs.size) * grown
        self.resource_logs -= self.step * payoffs


def softmax(logs):
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()
