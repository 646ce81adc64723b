"""A card for every arm: its Beta, and how likely theta exceeds the caps of the ladder's steps.

A play alters such a tail by a term that a multiplication alters in turn,

    P(theta > x) of Beta(a + 1, b)  =  P(theta > x) of Beta(a, b)  +  change / a,
    P(theta > x) of Beta(a, b + 1)  =  P(theta > x) of Beta(a, b)  -  change / b,

so tails follow their arm's plays for a while, and are computed anew before rounding errors add up.
The card has in one place of the memory what a round looks up together.
"""

from __future__ import annotations

import math

import numpy as np

from lincon.engine.lazy.thompson.cap_levels import STEPS, cap_of
from lincon.engine.lazy.thompson.poisson_thinning import ALWAYS
from lincon.engine.lazy.thompson.truncated_beta import tail_after_event, tail_after_miss, upper_tail
from lincon.jit import lean

# Its columns: the Beta's parameters, the arm's value, the last round in which it was drawn, the
# first step whose cap counts for it, after how many plays it is placed anew, to what share the tail
# has fallen since it was placed; then the tails by step, 1 for an arm that is drawn in any case,
# and their changes.
A, B, VALUE, DRAWN, ENTRY, AGAIN, FALLEN, TAILS = range(8)
CHANGES = TAILS + STEPS
# Arms that exceed a cap more often than this are drawn in any case.
OFTEN = 0.3
# A tail is followed no further than this: 1e-16 of what it was is then 1e-15 of what it is.
FURTHEST = 0.1


def new_cards(value: np.ndarray) -> np.ndarray:
    """All arms drawn in any case, and not placed until they are for the first time."""
    cards = np.zeros((value.size, CHANGES + STEPS))
    cards[:, VALUE] = value
    cards[:, AGAIN] = math.inf
    cards[:, TAILS:CHANGES] = 1.0
    return cards


@lean
def note(card, step, tail, change):
    card[TAILS + step] = tail if tail <= OFTEN else 1.0
    card[CHANGES + step] = change


@lean
def place(card, ladder, interval, rarely):
    """Compute the tails from the last step up to the first at which they are rare enough."""
    a, b, plays = card[A], card[B], card[A] + card[B] - 2.0
    # Less than half a deviation above the mean, a cap is exceeded often: no need to know its tail.
    mean, entry = a / (a + b), STEPS
    near = mean + 0.5 * math.sqrt(mean * (1.0 - mean) / (a + b))
    while entry > 0:
        entry -= 1
        cap = cap_of(ladder, entry, interval, card[VALUE])
        tail, change = upper_tail(a, b, cap) if cap > near else (1.0, 0.0)
        note(card, entry, tail, change)
        if tail <= rarely:
            break
    card[ENTRY], card[FALLEN] = entry, 1.0
    card[AGAIN] = plays + 16.0 + min(plays // 16.0, 1000.0)


@lean
def follow(card, ladder, interval, event):
    """Bring the tails from before a play to after it; whether they are as good as new ones."""
    a, b, entry = card[A], card[B], int(card[ENTRY])
    before = card[TAILS + entry]
    for step in range(entry, STEPS):
        tail, change = card[TAILS + step], card[CHANGES + step]
        if tail < 1.0:
            cap = cap_of(ladder, step, interval, card[VALUE])
            if event:
                tail, change = tail_after_event(a, b, cap, tail, change)
            else:
                tail, change = tail_after_miss(a, b, cap, tail, change)
            note(card, step, tail, change)
    # The tail beyond the highest cap falls most, if it is not nothing already.
    if not event and before > 0.0:
        card[FALLEN] *= card[TAILS + entry] / before
    return card[FALLEN] > FURTHEST


@lean
def odds_at(card, step):
    """Of exceeding the cap of a step, given that those before are not; no less than the rate.

    Steps up to the entry are taken at once, as step 0. An arm that is drawn at a step in any case
    is not met again.
    """
    entry = int(card[ENTRY])
    if 0 < step <= entry:
        return 0.0
    tail = card[TAILS + max(step, entry)]
    before = card[TAILS + step - 1] if step > entry else 0.0
    if tail == 1.0:
        return ALWAYS if before < 1.0 else 0.0
    return max(tail - before, 0.0) / (1.0 - tail)


@lean
def rings_below(card, step, level):
    """Whether the rate of the arm's clock, log(1 + odds), exceeds a level."""
    odds = odds_at(card, step)
    # odds / (1 + odds) <= log(1 + odds) <= odds mostly tell.
    return level < odds and (level * (1.0 + odds) < odds or level < math.log1p(odds))


@lean
def cap_above(card, ladder, interval, step):
    """What theta is known not to exceed, before a step that is not the first."""
    return cap_of(ladder, max(step - 1, int(card[ENTRY])), interval, card[VALUE])


@lean
def slab(card, ladder, interval, step):
    """(low, high) between which theta is if the arm's clock rings at a step."""
    entry = int(card[ENTRY])
    low = cap_of(ladder, max(step, entry), interval, card[VALUE])
    high = cap_above(card, ladder, interval, step) if step > entry else 1.0
    return low, high
