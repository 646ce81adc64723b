"""Whose cap goes farthest beyond a line? A tree of maxima answers for any tilt.

An arm's reach, cap * ((1 - tilt) value + tilt), is linear in the tilt. The tree keeps every node's
largest reach at a few tilts from 0 to 1; between two of them the interpolated maxima bound the
reach of all arms below. The bound is nearly sharp, since most of the tilts are close to those
that are asked for, and since the arms are in order of their values: low nodes hold points that lie
almost on one ray.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincon.lean import lean

# The tilts kept, in spreads around the usual tilt; and 0, and 1.
OFFSETS = np.array([-8.0, -2.0, -0.5, 0.5, 2.0, 8.0])
TILTS = OFFSETS.size + 2
# The cap and the reach of an arm that is not to be found.
NOTHING = -1.0


class Reach(NamedTuple):
    """A flat tree; `arm` of a leaf, `leaf` of an arm; `usual`: mean and spread of the tilts."""

    nodes: np.ndarray
    arm: np.ndarray
    leaf: np.ndarray
    tilts: np.ndarray
    usual: np.ndarray
    work: np.ndarray
    stack: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray, cap: float) -> Reach:
        """All caps the same."""
        arm = np.argsort(value, kind="stable").astype(np.int32)
        leaf = np.empty_like(arm)
        leaf[arm] = np.arange(arm.size)
        width = 1 << max(arm.size - 1, 1).bit_length()
        nodes = np.full((2 * width, TILTS), NOTHING)
        nodes[width : width + arm.size, TILTS - 1] = cap
        tilts, usual = np.linspace(0.0, 1.0, TILTS), np.array([0.5, 0.25])
        work, stack = np.zeros(1, np.int64), np.zeros(128, np.int64)
        reach = cls(nodes, arm, leaf, tilts, usual, work, stack)
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
        reach.nodes[node, k] = cap * ((1.0 - tilt) * value + tilt) if cap >= 0.0 else NOTHING


@lean
def set_cap(reach, arm, cap, value):
    node = reach.nodes.shape[0] // 2 + reach.leaf[arm]
    set_leaf(reach, node, cap, value)
    while node > 1:
        node >>= 1
        join(reach.nodes, node)


@lean
def retilt(reach, value):
    """Take the inner tilts around those asked for of late."""
    for k in range(OFFSETS.size):
        tilt = reach.usual[0] + OFFSETS[k] * reach.usual[1]
        reach.tilts[k + 1] = min(max(tilt, 0.0), 1.0)
    width = reach.nodes.shape[0] // 2
    for arm in range(value.size):
        node = width + reach.leaf[arm]
        set_leaf(reach, node, reach.nodes[node, TILTS - 1], value[arm])
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
def follow(reach, tilt):
    away = tilt - reach.usual[0]
    reach.usual[0] += away / 64.0
    reach.usual[1] += (abs(away) - reach.usual[1]) / 64.0


@lean
def farthest(reach, tilt, least):
    """The arm that reaches farthest for this tilt if that is `least` > -1 or more, otherwise -1."""
    nodes, stack = reach.nodes, reach.stack
    follow(reach, tilt)
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
            best, least = int(reach.arm[node - width]), bound
            continue
        left, right = 2 * node, 2 * node + 1
        if nodes[left, k] > nodes[right, k]:
            left, right = right, left
        stack[top], stack[top + 1] = left, right
        top += 2
        reach.work[0] += 1
    return best
