"""Trees over the arms, as flat arrays of length 2 * width: node k has children 2k and 2k + 1.

The sum tree picks an arm in proportion to its rate; the min tree knows which arm is due first.
Both are recomputed along one path at a change, so no rounding error builds up.
"""

from __future__ import annotations

import math

import numpy as np

from lincon.lean import lean

NEVER = math.inf


def new_tree(arms: int, rest: float) -> np.ndarray:
    """A tree without arms yet: every node has the value that leaves the others as they are."""
    return np.full(2 << max(arms - 1, 1).bit_length(), rest)


@lean
def set_rate(tree, arm, rate):
    node = tree.size // 2 + arm
    tree[node] = rate
    while node > 1:
        node >>= 1
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@lean
def rebuild_rates(tree):
    for node in range(tree.size // 2 - 1, 0, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@lean
def pick(tree, target):
    """The arm at `target` in [0, tree[1]) along the summed rates; never one of rate 0."""
    node, width = 1, tree.size // 2
    while node < width:
        node *= 2
        if target >= tree[node] and tree[node + 1] > 0.0:
            target -= tree[node]
            node += 1
    return node - width


@lean
def set_due(tree, arm, due):
    node = tree.size // 2 + arm
    tree[node] = due
    while node > 1:
        node >>= 1
        tree[node] = min(tree[2 * node], tree[2 * node + 1])


@lean
def first_due(tree):
    """The lowest arm among those that are due first."""
    node, width = 1, tree.size // 2
    while node < width:
        node *= 2
        if tree[node + 1] < tree[node]:
            node += 1
    return node - width
