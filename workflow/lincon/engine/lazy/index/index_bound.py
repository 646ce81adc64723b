"""Until when an index surely stays below a line, without computing the index.

Idea. The index of an arm is the level at which a cost, convex in the level and zero up to the arm's
mean, has used up the budget of the round, which grows with log t alone. So an index is below a
level if the cost of that is beyond the budget, and the tangent there, below the cost everywhere,
tells more:

- the index is at least (cost - budget) / slope below the level, and a cap is put in between;
- the cost of the cap is at least the same share of the way from the budget to the cost of the
  level, and the index stays below it until the budget has grown that far, which is the cap's
  expiry.

Invariant. In every round up to the expiry the index of an arm that is not played is at most its
cap. Held by tests/unit/engine/lazy/index/test_index_bound.py.
"""

import math
from typing import NamedTuple

from lincon.engine.lazy.index.blocks import NEVER
from lincon.jit import lean, part
from lincon.policies.estimators import bernoulli_kl, kl_budget, kl_ucb, ucb1
from lincon.policies.parts import Estimator

# No cap.
NOTHING = -1.0
# Rounding in an index is far below this.
MARGIN = 1e-9
# Where a cap is between the bound of the index (0) and the line (1). Lines fall to high caps soon,
# indices grow to low ones; measured, this costs least.
SHARE = 0.125


class IndexRound(NamedTuple):
    """The policy and the time; `growth` bounds how the budget grows with log t from now on."""

    estimator: int
    explore: float
    t: int
    budget: float
    growth: float


@part
def new_round(estimator, parameters, t):
    log_t, explore = math.log(t), parameters.explore
    budget, growth = log_t, 1.0
    if estimator == Estimator.KL_UCB:
        growth = explore * (1.0 + max(parameters.c, 0.0) / max(log_t, 1.0))
        budget = kl_budget(t, explore, parameters.c)
    elif estimator != Estimator.UCB1:
        raise ValueError("no index has this code")
    return IndexRound(estimator, explore, t, budget, growth)


@lean
def index(now, plays, events):
    """The very float that lincon.policies.estimators.believe has."""
    if now.estimator == Estimator.KL_UCB:
        return kl_ucb(plays, events, now.budget)
    return ucb1(plays, events, now.t, now.explore)


@part
def cost(now, plays, mean, level):
    """(cost, slope) of a level above the mean."""
    if now.estimator == Estimator.KL_UCB:
        slope = plays * (level - mean) / (level * (1.0 - level))
        return plays * bernoulli_kl(mean, level), slope
    scale = plays / (2.0 * now.explore)
    return scale * (level - mean) ** 2, 2.0 * scale * (level - mean)


@lean
def cap_and_expiry(now, plays, events, line):
    """(cap below the line, last round in which the index surely is at most that).

    (NOTHING, NEVER) if the index may be at the line, or just below.
    """
    level, mean = line * (1.0 - MARGIN), events / plays
    if level >= 1.0:
        return 1.0, NEVER
    if level <= mean:
        return NOTHING, NEVER
    full, slope = cost(now, plays, mean, level)
    left = full - max(now.budget, 0.0)
    gap = left / slope
    if gap < 4.0 * MARGIN * level:
        return NOTHING, NEVER
    cap = (level - (1.0 - SHARE) * gap) * (1.0 + MARGIN)
    expiry = now.t * math.exp(min(SHARE * left / now.growth, 600.0)) * (1.0 - MARGIN)
    return cap, max(expiry, 1.0 * now.t)
