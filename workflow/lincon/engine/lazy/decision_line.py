"""The decision line: can this arm still change the decision, whatever target and estimator?

Idea. With one constraint a decision is a line in the plane of points (h, g): with tilt = lambda /
(1 + lambda),

    (1 - tilt) g + tilt h >= height,   g = value theta - cost,   h = a theta + b

says that an arm reaches it. A mixture has the line through its two points. An infeasible round has
the vertical h = target, or that of the largest h where this one is played (tilt 1). A single arm
that meets the target has the line through its own point, with tilt 0.

No coefficient of theta is negative (`Goal.lazy`), so an arm reaches the line from some theta on.

A policy's `Control` (lincon.policies.control) says what a round asks for.

Invariant. An arm below the line cannot change the decision, whatever its theta is below the line.
Held by tests/unit/engine/lazy/test_decision_line.py: points put below the line leave the decision
as it is.
"""

from typing import NamedTuple, Self

import numpy as np

from lincon.jit import lean
from lincon.problem.lp import largest, solve_lp

# Rounding in a line is about 1e-16 of it; arms this close to it are looked at.
SLACK = 1.0 - 1e-12
LOWEST = -1e300
# The decision among no arms: low, high, share, and the tilt and height of a line below all.
NO_ARMS = (-1, -1, 0.0, 0.0, LOWEST)


class Working(NamedTuple):
    """The working set: the arms whose theta is known in this round, first in each array."""

    arm: np.ndarray
    theta: np.ndarray
    gain: np.ndarray
    amount: np.ndarray

    @classmethod
    def new(cls, arms: int) -> Self:
        return cls(np.empty(arms, np.int32), *np.empty((3, arms)))


@lean
def include(working, size, arm, theta, program):
    """Add an arm to the working set; the new size."""
    working.arm[size] = arm
    working.theta[size] = theta
    working.gain[size] = theta * program.value[arm] - program.cost[arm]
    working.amount[size] = program.a[0, arm] * theta + program.b[0, arm]
    return size + 1


@lean
def tilted(program, arm, tilt):
    """(per event, per play): what a play is worth if `tilt` is put on its amount."""
    per_event = (1.0 - tilt) * program.value[arm] + tilt * program.a[0, arm]
    return per_event, tilt * program.b[0, arm] - (1.0 - tilt) * program.cost[arm]


@lean
def choose(control, working, size):
    """(low, high, share of low), as places in the working set; low == -1 is infeasible."""
    amount, gain = working.amount[:size], working.gain[:size]
    low, high, share = solve_lp(amount, gain, control.target[0])
    if low < 0 and control.greedy:
        low = high = largest(amount, gain)
        share = 1.0
    return low, high, share


@lean
def line_of_one(control, working, k):
    """(tilt, height) of the line of a decision for a single arm."""
    if working.amount[k] < control.target[0]:
        return 1.0, working.amount[k]
    return 0.0, working.gain[k]


@lean
def decision_line(control, working, low, high):
    """(tilt, height) of the line that an arm must reach to change the decision (low, high)."""
    if low < 0:
        return 1.0, control.target[0]
    if low == high:
        return line_of_one(control, working, low)
    gain, amount = working.gain, working.amount
    fall = max(gain[low] - gain[high], 0.0)
    tilt = fall / (fall + (amount[high] - amount[low]))
    return tilt, (1.0 - tilt) * gain[low] + tilt * amount[low]


@lean
def decide(control, working, size):
    """(low, high, share, tilt, height) among the first `size` arms of the working set."""
    if size == 0:
        return NO_ARMS
    low, high, share = choose(control, working, size)
    tilt, height = decision_line(control, working, low, high)
    return low, high, share, tilt, height


@lean
def line_start(program, arm, tilt, height):
    """The theta from which on an arm reaches the line; inf if it never does."""
    per_event, per_play = tilted(program, arm, tilt)
    missing = height - per_play
    if missing <= 0.0:
        return 0.0
    return missing / per_event if per_event > 0.0 else np.inf


@lean
def put_places(mixture, working, low, high, share):
    """The decision as a mixture; its size."""
    if low < 0:
        return 0
    mixture.arm[0], mixture.share[0] = working.arm[low], share
    mixture.gain[0], mixture.amount[0, 0] = working.gain[low], working.amount[low]
    mixture.arm[1], mixture.share[1] = working.arm[high], 1.0 - share
    mixture.gain[1], mixture.amount[0, 1] = working.gain[high], working.amount[high]
    return 1 if low == high else 2


@lean
def put_alone(mixture, arm):
    """A forced round; its size."""
    mixture.arm[0], mixture.share[0] = arm, 1.0
    return 1
