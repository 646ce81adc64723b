"""The virtual queue of the `queue` selector: how many events a policy is behind its floor.

    Q(t + 1) = [Q(t) + eta + epsilon / sqrt(t) - event(t)]_+

An event is worth Q / (v sqrt(t)) more than it pays, so the policy plays the arm of the largest
theta (r + Q / (v sqrt(t))). (Liu et al., 2021; they are pessimistic by epsilon.)
"""

from __future__ import annotations

import math

import numpy as np

from lincon.jit import kernel

LENGTH, ETA, V, EPSILON = range(4)


def new_backlog(eta: float, v: float, epsilon: float) -> np.ndarray:
    """An empty queue; none is kept where v is 0."""
    return np.array([0.0, eta, v, epsilon])


@kernel
def wait(backlog, t, event):
    """What round t did to the queue."""
    if backlog[V] > 0.0:
        length = backlog[LENGTH] + backlog[ETA] + backlog[EPSILON] / math.sqrt(t) - event
        backlog[LENGTH] = max(length, 0.0)


@kernel
def aim_of(backlog, t):
    """The tilt of the lines in round t: price / (1 + price), and 0 without a queue."""
    if backlog[V] == 0.0:
        return 0.0
    price = backlog[LENGTH] / (backlog[V] * math.sqrt(t))
    return price / (1.0 + price)
