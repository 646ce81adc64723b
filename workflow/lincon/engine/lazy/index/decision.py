"""Index policies (kl_ucb, ucb1) that compute an index only where it can alter the decision.

Of arms that are equal in all that matters only the lowest, their front, takes part (lincon.twins).
A front is in hand, or it has a cap that its index stays below until a known round
(lincon.index_caps). A round

1. renews the caps that are due, and starts from the arms in hand, with their indices: those of the
   last decision, and the one that was behind the arm played;
2. looks at an arm whose cap goes beyond the line of the decision so far (lincon.reach): it gets a
   new cap if its index is short of the line, otherwise it is taken in, and the round decides again;
3. ends when no cap of an unseen arm comes near the line.

What is left lies below the line for sure, so the decision is optimal among all arms, and it is the
very one of the dense engine (lincon.clear_cut). In the rare rounds where that is not sure, all
indices are computed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.engine.lazy.decision_line import Working, decide, take_in
from lincon.engine.lazy.index.equal_arms import Twins, are_twins, find_twin, leave, meld
from lincon.engine.lazy.index.index_bound import cap_below, index, new_round
from lincon.engine.lazy.index.rounding import WIDEST, first_twin, is_clear_cut, nearness, same_point
from lincon.engine.lazy.index.segment_tree import (
    NEVER,
    Reach,
    clear,
    first_due,
    follow,
    reaches,
    retilt,
    set_cap,
    swap_seats,
)
from lincon.engine.tally import count
from lincon.jit import lean, part
from lincon.policies.selectors import draw, select, worth
from lincon.policies.virtual_queue import queue_tilt, update_queue

# Nodes visited, per arm, that are worth a new choice of tilts.
RETILT = 8
TILT, HEIGHT = range(2)


class Indices(NamedTuple):
    """All that the rounds share.

    `hand`: the arms that a round starts from, -1 for none; `line`: what was near the last one.
    """

    working: Working
    reach: Reach
    twins: Twins
    hand: np.ndarray
    line: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Indices:
        hand, line = np.full(3, -1), np.zeros(2)
        return cls(Working.new(value.size), Reach.new(value), Twins.new(value), hand, line)


@lean
def start_of_line(tilt, near, value):
    """The theta from which on an arm of this value comes near the line."""
    weight = worth(value, tilt)
    if near <= 0.0:
        return 0.0
    return near / weight if weight > 0.0 else math.inf


@lean
def put_off(state, now, arm, tilt, near, plays, events, value):
    """Give an arm whose index is short of the line a cap; False if it is not."""
    line = start_of_line(tilt, near, value)
    cap, due = cap_below(now, plays, events, line)
    if cap >= 0.0:
        set_cap(state.reach, arm, cap, due, value)
    return cap >= 0.0


@lean
def put_back(state, now, arm, tilt, near, plays, events, value):
    """Give an arm any cap that is safe."""
    if not put_off(state, now, arm, tilt, near, plays, events, value):
        set_cap(state.reach, arm, 1.0, NEVER, value)


@lean
def decide_near(working, size, selector, eta, aim):
    """(low, high, share, tilt, near) among the first `size` arms of the working set."""
    low, high, share, tilt, height = decide(working, size, selector, eta, aim)
    near = min(nearness(working.theta, low, high, eta), WIDEST)
    return low, high, share, tilt, height * (1.0 - near)


@part
def look_at(state, now, size, arm, plays, events, value):
    """Take an arm with its index into the working set; the new size."""
    return take_in(state.working, size, arm, index(now, plays[arm], events[arm]), value[arm])


@part
def meet(state, size, arm, plays, events):
    """Whether a twin of the arm is in the working set; from now on they are one."""
    working = state.working
    for k in range(size):
        other = np.int64(working.arm[k])
        if are_twins(state.twins, arm, other, plays, events):
            working.arm[k] = meld(state.twins, arm, other)
            return True
    return False


@part
def search(state, now, size, selector, plays, events, value, eta, aim):
    """Take in all arms that come near the line of the decision; (size, low, ..., near)."""
    low, high, share, tilt, near = decide_near(state.working, size, selector, eta, aim)
    while True:
        arm = reaches(state.reach, tilt, near)
        if arm < 0:
            return size, low, high, share, tilt, near
        if put_off(state, now, arm, tilt, near, plays[arm], events[arm], value[arm]):
            continue
        clear(state.reach, arm)
        if meet(state, size, arm, plays, events):
            continue
        size = look_at(state, now, size, arm, plays, events, value)
        twin = low >= 0 and (
            same_point(state.working, size - 1, low, aim)
            or same_point(state.working, size - 1, high, aim)
        )
        if not twin:
            low, high, share, tilt, near = decide_near(state.working, size, selector, eta, aim)


@part
def release(state, now, size, low, high, tilt, near, plays, events):
    """Give caps again to the seen arms that were not chosen."""
    working = state.working
    for k in range(size):
        arm, value = np.int64(working.arm[k]), working.value[k]
        if arm not in (low, high):
            put_back(state, now, arm, tilt, near, plays[arm], events[arm], value)


@part
def start(state, now, plays, events, value):
    """Renew the caps that are due, and take in the arms in hand; how many these are."""
    tilt, near = state.line[TILT], state.line[HEIGHT]
    arm = first_due(state.reach, now.t)
    while arm >= 0:
        put_back(state, now, arm, tilt, near, plays[arm], events[arm], value[arm])
        arm = first_due(state.reach, now.t)
    # A plain 0 is a type of its own: all that is called with it would be compiled twice.
    size = np.int64(0)
    for k in range(3):
        arm = state.hand[k]
        if arm >= 0:
            size = look_at(state, now, size, arm, plays, events, value)
    return size


@part
def full_decision(state, now, selector, plays, events, value, eta, aim):
    """(low, high, share) among all arms but those behind an equal, which are never chosen."""
    size, working = np.int64(0), state.working
    for arm in range(value.size):
        if state.twins.behind[arm] < 0:
            size = look_at(state, now, size, arm, plays, events, value)
    low, high, share = select(selector, working.theta[:size], working.value[:size], eta, aim)
    return np.int64(working.arm[low]), np.int64(working.arm[high]), share


@part
def index_decision(state, now, selector, plays, events, value, eta, aim):
    """(low, high, share) of a round, as arms."""
    working, hand = state.working, state.hand
    size = start(state, now, plays, events, value)
    size, low, high, share, tilt, near = search(
        state, now, size, selector, plays, events, value, eta, aim
    )
    clear_cut = is_clear_cut(working, size, low, high, tilt, near, eta)
    if low >= 0:
        low, high = first_twin(working, size, low, aim), first_twin(working, size, high, aim)
        low, high = np.int64(working.arm[low]), np.int64(working.arm[high])
    hand[0], hand[1], hand[2] = low, high if high != low else -1, -1
    state.line[TILT], state.line[HEIGHT] = tilt, near
    follow(state.reach, tilt)
    release(state, now, size, low, high, tilt, near, plays, events)
    if not clear_cut:
        return full_decision(state, now, selector, plays, events, value, eta, aim)
    return low, high, share


@lean
def place_in(hand, arm):
    for k in range(hand.size):
        if hand[k] == arm:
            return k
    return -1


@part
def part_from_twins(state, arm, held, plays, events):
    """The arm behind the one that was played takes its place; that goes on alone."""
    rest = leave(state.twins, arm, plays, events)
    if rest >= 0 and held:
        state.hand[2] = rest
    elif rest >= 0:
        swap_seats(state.reach, arm, rest)


@lean
def line_up(state, arm, plays, events, value):
    """Move an arm that was played from its old twins to its new ones."""
    reach, hand = state.reach, state.hand
    place = place_in(hand, arm)
    part_from_twins(state, arm, place >= 0, plays, events)
    other = find_twin(state.twins, arm, plays, events)
    if other < 0:
        if place < 0:
            set_cap(reach, arm, 1.0, NEVER, value[arm])
        return
    if place < 0:
        clear(reach, arm)
    else:
        hand[place] = -1
    front, place = meld(state.twins, arm, other), place_in(hand, other)
    if place >= 0:
        hand[place] = front
    elif front == arm:
        swap_seats(reach, arm, other)


@lean
def advance_index(
    first,
    last,
    estimator,
    parameter,
    selector,
    mean,
    value,
    eta,
    key,
    run,
    rng,
    tally,
    queue,
    state,
):
    """Play rounds first..last with kl_ucb or ucb1 beliefs, exactly as `advance_dense` does."""
    arms = mean.size
    plays, events = tally.plays, tally.events
    for t in range(first, last + 1):
        if t <= arms:
            arm, low, high, share = t - 1, t - 1, t - 1, 1.0
        else:
            now = new_round(estimator, parameter, t)
            low, high, share = index_decision(
                state, now, selector, plays, events, value, eta, queue_tilt(queue, t)
            )
            arm = draw(low, high, share, arms, rng.random())
        event = count(tally, t, arm, low, high, share, mean, value, key, run)
        update_queue(queue, t, event)
        line_up(state, arm, plays, events, value)
        if state.reach.work[0] > RETILT * arms:
            retilt(state.reach)
