"""The exact solution of LP(theta), without a solver.

    max sum x_i theta_i r_i   s.t.  sum x_i theta_i >= eta,  sum x_i = 1,  x >= 0

In the plane of points (theta_i, theta_i r_i) the optimum is where the upper concave envelope
meets the line theta = eta: a mixture of at most two arms.
"""

from __future__ import annotations

import math

import numpy as np

from lincon.errors import UserError
from lincon.jit import kernel


@kernel
def mix(theta_low, theta_high, eta):
    """The share of the arm below eta in the mixture that meets eta exactly."""
    return (theta_high - eta) / (theta_high - theta_low)


@kernel
def pair_value(theta, value, low, high, eta):
    x = mix(theta[low], theta[high], eta)
    return x * (theta[low] * value[low]) + (1.0 - x) * (theta[high] * value[high])


@kernel
def better(first, second, index, best_first, best_second, best_index):
    """Whether (first, second) beats the best so far; equal pairs go to the lowest index."""
    if first != best_first:
        return first > best_first
    if second != best_second:
        return second > best_second
    return index < best_index


@kernel
def extremes(theta, value):
    """The arm of the largest theta * value and the arm of the largest theta.

    Ties go to the larger other coordinate, then to the lowest index, so that the answer depends
    on the set of points alone.
    """
    best, top = 0, 0
    for i in range(1, theta.size):
        reward = theta[i] * value[i]
        if better(reward, theta[i], i, theta[best] * value[best], theta[best], best):
            best = i
        if better(theta[i], reward, i, theta[top], theta[top] * value[top], top):
            top = i
    return best, top


@kernel
def steepest(theta, value, low, high):
    """The arm farthest above the line through `low` and `high` (they themselves are at 0)."""
    base_theta, base_reward = theta[low], theta[low] * value[low]
    price = (base_reward - theta[high] * value[high]) / (theta[high] - base_theta)
    best, best_gain = low, 0.0
    for i in range(theta.size):
        gain = (theta[i] * value[i] - base_reward) + price * (theta[i] - base_theta)
        if gain > best_gain:
            best, best_gain = i, gain
    return best


@kernel
def swap(theta, low, high, arm, eta):
    """The pair after `arm` takes the place of the one on its side of eta."""
    if theta[arm] < eta:
        return arm, high
    return low, arm


@kernel
def best_swap(theta, value, low, high, eta):
    """The single swap that raises the mixture's value most, by trying every arm."""
    best, best_value = low, pair_value(theta, value, low, high, eta)
    for i in range(theta.size):
        new_low, new_high = swap(theta, low, high, i, eta)
        candidate = pair_value(theta, value, new_low, new_high, eta)
        if candidate > best_value:
            best, best_value = i, candidate
    return best


@kernel
def exchange(theta, value, eta, low, high):
    """Walk from a pair around eta to the optimal pair; every step raises the mixture's value.

    The arm farthest above the current line enters. Where rounding makes that arm useless (nearly
    vertical lines), all single swaps are tried; a pair that no swap improves is optimal.
    """
    current = pair_value(theta, value, low, high, eta)
    while True:
        arm = steepest(theta, value, low, high)
        new_low, new_high = swap(theta, low, high, arm, eta)
        candidate = pair_value(theta, value, new_low, new_high, eta)
        if arm != low and candidate <= current:
            arm = best_swap(theta, value, low, high, eta)
            new_low, new_high = swap(theta, low, high, arm, eta)
            candidate = pair_value(theta, value, new_low, new_high, eta)
        if arm == low or candidate <= current:
            return low, high
        low, high, current = new_low, new_high, candidate


@kernel
def solve_lp(theta, value, eta):
    """(low, high, share of low): the best mixture; low == high is one arm, low == -1 infeasible."""
    best, top = extremes(theta, value)
    if theta[top] < eta:
        return -1, -1, 0.0
    if theta[best] >= eta:
        return best, best, 1.0
    low, high = exchange(theta, value, eta, best, top)
    return low, high, mix(theta[low], theta[high], eta)


def solve(theta: np.ndarray, value: np.ndarray, eta: float) -> tuple[int, int, float]:
    """`solve_lp` for people: checks its arguments."""
    theta = np.ascontiguousarray(theta, dtype=np.float64)
    value = np.ascontiguousarray(value, dtype=np.float64)
    if theta.ndim != 1 or theta.shape != value.shape or theta.size == 0:
        raise UserError(
            f"theta {theta.shape} and value {value.shape} must be equal, non-empty vectors"
        )
    if not math.isfinite(eta) or not (np.isfinite(theta).all() and np.isfinite(value).all()):
        raise UserError("theta, value and eta must be finite numbers")
    return solve_lp(theta, value, float(eta))
