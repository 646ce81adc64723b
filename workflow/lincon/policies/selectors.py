"""What a policy does with its belief: theta becomes a mixture of at most two arms."""

from __future__ import annotations

from lincon.errors import UserError
from lincon.jit import kernel
from lincon.policies.registry import SELECTORS
from lincon.problem.lp import better, solve_lp

CODES = {name: code for code, name in enumerate(SELECTORS)}
LP, ARGMAX, QUEUE = CODES["lp"], CODES["argmax"], CODES["queue"]


def selector_code(name: str) -> int:
    if name not in CODES:
        raise UserError(f"selector: {name!r} is not one of {', '.join(CODES)}")
    return CODES[name]


@kernel
def worth(value, tilt):
    """What an event is worth if `tilt` is put on its happening and the rest on what it pays."""
    return (1.0 - tilt) * value + tilt


@kernel
def highest(theta, value, aim):
    """The arm of the largest theta times worth; of equals that of the largest theta."""
    best, best_height = 0, theta[0] * worth(value[0], aim)
    for i in range(1, theta.size):
        height = theta[i] * worth(value[i], aim)
        if better(height, theta[i], i, best_height, theta[best], best):
            best, best_height = i, height
    return best


@kernel
def select(selector, theta, value, eta, aim):
    """(low, high, share of low), with low == -1 where no mixture meets eta: play uniformly.

    `aim` is the tilt that the queue asks for (lincon.policies.virtual_queue), 0 without one.
    """
    if selector == LP:
        return solve_lp(theta, value, eta)
    if selector != ARGMAX and selector != QUEUE:
        raise ValueError("no selector has this code")
    best = highest(theta, value, aim)
    return best, best, 1.0


@kernel
def draw(low, high, share, arms, uniform):
    """The arm that one uniform picks from the mixture."""
    if low < 0:
        return min(int(uniform * arms), arms - 1)
    return low if uniform < share else high
