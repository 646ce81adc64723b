"""Index policies (kl_ucb, ucb1) that compute an index only where it can change the decision.

Idea. Of equal arms only the lowest, their representative, takes part (equal_arms). A representative
is a candidate, or it has a cap that its index stays below until a known round (index_bound). A
round

1. renews the caps that have expired, and starts from the candidates with their indices: the arms of
   the last decision, and the new representative of the class that the played arm has left;
2. looks for an arm whose cap goes beyond the decision line so far (segment_tree): it gets a new cap
   if its index is short of the line, otherwise it is included, and the round decides again;
3. ends when no cap of an arm outside the working set comes near the line.

Invariant. What is left lies below the line for sure, so the decision is optimal among all arms, and
it is the very one of the dense engine (rounding). In the rare rounds where that is not sure, all
indices are computed. Held by tests/unit/engine/lazy/test_index.py: the same arms as the dense
engine in every round, and every arm a candidate, capped or represented.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincon.engine.lazy.decision_line import (
    Working,
    choose,
    decide,
    include,
    lazy_demand,
    line_start,
    put_alone,
    put_places,
)
from lincon.engine.lazy.index.equal_arms import EqualArms, are_equal, find_equal, meld, remove
from lincon.engine.lazy.index.index_bound import cap_and_expiry, index, new_round
from lincon.engine.lazy.index.rounding import (
    WIDEST,
    is_unambiguous,
    line_terms,
    lowest_equal,
    margin,
    same_point,
)
from lincon.engine.lazy.index.segment_tree import (
    NEVER,
    SegmentTree,
    choose_tilts,
    find_above,
    first_expired,
    remove_cap,
    set_cap,
    swap_entries,
    track_tilt,
)
from lincon.engine.tally import count
from lincon.jit import borrowed, entry, lean, part
from lincon.policies.control import remember
from lincon.policies.selectors import draw, steer
from lincon.problem.goal import Program

# Nodes visited, per arm, that are worth a new choice of tilts.
WORK_ALLOWED = 8
TILT, HEIGHT = range(2)


class IndexState(NamedTuple):
    """All that the rounds share.

    `candidates`: the arms that a round starts from, -1 for none; `line`: near which the last was;
    `per_play`: the largest cost and amount per play.
    """

    working: Working
    tree: SegmentTree
    classes: EqualArms
    candidates: np.ndarray
    line: np.ndarray
    per_play: np.ndarray

    @classmethod
    def new(cls, program: Program) -> IndexState:
        return cls(
            Working.new(program.value.size),
            SegmentTree.new(program),
            EqualArms.new(program),
            candidates=np.full(3, -1),
            line=np.zeros(2),
            per_play=np.array([np.abs(program.cost).max(), np.abs(program.b[0]).max()]),
        )


@lean
def cap_if_below(state, now, arm, tilt, near, plays, events, program):
    """Give an arm whose index is short of the line a cap; False if it is not."""
    line = line_start(program, arm, tilt, near)
    cap, expiry = cap_and_expiry(now, plays, events, line)
    if cap >= 0.0:
        set_cap(state.tree, arm, cap, expiry, program)
    return cap >= 0.0


@lean
def cap_again(state, now, arm, tilt, near, plays, events, program):
    """Give an arm any cap that is safe."""
    if not cap_if_below(state, now, arm, tilt, near, plays, events, program):
        set_cap(state.tree, arm, 1.0, NEVER, program)


@lean
def decide_near(state, demand, program, size):
    """(low, high, share, tilt, near) among the first `size` arms of the working set."""
    low, high, share, tilt, height = decide(demand, program, state.working, size)
    near = min(margin(demand, state.working, low, high), WIDEST)
    return low, high, share, tilt, height - near * line_terms(tilt, height, state.per_play)


@part
def include_index(state, now, size, arm, plays, events, program):
    """Add an arm with its index to the working set; the new size."""
    return include(state.working, size, arm, index(now, plays[arm], events[arm]), program)


@part
def merge_if_equal(state, size, arm, plays, events):
    """Whether an equal of the arm is in the working set; from now on one stands for both."""
    working = state.working
    for k in range(size):
        other = np.int64(working.arm[k])
        if are_equal(state.classes, arm, other, plays, events):
            working.arm[k] = meld(state.classes, arm, other)
            return True
    return False


@part
def search(state, now, size, demand, plays, events, program):
    """Include all arms that come near the line of the decision; (size, low, ..., near)."""
    low, high, share, tilt, near = decide_near(state, demand, program, size)
    while True:
        arm = find_above(state.tree, tilt, near)
        if arm < 0:
            return size, low, high, share, tilt, near
        if cap_if_below(state, now, arm, tilt, near, plays[arm], events[arm], program):
            continue
        remove_cap(state.tree, arm)
        if merge_if_equal(state, size, arm, plays, events):
            continue
        size = include_index(state, now, size, arm, plays, events, program)
        equal = low >= 0 and (
            same_point(demand, program, state.working, size - 1, low)
            or same_point(demand, program, state.working, size - 1, high)
        )
        if not equal:
            low, high, share, tilt, near = decide_near(state, demand, program, size)


@part
def restore_caps(state, now, size, low, high, tilt, near, plays, events, program):
    """Give caps again to the arms of the working set that were not chosen."""
    working = state.working
    for k in range(size):
        arm = np.int64(working.arm[k])
        if arm not in (low, high):
            cap_again(state, now, arm, tilt, near, plays[arm], events[arm], program)


@part
def start_round(state, now, plays, events, program):
    """Renew the caps that have expired, and include the candidates; how many these are."""
    tilt, near = state.line[TILT], state.line[HEIGHT]
    arm = first_expired(state.tree, now.t)
    while arm >= 0:
        cap_again(state, now, arm, tilt, near, plays[arm], events[arm], program)
        arm = first_expired(state.tree, now.t)
    # A plain 0 is a type of its own: all that is called with it would be compiled twice.
    size = np.int64(0)
    for k in range(3):
        arm = state.candidates[k]
        if arm >= 0:
            size = include_index(state, now, size, arm, plays, events, program)
    return size


@part
def full_decision(state, now, demand, plays, events, program, mixture):
    """The size of the mixture among all representatives; no other is ever chosen."""
    size, working = np.int64(0), state.working
    for arm in range(program.value.size):
        if state.classes.parent[arm] < 0:
            size = include_index(state, now, size, arm, plays, events, program)
    low, high, share = choose(demand, program, working, size)
    return put_places(mixture, working, low, high, share)


@part
def index_decision(state, now, demand, plays, events, program, mixture):
    """The size of a round's mixture."""
    working, candidates = state.working, state.candidates
    size = start_round(state, now, plays, events, program)
    size, low, high, share, tilt, near = search(state, now, size, demand, plays, events, program)
    unambiguous = is_unambiguous(demand, program, working, size, low, high, tilt, near)
    if low >= 0:
        low = lowest_equal(demand, program, working, size, low)
        high = lowest_equal(demand, program, working, size, high)
    chosen = put_places(mixture, working, low, high, share)
    if low >= 0:
        low, high = np.int64(working.arm[low]), np.int64(working.arm[high])
    candidates[0], candidates[1], candidates[2] = low, high if high != low else -1, -1
    state.line[TILT], state.line[HEIGHT] = tilt, near
    track_tilt(state.tree, tilt)
    restore_caps(state, now, size, low, high, tilt, near, plays, events, program)
    if not unambiguous:
        return full_decision(state, now, demand, plays, events, program, mixture)
    return chosen


@lean
def position_of(candidates, arm):
    for k in range(candidates.size):
        if candidates[k] == arm:
            return k
    return -1


@part
def separate(state, arm, held, plays, events):
    """Take a played arm from its class, whose next lowest takes the arm's place."""
    rest = remove(state.classes, arm, plays, events)
    if rest >= 0 and held:
        state.candidates[2] = rest
    elif rest >= 0:
        swap_entries(state.tree, arm, rest)


@lean
def reclassify(state, arm, plays, events, program):
    """Move a played arm from its old class to its new one."""
    tree, candidates = state.tree, state.candidates
    position = position_of(candidates, arm)
    separate(state, arm, position >= 0, plays, events)
    other = find_equal(state.classes, arm, plays, events)
    if other < 0:
        if position < 0:
            set_cap(tree, arm, 1.0, NEVER, program)
        return
    if position < 0:
        remove_cap(tree, arm)
    else:
        candidates[position] = -1
    representative, position = meld(state.classes, arm, other), position_of(candidates, other)
    if position >= 0:
        candidates[position] = representative
    elif representative == arm:
        swap_entries(tree, arm, other)


@lean
def index_rounds(first, last, mean, program, key, run, rng, tally, control, mixture, state):
    """Play rounds first..last with kl_ucb or ucb1 beliefs, exactly as `advance_dense` does."""
    arms = mean.size
    plays, events = tally.plays, tally.events
    for t in range(first, last + 1):
        if t <= arms:
            arm, size = t - 1, put_alone(mixture, t - 1)
        else:
            now = new_round(control.estimator, control.parameters, t)
            demand = lazy_demand(control, program, tally, t)
            size = index_decision(state, now, demand, plays, events, program, mixture)
            size = steer(control, mixture, size)
            arm = draw(mixture, size, arms, rng.random())
        event = count(tally, t, arm, mixture, size, mean, program, key, run)
        remember(control, program, t, arm, event, mixture)
        reclassify(state, arm, plays, events, program)
        if state.tree.work[0] > WORK_ALLOWED * arms:
            choose_tilts(state.tree)


@entry
def advance_index(first, last, mean, program, key, run, rng, tally, control, mixture, state):
    play = borrowed((mean, program, key, run, rng, tally, control, mixture, state))
    index_rounds(first, last, *play)
