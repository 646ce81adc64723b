"""The decision line: can this arm still change the decision, whatever selector and estimator?

Idea. A decision is a line in the plane of points (theta, theta r): with tilt = lambda / (1 +
lambda),

    theta ((1 - tilt) r + tilt) >= height

says that an arm reaches it. A mixture has the line through its two points. An infeasible round has
the vertical theta = rate, or that of the largest theta where this one is played (tilt 1). A single
arm has the line through its own point, with the tilt by which arms are compared: 0 for rewards,
that of a virtual queue, or for the best reward per cost c

    theta r >= c (w1 (1 - theta) + w2 (1 - eta))   <=>   theta (r + c w1) >= c (w1 + w2 (1 - eta)).

Invariant. An arm below the line cannot change the decision, whatever its theta is below the line.
Held by tests/unit/engine/lazy/test_decision_line.py: points put below the line leave the decision
of every selector as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincon.jit import lean
from lincon.policies.selectors import LP, PRIMAL_DUAL, score, select, tilted_value

# Rounding in a line is about 1e-16 of it; arms this close to it are looked at.
SLACK = 1.0 - 1e-12
# The decision among no arms: low, high, share, and the tilt and height of a line below all.
NO_ARMS = (-1, -1, 0.0, 0.0, -0.5)


class Working(NamedTuple):
    """The working set: the arms whose theta is known in this round, first in each array."""

    arm: np.ndarray
    theta: np.ndarray
    value: np.ndarray
    gain: np.ndarray

    @classmethod
    def new(cls, arms: int) -> Working:
        return cls(np.empty(arms, np.int32), np.empty(arms), np.empty(arms), np.empty(arms))


@lean
def include(working, size, arm, theta, value):
    """Add an arm to the working set; the new size."""
    working.arm[size] = arm
    working.theta[size] = theta
    working.value[size] = value
    working.gain[size] = theta * value
    return size + 1


@lean
def line_of_one(demand, theta, value):
    """(tilt, height) of the line of a decision for a single arm."""
    if demand.selector == LP and theta < demand.rate:
        return 1.0, theta
    if demand.selector == PRIMAL_DUAL:
        ratio = score(demand, theta, value)
        price = ratio * demand.failure_weight
        return price / (1.0 + price), (price + ratio * demand.time_cost) / (1.0 + price)
    return demand.tilt, score(demand, theta, value)


@lean
def decision_line(demand, theta, value, low, high):
    """(tilt, height) of the line that an arm must reach to change the decision (low, high)."""
    if low < 0:
        return 1.0, demand.rate
    if low == high:
        return line_of_one(demand, theta[low], value[low])
    reward = theta[low] * value[low]
    fall = max(reward - theta[high] * value[high], 0.0)
    tilt = fall / (fall + (theta[high] - theta[low]))
    return tilt, (1.0 - tilt) * reward + tilt * theta[low]


@lean
def decide(demand, working, size):
    """(low, high, share, tilt, height) among the first `size` arms of the working set."""
    if size == 0:
        return NO_ARMS
    theta, value = working.theta[:size], working.value[:size]
    low, high, share = select(demand, theta, value, working.gain[:size])
    tilt, height = decision_line(demand, theta, value, low, high)
    return low, high, share, tilt, height


@lean
def line_start(tilt, height, value):
    """The theta from which on an arm of this value reaches the line; inf if it never does."""
    weight = tilted_value(value, tilt)
    if height <= 0.0:
        return 0.0
    return height / weight if weight > 0.0 else np.inf
