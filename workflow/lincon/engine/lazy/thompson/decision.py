"""Posterior sampling that draws an arm's theta only where it can alter the decision.

Every arm has a cap at each step of a ladder (lincon.ladder), the next always lower. A round goes
down the ladder. At each step it

1. draws which of the arms not drawn so far exceed the step's cap. Given that theta is below the
   caps of the steps before, it exceeds this one with some probability p. If p is large, the arm is
   simply drawn. Otherwise it has a Poisson clock of rate -log(1 - p), so that it rings with
   probability p, independently of all others. Only the superposition of the clocks is simulated:
   it takes its rate off a store of exponential size, and an empty store is a ring, of an arm that
   is drawn by the rates (lincon.buckets);
2. draws theta of those that exceed it, given that they do, and that they do not exceed the cap of
   the step before;
3. decides among all arms drawn so far. If the line of the decision is above the caps of this step,
   no other arm can reach it, and the round is over.

A theta drawn as "between which caps, then given that" has the law of a plain draw, and one that is
never drawn lies below the line for sure, whatever its value: the decision has exactly the law of
the dense engine's. The caps of a round are fixed before it, by what happened in earlier rounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincon.engine.lazy.decision_line import NOBODY, Working, decide, take_in
from lincon.engine.lazy.thompson.cap_levels import (
    INTERVALS,
    STEPS,
    Ladder,
    interval_of,
    reaches,
    remember,
    set_ladder,
)
from lincon.engine.lazy.thompson.poisson_thinning import (
    SILENT,
    Buckets,
    bucket_of,
    fill,
    move,
    ring,
)
from lincon.engine.lazy.thompson.posterior_tail import (
    AGAIN,
    DRAWN,
    VALUE,
    A,
    B,
    cap_above,
    follow,
    new_cards,
    odds_at,
    place,
    rings_below,
    slab,
)
from lincon.engine.lazy.thompson.truncated_beta import draw_below, draw_beta, draw_between
from lincon.engine.tally import count
from lincon.jit import lean, part
from lincon.policies.selectors import draw
from lincon.policies.virtual_queue import queue_tilt, update_queue

# Arms that exceed the caps of the first steps less often than this, all together, skip them.
SKIPPED = 0.25
# Rings that are heard at a time.
HEARD = 64
FIRST_TUNING, GROWTH = 16, 0.5
# In draws: what a tuning takes, at all and for each arm; it is made when as much was wasted.
TUNING, TUNING_ARM, ALLOWED = 1000.0, 4.0, 3
NEXT_TUNING, WASTE = range(2)


class Sampling(NamedTuple):
    """All that the rounds share; `clock` holds NEXT_TUNING and WASTE.

    A `store` below 0 has not been filled yet. `heard` and `levels` are for a round's rings.
    """

    cards: np.ndarray
    ladder: Ladder
    buckets: Buckets
    working: Working
    store: np.ndarray
    depth: np.ndarray
    heard: np.ndarray
    levels: np.ndarray
    clock: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Sampling:
        n = value.size
        return cls(
            cards=new_cards(value),
            ladder=Ladder.new(value),
            buckets=Buckets.new(n, STEPS, INTERVALS),
            working=Working.new(n),
            store=np.full((STEPS, INTERVALS), -1.0),
            depth=np.zeros(INTERVALS, np.int64),
            heard=np.zeros(HEARD, np.int64),
            levels=np.zeros(HEARD),
            clock=np.array([n + FIRST_TUNING, 0.0]),
        )


@lean
def tune(state, t):
    """Set the ladder by the lines of recent rounds, then place every arm on it."""
    arms, buckets = state.cards.shape[0], state.buckets
    set_ladder(state.ladder, FIRST_TUNING + (t - arms) // 4)
    for arm in range(arms):
        card = state.cards[arm]
        interval = interval_of(state.ladder, card[VALUE])
        buckets.interval[arm] = interval
        place(card, state.ladder, interval, SKIPPED / arms)
        for step in range(STEPS):
            buckets.bucket[arm, step] = bucket_of(odds_at(card, step))
    for step in range(STEPS):
        fill(buckets, step)
    state.clock[WASTE] = 0.0
    state.clock[NEXT_TUNING] = t + max(FIRST_TUNING, int((t - arms) * GROWTH))


@lean
def learn(state, arm, plays, events):
    """Bring an arm up to date after a play."""
    card, buckets = state.cards[arm], state.buckets
    interval, clocked, known = buckets.interval[arm], buckets.bucket[arm, 0] > 0, True
    if clocked:
        known = follow(card, state.ladder, interval, 1.0 + events > card[A])
    card[A], card[B] = 1.0 + events, 1.0 + (plays - events)
    if plays >= card[AGAIN] or not known:
        place(card, state.ladder, interval, SKIPPED / state.cards.shape[0])
    elif not clocked:
        return
    for step in range(STEPS):
        move(buckets, step, arm, odds_at(card, step))


@part
def add(state, size, t, arm, theta):
    state.cards[arm, DRAWN] = t
    return take_in(state.working, size, arm, theta, state.cards[arm, VALUE])


@part
def draw_under(state, size, t, step, arm, rng):
    """Draw an arm, if it was not, below the caps of the steps before this one."""
    card = state.cards[arm]
    if card[DRAWN] == t:
        return size
    if step == 0:
        return add(state, size, t, arm, draw_beta(rng, card[A], card[B]))
    cap = cap_above(card, state.ladder, state.buckets.interval[arm], step)
    theta, _ = draw_below(rng, card[A], card[B], cap)
    return add(state, size, t, arm, theta)


@part
def draw_over(state, size, t, step, arm, rng):
    """Draw an arm that rang, if it was not drawn: above its cap, below that of the step before."""
    card = state.cards[arm]
    if card[DRAWN] == t:
        return size
    low, high = slab(card, state.ladder, state.buckets.interval[arm], step)
    theta, _ = draw_between(rng, card[A], card[B], low, high)
    return add(state, size, t, arm, theta)


@part
def listen(state, step, interval, left, rng):
    """Fill the empty store, a ring each time; (what it then holds, how many arms are `heard`)."""
    buckets, heard, levels = state.buckets, state.heard, state.levels
    total, rings, counted = buckets.total[step, interval], 0, 0
    while left < 0.0 and rings < HEARD:
        left += rng.standard_exponential()
        where, level = ring(buckets, step, interval, rng.random() * total, rng.random())
        heard[rings], levels[rings] = where, level
        rings += where >= 0
    # All are looked up at once: the processor waits for the memory once and not for each.
    for k in range(rings):
        arm = buckets.order[step, heard[k]]
        heard[counted] = arm
        counted += rings_below(state.cards[arm], step, levels[k])
    return left, counted


@part
def take_step(state, size, t, step, interval, rng):
    """Draw the arms of an interval that exceed their caps at a step; beyond the last, all arms."""
    buckets, last = state.buckets, STEPS - 1
    start, order = buckets.start[min(step, last), interval], buckets.order[min(step, last)]
    for k in range(start[0], start[1 if step <= last else SILENT + 1]):
        size = draw_under(state, size, t, step, order[k], rng)
    if step > last:
        return size
    left = state.store[step, interval]
    if left < 0.0:
        left = rng.standard_exponential()
    left -= buckets.total[step, interval]
    while left < 0.0:
        left, rings = listen(state, step, interval, left, rng)
        for k in range(rings):
            size = draw_over(state, size, t, step, state.heard[k], rng)
    state.store[step, interval] = left
    return size


@part
def sampled_decision(state, t, selector, eta, aim, rng):
    """(low, high, share) of round t, as arms."""
    working, depth = state.working, state.depth
    low, high, share, tilt, height = NOBODY
    # Step 0 is taken with all arms in one interval; then each goes down as far as it must.
    depth[0], intervals, size, decided, deeper = 0, 1, 0, 0, True
    while deeper:
        deeper = False
        for interval in range(intervals):
            step = depth[interval]
            if step == 0 or (
                step <= STEPS and reaches(state.ladder, step - 1, interval, tilt, height)
            ):
                size = take_step(state, size, t, step, interval, rng)
                depth[interval], deeper = step + 1, True
        if size > decided:
            low, high, share, tilt, height = decide(working, size, selector, eta, aim)
            decided = size
        for interval in range(intervals, INTERVALS):
            depth[interval] = 1
        intervals = INTERVALS
    state.clock[WASTE] += max(size - state.buckets.start[0, 0, 1] - ALLOWED, 0)
    if low >= 0:
        remember(state.ladder, tilt, height, working.value[low], working.value[high])
        return int(working.arm[low]), int(working.arm[high]), share
    remember(state.ladder, tilt, height, state.ladder.even[0], state.ladder.even[0])
    return low, high, share


@lean
def advance_sampling(first, last, selector, mean, value, eta, key, run, rng, tally, queue, state):
    """Play rounds first..last with beta_sample beliefs, as `advance_dense` does in law.

    Stops where it is time to tune; the round that is next.
    """
    arms = mean.size
    plays, events, clock = tally.plays, tally.events, state.clock
    for t in range(first, last + 1):
        if t <= arms:
            arm, low, high, share = t - 1, t - 1, t - 1, 1.0
        elif t >= clock[NEXT_TUNING] or clock[WASTE] > TUNING + TUNING_ARM * arms:
            return t
        else:
            aim = queue_tilt(queue, t)
            low, high, share = sampled_decision(state, t, selector, eta, aim, rng)
            arm = draw(low, high, share, arms, rng.random())
        event = count(tally, t, arm, low, high, share, mean, value, key, run)
        update_queue(queue, t, event)
        learn(state, arm, plays[arm], events[arm])
    return last + 1
