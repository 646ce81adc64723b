"""Index policies (kl_ucb, ucb1) that compute an index only where it can alter the decision.

The index of an unplayed arm grows with log t alone. So an arm whose index is short of the line gets
a cap halfway to it, and the round until which its index stays below that cap; from then on, and
after a play of it, its cap is 1 until it is looked at again. A round

1. starts from the arms of the last decision, with their indices;
2. finds the arm whose cap goes farthest beyond the line of the decision so far (lincon.reach),
   computes its index, and either takes it in and decides again, or gives it a new cap;
3. ends when no cap of an unseen arm comes within NEAR of the line.

What is left lies below the line for sure, so the decision is optimal among all arms. It is also
the very one that the dense engine takes: one arm, or none, is found by comparing floats, where
equal points go to the lowest arm; and a pair whose line no third point comes near, with neither
point near eta, beats every other pair by far more than rounding, so the climb ends there from
wherever it starts. In the rare rounds where something does come near, all indices are computed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.caps import SLACK, Working, decision_line
from lincon.estimators import KL_UCB, bernoulli_kl, kl_budget, kl_ucb, ucb1
from lincon.lean import lean, part
from lincon.reach import NOTHING, Reach, farthest, retilt, set_cap
from lincon.selectors import draw, select
from lincon.tally import count
from lincon.trees import NEVER, first_due, new_tree, set_due

# Rounding in an index is far below this.
MARGIN = 1e-9
NEAR = 1e-8
# Nodes visited, per arm, that are worth a new choice of tilts.
RETILT = 8


class Indices(NamedTuple):
    """All that the rounds share. The arms of the `last` decision have no cap: they are seen."""

    working: Working
    reach: Reach
    dues: np.ndarray
    last: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Indices:
        n = value.size
        return cls(Working.new(n), Reach.new(value, 1.0), new_tree(n, NEVER), np.full(2, -1))


@lean
def index(estimator, parameter, plays, events, t):
    if estimator == KL_UCB:
        return kl_ucb(plays, events, kl_budget(t, parameter))
    return ucb1(plays, events, t, parameter)


@lean
def due_round(estimator, parameter, plays, events, cap):
    """A round until which the index surely stays below the cap."""
    if cap >= 1.0:
        return NEVER
    mean, room = events / plays, cap * (1.0 - MARGIN)
    if room - mean < 1e-6 * room:
        return 0.0
    if estimator == KL_UCB:
        budget = plays * bernoulli_kl(mean, room)
        log_t = budget
        if parameter > 0.0:
            # log t + c log log t = budget by a falling iteration: its odd steps are below the root.
            for _ in range(3):
                log_t = budget - parameter * math.log(max(log_t, 1.0))
            # Newton on a concave function comes from below as well.
            for _ in range(3):
                if log_t > 1.0:
                    excess = log_t + parameter * math.log(log_t) - budget
                    log_t -= excess / (1.0 + parameter / log_t)
    else:
        log_t = plays * (room - mean) ** 2 / max(parameter, 1e-300)
    return math.exp(min(log_t, 700.0)) * (1.0 - MARGIN)


@lean
def forget(state, arm, value):
    """Nothing is known of the arm's index, but that it is at most 1."""
    set_cap(state.reach, arm, 1.0, value)
    set_due(state.dues, arm, NEVER)


@lean
def put_off(state, arm, t, theta, line, estimator, parameter, plays, events, value):
    """Give an arm that is short of the line a cap halfway to it."""
    cap = min(0.5 * (theta + line), 1.0)
    due = due_round(estimator, parameter, plays, events, cap)
    set_cap(state.reach, arm, cap, value)
    set_due(state.dues, arm, max(due, 1.0 * t))


@lean
def take_in(state, size, arm, theta, value):
    working = state.working
    working.arm[size] = arm
    working.theta[size] = theta
    working.value[size] = value
    return size + 1


@lean
def decide(state, size, selector, eta):
    """(low, high, share, tilt, height) among the first `size` arms of the working set."""
    if size == 0:
        return -1, -1, 0.0, 0.0, -0.5
    theta, value = state.working.theta[:size], state.working.value[:size]
    low, high, share = select(selector, theta, value, eta)
    tilt, height = decision_line(theta, value, low, high, eta)
    return low, high, share, tilt, height


@lean
def same_point(working, first, second):
    """Whether two arms are equal for lincon.lp: in theta and in reward."""
    theta, value = working.theta, working.value
    return (
        theta[first] == theta[second]
        and theta[first] * value[first] == theta[second] * value[second]
    )


@part
def search(state, size, t, estimator, parameter, selector, plays, events, value, eta):
    """Take in all arms that come near the line of the decision; (size, low, ..., height)."""
    low, high, share, tilt, height = decide(state, size, selector, eta)
    while True:
        near = height * (1.0 - NEAR)
        arm = farthest(state.reach, tilt, near)
        if arm < 0:
            return size, low, high, share, tilt, height
        theta = index(estimator, parameter, plays[arm], events[arm], t)
        weight = (1.0 - tilt) * value[arm] + tilt
        if theta * weight < near * SLACK:
            line, n, s, v = near / weight, plays[arm], events[arm], value[arm]
            put_off(state, arm, t, theta, line, estimator, parameter, n, s, v)
            continue
        size = take_in(state, size, arm, theta, value[arm])
        set_cap(state.reach, arm, NOTHING, value[arm])
        set_due(state.dues, arm, NEVER)
        twin = low >= 0 and (
            same_point(state.working, size - 1, low) or same_point(state.working, size - 1, high)
        )
        if not twin:
            low, high, share, tilt, height = decide(state, size, selector, eta)


@part
def release(state, size, low, high, t, tilt, height, estimator, parameter, plays, events):
    """Give caps again to the seen arms that were not chosen."""
    working, near = state.working, height * (1.0 - NEAR)
    for k in range(size):
        arm, theta, value = int(working.arm[k]), working.theta[k], working.value[k]
        weight = (1.0 - tilt) * value + tilt
        if arm in (low, high):
            continue
        if theta * weight < near * SLACK:
            line, n, s = near / weight, plays[arm], events[arm]
            put_off(state, arm, t, theta, line, estimator, parameter, n, s, value)
        else:
            forget(state, arm, value)


@lean
def first_twin(working, size, chosen):
    """The place in the working set of the lowest arm at the same point as the chosen one."""
    best = chosen
    for k in range(size):
        if same_point(working, k, chosen) and working.arm[k] < working.arm[best]:
            best = k
    return best


@part
def is_clear_cut(working, size, low, high, tilt, height, eta):
    """Whether no third point comes near the line of a pair, and no point of it near eta."""
    theta, value = working.theta, working.value
    if min(eta - theta[low], theta[high] - eta) < 1e-5:
        return False
    for k in range(size):
        near = theta[k] * ((1.0 - tilt) * value[k] + tilt) >= height * (1.0 - NEAR)
        if near and not (same_point(working, k, low) or same_point(working, k, high)):
            return False
    return True


@part
def index_decision(state, t, estimator, parameter, selector, plays, events, value, eta):
    """(low, high, share) of round t, as arms."""
    while state.dues[1] < t:
        arm = first_due(state.dues)
        forget(state, arm, value[arm])
    size, working, last = 0, state.working, state.last
    for k in range(2):
        arm = last[k]
        if arm >= 0 and (k == 0 or arm != last[0]):
            theta = index(estimator, parameter, plays[arm], events[arm], t)
            size = take_in(state, size, arm, theta, value[arm])
    size, low, high, share, tilt, height = search(
        state, size, t, estimator, parameter, selector, plays, events, value, eta
    )
    clear_cut = low == high or is_clear_cut(working, size, low, high, tilt, height, eta)
    if low >= 0:
        low, high = first_twin(working, size, low), first_twin(working, size, high)
        low, high = int(working.arm[low]), int(working.arm[high])
    last[0], last[1] = low, high
    release(state, size, low, high, t, tilt, height, estimator, parameter, plays, events)
    if not clear_cut:
        for arm in range(value.size):
            working.theta[arm] = index(estimator, parameter, plays[arm], events[arm], t)
        return select(selector, working.theta, value, eta)
    return low, high, share


@lean
def advance_index(
    first, last, estimator, parameter, selector, mean, value, eta, key, run, rng, tally, state
):
    """Play rounds first..last with kl_ucb or ucb1 beliefs, exactly as `advance_dense` does."""
    arms = mean.size
    plays, events = tally.plays, tally.events
    for t in range(first, last + 1):
        if t <= arms:
            count(tally, t, t - 1, t - 1, t - 1, 1.0, mean, value, key, run)
            continue
        low, high, share = index_decision(
            state, t, estimator, parameter, selector, plays, events, value, eta
        )
        arm = draw(low, high, share, arms, rng.random())
        count(tally, t, arm, low, high, share, mean, value, key, run)
        if arm != state.last[0] and arm != state.last[1]:
            forget(state, arm, value[arm])
        if state.reach.work[0] > RETILT * arms:
            retilt(state.reach, value)
