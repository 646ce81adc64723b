"""Can this arm's cap beat the current line? Asked here, for every selector and estimator.

A decision is a line in the plane of points (theta, theta r): with tilt = lambda / (1 + lambda),

    theta ((1 - tilt) r + tilt) >= height

says that an arm reaches it. A pair has the line through its two points, a single arm the level
line through its own (tilt 0), an infeasible round the vertical theta = eta (tilt 1). An arm that
does not reach the line cannot alter the decision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincon.jit import lean

# Rounding in a line is about 1e-16 of it; arms this close to it are looked at.
SLACK = 1.0 - 1e-12


class Groups(NamedTuple):
    """The arms in disjoint groups: group g is order[start[g]:start[g + 1]]; place inverts order."""

    order: np.ndarray
    place: np.ndarray
    start: np.ndarray
    group: np.ndarray

    @classmethod
    def new(cls, arms: int, groups: int) -> Groups:
        """All arms in group 0."""
        order = np.arange(arms, dtype=np.int32)
        start = np.full(groups + 1, arms, np.int32)
        start[0] = 0
        return cls(order, order.copy(), start, np.zeros(arms, np.int8))


class Working(NamedTuple):
    """The arms whose theta is known in this round, in the first places of each array."""

    arm: np.ndarray
    theta: np.ndarray
    value: np.ndarray

    @classmethod
    def new(cls, arms: int) -> Working:
        return cls(np.empty(arms, np.int32), np.empty(arms), np.empty(arms))


@lean
def move(groups, arm, target):
    """Move an arm to another group, by one swap at each boundary on the way."""
    order, place, start = groups.order, groups.place, groups.start
    source = groups.group[arm]
    while source != target:
        if source < target:
            source += 1
            start[source] -= 1
            new = start[source]
        else:
            new = start[source]
            start[source] += 1
            source -= 1
        old, other = place[arm], order[new]
        order[old], order[new] = other, arm
        place[other], place[arm] = old, new
    groups.group[arm] = target


@lean
def decision_line(theta, value, low, high, eta):
    """(tilt, height) of the line that an arm must reach to alter the decision (low, high)."""
    if low < 0:
        return 1.0, eta
    reward = theta[low] * value[low]
    if low == high:
        return 0.0, reward
    fall = max(reward - theta[high] * value[high], 0.0)
    tilt = fall / (fall + (theta[high] - theta[low]))
    return tilt, (1.0 - tilt) * reward + tilt * theta[low]
