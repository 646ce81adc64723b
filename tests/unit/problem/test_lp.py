"""The two-arm LP against exact rational arithmetic, on 14,000 instances of seven kinds.

A solver works to tolerances (HiGHS at best to 1e-10), so it cannot judge 1e-12: the exact solution
in integers, for which a float is just a fraction, does. HiGHS is in test_solve and test_simplex.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from lincon.problem import lp

TOLERANCE = 1e-12


def solve(theta, value, eta):
    """LP(theta) of the paper: amounts theta, gains theta * value."""
    return lp.solve_lp(theta, theta * value, eta)


# --- the exact twin


def integers(numbers) -> tuple[list[int], int]:
    """The numbers times the same power of two, exactly."""
    mantissa, exponent = np.frexp(numbers)
    least = min(int(exponent.min()), 0)
    whole = np.ldexp(mantissa, 53).astype(np.int64).tolist()
    shift = (exponent - least).tolist()
    return [x << k for x, k in zip(whole, shift, strict=True)], 1 << (53 - least)


def upper_hull(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    hull: list[tuple[int, int]] = []
    for x, y in sorted(points):
        while hull and hull[-1][0] == x:
            hull.pop()
        while len(hull) > 1:
            (x1, y1), (x2, y2) = hull[-2:]
            if (x2 - x1) * (y - y1) < (y2 - y1) * (x - x1):
                break
            hull.pop()
        hull.append((x, y))
    return hull


def exact_optimum(theta, value, eta) -> Fraction | None:
    """The LP's value as a fraction: the highest point of the envelope at or beyond eta."""
    (*theta, eta), scale = integers([*theta, eta])
    value, value_scale = integers(value)
    hull = upper_hull([(x, x * r) for x, r in zip(theta, value, strict=True)])
    heights = [Fraction(y) for x, y in hull if x >= eta]
    for (x1, y1), (x2, y2) in pairwise(hull):
        if x1 < eta < x2:
            heights.append(Fraction(y1 * (x2 - eta) + y2 * (eta - x1), x2 - x1))
    return max(heights) / (scale * value_scale) if heights else None


def check_exactly(theta, value, eta) -> bool:
    """Compare one instance with the exact twin; whether it is feasible."""
    low, high, share = solve(theta, value, eta)
    optimum = exact_optimum(theta, value, eta)
    assert (low >= 0) == (optimum is not None) == (theta.max() >= eta)
    if optimum is None:
        assert (low, high) == (-1, -1)
        return False
    assert 0.0 <= share <= 1.0 and 0 <= low < theta.size and 0 <= high < theta.size
    assert share == 1.0 if low == high else theta[low] < eta <= theta[high]
    x = Fraction(share)
    rate, reward = (
        x * a + (1 - x) * b
        for a, b in (
            (Fraction(theta[low]), Fraction(theta[high])),
            (
                Fraction(theta[low]) * Fraction(value[low]),
                Fraction(theta[high]) * Fraction(value[high]),
            ),
        )
    )
    assert rate >= Fraction(eta) - Fraction(TOLERANCE) and abs(reward - optimum) <= TOLERANCE
    return True


# --- instances


def posterior(rng, n):
    plays = rng.integers(1, 10_000, n)
    events = rng.binomial(plays, rng.beta(0.5, 2.0, n))
    return rng.beta(1 + events, 1 + plays - events), rng.integers(0, 101, n) / 100


def coarse_grid(rng, n):
    """Ties, zeros, exact ones, duplicates and points on one line."""
    steps = rng.integers(1, 7)
    return rng.integers(0, steps + 1, n) / steps, rng.integers(0, steps + 1, n) / steps


def nearly_collinear(rng, n):
    theta = rng.uniform(0.3, 1.0, n)
    line = 0.3 * rng.random() * (1.0 - theta) + noise(rng, n)
    return theta, np.clip(line / theta, 0, 1)


def concave(rng, n):
    """Every point is a corner of the envelope: the longest walks."""
    theta = rng.random(n)
    return theta, 1.0 - theta ** rng.uniform(0.2, 3.0)


def nearly_vertical(rng, n):
    """Means that differ in their last digits, rewards that do not: enormous prices."""
    return np.clip(rng.random() + noise(rng, n), 0, 1), rng.random(n)


def mixed_scales(rng, n):
    return 10.0 ** rng.uniform(-12, 0, n), 10.0 ** rng.uniform(-12, 0, n)


def extreme(rng, n):
    corners = np.array([0.0, 1.0, 5e-324, 1e-300, 1e-16, 0.5, 1 - 2.0**-53, 0.5 + 2.0**-53])
    theta, value = rng.choice(corners, (2, n))
    return np.where(rng.random(n) < 0.3, rng.random(n), theta), value


def noise(rng, n):
    return 10.0 ** rng.uniform(-17, -5) * rng.standard_normal(n)


FAMILIES = (posterior, coarse_grid, concave, nearly_collinear)
FAMILIES += (nearly_vertical, mixed_scales, extreme)


def floors(rng, theta) -> list[float]:
    """Candidates for eta: both ends, an arm's mean and its neighbours, the edge of feasibility."""
    arm, top = float(rng.choice(theta)), theta.max()
    beside = (np.nextafter(arm, -1.0), np.nextafter(arm, 2.0))
    between, beyond = rng.uniform(theta.min(), top), rng.uniform(top, 1.0)
    candidates = [0.0, 1.0, arm, *beside, between, between, between, top, beyond]
    return [min(max(float(eta), 0.0), 1.0) for eta in candidates]


# --- the tests


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_a_sweep_of_every_kind(family):
    rng, feasible = np.random.default_rng(20200826), 0
    for _ in range(2_000):
        theta, value = family(rng, int(np.exp(rng.uniform(0.0, np.log(301.0)))))
        feasible += check_exactly(theta, value, floors(rng, theta)[rng.integers(10)])
    assert 1_000 < feasible < 2_000


@pytest.mark.parametrize(
    ("theta", "value", "eta", "expected"),
    [
        ([0.4], [0.7], 0.4, (0, 0, 1.0)),
        ([0.4], [0.7], 0.41, (-1, -1, 0.0)),
        ([0.25, 0.75], [1.0, 0.1], 0.5, (0, 1, 0.5)),
        ([0.0, 0.0], [1.0, 0.5], 0.0, (0, 0, 1.0)),
        ([0.0, 1.0], [1.0, 0.0], 1.0, (1, 1, 1.0)),
        # Of equal rewards the larger mean, of equal points the first.
        ([0.5, 1.0, 1.0], [1.0, 0.5, 0.5], 0.0, (1, 1, 1.0)),
        ([0.25, 0.75, 0.25, 0.75], [1.0, 0.1, 1.0, 0.1], 0.5, (0, 1, 0.5)),
        # The same for arms that enter later, neither of the largest reward nor of the largest mean.
        ([0.125, 1.0, 0.5, 0.5], [1.0, 0.05, 0.2, 0.2], 0.75, (2, 1, 0.5)),
        ([0.125, 1.0, 0.5, 0.5], [1.0, 0.0, 0.2, 0.2], 0.3125, (0, 2, 0.5)),
        # The middle of three points on a line adds nothing.
        ([0.25, 0.5, 0.75], [1.0, 0.375, 1 / 6], 0.5, (0, 2, 0.5)),
    ],
)
def test_known_answers(theta, value, eta, expected):
    assert solve(np.array(theta), np.array(value), eta) == expected
