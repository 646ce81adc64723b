"""Is the decision among a few arms the one that the dense engine takes among all, bit for bit?

Idea. All other arms lie below `near`, a little below the decision line. One arm, or none, is found
by comparing floats, where equal points go to the lowest arm. A pair is told from other pairs by the
values of the mixtures. Any other pair gives a third arm a share of at least its own distance from
the rate, and loses that share of the arm's distance from the line. `near` is so far below the line
that this loss is beyond rounding if no third arm is above it: then the LP's exchanges end at the
pair from wherever they start.

Invariant. A decision that is called unambiguous is the dense engine's. Held by
tests/unit/engine/lazy/index/test_rounding.py and tests/unit/engine/lazy/test_index.py.
"""

from __future__ import annotations

from lincon.jit import lean, part
from lincon.policies.selectors import score, tilted_value

# How far below the line is near it, as a part of its height: at least, and at most.
NEAR, WIDEST = 1e-10, 1e-4
# The part of a pair's value by which every other pair must be worse; rounding is at about 1e-15.
LOSS = 1e-13


@lean
def margin(demand, theta, low, high):
    """How far below the line is near it, as a part of its height; 1 if no part is enough."""
    if low == high:
        return NEAR
    distance = min(demand.rate - theta[low], theta[high] - demand.rate)
    return max(NEAR, LOSS / distance) if distance * WIDEST > LOSS else 1.0


@lean
def same_point(demand, working, first, second):
    """Whether two arms are equal for a selector: in theta, and in what it compares."""
    theta, value = working.theta, working.value
    if theta[first] != theta[second]:
        return False
    scores = score(demand, theta[first], value[first]), score(demand, theta[second], value[second])
    return scores[0] == scores[1]


@lean
def lowest_equal(demand, working, size, chosen):
    """The place in the working set of the lowest arm at the same point as the chosen one."""
    best = chosen
    for k in range(size):
        if same_point(demand, working, k, chosen) and working.arm[k] < working.arm[best]:
            best = k
    return best


@part
def is_unambiguous(demand, working, size, low, high, tilt, near):
    """Whether no third point comes near a pair's line, and no point of it too near the rate."""
    theta, value = working.theta, working.value
    if low == high:
        return True
    if margin(demand, theta, low, high) > WIDEST:
        return False
    for k in range(size):
        touches = theta[k] * tilted_value(value[k], tilt) >= near
        third = not same_point(demand, working, k, low) and not same_point(demand, working, k, high)
        if touches and third:
            return False
    return True
