"""Index policies (kl_ucb, ucb1) that compute an index only where it can alter the decision.

The index of an unplayed arm grows with log t alone, so that an index computed for a later round
is a bound until then. Group 1 is *asleep*: the index stays below the arm's cap, a scale times the
fence's (lincon.caps), until the round when the arm is due; the min tree knows who is due first.
Group 0 is *awake*: each arm has a bound that holds for some rounds more. A round

1. wakes the arms that are due and decides with the bounds in place of the indices;
2. replaces the bounds of the chosen arms, and of all that come within NEAR of the decision's line,
   by their indices, and decides again, until all of those are indices;
3. wakes the sleepers whose caps come within NEAR of the line, and then starts again.

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

from lincon.caps import Groups, Working, decision_line, move
from lincon.estimators import KL_UCB, bernoulli_kl, kl_budget, kl_ucb, ucb1
from lincon.fence import FENCE_END, Fence, clearance, fence_cap, fit_fence, remember
from lincon.lean import lean
from lincon.selectors import draw, select
from lincon.tally import count
from lincon.trees import NEVER, first_due, new_tree, rebuild_dues, set_due

# Rounding in an index or a bound is far below this.
MARGIN = 1e-9
NEAR = 1e-8
RECENT = 8
# Not worth falling asleep for less.
NAP = 16
# In indices: scanning an awake arm, scanning a sleeper, tuning an arm, tuning at all.
AWAKE, ASLEEP, TUNE_ARM, TUNE = 0.05, 0.03, 0.5, 10.0
SCALE, MARGIN_NOW, AWAKE_WORK, ROUSE_WORK, LAST_LOW, LAST_HIGH = range(6)


class Indices(NamedTuple):
    """All that the rounds share. `bound` holds until round `fresh`; it is the index in `exact`."""

    groups: Groups
    fence: Fence
    working: Working
    cap: np.ndarray
    bound: np.ndarray
    fresh: np.ndarray
    exact: np.ndarray
    dues: np.ndarray
    clock: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Indices:
        n = value.size
        return cls(
            groups=Groups.new(n, 2),
            fence=Fence.new(value),
            working=Working.new(n),
            cap=np.zeros(n),
            bound=np.ones(n),
            fresh=np.zeros(n, np.int64),
            exact=np.zeros(n, np.int64),
            dues=new_tree(n, NEVER),
            clock=np.array([0.0, 1e-2, 0.0, 0.0, -1.0, -1.0]),
        )


@lean
def index(estimator, parameter, plays, events, t):
    if estimator == KL_UCB:
        return kl_ucb(plays, events, kl_budget(t, parameter))
    return ucb1(plays, events, t, parameter)


@lean
def index_bound(estimator, parameter, plays, events, t, until):
    """What the index does not exceed in rounds t..until (its budget is monotone or convex in t)."""
    later = index(estimator, parameter, plays, events, until)
    if parameter < 0.0:
        later = max(later, index(estimator, parameter, plays, events, t))
    return later * (1.0 + MARGIN)


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
            # budget = log t + c log log t by a falling iteration: odd steps are below the root.
            for _ in range(3):
                log_t = budget - parameter * math.log(max(log_t, 1.0))
    else:
        log_t = plays * (room - mean) ** 2 / max(parameter, 1e-300)
    return math.exp(min(log_t, 700.0)) * (1.0 - MARGIN)


@lean
def sleep(state, arm, due):
    move(state.groups, arm, 1)
    set_due(state.dues, arm, due)


@lean
def wake(state, arm):
    move(state.groups, arm, 0)
    set_due(state.dues, arm, NEVER)


@lean
def refresh(state, arm, t, estimator, parameter, plays, events):
    """See that an arm's bound holds in round t."""
    if state.fresh[arm] < t:
        until = t + t // 256
        state.bound[arm] = index_bound(estimator, parameter, plays[arm], events[arm], t, until)
        state.fresh[arm] = until
        state.clock[AWAKE_WORK] += 1.0


@lean
def gather(state, t, estimator, parameter, plays, events, value):
    """Put the bounds of all awake arms into the working set; the last pair's are indices."""
    working, order = state.working, state.groups.order
    last_low, last_high = int(state.clock[LAST_LOW]), int(state.clock[LAST_HIGH])
    size = state.groups.start[1]
    for k in range(size):
        arm = order[k]
        if arm in (last_low, last_high):
            learn(state, arm, t, estimator, parameter, plays, events)
        else:
            refresh(state, arm, t, estimator, parameter, plays, events)
        working.arm[k] = arm
        working.theta[k] = state.bound[arm]
        working.value[k] = value[arm]
    state.clock[AWAKE_WORK] += AWAKE * size
    return size


@lean
def learn(state, arm, t, estimator, parameter, plays, events):
    """Compute an arm's index of round t, once; whether it was new."""
    if state.exact[arm] == t:
        return False
    state.bound[arm] = index(estimator, parameter, plays[arm], events[arm], t)
    state.fresh[arm] = state.exact[arm] = t
    return True


@lean
def learn_near(state, size, t, tilt, height, low, high, estimator, parameter, plays, events):
    """Replace the bounds of the chosen arms and of those near the line; how many were new."""
    working, new = state.working, 0
    for k in range(size):
        weight = (1.0 - tilt) * working.value[k] + tilt
        near = working.theta[k] * weight >= height * (1.0 - NEAR)
        if near or k in (low, high):
            arm = working.arm[k]
            if learn(state, arm, t, estimator, parameter, plays, events):
                working.theta[k] = state.bound[arm]
                new += 1
    return new


@lean
def settle(state, size, t, selector, eta, estimator, parameter, plays, events):
    """Decide among the awake arms, with indices wherever they can matter."""
    theta, value = state.working.theta[:size], state.working.value[:size]
    while True:
        low, high, share = select(selector, theta, value, eta)
        tilt, height = decision_line(theta, value, low, high, eta)
        new = learn_near(
            state, size, t, tilt, height, low, high, estimator, parameter, plays, events
        )
        if new == 0:
            return low, high, share, tilt, height
        state.clock[AWAKE_WORK] += new


@lean
def first_twin(working, size, chosen):
    """The place of the lowest arm at the same point as the chosen one."""
    theta, reward = working.theta[chosen], working.theta[chosen] * working.value[chosen]
    best = chosen
    for k in range(size):
        same = working.theta[k] == theta and working.theta[k] * working.value[k] == reward
        if same and working.arm[k] < working.arm[best]:
            best = k
    return best


@lean
def is_clear_cut(working, size, low, high, tilt, height, eta):
    """Whether no third point comes near the line of a pair, and no point of it near eta."""
    theta, value = working.theta, working.value
    if min(eta - theta[low], theta[high] - eta) < 1e-5:
        return False
    for k in range(size):
        if theta[k] * ((1.0 - tilt) * value[k] + tilt) >= height * (1.0 - NEAR):
            reward, twin = theta[k] * value[k], False
            for chosen in (low, high):
                same = theta[k] == theta[chosen] and reward == theta[chosen] * value[chosen]
                twin = twin or same
            if not twin:
                return False
    return True


@lean
def rouse(state, t, tilt, height, estimator, parameter, plays, events, value):
    """Wake the sleepers that may come near the line, by their caps and bounds; how many."""
    groups, woken = state.groups, 0
    near = height * (1.0 - NEAR)
    state.clock[ROUSE_WORK] += ASLEEP * (value.size - groups.start[1])
    for k in range(groups.start[1], value.size):
        arm = groups.order[k]
        weight = (1.0 - tilt) * value[arm] + tilt
        if state.cap[arm] * weight >= near:
            refresh(state, arm, t, estimator, parameter, plays, events)
            if state.bound[arm] * weight >= near:
                # It changes places with the group's first arm, which has been looked at.
                wake(state, arm)
                woken += 1
    return woken


@lean
def index_decision(state, t, estimator, parameter, selector, plays, events, value, eta):
    """(low, high, share) of round t, as arms."""
    while state.dues[1] < t:
        wake(state, first_due(state.dues))
    while True:
        size = gather(state, t, estimator, parameter, plays, events, value)
        if size == 0:
            low, high, share, tilt, height = -1, -1, 0.0, 0.0, -1.0
        else:
            low, high, share, tilt, height = settle(
                state, size, t, selector, eta, estimator, parameter, plays, events
            )
        clear = clearance(state.fence, tilt, height * (1.0 - NEAR))
        if size == value.size or clear > state.clock[SCALE]:
            break
        if rouse(state, t, tilt, height, estimator, parameter, plays, events, value) == 0:
            break
    remember(state.fence, tilt, height)
    working = state.working
    if low != high and not is_clear_cut(working, size, low, high, tilt, height, eta):
        state.clock[ROUSE_WORK] += value.size
        for arm in range(value.size):
            working.theta[arm] = index(estimator, parameter, plays[arm], events[arm], t)
        return select(selector, working.theta, value, eta)
    if low >= 0:
        low, high = first_twin(working, size, low), first_twin(working, size, high)
        low, high = working.arm[low], working.arm[high]
    return low, high, share


@lean
def tune(state, t, estimator, parameter, plays, events, value, eta):
    """Set the fence by the lines of recent rounds, and who sleeps.

    The wider the margin between lines and caps, the rarer a sleeper must be roused, and the more
    arms are awake: the margin follows whichever of the two took more work.
    """
    clock = state.clock
    change = 1.5 if clock[ROUSE_WORK] > clock[AWAKE_WORK] else 1.0 / 1.5
    clock[MARGIN_NOW] = min(max(clock[MARGIN_NOW] * change, 1e-6), 0.3)
    count = min(state.fence.seen[0], RECENT)
    fit_fence(state.fence, count, eta)
    clock[SCALE] = max(
        state.fence.scratch[0, count // 20] * (1.0 - clock[MARGIN_NOW]), 1.0 / FENCE_END
    )
    width = state.dues.size // 2
    for arm in range(value.size):
        state.cap[arm] = min(clock[SCALE] * fence_cap(state.fence, value[arm]), 1.0)
        due = due_round(estimator, parameter, plays[arm], events[arm], state.cap[arm])
        asleep = due > t + NAP
        move(state.groups, arm, 1 if asleep else 0)
        state.dues[width + arm] = due if asleep else NEVER
    rebuild_dues(state.dues)
    clock[AWAKE_WORK] = clock[ROUSE_WORK] = 0.0


@lean
def played(state, arm, t, estimator, parameter, plays, events):
    """Bring an arm up to date after its play in round t."""
    due = due_round(estimator, parameter, plays[arm], events[arm], state.cap[arm])
    state.fresh[arm] = 0
    if due > t + NAP:
        sleep(state, arm, due)
    elif state.groups.group[arm] == 1:
        wake(state, arm)


@lean
def advance_index(
    first, last, estimator, parameter, selector, mean, value, eta, key, run, rng, tally, state
):
    """Play rounds first..last with kl_ucb or ucb1 beliefs, exactly as `advance_dense` does."""
    arms = mean.size
    plays, events, clock = tally.plays, tally.events, state.clock
    for t in range(first, last + 1):
        if t <= arms:
            count(tally, t, t - 1, t - 1, t - 1, 1.0, mean, value, key, run)
            continue
        if clock[AWAKE_WORK] + clock[ROUSE_WORK] > TUNE + TUNE_ARM * arms:
            tune(state, t, estimator, parameter, plays, events, value, eta)
        low, high, share = index_decision(
            state, t, estimator, parameter, selector, plays, events, value, eta
        )
        clock[LAST_LOW], clock[LAST_HIGH] = low, high
        arm = draw(low, high, share, arms, rng.random())
        count(tally, t, arm, low, high, share, mean, value, key, run)
        played(state, arm, t, estimator, parameter, plays, events)
