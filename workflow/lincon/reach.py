"""Whose cap goes farthest beyond a line? A tree of maxima answers for any tilt.

An arm's reach, cap * ((1 - tilt) value + tilt), is linear in the tilt. The tree keeps every node's
largest reach at four tilts, 0 <= a <= b <= 1; between two of them the interpolated maxima bound
the reach of all arms below. With a and b around the usual tilts the bound is nearly sharp there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincon.lean import lean

TILTS = 4


class Reach(NamedTuple):
    """`nodes`: a flat tree, arm i at width + i; `usual`: mean and spread of the tilts asked for."""

    nodes: np.ndarray
    tilts: np.ndarray
    usual: np.ndarray
    work: np.ndarray
    stack: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Reach:
        """All caps 1."""
        width = 1 << max(value.size - 1, 1).bit_length()
        nodes = np.zeros((2 * width, TILTS))
        nodes[width : width + value.size, TILTS - 1] = 1.0
        reach = cls(
            nodes,
            np.array([0.0, 0.0, 1.0, 1.0]),
            np.array([0.5, 0.5]),
            np.zeros(1, np.int64),
            np.zeros(128, np.int64),
        )
        retilt(reach, value)
        return reach


@lean
def join(nodes, node):
    for k in range(TILTS):
        nodes[node, k] = max(nodes[2 * node, k], nodes[2 * node + 1, k])


@lean
def set_leaf(reach, node, cap, value):
    for k in range(TILTS):
        tilt = reach.tilts[k]
        reach.nodes[node, k] = cap * ((1.0 - tilt) * value + tilt)


@lean
def set_cap(reach, arm, cap, value):
    node = reach.nodes.shape[0] // 2 + arm
    set_leaf(reach, node, cap, value)
    while node > 1:
        node >>= 1
        join(reach.nodes, node)


@lean
def retilt(reach, value):
    """Take the two inner tilts around those asked for of late."""
    middle, spread = reach.usual[0], reach.usual[1]
    reach.tilts[1] = max(middle - 2.0 * spread, 0.0)
    reach.tilts[2] = min(middle + 2.0 * spread, 1.0)
    width = reach.nodes.shape[0] // 2
    for arm in range(value.size):
        set_leaf(reach, width + arm, reach.nodes[width + arm, TILTS - 1], value[arm])
    for node in range(width - 1, 0, -1):
        join(reach.nodes, node)
    reach.work[0] = 0


@lean
def interpolation(tilts, tilt):
    """(k, share of tilt k + 1) of the two tilts around this one."""
    k = 0
    while k < TILTS - 2 and tilt > tilts[k + 1]:
        k += 1
    gap = tilts[k + 1] - tilts[k]
    return k, (tilt - tilts[k]) / gap if gap > 0.0 else 0.0


@lean
def farthest(reach, tilt, least):
    """The arm that reaches farthest for this tilt if that is `least` or more, otherwise -1."""
    nodes, stack = reach.nodes, reach.stack
    k, share = interpolation(reach.tilts, tilt)
    width, best, top = nodes.shape[0] // 2, -1, 1
    stack[0] = 1
    while top > 0:
        top -= 1
        node = stack[top]
        bound = (1.0 - share) * nodes[node, k] + share * nodes[node, k + 1]
        if bound < least or (best >= 0 and bound == least):
            continue
        if node >= width:
            best, least = node - width, bound
            continue
        left, right = 2 * node, 2 * node + 1
        if nodes[left, k] > nodes[right, k]:
            left, right = right, left
        stack[top], stack[top + 1] = left, right
        top += 2
        reach.work[0] += 1
    return best


@lean
def ask_usual(reach, tilt):
    """Follow the tilts that are asked for."""
    reach.usual[0] += (tilt - reach.usual[0]) / 32.0
    reach.usual[1] += (abs(tilt - reach.usual[0]) - reach.usual[1]) / 32.0
