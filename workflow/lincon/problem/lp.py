"""The exact solution of LP with one constraint, without a solver.

    max sum x_i g_i   s.t.  sum x_i h_i >= e,  sum x_i = 1,  x >= 0

In the plane of points (h_i, g_i) the optimum is where the upper concave envelope meets the line
h = e: a mixture of at most two arms.
"""

from lincon.jit import entry, kernel


@kernel
def mix(low, high, e):
    """The share of the arm with amount `low` in the mixture that meets e exactly."""
    return (high - e) / (high - low)


@kernel
def pair_value(h, g, low, high, e):
    x = mix(h[low], h[high], e)
    return x * g[low] + (1.0 - x) * g[high]


@kernel
def better(first, second, index, best_first, best_second, best_index):
    """Whether (first, second) beats the best so far; equal pairs go to the lowest index."""
    if first != best_first:
        return first > best_first
    if second != best_second:
        return second > best_second
    return index < best_index


@kernel
def largest(first, second):
    """The arm of the largest `first`; of equals that of the largest `second`, then the lowest.

    So the answer depends on the set of points alone.
    """
    top = 0
    for i in range(1, first.size):
        if better(first[i], second[i], i, first[top], second[top], top):
            top = i
    return top


@kernel
def steepest(h, g, low, high):
    """The arm farthest above the line through `low` and `high` (they themselves are at 0)."""
    base_h, base_g = h[low], g[low]
    price = (base_g - g[high]) / (h[high] - base_h)
    best, best_gain = low, 0.0
    for i in range(h.size):
        gain = (g[i] - base_g) + price * (h[i] - base_h)
        if gain > best_gain:
            best, best_gain = i, gain
    return best


@kernel
def swap(h, low, high, arm, e):
    """The pair after `arm` takes the place of the one on its side of e."""
    if h[arm] < e:
        return arm, high
    return low, arm


@kernel
def best_swap(h, g, low, high, e):
    """The single swap that raises the mixture's value most, by trying every arm."""
    best, best_value = low, pair_value(h, g, low, high, e)
    for i in range(h.size):
        new_low, new_high = swap(h, low, high, i, e)
        candidate = pair_value(h, g, new_low, new_high, e)
        if candidate > best_value:
            best, best_value = i, candidate
    return best


@kernel
def exchange(h, g, e, low, high):
    """Walk from a pair around e to the optimal pair; every step raises the mixture's value.

    The arm farthest above the current line enters. Where rounding makes that arm useless (nearly
    vertical lines), all single swaps are tried; a pair that no swap improves is optimal.
    """
    current = pair_value(h, g, low, high, e)
    while True:
        arm = steepest(h, g, low, high)
        new_low, new_high = swap(h, low, high, arm, e)
        candidate = pair_value(h, g, new_low, new_high, e)
        if arm != low and candidate <= current:
            arm = best_swap(h, g, low, high, e)
            new_low, new_high = swap(h, low, high, arm, e)
            candidate = pair_value(h, g, new_low, new_high, e)
        if arm == low or candidate <= current:
            return low, high
        low, high, current = new_low, new_high, candidate


@entry
def solve_lp(h, g, e):
    """(low, high, share of low): the best mixture; low == high is one arm, low == -1 infeasible."""
    best, top = largest(g, h), largest(h, g)
    if h[top] < e:
        return -1, -1, 0.0
    if h[best] >= e:
        return best, best, 1.0
    low, high = exchange(h, g, e, best, top)
    return low, high, mix(h[low], h[high], e)
