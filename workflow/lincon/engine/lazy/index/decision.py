"""Index policies (kl_ucb, ucb1) that compute an index only where it can change the decision.

Idea. An arm is a candidate, or it has a cap that its index stays below until a known round
(index_bound). A round starts from the candidates with their indices, the arms of the last decision.
It looks for caps that have expired or go beyond the decision line so far, in the blocks whose
bounds do (blocks): such an arm gets a new cap if its index is short of the line, otherwise it is
included, and the round decides again. It ends when no cap of an arm outside the working set comes
near the line. Of equal arms only the lowest takes part (equal_arms).

Invariant. What is left lies below the line for sure, so the decision is optimal among all arms, and
it is the very one of the dense engine (rounding). In the rare rounds where that is not sure, all
indices are computed. Held by tests/unit/engine/lazy/test_index.py: the same arms as the dense
engine in every round, and every arm a candidate or capped.
"""

from typing import NamedTuple, Self

import numpy as np

from lincon.engine.lazy.decision_line import (
    Working,
    choose,
    decide,
    include,
    line_start,
    put_alone,
    put_places,
)
from lincon.engine.lazy.index.blocks import (
    NEVER,
    WIDTH,
    Blocks,
    any_open,
    caps_of,
    is_open,
    put_cap,
    remove_cap,
    tighten,
)
from lincon.engine.lazy.index.equal_arms import EqualArms, are_equal, join, leave
from lincon.engine.lazy.index.index_bound import cap_and_expiry, index, new_round
from lincon.engine.lazy.index.rounding import (
    WIDEST,
    is_unambiguous,
    line_terms,
    lowest_equal,
    margin,
    same_point,
)
from lincon.engine.tally import AMOUNT, count
from lincon.jit import borrowed, entry, lean, part
from lincon.policies.control import set_targets
from lincon.policies.selectors import draw, missed_target, steer
from lincon.problem.program import Program

# In one of so many rounds, bounds that led to a look in vain are made tight.
TIGHTENED = 16


class IndexState(NamedTuple):
    """All that the rounds share.

    `candidates` int[2]: the arms that a round starts from, -1 for none, which have no caps;
    `per_play`: the largest cost and amount per play.
    """

    working: Working
    blocks: Blocks
    equal: EqualArms
    candidates: np.ndarray
    per_play: np.ndarray

    @classmethod
    def new(cls, program: Program) -> Self:
        arms = program.value.size
        return cls(
            Working.new(arms),
            Blocks.new(program),
            EqualArms.new(arms),
            candidates=np.full(2, -1),
            per_play=np.array([np.abs(program.cost).max(), np.abs(program.b[0]).max()]),
        )


@lean
def cap_if_below(state, now, arm, tilt, near, plays, events, program):
    """Give an arm whose index is short of the line a cap; False if it is not."""
    line = line_start(program, arm, tilt, near)
    cap, expiry = cap_and_expiry(now, plays[arm], events[arm], line)
    if cap >= 0.0:
        put_cap(state.blocks, program, arm, cap, expiry)
    return cap >= 0.0


@lean
def decide_near(state, control, size):
    """(low, high, share, tilt, near) among the first `size` arms of the working set."""
    low, high, share, tilt, height = decide(control, state.working, size)
    near = min(margin(control, state.working, low, high), WIDEST)
    return low, high, share, tilt, height - near * line_terms(tilt, height, state.per_play)


@part
def include_index(state, now, size, arm, plays, events, program):
    """Add an arm with its index to the working set; the new size."""
    return include(state.working, size, arm, index(now, plays[arm], events[arm]), program)


@part
def follows(state, size, arm, plays, events, program):
    """Whether an equal of the arm is in the working set; the lower one leads from now on."""
    working = state.working
    for k in range(size):
        other = np.int64(working.arm[k])
        if are_equal(program, plays, events, arm, other):
            leader = min(arm, other)
            if join(state.equal, leader, max(arm, other)):
                working.arm[k] = leader
                return True
    return False


@part
def search(state, now, size, control, plays, events, program):
    """Include all arms that come near the line of the decision; (size, low, ..., near)."""
    blocks, working, t = state.blocks, state.working, now.t
    low, high, share, tilt, near = decide_near(state, control, size)
    opened = True
    while opened and any_open(blocks.bounds, t, tilt, near):
        opened = False
        for block in range(blocks.bounds.gain.size):
            if not is_open(blocks.bounds, block, t, tilt, near):
                continue
            caps = caps_of(blocks, block)
            if not any_open(caps, t, tilt, near):
                if t % TIGHTENED == 0:
                    tighten(blocks, block)
                continue
            opened = True
            for k in range(WIDTH):
                if not is_open(caps, k, t, tilt, near):
                    continue
                arm = np.int64(blocks.arm[block * WIDTH + k])
                if cap_if_below(state, now, arm, tilt, near, plays, events, program):
                    continue
                remove_cap(blocks, arm)
                if follows(state, size, arm, plays, events, program):
                    continue
                size = include_index(state, now, size, arm, plays, events, program)
                equal = low >= 0 and (
                    same_point(working, size - 1, low) or same_point(working, size - 1, high)
                )
                if not equal:
                    low, high, share, tilt, near = decide_near(state, control, size)
    return size, low, high, share, tilt, near


@part
def full_decision(state, now, control, plays, events, program, mixture):
    """The size of the mixture among all arms."""
    working = state.working
    for arm in range(program.value.size):
        include(working, arm, arm, index(now, plays[arm], events[arm]), program)
    low, high, share = choose(control, working, program.value.size)
    return put_places(mixture, working, low, high, share)


@part
def index_decision(state, now, control, plays, events, program, mixture):
    """The size of a round's mixture."""
    working, candidates = state.working, state.candidates
    # A plain 0 is a type of its own: all that is called with it would be compiled twice.
    size = np.int64(0)
    for k in range(2):
        if candidates[k] >= 0:
            size = include_index(state, now, size, candidates[k], plays, events, program)
    size, low, high, share, tilt, near = search(state, now, size, control, plays, events, program)
    unambiguous = is_unambiguous(control, program, working, size, low, high, tilt, near)
    if low >= 0:
        low = lowest_equal(working, size, low)
        high = lowest_equal(working, size, high)
    chosen = put_places(mixture, working, low, high, share)
    candidates[:] = -1
    for k in range(size):
        arm = np.int64(working.arm[k])
        if k == low:
            candidates[0] = arm
        elif k == high:
            candidates[1] = arm
        elif not cap_if_below(state, now, arm, tilt, near, plays, events, program):
            put_cap(state.blocks, program, arm, 1.0, NEVER)
    if not unambiguous:
        return full_decision(state, now, control, plays, events, program, mixture)
    return chosen


@lean
def index_rounds(first, last, mean, program, key, run, rng, tally, control, mixture, state):
    """Play rounds first..last with kl_ucb or ucb1 beliefs, exactly as `advance_dense` does."""
    arms = mean.size
    plays, events = tally.plays, tally.events
    for t in range(first, last + 1):
        infeasible = False
        if t <= arms:
            arm, size = t - 1, put_alone(mixture, t - 1)
        else:
            now = new_round(control.estimator, control.parameters, t)
            set_targets(control, tally.amounts[AMOUNT], t)
            size = index_decision(state, now, control, plays, events, program, mixture)
            infeasible = missed_target(control, mixture, size)
            size = steer(control, mixture, size)
            arm = draw(mixture, size, arms, rng.random())
        count(tally, t, arm, mixture, size, infeasible, mean, program, key, run)
        leader = leave(state.equal, arm)
        if leader >= 0:
            put_cap(state.blocks, program, leader, 1.0, NEVER)
        if state.candidates[0] != arm and state.candidates[1] != arm:
            put_cap(state.blocks, program, arm, 1.0, NEVER)


@entry
def advance_index(first, last, mean, program, key, run, rng, tally, control, mixture, state):
    play = borrowed((mean, program, key, run, rng, tally, control, mixture, state))
    index_rounds(first, last, *play)
    return last + 1
