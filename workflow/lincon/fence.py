"""The fence that caps hang from, and the lines of recent rounds that it is built by.

A fence is two lines through a corner (eta, reward). Times a scale it is a fence again, and an arm's
cap is its scale times `fence_cap`, so that the point (cap, cap r) lies in the scaled fence. Over
the fence, any line's value is largest at one of three corners: a round's line stays above all caps
of a scale exactly if scale < height / support(tilt). One division answers for all those arms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.caps import SLACK
from lincon.lean import lean

# No scale is below 1 / FENCE_END and no cap above 1, so no scaled fence need go on beyond this.
FENCE_END = 8.0
LINES = 256


class Fence(NamedTuple):
    """`sides`: tilt and height of two lines; `corners`: where a line over the fence is largest.

    `lines` holds the last rounds' tilts and heights, `seen` how many there were, `values` the least
    and the largest value of an arm.
    """

    sides: np.ndarray
    corners: np.ndarray
    lines: np.ndarray
    seen: np.ndarray
    values: np.ndarray
    scratch: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Fence:
        return cls(
            sides=np.zeros((2, 2)),
            corners=np.zeros((3, 2)),
            lines=np.zeros((LINES, 2)),
            seen=np.zeros(1, np.int64),
            values=np.array([value.min(), value.max()]),
            scratch=np.zeros((2, LINES)),
        )


@lean
def remember(fence, tilt, height):
    row = fence.seen[0] % LINES
    fence.lines[row, 0], fence.lines[row, 1] = tilt, height
    fence.seen[0] += 1


@lean
def line_before(fence, back):
    """The line of the last round but `back`."""
    row = (fence.seen[0] - 1 - back) % LINES
    return fence.lines[row, 0], fence.lines[row, 1]


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
def build_fence(fence, tilt_low, tilt_high, reward, eta):
    """Two lines of the given tilts through (eta, reward), closed off by the extreme values."""
    value_low, value_high = fence.values[0], fence.values[1]
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


@lean
def fit_fence(fence, count, eta):
    """Build the fence around the last `count` lines; their clearances, ascending, in scratch[0]."""
    tilts, rewards = fence.scratch[0, :count], fence.scratch[1, :count]
    crossing = 0
    for k in range(count):
        tilt, height = line_before(fence, k)
        tilts[k] = tilt
        if tilt < 1.0:
            rewards[crossing] = reward_at(tilt, height, eta)
            crossing += 1
    sort(tilts)
    sort(rewards[:crossing])
    reward = rewards[crossing // 2] if crossing > 0 else eta * fence.values[1]
    build_fence(fence, tilts[count // 10], tilts[count - 1 - count // 10], reward, eta)
    for k in range(count):
        tilt, height = line_before(fence, k)
        clear = clearance(fence, tilt, height)
        tilts[k] = min(max(clear, 1.0 / FENCE_END), FENCE_END)
    sort(tilts)
