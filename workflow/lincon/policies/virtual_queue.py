"""The virtual queue of the `queue` selector: by how many events a policy is behind its floor.

    Q(t + 1) = [Q(t) + eta + epsilon / sqrt(t) - event(t)]_+

An event is worth Q / (v sqrt(t)) more than it pays, so the policy plays the arm of the largest
theta (r + Q / (v sqrt(t))). (Liu, Li, Shi, Ying, NeurIPS 2021, whose V_t is v sqrt(t) and whose
pessimism eps_t is epsilon / sqrt(t).)
"""

from __future__ import annotations

import math

from lincon.jit import kernel


@kernel
def next_length(length, t, eta, epsilon, event):
    """The queue after round t."""
    return max(length + eta + epsilon / math.sqrt(t) - event, 0.0)


@kernel
def queue_tilt(length, t, v):
    """The tilt of the lines in round t: price / (1 + price)."""
    price = length / (v * math.sqrt(t))
    return price / (1.0 + price)
