"""Posterior sampling that draws an arm's theta only where it can change the decision.

Idea. Every arm has a cap at each level (cap_levels), the next always lower. A round goes down the
levels. At each it

1. draws which of the arms not drawn so far exceed the level's cap. Given that theta is below the
   caps of the levels before, it exceeds this one with some probability p. If p is large, the arm is
   simply drawn. Otherwise it has Poisson arrivals of rate -log(1 - p), so that there is one in the
   round with probability p, independently of all others. Only the superposition is simulated: its
   total rate is taken off an exponential waiting time, and a proposal is made when that is used up,
   thinned by the arm's own rate (poisson_thinning, posterior_tail);
2. draws theta of those that exceed it, given that they do, and that they do not exceed the cap of
   the level before (truncated_beta);
3. decides among all arms drawn so far. If the decision line is above the caps of this level, no
   other arm can reach it, and the round is over.

Invariant. A theta drawn as "between which caps, then given that" has the law of a plain draw, and
one that is never drawn lies below the line for sure, whatever its value; what is asked for and the
caps are fixed before the round. So the decision has exactly the law of the dense engine's. Held by
tests/unit/engine/lazy/test_thompson.py: chi-square from random posterior states, Kolmogorov-Smirnov
of whole runs.
"""

from typing import NamedTuple, Self

import numpy as np

from lincon.engine.lazy.decision_line import (
    NO_ARMS,
    Working,
    decide,
    include,
    put_alone,
    put_places,
)
from lincon.engine.lazy.thompson.cap_levels import (
    INTERVALS,
    LEVELS,
    CapLevels,
    caps_reach,
    interval_of,
    record_line,
    set_levels,
)
from lincon.engine.lazy.thompson.poisson_thinning import (
    ZERO_RATE,
    Buckets,
    bucket_of,
    propose,
    rebuild,
    update_rate,
)
from lincon.engine.lazy.thompson.posterior_tail import (
    DRAWN,
    RENEWAL,
    VALUE,
    A,
    B,
    cap_interval,
    compute_tails,
    exceedance_odds,
    is_accepted,
    new_posteriors,
    update_tails,
    upper_cap,
)
from lincon.engine.lazy.thompson.truncated_beta import draw_below, draw_beta, draw_between
from lincon.engine.tally import AMOUNT, count
from lincon.jit import borrowed, entry, lean, part
from lincon.policies.control import set_targets
from lincon.policies.prior import DIVISOR, FIRST, NEXT_FIT, SECOND, refit
from lincon.policies.selectors import draw, missed_target, steer
from lincon.problem.program import Program

# Arms that exceed the caps of the first steps less often than this, all together, skip them.
SKIPPED = 0.25
# Proposals that are looked up at a time.
BATCH = 64
FIRST_TUNING, GROWTH = 16, 0.5
# In draws: what a tuning takes, at all and for each arm; it is made when as much was wasted.
TUNING, TUNING_ARM, ALLOWED = 1000.0, 4.0, 3
NEXT_TUNING, WASTE = range(2)


class SamplingState(NamedTuple):
    """All that the rounds share; `schedule` holds NEXT_TUNING and WASTE.

    `waiting`: the time to the next arrival, below 0 where it was not drawn yet; `proposed` and
    `thresholds` are for the proposals of a round.
    """

    program: Program
    posteriors: np.ndarray
    caps: CapLevels
    buckets: Buckets
    working: Working
    waiting: np.ndarray
    depth: np.ndarray
    proposed: np.ndarray
    thresholds: np.ndarray
    schedule: np.ndarray

    @classmethod
    def new(cls, program: Program) -> Self:
        n, caps = program.value.size, CapLevels.new(program)
        # An arm is looked up by its value or, where it has caps of its own, by its number.
        looked_up = program.value if caps.own.size == 0 else np.arange(float(n))
        return cls(
            program,
            posteriors=new_posteriors(looked_up),
            caps=caps,
            buckets=Buckets.new(n, LEVELS, INTERVALS),
            working=Working.new(n),
            waiting=np.full((LEVELS, INTERVALS), -1.0),
            depth=np.zeros(INTERVALS, np.int64),
            proposed=np.zeros(BATCH, np.int64),
            thresholds=np.zeros(BATCH),
            schedule=np.array([n + FIRST_TUNING, 0.0]),
        )


@lean
def tune_caps(state, t):
    """Set the caps by the lines of recent rounds, then the tails of every arm."""
    arms, buckets = state.posteriors.shape[0], state.buckets
    set_levels(state.caps, state.program, FIRST_TUNING + (t - arms) // 4)
    for arm in range(arms):
        posterior = state.posteriors[arm]
        interval = interval_of(state.caps, posterior[VALUE])
        buckets.interval[arm] = interval
        compute_tails(posterior, state.caps, interval, SKIPPED / arms)
        for level in range(LEVELS):
            buckets.bucket[arm, level] = bucket_of(exceedance_odds(posterior, level))
    for level in range(LEVELS):
        rebuild(buckets, level)
    state.schedule[WASTE] = 0.0
    state.schedule[NEXT_TUNING] = t + max(FIRST_TUNING, int((t - arms) * GROWTH))


@lean
def observe(state, arm, plays, events, prior):
    """Bring an arm up to date after a play of it."""
    posterior, buckets = state.posteriors[arm], state.buckets
    interval, has_tails, known = buckets.interval[arm], buckets.bucket[arm, 0] > 0, True
    divisor = prior[DIVISOR]
    a, b = prior[FIRST] + events / divisor, prior[SECOND] + (plays - events) / divisor
    if has_tails and divisor == 1.0:
        known = update_tails(posterior, state.caps, interval, a > posterior[A])
    elif has_tails:
        known = False
    posterior[A], posterior[B] = a, b
    if plays >= posterior[RENEWAL] or not known:
        compute_tails(posterior, state.caps, interval, SKIPPED / state.posteriors.shape[0])
    elif not has_tails:
        return
    for level in range(LEVELS):
        update_rate(buckets, level, arm, exceedance_odds(posterior, level))


@part
def draw_below_cap(state, program, size, t, level, arm, rng):
    """Draw an arm, if it was not, below the caps of the steps before this one."""
    posterior = state.posteriors[arm]
    if posterior[DRAWN] == t:
        return size
    posterior[DRAWN] = t
    if level == 0:
        theta = draw_beta(rng, posterior[A], posterior[B])
    else:
        cap = upper_cap(posterior, state.caps, state.buckets.interval[arm], level)
        theta = draw_below(rng, posterior[A], posterior[B], cap)
    return include(state.working, size, arm, theta, program)


@part
def draw_above_cap(state, program, size, t, level, arm, rng):
    """Draw an accepted arm, if it was not drawn: above its cap, below that of the level before."""
    posterior = state.posteriors[arm]
    if posterior[DRAWN] == t:
        return size
    low, high = cap_interval(posterior, state.caps, state.buckets.interval[arm], level)
    posterior[DRAWN] = t
    theta = draw_between(rng, posterior[A], posterior[B], low, high)
    return include(state.working, size, arm, theta, program)


@part
def next_arrivals(state, level, interval, left, rng):
    """Propose until the next arrival is later; (time to it, how many `proposed` are accepted)."""
    buckets, proposed, thresholds = state.buckets, state.proposed, state.thresholds
    total, proposals, accepted = buckets.total[level, interval], 0, 0
    while left < 0.0 and proposals < BATCH:
        left += rng.standard_exponential()
        where, threshold = propose(buckets, level, interval, rng.random() * total, rng.random())
        proposed[proposals], thresholds[proposals] = where, threshold
        proposals += where >= 0
    # All are looked up at once: the processor waits for the memory once and not for each.
    for k in range(proposals):
        arm = buckets.order[level, proposed[k]]
        proposed[accepted] = arm
        accepted += is_accepted(state.posteriors[arm], level, thresholds[k])
    return left, accepted


@part
def visit_level(state, program, size, t, level, interval, rng):
    """Draw the arms of an interval that exceed their caps at a level; beyond the last, all arms."""
    buckets, last = state.buckets, LEVELS - 1
    start, order = buckets.start[min(level, last), interval], buckets.order[min(level, last)]
    for k in range(start[0], start[1 if level <= last else ZERO_RATE + 1]):
        size = draw_below_cap(state, program, size, t, level, order[k], rng)
    if level > last:
        return size
    left = state.waiting[level, interval]
    if left < 0.0:
        left = rng.standard_exponential()
    left -= buckets.total[level, interval]
    while left < 0.0:
        left, accepted = next_arrivals(state, level, interval, left, rng)
        for k in range(accepted):
            arm = state.proposed[k]
            size = draw_above_cap(state, program, size, t, level, arm, rng)
    state.waiting[level, interval] = left
    return size


@part
def sampled_decision(state, program, t, control, rng, mixture):
    """The size of round t's mixture."""
    working, depth = state.working, state.depth
    low, high, share, tilt, height = NO_ARMS
    # Level 0 is visited with all arms in one interval; then each goes down as far as it must.
    depth[0], intervals, size, decided, deeper = 0, 1, 0, 0, True
    while deeper:
        deeper = False
        for interval in range(intervals):
            level = depth[interval]
            if level == 0 or (
                level <= LEVELS and caps_reach(state.caps, level - 1, interval, tilt, height)
            ):
                size = visit_level(state, program, size, t, level, interval, rng)
                depth[interval], deeper = level + 1, True
        if size > decided:
            low, high, share, tilt, height = decide(control, working, size)
            decided = size
        for interval in range(intervals, INTERVALS):
            depth[interval] = 1
        intervals = INTERVALS
    state.schedule[WASTE] += max(size - state.buckets.start[0, 0, 1] - ALLOWED, 0)
    first, second = state.caps.even[0], state.caps.even[0]
    if low >= 0:
        first, second = program.value[working.arm[low]], program.value[working.arm[high]]
    record_line(state.caps, tilt, height, first, second)
    return put_places(mixture, working, low, high, share)


@lean
def sampling_rounds(first, last, mean, program, key, run, rng, tally, control, mixture, state):
    """Play rounds first..last with beta_sample beliefs, as `advance_dense` does in law.

    Stops where it is time to tune; the round that is next.
    """
    arms = mean.size
    plays, events = tally.plays, tally.events
    for t in range(first, last + 1):
        infeasible = False
        if t <= arms:
            arm, size = t - 1, put_alone(mixture, t - 1)
        elif is_due(state, control.prior, t):
            return t
        else:
            set_targets(control, tally.amounts[AMOUNT], t)
            size = sampled_decision(state, program, t, control, rng, mixture)
            infeasible = missed_target(control, mixture, size)
            size = steer(control, mixture, size)
            arm = draw(mixture, size, arms, rng.random())
        count(tally, t, arm, mixture, size, infeasible, mean, program, key, run)
        observe(state, arm, plays[arm], events[arm], control.prior)
    return last + 1


@lean
def is_due(state, prior, t):
    """Whether something must be set again before round t: the prior or the caps."""
    wasted = state.schedule[WASTE] > TUNING + TUNING_ARM * state.posteriors.shape[0]
    return t >= prior[NEXT_FIT] or t >= state.schedule[NEXT_TUNING] or wasted


@entry
def tune(state, control, tally, t):
    """Set again what is due: with another prior every arm has another posterior and other tails."""
    state, control, tally = borrowed(state), borrowed(control), borrowed(tally)
    prior, arms = control.prior, state.posteriors.shape[0]
    if t >= prior[NEXT_FIT]:
        refit(prior, control.parameters, tally.plays, tally.events, t)
        for arm in range(arms):
            plays, events = tally.plays[arm], tally.events[arm]
            state.posteriors[arm, A] = prior[FIRST] + events / prior[DIVISOR]
            state.posteriors[arm, B] = prior[SECOND] + (plays - events) / prior[DIVISOR]
        if t < arms + FIRST_TUNING:  # there are no tails yet
            return
    tune_caps(state, t)


@entry
def advance_sampling(first, last, mean, program, key, run, rng, tally, control, mixture, state):
    play = borrowed((mean, program, key, run, rng, tally, control, mixture, state))
    return sampling_rounds(first, last, *play)
