"""Can this arm's cap beat the current line? Asked here, for every selector and estimator.

A decision is a line in the plane of points (theta, theta r): with tilt = lambda / (1 + lambda),

    theta ((1 - tilt) r + tilt) >= height

says that an arm reaches it. A pair has the line through its two points, a single arm the level
line through its own (tilt 0), an infeasible round the vertical theta = eta (tilt 1). An arm that
does not reach the line cannot alter the decision.

The caps hang from one *fence*: two lines through a corner (eta, reward) around the usual decision.
The fence times a scale is a fence again, and an arm's cap is the scale of its level times
`fence_cap`, so that the point (cap, cap r) lies in the scaled fence. The largest value of any line
over the fence is attained at one of three corners: a round's line leaves level k untouched exactly
if scale_k < height / support(tilt). One division answers for all arms of a level.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.lean import lean

# Rounding in a line is about 1e-16 of it; arms this close to it are looked at.
SLACK = 1.0 - 1e-12
# No scale is below 1 / FENCE_END and no cap above 1, so no scaled fence need go on beyond this.
FENCE_END = 8.0
LINES = 256


class Fence(NamedTuple):
    """`sides`: tilt and height of two lines; `corners`: where a line over the fence is largest."""

    sides: np.ndarray
    corners: np.ndarray

    @classmethod
    def new(cls) -> Fence:
        return cls(np.zeros((2, 2)), np.zeros((3, 2)))


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


@lean
def reaches(theta, value, tilt, height):
    return theta * ((1.0 - tilt) * value + tilt) >= height * SLACK


@lean
def reward_at(tilt, height, eta):
    """The reward at which a line crosses theta = eta."""
    return (height - tilt * eta) / (1.0 - tilt)


@lean
def fence_cap(fence, value):
    """The largest theta with (theta, theta value) inside the fence; it may exceed 1."""
    cap = math.inf
    for side in range(2):
        tilt = fence.sides[side, 0]
        weight = (1.0 - tilt) * value + tilt
        if weight * cap > fence.sides[side, 1]:
            cap = fence.sides[side, 1] / weight
    return cap


@lean
def fence_top(fence):
    """The largest reward inside the fence at its end."""
    top = math.inf
    for side in range(2):
        tilt = fence.sides[side, 0]
        if tilt < 1.0:
            top = min(top, reward_at(tilt, fence.sides[side, 1], FENCE_END))
    return top


@lean
def build_fence(fence, tilt_low, tilt_high, reward, eta, value_low, value_high):
    """Two lines of the given tilts through (eta, reward), closed off by the extreme values."""
    for side, tilt in enumerate((tilt_low, tilt_high)):
        fence.sides[side, 0] = tilt
        fence.sides[side, 1] = (1.0 - tilt) * reward + tilt * eta
    for corner, value in enumerate((value_high, value_low)):
        cap = fence_cap(fence, value)
        fence.corners[corner, 0] = min(cap, FENCE_END)
        fence.corners[corner, 1] = cap * value
        if cap > FENCE_END:
            fence.corners[corner, 1] = min(fence_top(fence), FENCE_END * value_high)
    inside = eta * value_low <= reward <= eta * value_high
    fence.corners[2, 0] = eta if inside else 0.0
    fence.corners[2, 1] = reward if inside else 0.0


@lean
def clearance(fence, tilt, height):
    """The scale up to which the scaled fence stays below the line (tilt, height)."""
    support = 0.0
    for corner in range(3):
        x, y = fence.corners[corner, 0], fence.corners[corner, 1]
        support = max(support, (1.0 - tilt) * y + tilt * x)
    if support <= 0.0:
        return math.inf if height > 0.0 else 0.0
    return height * SLACK / support


@lean
def sort(values):
    """In place, ascending; a few hundred values at most."""
    for i in range(1, values.size):
        value, j = values[i], i - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value
