"""The virtual queue of the `queue` selector: by how many events a policy is behind its floor.

    Q(t + 1) = [Q(t) + eta + epsilon / sqrt(t) - event(t)]_+

An event is worth Q / (v sqrt(t)) more than it pays, so the policy plays the arm of the largest
theta (r + Q / (v sqrt(t))). (Liu et al., 2021; they are pessimistic by epsilon.)
"""

from __future__ import annotations

import math

import numpy as np

from lincon.jit import kernel

LENGTH, ETA, V, EPSILON = range(4)


def new_queue(eta: float, v: float, epsilon: float) -> np.ndarray:
    """An empty queue; none is kept where v is 0."""
    return np.array([0.0, eta, v, epsilon])


@kernel
def update_queue(queue, t, event):
    """What round t did to the queue."""
    if queue[V] > 0.0:
        length = queue[LENGTH] + queue[ETA] + queue[EPSILON] / math.sqrt(t) - event
        queue[LENGTH] = max(length, 0.0)


@kernel
def queue_tilt(queue, t):
    """The tilt of the lines in round t: price / (1 + price), and 0 without a queue."""
    if queue[V] == 0.0:
        return 0.0
    price = queue[LENGTH] / (queue[V] * math.sqrt(t))
    return price / (1.0 + price)
