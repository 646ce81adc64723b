"""What the lazy engines share around a decision: the demand before it, the memory after it."""

from __future__ import annotations

from lincon.engine.lazy.lower_bounds import best_bound, set_bound
from lincon.engine.tally import EVENTS
from lincon.jit import lean
from lincon.policies.control import demand_at, is_limited, rate_asked, update_control
from lincon.policies.targets import SAFE_PACED, lower_bound, safe_rate


@lean
def lazy_demand(control, bounds, tally, t):
    """What is asked for in round t, as the dense engine has it."""
    rate = rate_asked(control, t, tally.totals[EVENTS])
    if is_limited(control, rate):
        least_plays, width = control.of_target[0], control.of_target[1]
        best = best_bound(bounds, tally.plays, tally.events, t, least_plays, width)
        rate = safe_rate(rate, control.eta, best)
    return demand_at(control, t, rate)


@lean
def remember(control, bounds, tally, t, arm, event, theta):
    """What round t, in which `arm` was played with belief `theta`, changes for the next."""
    update_control(control, t, event, theta)
    if control.target == SAFE_PACED:
        plays, events = tally.plays[arm], tally.events[arm]
        least_plays, width = control.of_target[0], control.of_target[1]
        set_bound(bounds, arm, lower_bound(plays, events, t, least_plays, width))
