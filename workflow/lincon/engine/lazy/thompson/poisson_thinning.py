"""Poisson thinning: which arms exceed their caps, found without a look at the others.

Idea. Each arm has arrivals of a Poisson process whose rate is such that one comes in a round with
the probability of exceeding its cap. A rate of at most 2^-b is kept in bucket b as if it were 2^-b:
the buckets together are a dominating process, whose total rate is a sum of powers of two. A
proposal, an arrival of that process, is accepted with probability rate / 2^-b. Bucket 0 holds the
arms that are drawn in any case, the last one those of rate 0. Rates themselves are not kept: a
bound is enough to be in a bucket, and who looks at a proposal knows the rate.

Invariant. Every arm is in exactly one bucket a level, whose bound is not below its rate, and the
totals are exact whatever was added and taken away. Held by
tests/unit/engine/lazy/thompson/test_poisson_thinning.py, with the frequencies of proposals.
"""

import math
from typing import NamedTuple, Self

import numpy as np

from lincon.jit import lean

# Rates below the last bound share its bucket: a million arms there make one proposal in 500 rounds.
SMALLEST = 29
ZERO_RATE = SMALLEST + 1
# A rate may be this many powers of two below its bound before the arm is moved.
LOOSE = 1
BOUNDS = np.array([0.0, *(0.5**b for b in range(1, ZERO_RATE)), *[0.0] * (1 + LOOSE)])
ALWAYS = math.inf


class Buckets(NamedTuple):
    """By level and interval: bucket b is order[level, start[..., b] : start[..., b + 1]].

    By arm: its `interval`; by arm and level: its `bucket` and its `position` in the order.
    """

    order: np.ndarray
    start: np.ndarray
    total: np.ndarray
    interval: np.ndarray
    bucket: np.ndarray
    position: np.ndarray

    @classmethod
    def new(cls, arms: int, levels: int, intervals: int) -> Self:
        """All arms in bucket 0 of the first interval."""
        start = np.full((levels, intervals, ZERO_RATE + 2), arms)
        start[:, 0, 0] = 0
        order = np.tile(np.arange(arms, dtype=np.int32), (levels, 1))
        return cls(
            order,
            start,
            total=np.zeros((levels, intervals)),
            interval=np.zeros(arms, np.int8),
            bucket=np.zeros((arms, levels), np.int8),
            position=np.ascontiguousarray(order.T),
        )


@lean
def bucket_of(rate):
    """The bucket of a bound of less than 1/2, or of ALWAYS."""
    if rate == ALWAYS:
        return 0
    if rate == 0.0:
        return ZERO_RATE
    _, exponent = math.frexp(rate)
    return min(-exponent, SMALLEST)


@lean
def interval_at(buckets, level, arm):
    """Every round visits level 0 of all arms: there they are in one interval."""
    return buckets.interval[arm] if level > 0 else 0


@lean
def update_rate(buckets, level, arm, rate):
    """Move the arm to the bucket of its rate, by a swap at each boundary; not if it still fits."""
    source = int(buckets.bucket[arm, level])
    if 0 < source < ZERO_RATE and BOUNDS[source + LOOSE] < rate <= BOUNDS[source]:
        return
    target, interval = bucket_of(rate), interval_at(buckets, level, arm)
    order, position, start = buckets.order[level], buckets.position, buckets.start[level, interval]
    buckets.bucket[arm, level] = target
    buckets.total[level, interval] += BOUNDS[target] - BOUNDS[source]
    while source != target:
        if source < target:
            source += 1
            start[source] -= 1
            new = start[source]
        else:
            new = start[source]
            start[source] += 1
            source -= 1
        old, other = position[arm, level], order[new]
        order[old], order[new] = other, arm
        position[other, level], position[arm, level] = old, new


@lean
def rebuild(buckets, level):
    """Put all arms into the buckets of their intervals again."""
    start, total = buckets.start[level], buckets.total[level]
    start[:] = 0
    total[:] = 0.0
    arms = buckets.interval.size
    for arm in range(arms):
        interval, b = interval_at(buckets, level, arm), buckets.bucket[arm, level]
        start[interval, b] += 1
        total[interval] += BOUNDS[b]
    # Counts become ends; then each arm takes the position before the end of its bucket.
    end = 0
    for interval in range(start.shape[0]):
        for b in range(ZERO_RATE + 1):
            end += start[interval, b]
            start[interval, b] = end
        start[interval, ZERO_RATE + 1] = end
    for arm in range(arms):
        interval, b = interval_at(buckets, level, arm), buckets.bucket[arm, level]
        start[interval, b] -= 1
        buckets.order[level, start[interval, b]] = arm
        buckets.position[arm, level] = start[interval, b]


@lean
def propose(buckets, level, interval, target, uniform):
    """(position in the order of the proposed arm, threshold that its rate must exceed).

    `target` in [0, total) is a point along the bounds; the position is -1 where rounding has left
    nothing there.
    """
    start, bound = buckets.start[level, interval], 1.0
    for b in range(1, ZERO_RATE):
        bound *= 0.5
        mass = (start[b + 1] - start[b]) * bound
        if target < mass:
            return start[b] + int(target / bound), uniform * bound
        target -= mass
    return -1, 0.0
