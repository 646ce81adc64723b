"""Is the decision among a few arms the one that the dense engine takes among all, bit for bit?

Idea. All other arms lie below `near`, a little below the decision line. One arm, or none, is found
by comparing floats, where equal points go to the lowest arm. Pairs are compared by the values of
the mixtures. Any other pair gives a third arm a share of at least its own distance from
the rate, and loses that share of the arm's distance from the line. `near` is so far below the line
that this loss is beyond rounding if no third arm is above it: then the LP's exchanges end at the
pair from wherever they start.

Invariant. A decision that is called unambiguous is the dense engine's. Held by
tests/unit/engine/lazy/index/test_rounding.py and tests/unit/engine/lazy/test_index.py.
"""

from lincon.engine.lazy.decision_line import tilted
from lincon.jit import lean, part

# How far below the line is near it, as a part of its terms: at least, and at most.
NEAR, WIDEST = 1e-10, 1e-4
# The part of a pair's value by which every other pair must be worse; rounding is at about 1e-15.
LOSS = 1e-13


@lean
def margin(control, working, low, high):
    """How far below the line is near it, as a part of its terms; 1 if no part is enough."""
    if low == high:
        return NEAR
    amount = working.amount
    distance = min(control.target[0] - amount[low], amount[high] - control.target[0])
    distance /= control.highest[0] - control.lowest[0]
    return max(NEAR, LOSS / distance) if distance * WIDEST > LOSS else 1.0


@lean
def line_terms(tilt, height, per_play):
    """The size of the terms that are summed in a line; `per_play` are the largest of all arms."""
    return abs(height) + (1.0 - tilt) * per_play[0] + tilt * per_play[1]


@lean
def same_point(working, first, second):
    """Whether two arms are equal for the LP."""
    gain, amount = working.gain, working.amount
    return gain[first] == gain[second] and amount[first] == amount[second]


@lean
def lowest_equal(working, size, chosen):
    """The place in the working set of the lowest arm at the same point as the chosen one."""
    best = chosen
    for k in range(size):
        equal = same_point(working, k, chosen)
        if equal and working.arm[k] < working.arm[best]:
            best = k
    return best


@part
def is_unambiguous(control, program, working, size, low, high, tilt, near):
    """Whether no third point comes near a pair's line, and no point of it too near the rate."""
    if low == high:
        return True
    if margin(control, working, low, high) > WIDEST:
        return False
    for k in range(size):
        per_event, per_play = tilted(program, working.arm[k], tilt)
        touches = working.theta[k] * per_event + per_play >= near
        same = same_point(working, k, low)
        same |= same_point(working, k, high)
        if touches and not same:
            return False
    return True
