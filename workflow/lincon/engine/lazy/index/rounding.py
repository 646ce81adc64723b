"""Is the decision among a few arms the one that the dense engine takes among all, bit for bit?

All other arms lie below `near`, a little below the decision's line. One arm, or none, is found by
comparing floats, where equal points go to the lowest arm. A pair is told from other pairs by the
values of the mixtures. Any other pair gives a third arm a share of at least its own distance from
eta, and loses that share of the arm's distance from the line. `near` is so far below the line that
this loss is beyond rounding if no third arm is above it: then the climb ends at the pair from
wherever it starts. Otherwise the decision is not clear-cut.
"""

from __future__ import annotations

from lincon.jit import lean, part
from lincon.policies.selectors import worth

# How far below the line is near it, as a part of its height: at least, and at most.
NEAR, WIDEST = 1e-10, 1e-4
# The part of a pair's value by which every other pair must be worse; rounding is at about 1e-15.
LOSS = 1e-13


@lean
def nearness(theta, low, high, eta):
    """How far below the line is near it, as a part of its height; 1 if no part is enough."""
    if low == high:
        return NEAR
    distance = min(eta - theta[low], theta[high] - eta)
    return max(NEAR, LOSS / distance) if distance * WIDEST > LOSS else 1.0


@lean
def same_point(working, first, second, aim):
    """Whether two arms are equal for selectors: in theta, and in reward or what is aimed at."""
    theta, value = working.theta, working.value
    if theta[first] != theta[second]:
        return False
    return theta[first] * worth(value[first], aim) == theta[second] * worth(value[second], aim)


@lean
def first_twin(working, size, chosen, aim):
    """The place in the working set of the lowest arm at the same point as the chosen one."""
    best = chosen
    for k in range(size):
        if same_point(working, k, chosen, aim) and working.arm[k] < working.arm[best]:
            best = k
    return best


@part
def is_clear_cut(working, size, low, high, tilt, near, eta):
    """Whether no third point comes near the line of a pair, and no point of it too near eta."""
    theta, value = working.theta, working.value
    if low == high:
        return True
    if nearness(theta, low, high, eta) > WIDEST:
        return False
    for k in range(size):
        touches = theta[k] * worth(value[k], tilt) >= near
        if touches and not (same_point(working, k, low, 0.0) or same_point(working, k, high, 0.0)):
            return False
    return True
