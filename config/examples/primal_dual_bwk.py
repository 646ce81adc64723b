"""PrimalDualBwK: the arm of the best ratio of reward to cost, at prices learned by weights.

Missing amounts and time are d = m + 1 resources with a budget of B per round; a play of arm i uses
up c_ij of resource j (of time: B). Upper bounds u_i of rewards, lower bounds l_ij of what is used:

    play the arm of the largest  u_i / sum_j w_j l_ij,    then  w_j *= (1 + e)^(l_j of the arm)
    radius(x, n) = sqrt(C x / n) + C / n,   C = log(N d T),   e = sqrt(log(d) / (B T))

Badanidiyuru, Kleinberg, Slivkins, FOCS 2013 (JACM 2018); their constant C is only given up to a
factor, here `confidence`. It needs T.

Adapted: it is played to T instead of stopping when a budget is used up.
"""

import numpy as np


class PrimalDualBwK:
    def __init__(self, problem, rng, confidence=1.0):
        arms, horizon = len(problem.values), problem.horizon
        # Rewards, and every constraint's amounts as "at least", as shares of their ranges.
        reward = [-problem.costs, problem.values - problem.costs]
        self.reward = (np.array(reward) - np.min(reward)) / max(np.ptp(reward), 1e-12)
        used, budgets = [], []
        for one in problem.constraints:
            amount = one.sign * np.array([one.per_play, one.per_play + one.per_event])
            extent = max(np.ptp(amount), 1e-12)
            used.append((amount.max() - amount) / extent)
            budgets.append(max(amount.max() - one.sign * one.bound, 1e-9) / extent)
        # The paper has one budget: resources are scaled down to the smallest.
        self.budget = min(*budgets, 1.0)
        self.used = np.array([u * self.budget / b for u, b in zip(used, budgets, strict=True)])
        self.width = confidence * np.log(arms * (len(used) + 1) * horizon)
        self.step = min(np.sqrt(np.log(len(used) + 1) / (self.budget * horizon)), 1.0)
        self.logs = np.zeros(len(used) + 1)  # of the weights; the last resource is time
        self.plays, self.events = np.zeros((2, arms))

    def choose(self, t):
        if t <= len(self.plays):
            return t - 1
        mean = self.events / self.plays
        reward = self.reward[0] + mean * (self.reward[1] - self.reward[0])
        used = self.used[:, 0] + mean * (self.used[:, 1] - self.used[:, 0])
        upper = np.minimum(reward + self.radius(reward), 1.0)
        self.lower = np.maximum(used - self.radius(used), 0.0)
        weights = np.exp(self.logs - self.logs.max())
        cost = weights[:-1] @ self.lower + weights[-1] * self.budget
        return int(np.argmax(upper / np.maximum(cost, 1e-300)))

    def radius(self, mean):
        return np.sqrt(self.width * np.maximum(mean, 0.0) / self.plays) + self.width / self.plays

    def update(self, t, arm, event):
        self.plays[arm] += 1
        self.events[arm] += event
        if t > len(self.plays):
            self.logs += np.log1p(self.step) * np.append(self.lower[:, arm], self.budget)
