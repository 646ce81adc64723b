"""Posterior sampling that draws an arm's theta only where it can alter the decision.

Group 0 of the arms is *active*, drawn in every round; group 1 is *quiet*: such an arm has a cap and
its tail p = P(theta > cap). A round

1. draws which quiet arms exceed their caps. Each arm has a Poisson clock of rate -log(1 - p) a
   round, so that it rings in a round with probability p, independently of all others. Only the
   superposition of the clocks is simulated: one exponential to its next ring, one descent of the
   sum tree to find who rang. Clocks have no memory: after a change of rates the wait is redrawn;
2. draws theta of the active arms, and of those that rang, from theta given theta > cap;
3. decides among them, and then looks at every other arm whose cap reaches the decision's line
   (lincon.reach), drawing it from theta given theta <= cap, until no unseen cap reaches the line.

A theta drawn as "above or below the cap, then given that" has the law of a plain draw, and one that
is never drawn lies below the line for sure, whatever its value: the decision has exactly the law of
the dense engine's. The caps of a round are fixed before it, by what happened in earlier rounds.
Where they are is a matter of speed alone (lincon.tuning).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.caps import SLACK, Groups, Working, decision_line, move
from lincon.lean import lean, part
from lincon.reach import NOTHING, Reach, follow, interpolation, retilt, set_cap
from lincon.selectors import draw, select
from lincon.tally import count
from lincon.trees import new_tree, pick, rebuild_rates, set_rate
from lincon.truncated import draw_above, draw_below, upper_tail
from lincon.tuning import Levels, fit_levels, quietest, remember

FIRST_TUNING, GROWTH = 16, 0.25
# In draws: what a tuning takes, at all and for each arm; it is made when as much was wasted.
TUNING, TUNING_ARM = 1000.0, 2.0
# Nodes visited, per arm, that are worth a new choice of tilts.
RETILT = 8
WAIT, NEXT_TUNING, WASTE = range(3)


class Sampling(NamedTuple):
    """All that the rounds share; `clock` holds WAIT, NEXT_TUNING and WASTE.

    `drawn` is the last round in which an arm was drawn; an arm chooses its level anew once it has
    been played `again` times.
    """

    groups: Groups
    levels: Levels
    working: Working
    reach: Reach
    rates: np.ndarray
    cap: np.ndarray
    drawn: np.ndarray
    again: np.ndarray
    clock: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Sampling:
        n = value.size
        return cls(
            groups=Groups.new(n, 2),
            levels=Levels.new(value),
            working=Working.new(n),
            reach=Reach.new(value, NOTHING),
            rates=new_tree(n, 0.0),
            cap=np.ones(n),
            drawn=np.zeros(n, np.int64),
            again=np.full(n, np.iinfo(np.int64).max),
            clock=np.array([math.inf, n + FIRST_TUNING, 0.0]),
        )


@lean
def tune(state, t, plays, events, value):
    """Set the levels by the lines of recent rounds, then every arm's cap."""
    fit_levels(state.levels, FIRST_TUNING + (t - value.size) // 4)
    width, nodes = state.rates.size // 2, state.reach.nodes
    leaves = nodes.shape[0] // 2
    for arm in range(value.size):
        cap, tail = quietest(state.levels, plays[arm], events[arm], value[arm])
        move(state.groups, arm, 1 if cap >= 0.0 else 0)
        state.cap[arm] = cap
        state.rates[width + arm] = -math.log1p(-tail)
        nodes[leaves + state.reach.leaf[arm], -1] = cap
        state.again[arm] = plays[arm] + 1 + plays[arm] // 16
    rebuild_rates(state.rates)
    retilt(state.reach, value)
    state.clock[WAIT] = math.nan
    state.clock[WASTE] = 0.0
    state.clock[NEXT_TUNING] = t + max(FIRST_TUNING, int((t - value.size) * GROWTH))


@lean
def requiet(state, arm, plays, events, value):
    """Bring an arm up to date after a play: its tail, and now and then its cap."""
    if plays < state.again[arm]:
        tail = upper_tail(1.0 + events, 1.0 + (plays - events), state.cap[arm])
        if tail < 0.5:
            set_rate(state.rates, arm, -math.log1p(-tail))
            state.clock[WAIT] = math.nan
            return
    state.again[arm] = plays + 1 + plays // 16
    cap, tail = quietest(state.levels, plays, events, value)
    if cap < 0.0 and state.groups.group[arm] == 0:
        return
    move(state.groups, arm, 1 if cap >= 0.0 else 0)
    state.cap[arm] = cap
    set_cap(state.reach, arm, cap, value)
    set_rate(state.rates, arm, -math.log1p(-tail))
    state.clock[WAIT] = math.nan


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


@lean
def decide(working, size, selector, eta):
    """(low, high, share, tilt, height) among the first `size` arms of the working set."""
    if size == 0:
        return -1, -1, 0.0, 0.0, -0.5
    theta, value = working.theta[:size], working.value[:size]
    low, high, share = select(selector, theta, value, eta)
    tilt, height = decision_line(theta, value, low, high, eta)
    return low, high, share, tilt, height


@part
def draw_touched(state, size, t, selector, plays, events, value, eta, rng, decision):
    """One walk over the quiet arms whose caps reach the line, which rises by those that matter.

    Caps that an earlier line left out may reach a line of another tilt: walk until none is added.
    """
    reach, working = state.reach, state.working
    low, high, share, tilt, height = decision
    k, part_next = interpolation(reach.tilts, tilt)
    width, top = reach.nodes.shape[0] // 2, 1
    reach.stack[0] = 1
    while top > 0:
        top -= 1
        node = reach.stack[top]
        bound = (1.0 - part_next) * reach.nodes[node, k] + part_next * reach.nodes[node, k + 1]
        if bound < height * SLACK:
            continue
        reach.work[0] += 1
        if node < width:
            reach.stack[top], reach.stack[top + 1] = 2 * node, 2 * node + 1
            top += 2
            continue
        arm = int(reach.arm[node - width])
        if state.drawn[arm] == t:
            continue
        a, b = 1.0 + events[arm], 1.0 + (plays[arm] - events[arm])
        theta, _ = draw_below(rng, a, b, state.cap[arm])
        size = add(state, size, t, arm, theta, value)
        if theta * ((1.0 - tilt) * value[arm] + tilt) >= height * SLACK:
            low, high, share, tilt, height = decide(working, size, selector, eta)
            k, part_next = interpolation(reach.tilts, tilt)
    return size, (low, high, share, tilt, height)


@part
def sampled_decision(state, t, selector, plays, events, value, eta, rng):
    """(low, high, share) of round t, as arms."""
    size = draw_needed(state, t, plays, events, value, rng)
    decision = decide(state.working, size, selector, eta)
    before, seen = -1, size
    while size > before:
        before = size
        size, decision = draw_touched(
            state, size, t, selector, plays, events, value, eta, rng, decision
        )
    state.clock[WASTE] += size - seen
    low, high, share, tilt, height = decision
    follow(state.reach, tilt)
    remember(state.levels, tilt, height)
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
        if t >= clock[NEXT_TUNING] or clock[WASTE] > TUNING + TUNING_ARM * arms:
            return t
        low, high, share = sampled_decision(state, t, selector, plays, events, value, eta, rng)
        arm = draw(low, high, share, arms, rng.random())
        count(tally, t, arm, low, high, share, mean, value, key, run)
        if state.groups.group[arm] > 0 or plays[arm] >= state.again[arm]:
            requiet(state, arm, plays[arm], events[arm], value[arm])
        if state.reach.work[0] > RETILT * arms:
            retilt(state.reach, value)
    return last + 1
