"""A segment tree of maxima: which arm's cap goes beyond a line of any tilt?

Idea. How far an arm goes, (1 - tilt) g + tilt h at its cap, is linear in the tilt. The tree keeps
the largest of every node at a few tilts from 0 to 1; between two of them the interpolated maxima
bound all arms below, since a maximum of lines is convex. The bound is nearly sharp, because most of
the tilts are close to those that are asked for, and because the arms are in order of their values:
low nodes hold points that lie almost on one ray. A leaf has a few entries, which are gone through.
A cap holds until a round, its expiry; each node knows the earliest. A change is passed to the
ancestors only as far as it changes them. Arms of equal value may swap their entries, which no node
notices.

Invariant. No arm goes beyond a line for which `find_above` returns -1, and no cap has expired in a
round for which `first_expired` does. Held by tests/unit/engine/lazy/index/test_segment_tree.py,
against loops over the arms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.jit import lean, part
from lincon.problem.goal import Program

# The tilts kept, in spreads around the mean of recent ones; and 0, and 1.
OFFSETS = np.array([-8.0, -2.0, -0.5, 0.5, 2.0, 8.0])
TILTS = OFFSETS.size + 2
# Of a leaf.
ENTRIES = 8
# How far an empty entry goes, below all that is asked for; and its expiry.
NOTHING = -1e300
NEVER = math.inf


class SegmentTree(NamedTuple):
    """`nodes`: a flat tree of maxima, by tilt, and in the last column of the expiry, negated.

    An entry goes as far as intercept + tilt * slope. `arm` of an entry, `entry` of an arm;
    `recent_tilts`: their mean and spread; `work`: the nodes visited since the tilts were chosen.
    """

    nodes: np.ndarray
    intercept: np.ndarray
    slope: np.ndarray
    expiry: np.ndarray
    arm: np.ndarray
    entry: np.ndarray
    tilts: np.ndarray
    recent_tilts: np.ndarray
    work: np.ndarray
    stack: np.ndarray

    @classmethod
    def new(cls, program: Program) -> SegmentTree:
        """All entries empty."""
        arm = np.lexsort((program.b[0], program.cost, program.a[0], program.value))
        entry = np.empty_like(arm)
        entry[arm] = np.arange(arm.size)
        width = 1 << max((arm.size - 1) // ENTRIES, 1).bit_length()
        nodes = np.full((2 * width, TILTS + 1), NOTHING)
        nodes[:, TILTS] = -NEVER
        return cls(
            nodes=nodes,
            intercept=np.full(width * ENTRIES, NOTHING),
            slope=np.zeros(width * ENTRIES),
            expiry=np.full(width * ENTRIES, NEVER),
            arm=arm,
            entry=entry,
            tilts=np.linspace(0.0, 1.0, TILTS),
            recent_tilts=np.array([0.5, 0.25]),
            work=np.zeros(1, np.int64),
            stack=np.zeros(128, np.int64),
        )


@lean
def update_leaf(tree, node):
    """Set a leaf by its entries; whether that changed it."""
    nodes = tree.nodes
    first = (node - nodes.shape[0] // 2) * ENTRIES
    changed = False
    for k in range(TILTS):
        tilt, most = tree.tilts[k], NOTHING
        for entry in range(first, first + ENTRIES):
            most = max(most, tree.intercept[entry] + tilt * tree.slope[entry])
        changed |= most != nodes[node, k]
        nodes[node, k] = most
    soonest = -NEVER
    for entry in range(first, first + ENTRIES):
        soonest = max(soonest, -tree.expiry[entry])
    changed |= soonest != nodes[node, TILTS]
    nodes[node, TILTS] = soonest
    return changed


@lean
def update_node(nodes, node):
    """Set a node by its two children; whether that changed it."""
    changed = False
    for k in range(TILTS + 1):
        most = max(nodes[2 * node, k], nodes[2 * node + 1, k])
        changed |= most != nodes[node, k]
        nodes[node, k] = most
    return changed


@lean
def update_ancestors(tree, entry):
    """Bring the nodes above an entry up to date."""
    node = tree.nodes.shape[0] // 2 + entry // ENTRIES
    changed = update_leaf(tree, node)
    while changed and node > 1:
        node >>= 1
        changed = update_node(tree.nodes, node)


@lean
def set_cap(tree, arm, cap, expiry, program):
    entry = tree.entry[arm]
    gain = cap * program.value[arm] - program.cost[arm]
    tree.intercept[entry] = gain
    tree.slope[entry] = (cap * program.a[0, arm] + program.b[0, arm]) - gain
    tree.expiry[entry] = expiry
    update_ancestors(tree, entry)


@lean
def remove_cap(tree, arm):
    entry = tree.entry[arm]
    tree.intercept[entry], tree.slope[entry], tree.expiry[entry] = NOTHING, 0.0, NEVER
    update_ancestors(tree, entry)


@lean
def swap_entries(tree, first, second):
    """Two arms of the same value, cost and amounts take over each other's cap and expiry."""
    one, other = tree.entry[first], tree.entry[second]
    tree.entry[first], tree.entry[second] = other, one
    tree.arm[one], tree.arm[other] = second, first


@lean
def choose_tilts(tree):
    """Take the inner tilts around those asked for of late."""
    for k in range(OFFSETS.size):
        tilt = tree.recent_tilts[0] + OFFSETS[k] * tree.recent_tilts[1]
        tree.tilts[k + 1] = min(max(tilt, 0.0), 1.0)
    width = tree.nodes.shape[0] // 2
    for node in range(width, 2 * width):
        update_leaf(tree, node)
    for node in range(width - 1, 0, -1):
        update_node(tree.nodes, node)
    tree.work[0] = 0


@part
def interpolation(tilts, tilt):
    """(k, share of tilt k + 1) of the two tilts around this one."""
    k = 0
    while k < TILTS - 2 and tilt > tilts[k + 1]:
        k += 1
    gap = tilts[k + 1] - tilts[k]
    return k, (tilt - tilts[k]) / gap if gap > 0.0 else 0.0


@lean
def track_tilt(tree, tilt):
    away = tilt - tree.recent_tilts[0]
    tree.recent_tilts[0] += away / 64.0
    tree.recent_tilts[1] += (abs(away) - tree.recent_tilts[1]) / 64.0


@part
def bound(nodes, node, k, share):
    return (1.0 - share) * nodes[node, k] + share * nodes[node, k + 1]


@part
def best_entry(tree, first, tilt, least):
    """The arm that goes farthest among the entries of a leaf, if that is enough, or -1."""
    best = -1
    for entry in range(first, first + ENTRIES):
        far = tree.intercept[entry] + tilt * tree.slope[entry]
        if far >= least:
            best, least = tree.arm[entry], far
    return best


@lean
def find_above(tree, tilt, least):
    """An arm that goes as far as `least` for this tilt, or -1.

    Of several, one of the farthest: the child with the larger bound is tried first.
    """
    nodes, stack = tree.nodes, tree.stack
    k, share = interpolation(tree.tilts, tilt)
    width, top = nodes.shape[0] // 2, 1
    stack[0] = 1
    if bound(nodes, stack[0], k, share) < least:
        return -1
    while top > 0:
        top -= 1
        node = stack[top]
        tree.work[0] += 1
        if node >= width:
            arm = best_entry(tree, (node - width) * ENTRIES, tilt, least)
            if arm >= 0:
                return arm
            continue
        lower, upper = 2 * node, 2 * node + 1
        low, high = bound(nodes, lower, k, share), bound(nodes, upper, k, share)
        if low > high:
            lower, upper, low, high = upper, lower, high, low
        if low >= least:
            stack[top] = lower
            top += 1
        if high >= least:
            stack[top] = upper
            top += 1
    return -1


@lean
def first_expired(tree, t):
    """An arm whose cap does not hold in round t, or -1."""
    nodes = tree.nodes
    if -nodes[1, TILTS] >= t:
        return -1
    node, width = 1, nodes.shape[0] // 2
    while node < width:
        node *= 2
        if nodes[node + 1, TILTS] > nodes[node, TILTS]:
            node += 1
    entry = (node - width) * ENTRIES
    while tree.expiry[entry] >= t:
        entry += 1
    return tree.arm[entry]
