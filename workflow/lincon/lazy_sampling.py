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

import math
from typing import NamedTuple

import numpy as np

from lincon.backlog import aim_of
from lincon.buckets import ALWAYS, SILENT, Buckets, fill, ring, set_rate
from lincon.caps import NOBODY, Working, decide, take_in
from lincon.jit import lean, part
from lincon.ladder import (
    INTERVALS,
    STEPS,
    Ladder,
    cap_of,
    interval_of,
    reaches,
    remember,
    set_ladder,
)
from lincon.selectors import draw
from lincon.tally import count
from lincon.truncated import draw_below, draw_beta, draw_between, upper_tail

# Arms that exceed a cap more often than this are drawn in any case; with many plays behind them,
# whose tails take longer, already from less.
OFTEN, MANY = 0.3, 30.0
# Arms that exceed the caps of the first steps less often than this, all together, skip them.
SKIPPED = 0.25
FIRST_TUNING, GROWTH = 16, 0.5
# In draws: what a tuning takes, at all and for each arm; it is made when as much was wasted.
TUNING, TUNING_ARM, ALLOWED = 1000.0, 4.0, 3
NEXT_TUNING, WASTE = range(2)
# The columns of a card; the last ones are the rates at each step.
A, B, VALUE, DRAWN, RATES = range(5)


class Sampling(NamedTuple):
    """All that the rounds share; `clock` holds NEXT_TUNING and WASTE.

    A card has all that a draw needs to know of an arm in one place of the memory: the parameters of
    its Beta, its value, the last round in which it was drawn. The first cap that counts for an arm
    is that of step `entry`; an arm that is drawn in every round is placed anew after `again` plays.
    A `store` below 0 has not been filled yet.
    """

    cards: np.ndarray
    ladder: Ladder
    buckets: Buckets
    working: Working
    entry: np.ndarray
    again: np.ndarray
    store: np.ndarray
    depth: np.ndarray
    fresh: np.ndarray
    clock: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Sampling:
        n = value.size
        cards = np.zeros((n, RATES + STEPS))
        cards[:, VALUE] = value
        return cls(
            cards,
            ladder=Ladder.new(value),
            buckets=Buckets.new(INTERVALS, cards[:, RATES:]),
            working=Working.new(n),
            entry=np.zeros(n, np.int8),
            again=np.full(n, np.iinfo(np.int64).max),
            store=np.full((STEPS, INTERVALS), -1.0),
            depth=np.zeros(INTERVALS, np.int64),
            fresh=np.zeros(STEPS),
            clock=np.array([n + FIRST_TUNING, 0.0]),
        )


@lean
def place(state, arm):
    """Choose the arm's entry, and put its rates at all steps into `fresh`."""
    cards, fresh, interval = state.cards, state.fresh, state.buckets.interval[arm]
    a, b, value = cards[arm, A], cards[arm, B], cards[arm, VALUE]
    often, rarely = OFTEN / (1.0 + math.sqrt(a + b) / MANY), SKIPPED / state.entry.size
    # Less than a deviation above the mean, a cap is exceeded often; its tail need not be known.
    mean, entry = a / (a + b), STEPS
    near = mean + 0.8 * math.sqrt(mean * (1.0 - mean) / (a + b))
    while entry > 0:
        entry -= 1
        cap = cap_of(state.ladder, entry, interval, value)
        tail = upper_tail(a, b, cap) if cap > near else 1.0
        fresh[entry] = -math.log1p(-tail) if tail <= often else ALWAYS
        if tail <= rarely:
            break
    # So far the rates count from the top; what exceeds a cap before is not met again.
    for step in range(STEPS - 1, entry, -1):
        before = fresh[step - 1]
        fresh[step] = max(fresh[step] - before, 0.0) if before < ALWAYS else 0.0
    fresh[0] = fresh[entry]
    for step in range(1, entry + 1):
        fresh[step] = 0.0
    state.entry[arm] = entry


@lean
def tune(state, t, plays):
    """Set the ladder by the lines of recent rounds, then place every arm on it."""
    arms, buckets = plays.size, state.buckets
    set_ladder(state.ladder, FIRST_TUNING + (t - arms) // 4)
    for arm in range(arms):
        buckets.interval[arm] = interval_of(state.ladder, state.cards[arm, VALUE])
        place(state, arm)
        for step in range(STEPS):
            buckets.rate[arm, step] = state.fresh[step]
        state.again[arm] = plays[arm] + 1 + plays[arm] // 16
    for step in range(STEPS):
        fill(buckets, step)
    state.clock[WASTE] = 0.0
    state.clock[NEXT_TUNING] = t + max(FIRST_TUNING, int((t - arms) * GROWTH))


@lean
def learn(state, arm, plays, events):
    """Bring an arm up to date after a play."""
    state.cards[arm, A], state.cards[arm, B] = 1.0 + events, 1.0 + (plays - events)
    if state.buckets.bucket[arm, 0] > 0 or plays >= state.again[arm]:
        place(state, arm)
        for step in range(STEPS):
            set_rate(state.buckets, step, arm, state.fresh[step])
        state.again[arm] = plays + 1 + plays // 16


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
    before, interval = max(step - 1, state.entry[arm]), state.buckets.interval[arm]
    cap = cap_of(state.ladder, before, interval, card[VALUE])
    theta, _ = draw_below(rng, card[A], card[B], cap)
    return add(state, size, t, arm, theta)


@part
def draw_over(state, size, t, step, arm, rng):
    """Draw an arm that rang, if it was not drawn: above its cap, below that of the step before."""
    card, entry, interval = state.cards[arm], state.entry[arm], state.buckets.interval[arm]
    if card[DRAWN] == t:
        return size
    low = cap_of(state.ladder, max(step, entry), interval, card[VALUE])
    high = cap_of(state.ladder, step - 1, interval, card[VALUE]) if step > entry else 1.0
    theta, _ = draw_between(rng, card[A], card[B], low, high)
    return add(state, size, t, arm, theta)


@part
def take_step(state, size, t, step, interval, rng):
    """Draw the arms of an interval that exceed their caps at a step; beyond the last, all arms."""
    buckets, last = state.buckets, STEPS - 1
    start, order = buckets.start[min(step, last), interval], buckets.order[min(step, last)]
    for k in range(start[0], start[1 if step <= last else SILENT + 1]):
        size = draw_under(state, size, t, step, order[k], rng)
    if step > last:
        return size
    total, left = buckets.total[step, interval], state.store[step, interval]
    if left < 0.0:
        left = rng.standard_exponential()
    left -= total
    while left < 0.0:
        left += rng.standard_exponential()
        arm = ring(buckets, step, interval, rng.random() * total, rng.random())
        if arm >= 0:
            size = draw_over(state, size, t, step, arm, rng)
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
def advance_sampling(first, last, selector, mean, value, eta, key, run, rng, tally, state):
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
            aim = aim_of(tally.backlog, t)
            low, high, share = sampled_decision(state, t, selector, eta, aim, rng)
            arm = draw(low, high, share, arms, rng.random())
        count(tally, t, arm, low, high, share, mean, value, key, run)
        learn(state, arm, plays[arm], events[arm])
    return last + 1
