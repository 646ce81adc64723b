"""Which arms' clocks ring? Arms in buckets by the size of their rates, a set of them a step.

A clock of rate at most 2^-b is kept in bucket b as if it had that rate, and a ring of it counts
with probability rate / 2^-b. So who rings is found without a look at the others, a rate is changed
in constant time, and the total is a sum of powers of two, exact whatever was added and taken away.
Bucket 0 holds the arms that are drawn in any case, the last one those that never ring.

Rates themselves are not kept: a bound is enough to be in a bucket, and whoever hears a ring knows
whether it counts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.jit import lean

# Rates below the last bound share its bucket: a million arms there ring falsely every 500 rounds.
SMALLEST = 29
SILENT = SMALLEST + 1
# A rate may be this many powers of two below its bound before the arm is moved.
LOOSE = 1
BOUNDS = np.array([0.0, *(0.5**b for b in range(1, SILENT)), *[0.0] * (1 + LOOSE)])
ALWAYS = math.inf


class Buckets(NamedTuple):
    """By step and interval: bucket b is order[step, start[..., b] : start[..., b + 1]].

    By arm: its `interval`; by arm and step: its `bucket` and its `place` in the order.
    """

    order: np.ndarray
    start: np.ndarray
    total: np.ndarray
    interval: np.ndarray
    bucket: np.ndarray
    place: np.ndarray

    @classmethod
    def new(cls, arms: int, steps: int, intervals: int) -> Buckets:
        """All arms in bucket 0 of the first interval."""
        start = np.full((steps, intervals, SILENT + 2), arms)
        start[:, 0, 0] = 0
        order = np.tile(np.arange(arms, dtype=np.int32), (steps, 1))
        return cls(
            order,
            start,
            total=np.zeros((steps, intervals)),
            interval=np.zeros(arms, np.int8),
            bucket=np.zeros((arms, steps), np.int8),
            place=np.ascontiguousarray(order.T),
        )


@lean
def bucket_of(rate):
    """The bucket of a bound of less than 1/2, or of ALWAYS."""
    if rate == ALWAYS:
        return 0
    if rate == 0.0:
        return SILENT
    _, exponent = math.frexp(rate)
    return min(-exponent, SMALLEST)


@lean
def interval_at(buckets, step, arm):
    """Every round takes step 0 with all arms: there they are in one interval."""
    return buckets.interval[arm] if step > 0 else 0


@lean
def move(buckets, step, arm, rate):
    """Move the arm to another bucket if its rate asks for that, by a swap at each boundary."""
    source = int(buckets.bucket[arm, step])
    if 0 < source < SILENT and BOUNDS[source + LOOSE] < rate <= BOUNDS[source]:
        return
    target, interval = bucket_of(rate), interval_at(buckets, step, arm)
    order, place, start = buckets.order[step], buckets.place, buckets.start[step, interval]
    buckets.bucket[arm, step] = target
    buckets.total[step, interval] += BOUNDS[target] - BOUNDS[source]
    while source != target:
        if source < target:
            source += 1
            start[source] -= 1
            new = start[source]
        else:
            new = start[source]
            start[source] += 1
            source -= 1
        old, other = place[arm, step], order[new]
        order[old], order[new] = other, arm
        place[other, step], place[arm, step] = old, new


@lean
def fill(buckets, step):
    """Put all arms into their buckets, of their intervals, anew."""
    start, total = buckets.start[step], buckets.total[step]
    start[:] = 0
    total[:] = 0.0
    arms = buckets.interval.size
    for arm in range(arms):
        interval, b = interval_at(buckets, step, arm), buckets.bucket[arm, step]
        start[interval, b] += 1
        total[interval] += BOUNDS[b]
    # Counts become ends; then each arm takes the place before the end of its bucket.
    end = 0
    for interval in range(start.shape[0]):
        for b in range(SILENT + 1):
            end += start[interval, b]
            start[interval, b] = end
        start[interval, SILENT + 1] = end
    for arm in range(arms):
        interval, b = interval_at(buckets, step, arm), buckets.bucket[arm, step]
        start[interval, b] -= 1
        buckets.order[step, start[interval, b]] = arm
        buckets.place[arm, step] = start[interval, b]


@lean
def ring(buckets, step, interval, target, uniform):
    """(place of the clock at `target` in [0, total) along the bounds, level its rate must exceed).

    The place is -1 where rounding has left nothing.
    """
    start, bound = buckets.start[step, interval], 1.0
    for b in range(1, SILENT):
        bound *= 0.5
        mass = (start[b + 1] - start[b]) * bound
        if target < mass:
            return start[b] + int(target / bound), uniform * bound
        target -= mass
    return -1, 0.0
