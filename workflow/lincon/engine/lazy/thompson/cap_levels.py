"""A ladder of caps below the lines of recent rounds: how far down must a round look?

For an arm of value r, the line of a decision is reached from theta = height / ((1 - tilt) r + tilt)
on. A step of the ladder is a curve over r that a round's line falls short of, at a given r, with
the odds of that step: the quantile of that theta over the lines of late. An arm's cap at a step is
where the curve is at its value. 1 / theta is linear in r for a line, and linear between a few
values for a curve: a line that is above a curve at these values is above all of its caps.

Where the steps are is a matter of speed alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.engine.lazy.decision_line import SLACK
from lincon.jit import lean
from lincon.policies.selectors import worth

LINES = 256
# Knots with even numbers of arms between them, and knots where the arms of decisions are.
EVEN, CHOSEN = 6, 4
KNOTS = EVEN + CHOSEN
INTERVALS = KNOTS - 1
ODDS = np.array([0.1, 0.02, 2e-3, 1e-5])
STEPS = ODDS.size


class Ladder(NamedTuple):
    """`lines`: tilt, height and the two arms' values of the last rounds.

    `inverse` is 1 / theta by step and knot. An interval is what lies between two knots.
    """

    lines: np.ndarray
    seen: np.ndarray
    even: np.ndarray
    knots: np.ndarray
    inverse: np.ndarray
    scratch: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Ladder:
        return cls(
            lines=np.zeros((LINES, 4)),
            seen=np.zeros(1, np.int64),
            even=np.quantile(value, np.linspace(0.0, 1.0, EVEN)),
            knots=np.zeros(KNOTS),
            inverse=np.zeros((STEPS, KNOTS)),
            scratch=np.zeros(2 * LINES),
        )


@lean
def remember(ladder, tilt, height, value_low, value_high):
    line = ladder.lines[ladder.seen[0] % LINES]
    line[0], line[1], line[2], line[3] = tilt, height, value_low, value_high
    ladder.seen[0] += 1


@lean
def sort(values):
    """In place, ascending, by Shell's gaps."""
    for gap in (132, 57, 23, 10, 4, 1):
        for i in range(gap, values.size):
            value, j = values[i], i - gap
            while j >= 0 and values[j] > value:
                values[j + gap] = values[j]
                j -= gap
            values[j + gap] = value


@lean
def set_ladder(ladder, most):
    """Set knots and steps by the last lines, `most` of them at most."""
    count = min(ladder.seen[0], LINES, most)
    set_knots(ladder, count)
    starts = ladder.scratch[:count]
    for knot in range(KNOTS):
        for k in range(count):
            line = ladder.lines[(ladder.seen[0] - 1 - k) % LINES]
            weight = worth(ladder.knots[knot], line[0])
            starts[k] = min(line[1] / weight, 4.0) if weight > 0.0 else 4.0
            starts[k] = max(starts[k], 1e-12)
        sort(starts)
        set_curves(ladder, knot, starts)


@lean
def set_knots(ladder, count):
    """Lines turn around the points of the arms that they go through: there, curves are sharp."""
    for k in range(EVEN):
        ladder.knots[k] = ladder.even[k]
    pivots = ladder.scratch[: 2 * count]
    for k in range(count):
        line = ladder.lines[(ladder.seen[0] - 1 - k) % LINES]
        pivots[2 * k], pivots[2 * k + 1] = line[2], line[3]
    sort(pivots)
    for k in range(CHOSEN):
        ladder.knots[EVEN + k] = pivots[(2 * k + 1) * pivots.size // (2 * CHOSEN)]
    sort(ladder.knots)


@lean
def set_curves(ladder, knot, starts):
    """The quantiles; beyond the least, they go on to fall, as those of a normal law would."""
    count = starts.size
    unit = math.sqrt(math.log(max(count, 3.0))) - math.sqrt(math.log(2.0))
    fall = max(math.log(starts[count // 2] / starts[0]), 1e-3) / unit
    for k in range(STEPS):
        start = starts[int(ODDS[k] * count)] * (1.0 - 1e-9)
        if ODDS[k] * count < 1.0:
            beyond = math.sqrt(-math.log(ODDS[k])) - math.sqrt(math.log(count))
            start *= math.exp(-fall * beyond)
        ladder.inverse[k, knot] = 1.0 / start


@lean
def interval_of(ladder, value):
    interval = 0
    while interval < INTERVALS - 1 and ladder.knots[interval + 1] < value:
        interval += 1
    return interval


@lean
def cap_of(ladder, step, interval, value):
    inverse, start = ladder.inverse[step], ladder.knots[interval]
    width = ladder.knots[interval + 1] - start
    share = (value - start) / width if width > 0.0 else 0.0
    return min(1.0 / ((1.0 - share) * inverse[interval] + share * inverse[interval + 1]), 1.0)


@lean
def reaches(ladder, step, interval, tilt, height):
    """Whether a cap of this step may reach the line somewhere in the interval."""
    inverse, knots, least = ladder.inverse[step], ladder.knots, height * SLACK
    for knot in (interval, interval + 1):
        if worth(knots[knot], tilt) >= inverse[knot] * least:
            return True
    return False
