"""What a policy does with its belief: theta becomes a mixture of at most two arms."""

from __future__ import annotations

from lincon.jit import kernel
from lincon.lp import extremes, solve_lp
from lincon.policies import SELECTORS

CODES = {name: code for code, name in enumerate(SELECTORS)}
LP, ARGMAX = CODES["lp"], CODES["argmax"]


@kernel
def select(selector, theta, value, eta):
    """(low, high, share of low), with low == -1 where no mixture meets eta: play uniformly."""
    if selector == ARGMAX:
        best, _ = extremes(theta, value)
        return best, best, 1.0
    return solve_lp(theta, value, eta)


@kernel
def draw(low, high, share, arms, uniform):
    """The arm that one uniform picks from the mixture."""
    if low < 0:
        return min(int(uniform * arms), arms - 1)
    return low if uniform < share else high
