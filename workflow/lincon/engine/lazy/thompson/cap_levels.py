"""Levels of caps below the decision lines of recent rounds: how far down must a round look?

Idea. For an arm of value r, a decision line is reached from theta = height / ((1 - tilt) r + tilt)
on. A level is a curve over r that the lines of recent rounds fall short of, at a given r, with the
frequency of that level: the quantile of that theta. An arm's cap at a level is where the curve is
at its value. 1 / theta is linear in r for a line, and linear between a few values (knots) for a
curve: a line that is above a curve at two knots is above all caps between them.

Arms with costs or other amounts than theta lie on no curve over one number: each has quantiles of
its own, and an interval is a block of arms. How far a block's caps go is a maximum of lines in the
tilt, so convex: it is kept at a few tilts, and bounded by interpolation between them.

Invariant. `caps_reach` says no only if no cap of the level and interval reaches the line. Where the
levels are is a matter of speed alone. Held by tests/unit/engine/lazy/thompson/test_cap_levels.py.
"""

import math
from typing import NamedTuple, Self

import numpy as np

from lincon.engine.lazy.decision_line import LOWEST, SLACK, line_start, tilted
from lincon.jit import lean
from lincon.problem.program import Program

LINES = 256
# Knots with even numbers of arms between them, and knots where the arms of decisions are.
EVEN_KNOTS, CHOSEN_KNOTS = 6, 4
KNOTS = EVEN_KNOTS + CHOSEN_KNOTS
INTERVALS = KNOTS - 1
SHORTFALLS = np.array([0.1, 0.02, 2e-3, 1e-5])
LEVELS = SHORTFALLS.size
TILTS = 9


class CapLevels(NamedTuple):
    """`lines`: tilt, height and the two arms' values of the last rounds, `seen` of them so far.

    `inverse` is 1 / theta by level and knot. An interval is what lies between two knots. Where the
    arms lie on no curve, `own` has their caps by level and arm, and `reach` how far those of a
    block go, by level, block and one of `tilts`, in lines whose terms are as large as `terms`.
    """

    lines: np.ndarray
    seen: np.ndarray
    even: np.ndarray
    knots: np.ndarray
    inverse: np.ndarray
    scratch: np.ndarray
    own: np.ndarray
    reach: np.ndarray
    tilts: np.ndarray
    terms: float

    @classmethod
    def new(cls, program: Program) -> Self:
        value, columns = program.value, (program.value, program.cost, program.a[0], program.b[0])
        curved = (program.a == 1.0).all() and not program.b.any() and not program.cost.any()
        return cls(
            lines=np.zeros((LINES, 4)),
            seen=np.zeros(1, np.int64),
            even=np.quantile(value, np.linspace(0.0, 1.0, EVEN_KNOTS)),
            knots=np.zeros(KNOTS),
            inverse=np.zeros((LEVELS, KNOTS)),
            scratch=np.zeros(2 * LINES),
            own=np.zeros((LEVELS, 0 if curved else value.size)),
            reach=np.zeros((LEVELS, INTERVALS, TILTS)),
            tilts=np.linspace(0.0, 1.0, TILTS),
            terms=float(sum(np.abs(column).max() for column in columns)),
        )


@lean
def tilted_value(value, tilt):
    """What an event is worth if `tilt` is put on its happening and the rest on what it pays."""
    return (1.0 - tilt) * value + tilt


@lean
def record_line(caps, tilt, height, value_low, value_high):
    line = caps.lines[caps.seen[0] % LINES]
    line[0], line[1], line[2], line[3] = tilt, height, value_low, value_high
    caps.seen[0] += 1


@lean
def sort_ascending(values):
    """In place, by Shell's gaps."""
    for gap in (132, 57, 23, 10, 4, 1):
        for i in range(gap, values.size):
            value, j = values[i], i - gap
            while j >= 0 and values[j] > value:
                values[j + gap] = values[j]
                j -= gap
            values[j + gap] = value


@lean
def set_levels(caps, program, most):
    """Set the levels by the last lines, `most` of them at most."""
    count = min(caps.seen[0], LINES, most)
    if caps.own.size > 0:
        set_own(caps, program, count)
        return
    set_knots(caps, count)
    starts = caps.scratch[:count]
    for knot in range(KNOTS):
        for k in range(count):
            line = caps.lines[(caps.seen[0] - 1 - k) % LINES]
            weight = tilted_value(caps.knots[knot], line[0])
            starts[k] = min(line[1] / weight, 4.0) if weight > 0.0 else 4.0
            starts[k] = max(starts[k], 1e-12)
        sort_ascending(starts)
        set_curves(caps, knot, starts)


@lean
def set_knots(caps, count):
    """Lines turn around the points of the arms that they go through: there, curves are sharp."""
    for k in range(EVEN_KNOTS):
        caps.knots[k] = caps.even[k]
    pivots = caps.scratch[: 2 * count]
    for k in range(count):
        line = caps.lines[(caps.seen[0] - 1 - k) % LINES]
        pivots[2 * k], pivots[2 * k + 1] = line[2], line[3]
    sort_ascending(pivots)
    for k in range(CHOSEN_KNOTS):
        caps.knots[EVEN_KNOTS + k] = pivots[(2 * k + 1) * pivots.size // (2 * CHOSEN_KNOTS)]
    sort_ascending(caps.knots)


@lean
def set_curves(caps, knot, starts):
    """The quantiles; beyond the least, they go on to fall, as those of a normal law would."""
    count = starts.size
    unit = math.sqrt(math.log(max(count, 3.0))) - math.sqrt(math.log(2.0))
    fall = max(math.log(starts[count // 2] / starts[0]), 1e-3) / unit
    for k in range(LEVELS):
        start = starts[int(SHORTFALLS[k] * count)] * (1.0 - 1e-9)
        if SHORTFALLS[k] * count < 1.0:
            beyond = math.sqrt(-math.log(SHORTFALLS[k])) - math.sqrt(math.log(count))
            start *= math.exp(-fall * beyond)
        caps.inverse[k, knot] = 1.0 / start


@lean
def set_own(caps, program, count):
    """Quantiles for every arm, and how far the caps of a block go."""
    arms, tilts, starts = caps.own.shape[1], caps.tilts, caps.scratch[:count]
    for k in range(count):
        starts[k] = caps.lines[(caps.seen[0] - 1 - k) % LINES, 0]
    sort_ascending(starts)
    for k in range(1, TILTS - 1):
        tilts[k] = starts[k * count // (TILTS - 1)]
    for level in range(LEVELS):
        for interval in range(INTERVALS):
            for k in range(TILTS):
                caps.reach[level, interval, k] = LOWEST
    for arm in range(arms):
        for k in range(count):
            line = caps.lines[(caps.seen[0] - 1 - k) % LINES]
            starts[k] = max(min(line_start(program, arm, line[0], line[1]), 4.0), 1e-12)
        sort_ascending(starts)
        set_curves(caps, 0, starts)
        for level in range(LEVELS):
            cap = min(1.0 / caps.inverse[level, 0], 1.0)
            caps.own[level, arm] = cap
            for k in range(TILTS):
                per_event, per_play = tilted(program, arm, tilts[k])
                reach = caps.reach[level, interval_of(caps, arm)]
                reach[k] = max(reach[k], cap * per_event + per_play)


@lean
def interval_of(caps, value):
    """Of a value; of an arm's number where each has its own caps."""
    if caps.own.size > 0:
        return int(value) * INTERVALS // caps.own.shape[1]
    interval = 0
    while interval < INTERVALS - 1 and caps.knots[interval + 1] < value:
        interval += 1
    return interval


@lean
def cap_at(caps, level, interval, value):
    """Of a value, or of an arm's number as for `interval_of`."""
    if caps.own.size > 0:
        return caps.own[level, int(value)]
    inverse, start = caps.inverse[level], caps.knots[interval]
    width = caps.knots[interval + 1] - start
    share = (value - start) / width if width > 0.0 else 0.0
    return min(1.0 / ((1.0 - share) * inverse[interval] + share * inverse[interval + 1]), 1.0)


@lean
def caps_reach(caps, level, interval, tilt, height):
    """Whether a cap of this level may reach the line, somewhere in the interval."""
    if caps.own.size > 0:
        k = 0
        while k < TILTS - 2 and tilt > caps.tilts[k + 1]:
            k += 1
        gap, reach = caps.tilts[k + 1] - caps.tilts[k], caps.reach[level, interval]
        share = min(max((tilt - caps.tilts[k]) / gap, 0.0), 1.0) if gap > 0.0 else 0.0
        farthest = max((1.0 - share) * reach[k] + share * reach[k + 1], LOWEST)
        return farthest >= height - (1.0 - SLACK) * (abs(height) + caps.terms)
    inverse, knots, least = caps.inverse[level], caps.knots, height * SLACK
    for knot in (interval, interval + 1):
        if tilted_value(knots[knot], tilt) >= inverse[knot] * least:
            return True
    return False
