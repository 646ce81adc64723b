"""The best lower confidence bound of safe_paced, without a look at every arm.

Idea. The lower bound of an arm that is not played only falls with t, so one that was computed in an
earlier round is an upper bound of it now. A tree of maxima has the largest of these; that one is
computed anew, until the largest is one of this round.

Invariant. A leaf is never below its arm's lower bound in any later round, so what is returned is
the maximum over all arms, to the last bit. Held by tests/unit/engine/lazy/test_lower_bounds.py,
against lincon.policies.targets.best_lower_bound after any plays.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.jit import lean
from lincon.policies.targets import lower_bound


class LowerBounds(NamedTuple):
    """`tree[1]` is the largest bound, `tree[width + arm]` that of an arm."""

    tree: np.ndarray

    @classmethod
    def new(cls, arms: int) -> LowerBounds:
        width = 1 << max(arms - 1, 1).bit_length()
        return cls(np.full(2 * width, -math.inf))


@lean
def set_bound(bounds, arm, bound):
    tree = bounds.tree
    node = tree.size // 2 + arm
    tree[node] = bound
    while node > 1:
        node >>= 1
        largest = max(tree[2 * node], tree[2 * node + 1])
        if tree[node] == largest:
            return
        tree[node] = largest


@lean
def largest_leaf(bounds):
    """The arm of the largest bound."""
    tree = bounds.tree
    node, width = 1, tree.size // 2
    while node < width:
        node *= 2
        if tree[node + 1] > tree[node]:
            node += 1
    return node - width


@lean
def best_bound(bounds, plays, events, t, least_plays, width):
    """The largest lower bound of all arms in round t, -inf where none was played often enough."""
    while True:
        known = bounds.tree[1]
        if known == -math.inf:
            return known
        arm = largest_leaf(bounds)
        bound = lower_bound(plays[arm], events[arm], t, least_plays, width)
        if bound == known:
            return known
        set_bound(bounds, arm, bound)
