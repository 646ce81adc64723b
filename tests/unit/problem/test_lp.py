"""The two-arm LP against HiGHS and against exact rational arithmetic, on 20,000 instances.

HiGHS works to tolerances (at best 1e-10), so on its own it cannot judge 1e-12. Each of its answers
is therefore turned into two bounds that hold whatever its tolerances did: the best mixture within
its support from below, weak duality at its price from above. An exact solution in integers, for
which a float is just a fraction, judges what HiGHS leaves open.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from lincon.errors import UserError
from lincon.problem import lp

TOLERANCE = 1e-12
FEW, MANY, BLOCKS, BLOCK = 400, 250, 129, 150  # 20,000 instances
TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def solve(theta, value, eta):
    """LP(theta) of the paper: amounts theta, gains theta * value."""
    return lp.solve(theta, theta * value if theta.shape == value.shape else value, eta)


class Instance(NamedTuple):
    theta: np.ndarray
    value: np.ndarray
    eta: float

    @property
    def feasible(self) -> bool:
        return bool(self.theta.max() >= self.eta)


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


def exact_optimum(instance: Instance) -> Fraction | None:
    """The LP's value as a fraction: the highest point of the envelope at or beyond eta."""
    (*theta, eta), scale = integers([*instance.theta, instance.eta])
    value, value_scale = integers(instance.value)
    hull = upper_hull([(x, x * r) for x, r in zip(theta, value, strict=True)])
    heights = [Fraction(y) for x, y in hull if x >= eta]
    for (x1, y1), (x2, y2) in pairwise(hull):
        if x1 < eta < x2:
            heights.append(Fraction(y1 * (x2 - eta) + y2 * (eta - x1), x2 - x1))
    return max(heights) / (scale * value_scale) if heights else None


def all_pairs_optimum(instance: Instance) -> Fraction | None:
    """The same by trying every pair of arms: for few arms, and to check the twin itself."""
    theta = [Fraction(float(x)) for x in instance.theta]
    reward = [x * Fraction(float(r)) for x, r in zip(theta, instance.value, strict=True)]
    eta = Fraction(instance.eta)
    found = [y for x, y in zip(theta, reward, strict=True) if x >= eta]
    for i, j in product(range(len(theta)), repeat=2):
        if theta[i] < eta < theta[j]:
            share = (theta[j] - eta) / (theta[j] - theta[i])
            found.append(share * reward[i] + (1 - share) * reward[j])
    return max(found, default=None)


# --- HiGHS


def scaled_row(instance: Instance) -> tuple[np.ndarray, int]:
    """The constraint as sum x_i (theta_i - eta) >= 0, and the power of two that it was divided by.

    The same constraint, since the shares sum to 1, but exact where the means are close to eta, and
    of entries near 1: HiGHS takes those below 1e-9 for zeros and calls such instances infeasible.
    """
    row = instance.theta - instance.eta
    exponent = int(np.frexp(np.abs(row).max())[1])
    return np.ldexp(row, -exponent), exponent


def highs(block: list[Instance], elastic: bool = False):
    """All the instances as one block-diagonal LP: a call costs more than an instance.

    Elastic, it looks for the smallest violation of each constraint instead of the highest reward.
    """
    row = np.concatenate([scaled_row(i)[0] for i in block])
    where = (np.repeat(np.arange(len(block)), [i.theta.size for i in block]), np.arange(row.size))
    constraint = scipy.sparse.csr_array((-row, where))
    shares = scipy.sparse.csr_array((np.ones(row.size), where))
    cost = -np.concatenate([i.theta * i.value for i in block])
    if elastic:
        slack = scipy.sparse.eye_array(len(block))
        constraint = scipy.sparse.hstack([constraint, -slack])
        shares = scipy.sparse.hstack([shares, 0 * slack])
        cost = np.repeat([0.0, 1.0], [row.size, len(block)])
    answer = linprog(
        cost,
        A_ub=constraint,
        b_ub=np.zeros(len(block)),
        A_eq=shares,
        b_eq=np.ones(len(block)),
        method="highs",
        options=TIGHT,
    )
    assert answer.status == 0, answer.message
    return answer


def verdicts_by_highs(block: list[Instance]) -> np.ndarray:
    """Whether each instance can be met."""
    return highs(block, elastic=True).x[-len(block) :] <= 1e-9


def bounds_by_highs(block: list[Instance]) -> list[tuple[float, float]]:
    """For each instance two bounds of its optimum, by HiGHS's mixture and by HiGHS's price."""
    answer = highs(block)
    bounds, first = [], 0
    for instance, slope in zip(block, answer.ineqlin.marginals, strict=True):
        theta, value, eta = instance
        support = np.flatnonzero(answer.x[first : first + theta.size] > 1e-9)
        inner = exact_optimum(Instance(theta[support], value[support], eta))
        price = np.ldexp(max(-slope, 0.0), -scaled_row(instance)[1])
        # theta - eta first: it is exact where the price is large.
        outer = np.max(theta * value + price * (theta - eta))
        bounds.append((-np.inf if inner is None else float(inner), float(outer)))
        first += theta.size
    return bounds


# --- the checks


def achieved(instance: Instance, low: int, high: int, share: float) -> Fraction:
    """The value of the mixture that was handed back, after a look at whether it is one."""
    theta, value, eta = instance
    assert 0.0 <= share <= 1.0
    assert 0 <= low < theta.size and 0 <= high < theta.size
    x, theta_low, theta_high = map(Fraction, (share, float(theta[low]), float(theta[high])))
    assert x * theta_low + (1 - x) * theta_high >= Fraction(eta) - Fraction(TOLERANCE)
    if low == high:
        assert share == 1.0
    else:
        assert theta_low < eta <= theta_high
    return x * theta_low * Fraction(float(value[low])) + (1 - x) * theta_high * Fraction(
        float(value[high])
    )


def check_exactly(instance: Instance, reference=exact_optimum) -> float | None:
    """Compare one instance with the exact twin; the achieved objective, None if infeasible."""
    low, high, share = solve(*instance)
    optimum = reference(instance)
    assert (low >= 0) == (optimum is not None) == instance.feasible
    if optimum is None:
        assert (low, high) == (-1, -1)
        return None
    objective = achieved(instance, low, high, share)
    assert abs(objective - optimum) <= TOLERANCE
    return float(objective)


def beyond_tolerance(instance: Instance) -> bool:
    """Whether HiGHS can tell: an instance that fails by less than its tolerance looks feasible."""
    return instance.feasible or scaled_row(instance)[0].max() < -1e-6


def check_with_highs(block: list[Instance]) -> int:
    """Compare all with both; how many optima HiGHS itself pinned down to the tolerance."""
    objectives = [check_exactly(i) for i in block]
    for instance, verdict in zip(block, verdicts_by_highs(block), strict=True):
        assert verdict == instance.feasible or not beyond_tolerance(instance), instance
    solved = [(i, x) for i, x in zip(block, objectives, strict=True) if x is not None]
    bounds = bounds_by_highs([i for i, _ in solved]) if solved else []
    for (instance, objective), (lower, upper) in zip(solved, bounds, strict=True):
        assert lower - TOLERANCE <= objective <= upper + TOLERANCE, instance
    return sum(upper - lower <= TOLERANCE for lower, upper in bounds)


# --- instances


def uniform(rng, n):
    return rng.random(n), rng.random(n)


def posterior(rng, n):
    plays = rng.integers(1, 10_000, n)
    events = rng.binomial(plays, rng.beta(0.5, 2.0, n))
    return rng.beta(1 + events, 1 + plays - events), rng.integers(0, 101, n) / 100


def coarse_grid(rng, n):
    """Ties, zeros, exact ones, duplicates and points on one line."""
    steps = rng.integers(1, 7)
    return rng.integers(0, steps + 1, n) / steps, rng.integers(0, steps + 1, n) / steps


def duplicates(rng, n):
    few = rng.integers(0, rng.integers(1, 5), n)
    return rng.random(5)[few], rng.random(5)[few]


def same_value(rng, n):
    """All points on a ray through the origin, or within rounding of it."""
    return rng.random(n), np.clip(rng.random() + noise(rng, n), 0, 1)


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


FAMILIES = [
    *(uniform, posterior, coarse_grid, duplicates, same_value, nearly_collinear),
    *(concave, nearly_vertical, mixed_scales, extreme),
]


def floors(rng, theta) -> list[float]:
    """Candidates for eta: both ends, an arm's mean and its neighbours, the edge of feasibility."""
    arm = float(rng.choice(theta))
    beside = (np.nextafter(arm, -1.0), np.nextafter(arm, 2.0))
    between = rng.uniform(theta.min(), theta.max())
    beyond = rng.uniform(theta.max(), 1.0)
    top = theta.max()
    candidates = [0.0, 1.0, arm, *beside, between, between, between, top, beyond]
    return [min(max(float(eta), 0.0), 1.0) for eta in candidates]


def random_instance(rng, n: int, family) -> Instance:
    theta, value = family(rng, n)
    return Instance(theta, value, floors(rng, theta)[rng.integers(10)])


def number_of_arms(rng) -> int:
    return int(np.exp(rng.uniform(0.0, np.log(301.0))))


# --- the tests


@pytest.mark.slow
def test_sweep_agrees_with_highs_and_with_exact_arithmetic():
    rng = np.random.default_rng(20200826)
    everything, decided = [], 0
    for _ in range(BLOCKS):
        families = FAMILIES * (BLOCK // len(FAMILIES))
        block = [random_instance(rng, number_of_arms(rng), family) for family in families]
        decided += check_with_highs(block)
        everything += block
    # The sweep is what it says: wide, of both verdicts, and HiGHS nearly always has the last word.
    feasible = sum(i.feasible for i in everything)
    assert len(everything) == BLOCKS * BLOCK
    assert max(i.theta.size for i in everything) == 300
    assert sum(beyond_tolerance(i) for i in everything) - feasible > 2_000
    assert decided > 0.95 * feasible > 10_000


UNIT = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, 0.25, 1 / 3, 1e-300, 5e-324, 1e-16, 1 - 2.0**-53]),
    st.floats(0.0, 1.0),
)


@st.composite
def small_instances(draw) -> Instance:
    points = draw(st.lists(st.tuples(UNIT, UNIT), min_size=1, max_size=8))
    theta, value = map(np.array, zip(*points, strict=True))
    near = [np.nextafter(x, side) for x in theta for side in (0.0, 1.0)]
    eta = draw(st.one_of(UNIT, st.sampled_from([*theta, *near])))
    return Instance(theta, value, float(eta))


@st.composite
def wide_instances(draw) -> Instance:
    n = draw(st.integers(1, 300))
    # Most entries are the fill: hypothesis gives ties and duplicates by itself.
    theta, value = (draw(arrays(np.float64, n, elements=UNIT, fill=UNIT)) for _ in range(2))
    eta = draw(st.one_of(UNIT, st.sampled_from(list(theta))))
    return Instance(theta, value, float(eta))


@given(small_instances())
@settings(max_examples=FEW)
def test_few_arms(instance):
    check_exactly(instance, all_pairs_optimum)
    check_with_highs([instance])


@given(wide_instances())
@settings(max_examples=MANY)
def test_many_arms(instance):
    check_with_highs([instance])


@given(st.integers(0, 2**32), st.integers(1, 40), st.sampled_from(FAMILIES), st.randoms())
@settings(max_examples=200)
def test_order_of_the_arms_does_not_matter(seed, n, family, random):
    """Up to rounding: which of two equally good mixtures is chosen may differ, its value not."""
    instance = random_instance(np.random.default_rng(seed), n, family)
    order = list(range(n))
    random.shuffle(order)
    shuffled = Instance(instance.theta[order], instance.value[order], instance.eta)
    assert check_exactly(shuffled) == pytest.approx(check_exactly(instance), abs=TOLERANCE)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_the_exact_twins_agree(family):
    rng = np.random.default_rng(5)
    for n in rng.integers(1, 9, 30):
        instance = random_instance(rng, n, family)
        assert exact_optimum(instance) == all_pairs_optimum(instance)


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


@pytest.mark.parametrize(
    ("theta", "value", "eta", "complaint"),
    [
        ([], [], 0.5, "non-empty"),
        ([0.1, 0.2], [0.1], 0.5, "equal"),
        ([[0.1]], [[0.1]], 0.5, "vectors"),
        ([np.nan], [0.1], 0.5, "finite"),
        ([0.1], [np.inf], 0.5, "finite"),
        ([0.1], [0.1], np.nan, "finite"),
    ],
)
def test_nonsense_is_refused(theta, value, eta, complaint):
    with pytest.raises(UserError, match=complaint):
        solve(np.array(theta), np.array(value), eta)
