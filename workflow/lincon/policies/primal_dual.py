"""The multiplicative weights of PrimalDualBwK (Badanidiyuru, Kleinberg, Slivkins, FOCS 2013).

Two resources are used up: failures, of which (1 - eta) T may happen, and time. Their weights start
at 1, and a play of an arm with belief theta multiplies them by

    w1 *= (1 + e)^(1 - theta),  w2 *= (1 + e)^(1 - eta),  e = sqrt(log 2 / ((1 - eta) T)).

The policy plays the largest r theta / (w1 (1 - theta) + w2 (1 - eta)). Only the weights' ratio
matters there, and they would overflow in long runs: kept is log(w1 / w2), and used are the weights
divided by their sum. The original stops when the budget is gone; here all policies play to T.
"""

from __future__ import annotations

import math

from lincon.jit import kernel

# The cost of an arm without failures under a floor of 1 is 0; it is taken for this.
LEAST_COST = 1e-300


@kernel
def step_size(eta, horizon):
    """e, at most 1: under a floor of 1 there is no budget of failures."""
    return min(math.sqrt(math.log(2.0) / max((1.0 - eta) * horizon, 1e-9)), 1.0)


@kernel
def next_log_ratio(log_ratio, eta, horizon, theta):
    """log(w1 / w2) after the play of an arm with belief theta."""
    return log_ratio + math.log1p(step_size(eta, horizon)) * (eta - theta)


@kernel
def weights(log_ratio):
    """(w1, w2), divided by their sum."""
    if log_ratio > 0.0:
        time = math.exp(-log_ratio) / (1.0 + math.exp(-log_ratio))
        return 1.0 - time, time
    failure = math.exp(log_ratio) / (1.0 + math.exp(log_ratio))
    return failure, 1.0 - failure


@kernel
def reward_per_cost(theta, value, failure_weight, time_cost):
    """r theta / (w1 (1 - theta) + w2 (1 - eta)); `time_cost` is w2 (1 - eta)."""
    return theta * value / max(failure_weight * (1.0 - theta) + time_cost, LEAST_COST)
