"""The optimistic Gittins index of an arm, whose posterior is Beta(a, b).

    q - a / (a + b) = (H - 1) E[(theta - q)+]

Its root q is the known mean worth as much as this arm if one more play revealed the arm's mean and
the better of both were played for H rounds in all. The left side minus the right one is
concave and increasing in q, so Newton's steps climb to the root from below, and one step from above
leads below it.
"""

import math

from lincon.jit import entry
from lincon.policies.beta_tail import tail_fraction, tail_weight

STEPS, CLOSE = 200, 1e-11
# H is rounded down to a power of this, so that an index is a constant for a while.
STEP = 1.02


@entry
def excess(a, b, q):
    """E[(theta - q)+] and P(theta > q) of theta ~ Beta(a, b), 0 < q < 1."""
    change = tail_weight(a, b, q)
    if q < (a + 1.0) / (a + b + 2.0):
        tail = 1.0 - change / a * tail_fraction(b, a, 1.0 - q)
    else:
        tail = change / b * tail_fraction(a, b, q)
    # theta weighted by itself is Beta(a + 1, b), whose tail is larger by change / a.
    return max(a / (a + b) * (tail + change / a) - q * tail, 0.0), tail


@entry
def gittins(a, b, rounds, start):
    """The index for H = `rounds`, by Newton's steps from `start`."""
    mean = a / (a + b)
    if rounds <= 1.0:
        return mean
    q = start
    for _ in range(STEPS):
        q = min(max(q, mean, 1e-12), 1.0 - 1e-12)
        more, tail = excess(a, b, q)
        step = ((rounds - 1.0) * more - (q - mean)) / (1.0 + (rounds - 1.0) * tail)
        q += step
        if abs(step) < CLOSE:
            break
    return min(max(q, mean), 1.0)


@entry
def rounds_ahead(reach, left):
    """H: reach times the rounds that are left, rounded down to a power of STEP, at least 1."""
    ahead = reach * left
    return math.pow(STEP, math.floor(math.log(ahead) / math.log(STEP))) if ahead > 1.0 else 1.0
