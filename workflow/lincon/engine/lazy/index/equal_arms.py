"""Equal arms: those whose indices never differ.

They have the same value, cost and amounts, and were played with equal success.

Idea. Equal arms have the same index, to the last bit, until one of them is played, and of equal
arms the lowest is chosen. So it alone, their representative, takes part in the rounds. The arms of
a class are a skew heap with the representative at its root: two heaps meld, and the lowest arm is
always found. The representative of an arm's class is looked up in a hash table with one slot for
many classes, where the last one to be met stays. That a class is not found there costs time, no
more: it then has two representatives until these meet in a decision.

Invariant. The arms of a heap are equal, and a parent is lower than its children. Held by
tests/unit/engine/lazy/index/test_equal_arms.py, against a dictionary of sets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincon.jit import lean, part
from lincon.problem.goal import Program


class EqualArms(NamedTuple):
    """The heaps: `parent` is -1 for a representative.

    `value_class`: equal for equal value, cost and amounts; `slots`: the hash table.
    """

    left: np.ndarray
    right: np.ndarray
    parent: np.ndarray
    value_class: np.ndarray
    slots: np.ndarray

    @classmethod
    def new(cls, program: Program) -> EqualArms:
        arms = program.value.size
        left, right, parent = np.full((3, arms), -1)
        rows = np.stack((program.value, program.cost, program.a[0], program.b[0]))
        value_class = np.unique(rows, axis=1, return_inverse=True)[1].reshape(arms)
        slots = np.full(1 << max(arms - 1, 1).bit_length(), -1)
        return cls(left, right, parent, value_class, slots)


@lean
def are_equal(classes, first, second, plays, events):
    """An arm without a failure has index 1, however often it was played."""
    if classes.value_class[first] != classes.value_class[second]:
        return False
    failures = plays[first] - events[first]
    if failures != plays[second] - events[second]:
        return False
    return failures == 0 or plays[first] == plays[second]


@lean
def slot(classes, arm, plays, events):
    """Where the representative of the arm's class may be found."""
    failures = plays[arm] - events[arm]
    mixed = classes.value_class[arm] * 0x9E3779B1 + failures * 0x85EBCA77
    if failures > 0:
        mixed += plays[arm] * 0xC2B2AE3D
    return ((mixed ^ (mixed >> 15)) * 0x27D4EB2F >> 16) & (classes.slots.size - 1)


@part
def find_equal(classes, arm, plays, events):
    """The representative of the arm's class; -1 if none is known, and then the arm is."""
    position = slot(classes, arm, plays, events)
    other = classes.slots[position]
    if other < 0 or other == arm or not are_equal(classes, arm, other, plays, events):
        classes.slots[position] = arm
        return -1
    while classes.parent[other] >= 0:
        other = classes.parent[other]
    return other


@part
def attach(classes, parent, arm):
    """Put a heap, or none, in the left position below the parent."""
    if parent >= 0:
        classes.left[parent] = arm
    if arm >= 0:
        classes.parent[arm] = parent


@lean
def meld(classes, first, second):
    """Make one heap of two, each of which may be empty (-1); its root."""
    root = min(first, second) if min(first, second) >= 0 else max(first, second)
    parent = np.int64(-1)
    while first >= 0 and second >= 0:
        if second < first:
            first, second = second, first
        attach(classes, parent, first)
        parent, rest = first, classes.right[first]
        classes.right[first] = classes.left[first]
        first = rest
    attach(classes, parent, max(first, second))
    return root


@part
def remove(classes, arm, plays, events):
    """Take an arm that was played from its class; the new representative if it was that, or -1."""
    parent = classes.parent[arm]
    rest = meld(classes, classes.left[arm], classes.right[arm])
    classes.left[arm] = classes.right[arm] = classes.parent[arm] = -1
    if parent < 0:
        if rest >= 0:
            classes.slots[slot(classes, rest, plays, events)] = rest
        return rest
    if rest >= 0:
        classes.parent[rest] = parent
    if classes.left[parent] == arm:
        classes.left[parent] = rest
    else:
        classes.right[parent] = rest
    return -1
