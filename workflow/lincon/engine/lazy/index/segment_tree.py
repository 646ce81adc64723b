"""Whose cap goes beyond a line? A tree of maxima answers for any tilt.

An arm's reach, cap * ((1 - tilt) value + tilt), is linear in the tilt. The tree keeps every node's
largest reach at a few tilts from 0 to 1; between two of them the interpolated maxima bound the
reach of all arms below. The bound is nearly sharp, since most of the tilts are close to those
that are asked for, and since the arms sit in order of their values: low nodes hold points that lie
almost on one ray. The lowest nodes have a few seats each, which are gone through.

A cap holds until a round, its due; each node knows the earliest as well. Changes climb no higher
than they are felt. Arms of equal value may swap their seats, which no node notices.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lincon.jit import lean, part

# The tilts kept, in spreads around the usual tilt; and 0, and 1.
OFFSETS = np.array([-8.0, -2.0, -0.5, 0.5, 2.0, 8.0])
TILTS = OFFSETS.size + 2
# Of a lowest node.
SEATS = 8
# The reach of an empty seat, below all that are asked for; and its due.
NOTHING = -1.0
NEVER = math.inf


class Reach(NamedTuple):
    """`nodes`: a flat tree of maxima, by tilt, and in the last column of the due, negated.

    A seat's reach is base + tilt * rise. `arm` of a seat, `seat` of an arm; `usual`: mean and
    spread of the tilts of late; `work`: the nodes visited since the tilts were chosen.
    """

    nodes: np.ndarray
    base: np.ndarray
    rise: np.ndarray
    due: np.ndarray
    arm: np.ndarray
    seat: np.ndarray
    tilts: np.ndarray
    usual: np.ndarray
    work: np.ndarray
    stack: np.ndarray

    @classmethod
    def new(cls, value: np.ndarray) -> Reach:
        """All seats empty."""
        arm = np.argsort(value, kind="stable")
        seat = np.empty_like(arm)
        seat[arm] = np.arange(arm.size)
        width = 1 << max((arm.size - 1) // SEATS, 1).bit_length()
        nodes = np.full((2 * width, TILTS + 1), NOTHING)
        nodes[:, TILTS] = -NEVER
        return cls(
            nodes=nodes,
            base=np.full(width * SEATS, NOTHING),
            rise=np.zeros(width * SEATS),
            due=np.full(width * SEATS, NEVER),
            arm=arm,
            seat=seat,
            tilts=np.linspace(0.0, 1.0, TILTS),
            usual=np.array([0.5, 0.25]),
            work=np.zeros(1, np.int64),
            stack=np.zeros(128, np.int64),
        )


@lean
def gather(reach, node):
    """Set a lowest node by its seats; whether that altered it."""
    nodes = reach.nodes
    first = (node - nodes.shape[0] // 2) * SEATS
    changed = False
    for k in range(TILTS):
        tilt, most = reach.tilts[k], NOTHING
        for seat in range(first, first + SEATS):
            most = max(most, reach.base[seat] + tilt * reach.rise[seat])
        changed |= most != nodes[node, k]
        nodes[node, k] = most
    soonest = -NEVER
    for seat in range(first, first + SEATS):
        soonest = max(soonest, -reach.due[seat])
    changed |= soonest != nodes[node, TILTS]
    nodes[node, TILTS] = soonest
    return changed


@lean
def join(nodes, node):
    """Set a node by its two children; whether that altered it."""
    changed = False
    for k in range(TILTS + 1):
        most = max(nodes[2 * node, k], nodes[2 * node + 1, k])
        changed |= most != nodes[node, k]
        nodes[node, k] = most
    return changed


@lean
def climb(reach, seat):
    """Bring the nodes above a seat up to date."""
    node = reach.nodes.shape[0] // 2 + seat // SEATS
    changed = gather(reach, node)
    while changed and node > 1:
        node >>= 1
        changed = join(reach.nodes, node)


@lean
def set_cap(reach, arm, cap, due, value):
    seat = reach.seat[arm]
    reach.base[seat] = cap * value
    reach.rise[seat] = cap * (1.0 - value)
    reach.due[seat] = due
    climb(reach, seat)


@lean
def clear(reach, arm):
    seat = reach.seat[arm]
    reach.base[seat], reach.rise[seat], reach.due[seat] = NOTHING, 0.0, NEVER
    climb(reach, seat)


@lean
def swap_seats(reach, first, second):
    """Two arms of the same value take over each other's cap and due."""
    one, other = reach.seat[first], reach.seat[second]
    reach.seat[first], reach.seat[second] = other, one
    reach.arm[one], reach.arm[other] = second, first


@lean
def retilt(reach):
    """Take the inner tilts around those asked for of late."""
    for k in range(OFFSETS.size):
        tilt = reach.usual[0] + OFFSETS[k] * reach.usual[1]
        reach.tilts[k + 1] = min(max(tilt, 0.0), 1.0)
    width = reach.nodes.shape[0] // 2
    for node in range(width, 2 * width):
        gather(reach, node)
    for node in range(width - 1, 0, -1):
        join(reach.nodes, node)
    reach.work[0] = 0


@part
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


@part
def bound(nodes, node, k, share):
    return (1.0 - share) * nodes[node, k] + share * nodes[node, k + 1]


@part
def best_seat(reach, first, tilt, least):
    """The arm that reaches farthest among the seats of a node, if that is enough, or -1."""
    best = -1
    for seat in range(first, first + SEATS):
        far = reach.base[seat] + tilt * reach.rise[seat]
        if far >= least:
            best, least = reach.arm[seat], far
    return best


@lean
def reaches(reach, tilt, least):
    """An arm whose reach for this tilt is `least` > -1 or more, otherwise -1.

    Of several, one of the farthest: the child with the larger bound is tried first.
    """
    nodes, stack = reach.nodes, reach.stack
    k, share = interpolation(reach.tilts, tilt)
    width, top = nodes.shape[0] // 2, 1
    stack[0] = 1
    if bound(nodes, stack[0], k, share) < least:
        return -1
    while top > 0:
        top -= 1
        node = stack[top]
        reach.work[0] += 1
        if node >= width:
            arm = best_seat(reach, (node - width) * SEATS, tilt, least)
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
def first_due(reach, t):
    """An arm whose cap does not hold in round t, or -1."""
    nodes = reach.nodes
    if -nodes[1, TILTS] >= t:
        return -1
    node, width = 1, nodes.shape[0] // 2
    while node < width:
        node *= 2
        if nodes[node + 1, TILTS] > nodes[node, TILTS]:
            node += 1
    seat = (node - width) * SEATS
    while reach.due[seat] >= t:
        seat += 1
    return reach.arm[seat]
