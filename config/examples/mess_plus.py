"""MESS+: a virtual queue of missing answers is their price, request by request.

    play the arm of the smallest  v c_i + Q (eta - theta_i),      Q <- [Q + eta - event]_+
    but with probability min(1, explore / t^(1/5)) one that is drawn uniformly

over the arms of the request's kind, with costs c_i as shares of the largest. Woisetschläger, Zhang,
Wang, Jacobsen, NeurIPS 2025 (arXiv 2505.19947); score, queue and the power of t are those of their
code (laminair/mess-plus: algorithm/, utils/mess_plus/bernoulli_sampler.py). Anytime.

Adapted: theta_i is the posterior mean (1 + s_i) / (2 + n_i) of an arm, in place of a classifier of
requests, which learns from the answers of all models while it explores. They try v from .01 to 1000
and `explore` from .01 to 10; v = 10 and explore = .5 keep the 78% of config/llm_routing.yaml at the
least cost of v = 1, 10, 100, 1000 with explore = .01, .1, .5. Only floors on the event rate.
"""

import numpy as np


class MessPlus:
    def __init__(self, problem, rng, v=10.0, explore=0.5):
        (self.eta,) = (one.bound for one in problem.constraints if one.per_event.any())
        self.costs = problem.costs / max(np.abs(problem.costs).max(), 1e-300)
        self.arms, self.rng, self.v, self.explore = problem.arms, rng, v, explore
        self.queue = 0.0
        self.plays, self.events = np.zeros((2, len(self.costs)))

    def choose(self, t, kind=0):
        arms = self.arms[kind]
        if self.rng.random() < min(1.0, self.explore / t**0.2):
            return {int(arm): 1.0 / len(arms) for arm in arms}
        theta = (1.0 + self.events[arms]) / (2.0 + self.plays[arms])
        score = self.v * self.costs[arms] + self.queue * (self.eta - theta)
        return int(arms[np.argmin(score)])

    def update(self, t, arm, event):
        self.plays[arm] += 1
        self.events[arm] += event
        self.queue = max(0.0, self.queue + self.eta - event)
