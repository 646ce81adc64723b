"""What a policy asks for in a round, from the events so far: its target and its dual variables.

The engines keep a `Control` beside the tally. Before a round they ask it for a `Demand`, which with
theta is all that a decision depends on; after the round they tell it what happened.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.jit import kernel
from lincon.policies.primal_dual import next_log_ratio, weights
from lincon.policies.registry import Policy
from lincon.policies.selectors import (
    EPS_GREEDY,
    LP,
    LP_GREEDY,
    PRIMAL_DUAL,
    QUEUE,
    UNIFORM,
    Demand,
    selector_code,
)
from lincon.policies.targets import PACED, SAFE_PACED, target_code, target_rate
from lincon.policies.virtual_queue import next_length, queue_tilt

# What is remembered: the virtual queue, and log(w1 / w2) of the primal-dual weights.
LENGTH, LOG_RATIO = range(2)


class Control(NamedTuple):
    """The policy's selector and target with their parameters, and what they remember."""

    selector: int
    target: int
    eta: float
    horizon: int
    arms: int
    of_selector: np.ndarray
    of_target: np.ndarray
    memory: np.ndarray

    @classmethod
    def new(cls, policy: Policy, eta: float, horizon: int, arms: int) -> Control:
        # Never empty, so that a kernel may look at what a policy does not have.
        of_selector, of_target = np.zeros((2, 3))
        for numbers, kind in ((of_selector, "selector"), (of_target, "target")):
            given = policy.of_part(kind)
            numbers[: len(given)] = given
        codes = selector_code(policy.selector), target_code(policy.target)
        return cls(*codes, eta, horizon, arms, of_selector, of_target, np.zeros(2))


@kernel
def exploration(control, t):
    """The probability that round t is played uniformly, whatever is believed."""
    if control.selector == UNIFORM:
        return 1.0
    if control.selector == EPS_GREEDY:
        return min(1.0, control.of_selector[0] * control.arms * math.log(t) / t)
    return 0.0


@kernel
def rate_asked(control, t, events):
    """The target of round t; `is_limited` tells whether safe_paced has more to say."""
    return target_rate(control.target, control.of_target, control.eta, control.horizon, t, events)


@kernel
def is_limited(control, rate):
    return control.target == SAFE_PACED and rate > control.eta


@kernel
def demand_at(control, t, rate):
    """What the selector is asked for in round t."""
    tilt, failure_weight, time_cost = 0.0, 0.0, 1.0
    if control.selector == QUEUE:
        tilt = queue_tilt(control.memory[LENGTH], t, control.of_selector[0])
    elif control.selector == PRIMAL_DUAL:
        failure_weight, time_weight = weights(control.memory[LOG_RATIO])
        time_cost = time_weight * (1.0 - control.eta)
    selector, greedy = control.selector, control.target == PACED
    if selector == LP_GREEDY:
        selector, greedy = LP, True
    return Demand(selector, rate, greedy, tilt, failure_weight, time_cost)


@kernel
def update_control(control, t, event, theta):
    """Remember round t: whether it paid, and the belief in the arm if it was not a forced round."""
    memory = control.memory
    if control.selector == QUEUE:
        epsilon = control.of_selector[1]
        memory[LENGTH] = next_length(memory[LENGTH], t, control.eta, epsilon, event)
    elif control.selector == PRIMAL_DUAL and t > control.arms:
        memory[LOG_RATIO] = next_log_ratio(memory[LOG_RATIO], control.eta, control.horizon, theta)
