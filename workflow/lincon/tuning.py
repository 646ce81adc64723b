"""Where caps are best put: a matter of speed alone.

A cap costs a draw when theta exceeds it, and a draw when it reaches the line of a round's decision.
The lines of recent rounds tell how often the second happens: for an arm of value r, a line is
reached from theta = height / ((1 - tilt) r + tilt) on, and the level of odds q is the q-quantile of
that over the lines. Levels are kept for a few values, and between these 1 / theta is linear in r.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.lean import lean
from lincon.reach import NOTHING
from lincon.truncated import upper_tail

LINES, BINS = 96, 12
ODDS = np.array([0.08, 0.03, 0.012, 5e-3, 2e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6])
# The cost of a draw above a cap and of a touch, in draws of an active arm.
ABOVE, TOUCH = 2.0, 0.7


class Levels(NamedTuple):
    """`lines`: the last rounds' tilts and heights; `inverse`: 1 / theta by odds and value."""

    lines: np.ndarray
    seen: np.ndarray
    values: np.ndarray
    inverse: np.ndarray
    scratch: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Levels:
        least, most = value.min(), value.max()
        # A little more than the largest value, so that every arm lies between two.
        values = np.linspace(least, most + 1e-9 + 1e-3 * (most - least), BINS)
        seen, inverse = np.zeros(1, np.int64), np.zeros((ODDS.size, BINS))
        return cls(np.zeros((LINES, 2)), seen, values, inverse, np.zeros(LINES))


@lean
def remember(levels, tilt, height):
    row = levels.seen[0] % LINES
    levels.lines[row, 0], levels.lines[row, 1] = tilt, height
    levels.seen[0] += 1


@lean
def sort(values):
    """In place, ascending; a hundred values or so."""
    for i in range(1, values.size):
        value, j = values[i], i - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value


@lean
def fit_levels(levels, most):
    """Set the levels by the last lines, `most` of them at most."""
    count = min(levels.seen[0], LINES, most)
    starts = levels.scratch[:count]
    for column in range(BINS):
        value = levels.values[column]
        for k in range(count):
            row = (levels.seen[0] - 1 - k) % LINES
            tilt, height = levels.lines[row, 0], levels.lines[row, 1]
            weight = (1.0 - tilt) * value + tilt
            starts[k] = min(height / weight, 4.0) if weight > 0.0 else 4.0
            starts[k] = max(starts[k], 1e-12)
        sort(starts)
        set_column(levels, column, starts)


@lean
def set_column(levels, column, starts):
    """The quantiles; beyond the least, they go on to fall as they do from the median to it."""
    count = starts.size
    fall = math.log(starts[count // 2] / starts[0]) / math.log10(max(0.5 * count, 2.0))
    for k in range(ODDS.size):
        start = starts[int(ODDS[k] * count)] * (1.0 - 1e-9)
        if ODDS[k] * count < 1.0:
            start *= math.exp(max(fall, 1e-3) * math.log10(ODDS[k] * count))
        levels.inverse[k, column] = 1.0 / start


@lean
def quietest(levels, plays, events, value):
    """(cap, tail) of the cheapest level for an arm; NOTHING where it is best left active."""
    a, b = 1.0 + events, 1.0 + (plays - events)
    place = (value - levels.values[0]) / (levels.values[1] - levels.values[0])
    column = min(max(int(place), 0), BINS - 2)
    share = place - column
    cap, tail, cost = NOTHING, 0.0, 1.0
    for k in range(ODDS.size - 1, -1, -1):
        inverse = levels.inverse[k]
        this_cap = min(1.0 / ((1.0 - share) * inverse[column] + share * inverse[column + 1]), 1.0)
        this_tail = upper_tail(a, b, this_cap)
        this_cost = ABOVE * this_tail + TOUCH * ODDS[k]
        if this_cost < cost and this_tail < 0.5:
            cap, tail, cost = this_cap, this_tail, this_cost
        if this_tail <= ODDS[k]:
            break
    return cap, tail
