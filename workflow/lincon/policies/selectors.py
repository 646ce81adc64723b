"""What a policy does with its belief: theta becomes a mixture of at most two arms."""

from __future__ import annotations

from typing import NamedTuple

from lincon.errors import UserError
from lincon.jit import entry, kernel
from lincon.policies.parts import SELECTORS
from lincon.policies.primal_dual import reward_per_cost
from lincon.problem.lp import better, largest, solve_lp

CODES = {name: code for code, name in enumerate(SELECTORS)}
LP, ARGMAX, QUEUE = CODES["lp"], CODES["argmax"], CODES["queue"]
# To a decision it is LP with `greedy`.
LP_GREEDY = CODES["lp_greedy"]
PRIMAL_DUAL, EPS_GREEDY, UNIFORM = CODES["primal_dual"], CODES["eps_greedy"], CODES["uniform"]
# In the place of an arm: every arm is as likely, because no mixture meets the target or because the
# policy explores.
INFEASIBLE_ROUND, EXPLORED_ROUND = -1, -2


class Demand(NamedTuple):
    """What is asked of a selector in one round, besides theta and the values.

    `rate`: the event rate of the LP; `greedy`: whether the arm of the largest theta is played where
    no mixture has that rate, and not every arm as likely; `tilt`: how much of an event's worth is
    its happening, and not what it pays (lp, argmax: none); `failure_weight`, `time_cost`: w1 and
    w2 (1 - eta) of the primal-dual weights.
    """

    selector: int
    rate: float
    greedy: bool
    tilt: float
    failure_weight: float
    time_cost: float


def selector_code(name: str) -> int:
    if name not in CODES:
        raise UserError(f"selector: {name!r} is not one of {', '.join(CODES)}")
    return CODES[name]


@kernel
def tilted_value(value, tilt):
    """What an event is worth if `tilt` is put on its happening and the rest on what it pays."""
    return (1.0 - tilt) * value + tilt


@kernel
def score(demand, theta, value):
    """By what arms are compared where a single one is played."""
    if demand.selector == PRIMAL_DUAL:
        return reward_per_cost(theta, value, demand.failure_weight, demand.time_cost)
    return theta * tilted_value(value, demand.tilt)


@kernel
def highest(demand, theta, value):
    """The arm of the largest score; of equals that of the largest theta."""
    best, best_score = 0, score(demand, theta[0], value[0])
    for i in range(1, theta.size):
        found = score(demand, theta[i], value[i])
        if better(found, theta[i], i, best_score, theta[best], best):
            best, best_score = i, found
    return best


@kernel
def select(demand, theta, value, gain):
    """(low, high, share of low), with low == INFEASIBLE_ROUND where every arm is as likely."""
    if demand.selector == LP or demand.selector == EPS_GREEDY:
        low, high, share = solve_lp(theta, gain, demand.rate)
        if low < 0 and demand.greedy:
            low = high = largest(theta, gain)
            share = 1.0
        return low, high, share
    if demand.selector not in (ARGMAX, QUEUE, PRIMAL_DUAL):
        raise ValueError("no selector has this code")
    best = highest(demand, theta, value)
    return best, best, 1.0


@entry
def draw(low, high, share, arms, uniform):
    """The arm that one uniform picks from the mixture."""
    if low < 0:
        return min(int(uniform * arms), arms - 1)
    return low if uniform < share else high
