"""Which event rate the `lp` selector asks for in a round: all targets are an LP with another eta.

`events` is S, the events of all arms before round t; the horizon is T. The formulas and whom they
are after stand in lincon.policies.parts; the parameters come in the order declared there.
"""

from __future__ import annotations

import math

from lincon.errors import UserError
from lincon.jit import kernel
from lincon.policies.parts import TARGETS

CODES = {name: code for code, name in enumerate(TARGETS)}
FIXED, TIGHTENED, PACED = CODES["fixed"], CODES["tightened"], CODES["paced"]
CONTROLLED, SAFE_PACED = CODES["controlled"], CODES["safe_paced"]


def target_code(name: str) -> int:
    if name not in CODES:
        raise UserError(f"target: {name!r} is not one of {', '.join(CODES)}")
    return CODES[name]


@kernel
def clip(rate):
    return min(max(rate, 0.0), 1.0)


@kernel
def paced_rate(eta, horizon, t, events, surplus):
    """What every round from t on must give for the floor to be met at T, with surplus log T more.

    The last rounds cannot make up for their own bad luck, a few events: the surplus does.
    """
    missing = eta * horizon + surplus * math.log(horizon) - events
    return clip(missing / (horizon - t + 1))


@kernel
def controlled_rate(eta, horizon, t, events, margin, buffer):
    """Above the floor while the events ahead of it are fewer than a buffer, else below it."""
    ahead = events - eta * (t - 1)
    above = ahead < buffer * math.log(max(horizon - t, 1))
    return clip(eta + margin if above else eta - margin)


@kernel
def target_rate(target, parameters, eta, horizon, t, events):
    """The rate asked for in round t; of safe_paced, what it is before `safe_rate` limits it."""
    if target == FIXED:
        return eta
    if target == TIGHTENED:
        return clip(eta + parameters[0] * math.sqrt(math.log(t) / t))
    if target == PACED:
        return paced_rate(eta, horizon, t, events, 0.0)
    if target == SAFE_PACED:
        return paced_rate(eta, horizon, t, events, parameters[2])
    if target == CONTROLLED:
        return controlled_rate(eta, horizon, t, events, parameters[0], parameters[1])
    raise ValueError("no target has this code")


@kernel
def lower_bound(plays, events, t, least_plays, width):
    """m - sqrt(width m (1 - m) log t / n), a lower confidence bound; -inf for too few plays.

    It falls with t while the arm is not played.
    """
    if plays <= least_plays:
        return -math.inf
    mean = events / plays
    return mean - math.sqrt(width * mean * (1.0 - mean) * math.log(t) / plays)


@kernel
def best_lower_bound(plays, events, t, least_plays, width):
    """The largest lower bound of all arms; -inf where none was played often enough."""
    best = -math.inf
    for i in range(plays.size):
        best = max(best, lower_bound(plays[i], events[i], t, least_plays, width))
    return best


@kernel
def safe_rate(rate, eta, best):
    """safe_paced: catch up no faster than an arm is known to be able to."""
    return min(rate, max(eta, best))
