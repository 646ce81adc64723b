"""Arms that no index can tell apart: of equal value, and played with equal success.

Such twins have the same index, to the last bit, until one of them is played, and of equal arms the
lowest is chosen. So it alone, the front, takes part in the rounds; the others wait behind it. Those
that wait are a skew heap with the front at its root: two heaps meld, and the lowest is at hand.

The front of an arm's equals is looked up in a table with one slot for many classes, where the last
one to be met stays. That a class is not found there costs time, no more: it then has two fronts
until these meet in a decision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincon.jit import lean, part


class Twins(NamedTuple):
    """`behind`: an arm's parent in its heap, -1 for a front; `kind`: equal for equal values."""

    left: np.ndarray
    right: np.ndarray
    behind: np.ndarray
    kind: np.ndarray
    slots: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Twins:
        left, right, behind = np.full((3, value.size), -1)
        kind = np.unique(value, return_inverse=True)[1]
        slots = np.full(1 << max(value.size - 1, 1).bit_length(), -1)
        return cls(left, right, behind, kind, slots)


@lean
def are_twins(twins, first, second, plays, events):
    """An arm without a failure has index 1, however often it was played."""
    if twins.kind[first] != twins.kind[second]:
        return False
    failures = plays[first] - events[first]
    if failures != plays[second] - events[second]:
        return False
    return failures == 0 or plays[first] == plays[second]


@lean
def slot(twins, arm, plays, events):
    """Where the front of the arm's twins may be found."""
    failures = plays[arm] - events[arm]
    mixed = twins.kind[arm] * 0x9E3779B1 + failures * 0x85EBCA77
    if failures > 0:
        mixed += plays[arm] * 0xC2B2AE3D
    return ((mixed ^ (mixed >> 15)) * 0x27D4EB2F >> 16) & (twins.slots.size - 1)


@part
def find_twin(twins, arm, plays, events):
    """The front of the arm's twins; -1 if none is known, and then the arm is found from now on."""
    place = slot(twins, arm, plays, events)
    other = twins.slots[place]
    if other < 0 or other == arm or not are_twins(twins, arm, other, plays, events):
        twins.slots[place] = arm
        return -1
    while twins.behind[other] >= 0:
        other = twins.behind[other]
    return other


@part
def hang(twins, parent, arm):
    """Put a heap, or none, in the left place below the parent."""
    if parent >= 0:
        twins.left[parent] = arm
    if arm >= 0:
        twins.behind[arm] = parent


@lean
def meld(twins, first, second):
    """Make one heap of two, each of which may be empty (-1); its front."""
    root = min(first, second) if min(first, second) >= 0 else max(first, second)
    parent = np.int64(-1)
    while first >= 0 and second >= 0:
        if second < first:
            first, second = second, first
        hang(twins, parent, first)
        parent, rest = first, twins.right[first]
        twins.right[first] = twins.left[first]
        first = rest
    hang(twins, parent, max(first, second))
    return root


@part
def leave(twins, arm, plays, events):
    """Take an arm that was played from its old twins; their new front if it was that, or -1."""
    parent = twins.behind[arm]
    rest = meld(twins, twins.left[arm], twins.right[arm])
    twins.left[arm] = twins.right[arm] = twins.behind[arm] = -1
    if parent < 0:
        if rest >= 0:
            twins.slots[slot(twins, rest, plays, events)] = rest
        return rest
    if rest >= 0:
        twins.behind[rest] = parent
    if twins.left[parent] == arm:
        twins.left[parent] = rest
    else:
        twins.right[parent] = rest
    return -1
