"""Posterior sampling that draws an arm's theta only where it can alter the decision.

Arms are in groups: group 0 is *active*, drawn in every round; an arm of group k >= 1 is *quiet*: it
has a cap, scale_k times the fence's (lincon.caps), and its tail p = P(theta > cap). A round

1. draws which quiet arms exceed their caps. Each arm has a Poisson clock of rate -log(1 - p) a
   round, so that it rings in a round with probability p, independently of all others. Only the
   superposition of the clocks is simulated: one exponential to its next ring, one descent of the
   sum tree to find who rang. Clocks have no memory: after a change of rates the wait is redrawn;
2. draws theta of the active arms, and of those that rang, from theta given theta > cap;
3. decides among them, and then looks at every other arm whose cap reaches the decision's line,
   drawing it from theta given theta <= cap, until no unseen cap reaches the line.

A theta drawn as "above or below the cap, then given that" has the law of a plain draw, and one that
is never drawn lies below the line for sure, whatever its value: the decision has exactly the law of
the dense engine's. The caps of a round are fixed before it, by what happened in earlier rounds.
Where they are, and so all the tuning below, is a matter of speed alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.caps import Groups, Working, decision_line, move, reaches
from lincon.fence import FENCE_END, LINES, Fence, clearance, fence_cap, fit_fence, remember
from lincon.lean import lean, part
from lincon.selectors import draw, select
from lincon.tally import count
from lincon.trees import new_tree, pick, rebuild_rates, set_rate
from lincon.truncated import draw_above, draw_below, upper_tail

# How often a level is to be touched. An arm takes the level where exceeding its cap and being
# touched cost least.
ODDS = np.array([1.0, 0.5, 0.2, 0.08, 0.03, 0.012, 5e-3, 2e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6])
# The cost of a draw above a cap and of a touch, in draws of an active arm.
ABOVE, TOUCH = 2.0, 0.7
FIRST_TUNING, GROWTH = 16, 0.25
TUNING_COST = (1000.0, 2.0)
WAIT, NEXT_TUNING, WASTE = range(3)


class Sampling(NamedTuple):
    """All that the rounds share; `clock` holds WAIT, NEXT_TUNING and WASTE."""

    groups: Groups
    fence: Fence
    working: Working
    scales: np.ndarray
    cap: np.ndarray
    rates: np.ndarray
    drawn: np.ndarray
    again: np.ndarray
    clock: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Sampling:
        n = value.size
        return cls(
            groups=Groups.new(n, ODDS.size),
            fence=Fence.new(value),
            working=Working.new(n),
            scales=np.zeros(ODDS.size),
            cap=np.ones(n),
            rates=new_tree(n, 0.0),
            drawn=np.zeros(n, np.int64),
            again=np.zeros(n, np.int64),
            clock=np.array([math.inf, n + FIRST_TUNING, 0.0]),
        )


@lean
def quietest(state, plays, events, value):
    """(level, cap, tail) of the cheapest level for an arm; level 0 where it is best left active."""
    a, b = 1.0 + events, 1.0 + (plays - events)
    base = fence_cap(state.fence, value)
    level, cap, tail, cost = 0, 1.0, 0.0, 1.0
    for k in range(ODDS.size - 1, 0, -1):
        this_cap = min(state.scales[k] * base, 1.0)
        this_tail = upper_tail(a, b, this_cap)
        this_cost = ABOVE * this_tail + TOUCH * ODDS[k]
        if this_cost < cost and this_tail < 0.5:
            level, cap, tail, cost = k, this_cap, this_tail, this_cost
        if this_tail <= ODDS[k]:
            break
    return level, cap, tail


@lean
def requiet(state, arm, plays, events, value):
    """Bring an arm up to date after a play: its tail, and now and then its level."""
    if plays < state.again[arm]:
        tail = upper_tail(1.0 + events, 1.0 + (plays - events), state.cap[arm])
        if tail < 0.5:
            set_rate(state.rates, arm, -math.log1p(-tail))
            state.clock[WAIT] = math.nan
            return
    state.again[arm] = plays + 1 + plays // 16
    level, cap, tail = quietest(state, plays, events, value)
    if level == 0 and state.groups.group[arm] == 0:
        return
    move(state.groups, arm, level)
    state.cap[arm] = cap
    set_rate(state.rates, arm, -math.log1p(-tail))
    state.clock[WAIT] = math.nan


@lean
def tune(state, t, plays, events, value, eta):
    """Set the fence and the levels by the lines of recent rounds, then every arm's level."""
    count = min(state.fence.seen[0], LINES, FIRST_TUNING + (t - value.size) // 4)
    fit_fence(state.fence, count, eta)
    set_scales(state.scales, state.fence.scratch[0, :count])
    width = state.rates.size // 2
    for arm in range(value.size):
        level, cap, tail = quietest(state, plays[arm], events[arm], value[arm])
        move(state.groups, arm, level)
        state.cap[arm] = cap
        state.rates[width + arm] = -math.log1p(-tail)
        state.again[arm] = plays[arm] + 1 + plays[arm] // 16
    rebuild_rates(state.rates)
    state.clock[WAIT] = math.nan
    state.clock[WASTE] = 0.0
    state.clock[NEXT_TUNING] = t + max(FIRST_TUNING, int((t - value.size) * GROWTH))


@lean
def set_scales(scales, clearances):
    """Level k is touched in about ODDS[k] of the rounds like the recent ones.

    Beyond what they can tell, the scales go on to fall as they do from the median to the least.
    """
    seen = clearances.size
    decades = math.log10(0.5 * seen)
    shrink = max(math.log(clearances[seen // 2] / clearances[0]) / decades, 1e-3)
    for k in range(1, ODDS.size):
        scale = clearances[int(ODDS[k] * seen)] * (1.0 - 1e-9)
        if ODDS[k] * seen < 1.0:
            scale *= math.exp(shrink * math.log10(ODDS[k] * seen))
        scales[k] = max(scale, 1.0 / FENCE_END)


@lean
def add(state, size, t, arm, theta, value):
    working = state.working
    working.arm[size] = arm
    working.theta[size] = theta
    working.value[size] = value[arm]
    state.drawn[arm] = t
    return size + 1


@part
def draw_needed(state, t, plays, events, value, rng):
    """Fill the working set with the active arms and those that exceed their caps."""
    size, groups = 0, state.groups
    for k in range(groups.start[1]):
        arm = int(groups.order[k])
        theta = rng.beta(1.0 + events[arm], 1.0 + (plays[arm] - events[arm]))
        size = add(state, size, t, arm, theta, value)
    total = state.rates[1]
    now = state.clock[WAIT]
    if now != now:
        now = rng.standard_exponential() / total if total > 0.0 else math.inf
    while now < 1.0:
        arm = pick(state.rates, rng.random() * total)
        if state.drawn[arm] != t:
            a, b = 1.0 + events[arm], 1.0 + (plays[arm] - events[arm])
            theta, _ = draw_above(rng, a, b, state.cap[arm])
            size = add(state, size, t, arm, theta, value)
        now += rng.standard_exponential() / total
    state.clock[WAIT] = now - 1.0
    return size


@part
def draw_touched(state, level, size, t, tilt, height, plays, events, value, rng):
    """Add the arms of a level whose caps reach the line."""
    groups = state.groups
    first, last = groups.start[level], groups.start[level + 1]
    before = size
    for k in range(first, last):
        arm = int(groups.order[k])
        if state.drawn[arm] != t and reaches(state.cap[arm], value[arm], tilt, height):
            a, b = 1.0 + events[arm], 1.0 + (plays[arm] - events[arm])
            theta, _ = draw_below(rng, a, b, state.cap[arm])
            size = add(state, size, t, arm, theta, value)
    state.clock[WASTE] += 0.02 * (last - first) + (size - before)
    return size


@lean
def decide(state, size, selector, eta):
    """(low, high, share, tilt, height) among the first `size` arms of the working set."""
    if size == 0:
        return -1, -1, 0.0, 0.0, -1.0
    theta, value = state.working.theta[:size], state.working.value[:size]
    low, high, share = select(selector, theta, value, eta)
    tilt, height = decision_line(theta, value, low, high, eta)
    return low, high, share, tilt, height


@part
def sampled_decision(state, t, selector, plays, events, value, eta, rng):
    """(low, high, share) of round t, as arms."""
    size = draw_needed(state, t, plays, events, value, rng)
    low, high, share, tilt, height = decide(state, size, selector, eta)
    added = size < value.size
    while added:
        added = False
        clear = clearance(state.fence, tilt, height)
        for level in range(1, ODDS.size):
            if state.scales[level] < clear:
                break
            before = size
            size = draw_touched(state, level, size, t, tilt, height, plays, events, value, rng)
            if size > before:
                added = True
                low, high, share, tilt, height = decide(state, size, selector, eta)
                clear = clearance(state.fence, tilt, height)
    remember(state.fence, tilt, height)
    if low < 0:
        return low, high, share
    return int(state.working.arm[low]), int(state.working.arm[high]), share


@lean
def advance_sampling(first, last, selector, mean, value, eta, key, run, rng, tally, state):
    """Play rounds first..last with beta_sample beliefs, as `advance_dense` does in law.

    Stops where it is time to tune; the round that is next.
    """
    arms = mean.size
    plays, events, clock = tally.plays, tally.events, state.clock
    for t in range(first, last + 1):
        if t <= arms:
            count(tally, t, t - 1, t - 1, t - 1, 1.0, mean, value, key, run)
            continue
        if t >= clock[NEXT_TUNING] or clock[WASTE] > TUNING_COST[0] + TUNING_COST[1] * arms:
            return t
        low, high, share = sampled_decision(state, t, selector, plays, events, value, eta, rng)
        arm = draw(low, high, share, arms, rng.random())
        count(tally, t, arm, low, high, share, mean, value, key, run)
        if state.groups.group[arm] > 0 or plays[arm] >= state.again[arm]:
            requiet(state, arm, plays[arm], events[arm], value[arm])
    return last + 1
