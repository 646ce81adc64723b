"""The posterior tail of every arm: how likely its theta exceeds the caps of the levels.

Idea. A play changes such a tail by a term that a multiplication changes in turn,

    P(theta > x) of Beta(a + 1, b)  =  P(theta > x) of Beta(a, b)  +  change / a,
    P(theta > x) of Beta(a, b + 1)  =  P(theta > x) of Beta(a, b)  -  change / b,

so tails are updated with their arm's plays, and recomputed before rounding errors add up. All
that a round looks up of an arm together is in one row of the memory.

Invariant. The tails of an arm that is not drawn in any case are P(theta > cap) of its posterior, to
about 1e-12 of themselves. Held by tests/unit/engine/lazy/thompson/test_posterior_tail.py, for any
plays and within an engine.
"""

import math

import numpy as np

from lincon.engine.lazy.thompson.cap_levels import LEVELS, cap_at
from lincon.engine.lazy.thompson.poisson_thinning import ALWAYS
from lincon.engine.lazy.thompson.truncated_beta import tail_after_event, tail_after_miss, upper_tail
from lincon.jit import lean

# The columns of a row: the Beta's parameters, the arm's value, the last round in which it was
# drawn, the first level whose cap counts for it, at how many plays its tails are recomputed, to
# what share the tail has fallen since they were; then the tails by level, 1 for an arm drawn in
# any case, and their changes.
A, B, VALUE, DRAWN, FIRST_LEVEL, RENEWAL, DECAY, TAILS = range(8)
CHANGES = TAILS + LEVELS
# Arms that exceed a cap more often than this are drawn in any case.
LARGEST_TAIL = 0.3
# A tail is updated no further than this: 1e-16 of what it was is then 1e-15 of what it is.
SMALLEST_DECAY = 0.1


def new_posteriors(value: np.ndarray) -> np.ndarray:
    """All arms drawn in any case; no tails before the first tuning."""
    posteriors = np.zeros((value.size, CHANGES + LEVELS))
    posteriors[:, VALUE] = value
    posteriors[:, RENEWAL] = math.inf
    posteriors[:, TAILS:CHANGES] = 1.0
    return posteriors


@lean
def store_tail(posterior, level, tail, change):
    posterior[TAILS + level] = tail if tail <= LARGEST_TAIL else 1.0
    posterior[CHANGES + level] = change


@lean
def compute_tails(posterior, caps, interval, small):
    """Compute the tails from the last level up to the first at which they are small enough."""
    a, b, plays = posterior[A], posterior[B], posterior[A] + posterior[B] - 2.0
    # Less than half a deviation above the mean, a cap is exceeded often: no need to know its tail.
    mean, first = a / (a + b), LEVELS
    near = mean + 0.5 * math.sqrt(mean * (1.0 - mean) / (a + b))
    while first > 0:
        first -= 1
        cap = cap_at(caps, first, interval, posterior[VALUE])
        tail, change = upper_tail(a, b, cap) if cap > near else (1.0, 0.0)
        store_tail(posterior, first, tail, change)
        if tail <= small:
            break
    posterior[FIRST_LEVEL], posterior[DECAY] = first, 1.0
    posterior[RENEWAL] = plays + 16.0 + min(plays // 16.0, 1000.0)


@lean
def update_tails(posterior, caps, interval, event):
    """Bring the tails from before a play to after it; whether they are as good as new ones."""
    a, b, first = posterior[A], posterior[B], int(posterior[FIRST_LEVEL])
    before = posterior[TAILS + first]
    for level in range(first, LEVELS):
        tail, change = posterior[TAILS + level], posterior[CHANGES + level]
        if tail < 1.0:
            cap = cap_at(caps, level, interval, posterior[VALUE])
            if event:
                tail, change = tail_after_event(a, b, cap, tail, change)
            else:
                tail, change = tail_after_miss(a, b, cap, tail, change)
            store_tail(posterior, level, tail, change)
    # The tail beyond the highest cap falls most, if it is not nothing already.
    if not event and before > 0.0:
        posterior[DECAY] *= posterior[TAILS + first] / before
    return posterior[DECAY] > SMALLEST_DECAY


@lean
def exceedance_odds(posterior, level):
    """Odds of exceeding this level's cap given that no earlier one was; at least the arrival rate.

    Levels up to the arm's first are visited at once, as level 0. An arm that is drawn at a level in
    any case is not visited again.
    """
    first = int(posterior[FIRST_LEVEL])
    if 0 < level <= first:
        return 0.0
    tail = posterior[TAILS + max(level, first)]
    before = posterior[TAILS + level - 1] if level > first else 0.0
    if tail == 1.0:
        return ALWAYS if before < 1.0 else 0.0
    return max(tail - before, 0.0) / (1.0 - tail)


@lean
def is_accepted(posterior, level, threshold):
    """Whether the rate of the arm, log(1 + odds), exceeds the threshold of a proposal."""
    odds = exceedance_odds(posterior, level)
    # odds / (1 + odds) <= log(1 + odds) <= odds mostly tell.
    return threshold < odds and (threshold * (1.0 + odds) < odds or threshold < math.log1p(odds))


@lean
def upper_cap(posterior, caps, interval, level):
    """What theta is known not to exceed at a level that is not the first."""
    return cap_at(caps, max(level - 1, int(posterior[FIRST_LEVEL])), interval, posterior[VALUE])


@lean
def cap_interval(posterior, caps, interval, level):
    """(low, high) between which theta is if the arm exceeds its cap at a level."""
    first = int(posterior[FIRST_LEVEL])
    low = cap_at(caps, max(level, first), interval, posterior[VALUE])
    high = upper_cap(posterior, caps, interval, level) if level > first else 1.0
    return low, high
