"""Rounds without beliefs: the means are known, or every arm is as likely.

Idea. With known means the mixture of the LP depends on the rate alone: it is solved again only when
the target asks for another rate. A single arm is looked for in every round, since what it is chosen
by moves with the rounds. A uniform policy chooses nothing.

Invariant. The decisions are the dense engine's, bit for bit. Held by
tests/unit/engine/lazy/test_index.py (known means).
"""

from __future__ import annotations

import math

from lincon.engine.lazy.rounds import lazy_demand, remember
from lincon.engine.tally import count
from lincon.jit import borrowed, entry, lean
from lincon.policies.selectors import EXPLORED_ROUND, LP, UNIFORM, draw, select


@lean
def known_rounds(first, last, mean, value, key, run, rng, tally, control, bounds, gain):
    """Play rounds first..last with known means, as `advance_dense` does."""
    arms = mean.size
    low, high, share, solved = EXPLORED_ROUND, EXPLORED_ROUND, 0.0, math.nan
    for t in range(first, last + 1):
        if t <= arms:
            arm = t - 1
            event = count(tally, t, arm, arm, arm, 1.0, mean, value, key, run)
        else:
            if control.selector != UNIFORM:
                demand = lazy_demand(control, bounds, tally, t)
                if demand.selector != LP or demand.rate != solved:
                    low, high, share = select(demand, mean, value, gain)
                    solved = demand.rate
            arm = draw(low, high, share, arms, rng.random())
            event = count(tally, t, arm, low, high, share, mean, value, key, run)
        remember(control, bounds, tally, t, arm, event, mean[arm])


@entry
def advance_known(first, last, mean, value, key, run, rng, tally, control, bounds, gain):
    known_rounds(first, last, *borrowed((mean, value, key, run, rng, tally, control, bounds, gain)))
