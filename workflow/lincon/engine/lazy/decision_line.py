"""Can this arm's cap beat the current line? Asked here, for every selector and estimator.

A decision is a line in the plane of points (theta, theta r): with tilt = lambda / (1 + lambda),

    theta ((1 - tilt) r + tilt) >= height        (lincon.selectors.worth)

says that an arm reaches it. A pair has the line through its two points, an infeasible round the
vertical theta = eta (tilt 1). A single arm has the line through its own with the tilt that was
aimed at: 0, where rewards are compared, or what a queue asks for. An arm that does not reach the
line cannot alter the decision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincon.jit import lean
from lincon.policies.selectors import select, worth

# Rounding in a line is about 1e-16 of it; arms this close to it are looked at.
SLACK = 1.0 - 1e-12
# The decision among no arms: low, high, share, and the tilt and height of a line below all.
NOBODY = (-1, -1, 0.0, 0.0, -0.5)


class Working(NamedTuple):
    """The arms whose theta is known in this round, in the first places of each array."""

    arm: np.ndarray
    theta: np.ndarray
    value: np.ndarray

    @classmethod
    def new(cls, arms: int) -> Working:
        return cls(np.empty(arms, np.int32), np.empty(arms), np.empty(arms))


@lean
def take_in(working, size, arm, theta, value):
    """Add an arm to the working set; the new size."""
    working.arm[size] = arm
    working.theta[size] = theta
    working.value[size] = value
    return size + 1


@lean
def decision_line(theta, value, low, high, eta, aim):
    """(tilt, height) of the line that an arm must reach to alter the decision (low, high)."""
    if low < 0:
        return 1.0, eta
    if low == high:
        return aim, theta[low] * worth(value[low], aim)
    reward = theta[low] * value[low]
    fall = max(reward - theta[high] * value[high], 0.0)
    tilt = fall / (fall + (theta[high] - theta[low]))
    return tilt, (1.0 - tilt) * reward + tilt * theta[low]


@lean
def decide(working, size, selector, eta, aim):
    """(low, high, share, tilt, height) among the first `size` arms of the working set."""
    if size == 0:
        return NOBODY
    theta, value = working.theta[:size], working.value[:size]
    low, high, share = select(selector, theta, value, eta, aim)
    tilt, height = decision_line(theta, value, low, high, eta, aim)
    return low, high, share, tilt, height
