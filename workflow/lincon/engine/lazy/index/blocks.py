"""Caps in blocks: a look at the largest of each block first.

Idea. Arms stand in the order of what an event of theirs pays, WIDTH to a block. A block has a bound
of the gains and one of the amounts at its arms' caps, and one of their expiries. No cap in a block
reaches a line that the block's bounds do not reach; arms next to each other have similar gains and
amounts, so that most blocks whose bounds reach it hold an arm that does. A bound follows a cap that
is set beyond it at once, and is made tight now and then where it led to a look in vain.

Invariant. No cap is beyond the bounds of its block. Held by tests/unit/engine/lazy/test_index.py.
"""

import math
from typing import NamedTuple, Self

import numpy as np

from lincon.jit import lean
from lincon.problem.program import Program

WIDTH = 64
# Below every line, that of a decision among no arms included.
NOWHERE = -1e305
# The last round of a cap that holds for good.
NEVER = math.inf


class Caps(NamedTuple):
    """Gain and amount at the cap, NOWHERE for none, and the last round of each cap, float[...]."""

    gain: np.ndarray
    amount: np.ndarray
    expiry: np.ndarray

    @classmethod
    def new(cls, size: int) -> Self:
        return cls(np.full(size, NOWHERE), np.full(size, NOWHERE), np.full(size, NEVER))


class Blocks(NamedTuple):
    """The arm at each place and the place of each arm, int[N]; the caps by place, and the bounds of
    each block."""

    arm: np.ndarray
    place: np.ndarray
    caps: Caps
    bounds: Caps

    @classmethod
    def new(cls, program: Program) -> Self:
        """No arm has a cap."""
        order = np.argsort(program.cost - program.value, kind="stable")
        blocks = -(-order.size // WIDTH)
        return cls(order, np.argsort(order), Caps.new(blocks * WIDTH), Caps.new(blocks))


@lean
def put_cap(blocks, program, arm, cap, expiry):
    """Give an arm a cap of theta that holds up to a round."""
    caps, bounds, place = blocks.caps, blocks.bounds, blocks.place[arm]
    block = place // WIDTH
    gain = cap * program.value[arm] - program.cost[arm]
    amount = cap * program.a[0, arm] + program.b[0, arm]
    caps.gain[place], caps.amount[place], caps.expiry[place] = gain, amount, expiry
    bounds.gain[block] = max(bounds.gain[block], gain)
    bounds.amount[block] = max(bounds.amount[block], amount)
    bounds.expiry[block] = min(bounds.expiry[block], expiry)


@lean
def remove_cap(blocks, arm):
    caps, place = blocks.caps, blocks.place[arm]
    caps.gain[place], caps.amount[place], caps.expiry[place] = NOWHERE, NOWHERE, NEVER


@lean
def caps_of(blocks, block):
    """The caps in a block."""
    first, last, caps = block * WIDTH, (block + 1) * WIDTH, blocks.caps
    return Caps(caps.gain[first:last], caps.amount[first:last], caps.expiry[first:last])


@lean
def tighten(blocks, block):
    """Set the bounds of a block by its caps."""
    caps, gain, amount, expiry = caps_of(blocks, block), NOWHERE, NOWHERE, NEVER
    for k in range(WIDTH):
        gain, amount = max(gain, caps.gain[k]), max(amount, caps.amount[k])
        expiry = min(expiry, caps.expiry[k])
    bounds = blocks.bounds
    bounds.gain[block], bounds.amount[block], bounds.expiry[block] = gain, amount, expiry


@lean
def is_open(caps, k, t, tilt, near):
    """Whether a cap, or a block's bound, says too little."""
    reach = (1.0 - tilt) * caps.gain[k] + tilt * caps.amount[k]
    return (reach >= near) | (caps.expiry[k] < t)


@lean
def any_open(caps, t, tilt, near):
    # Mostly none: without a branch the processor compares several at a time.
    left = 0
    for k in range(caps.gain.size):
        left += is_open(caps, k, t, tilt, near)
    return left > 0
