"""The simplex for several constraints against HiGHS, against the envelope, and by its own duals.

HiGHS works to tolerances, so an answer is judged by what holds whatever the tolerances did: the
mixture is feasible, and the duals prove that no other is better. Constraints that depend on each
other but for 1e-9 are met to 1e-6 only, in about one of ten thousand such problems.
"""

import numpy as np
import pytest
from scipy.optimize import linprog

from lincon.problem import lp, simplex

EXACT = 1e-10


def problem(rng):
    """Amounts, gains and bounds of all sorts: random, on a grid, dependent, nearly so, scaled."""
    m, n, kind = int(rng.integers(1, 9)), int(rng.integers(1, 30)), rng.integers(0, 6)
    h, g = rng.random((m, n)), rng.random(n)
    if kind == 1:
        h, g = np.round(h * 4) / 4, np.round(g * 4) / 4
    elif kind == 2:
        h, g = h[0] * rng.random((m, 1)), h[0] * rng.random(n)
    elif kind == 3:
        h, g = rng.normal(size=(m, n)), rng.normal(size=n)
    elif kind == 4:
        h = np.round(h * 3) / 3 + 1e-9 * rng.normal(size=(m, n))
        g = np.round(g * 3) / 3 + 1e-9 * rng.normal(size=n)
    elif kind == 5:
        h, g = h * 10.0 ** rng.uniform(-6, 6, (m, 1)), g * 10.0 ** rng.uniform(-6, 6)
    e, how = h @ rng.dirichlet(np.full(n, 0.3)), rng.random()
    size = np.abs(h).max(axis=1)
    if how < 0.3:
        e = e - 0.2 * rng.random(m) * size
    elif how < 0.5:
        e = e + 0.3 * rng.random(m) * size * (rng.random(m) < 0.5)
    return h, g, e


def by_highs(h, g, e):
    """HiGHS on the problem scaled to numbers of about 1; its status, and its value so scaled."""
    scale, size = np.maximum(np.abs(h).max(axis=1), np.abs(e)), np.abs(g).max()
    scale, size = np.where(scale > 0.0, scale, 1.0), size if size > 0.0 else 1.0
    rows, ones = h / scale[:, None], np.ones((1, g.size))
    return linprog(-g / size, -rows, -e / scale, ones, [1.0]), scale, size


def check(seed: int, count: int) -> tuple[int, int]:
    """How many of the problems were feasible, and in how many a constraint is met only roughly."""
    rng, feasible, rough = np.random.default_rng(seed), 0, 0
    for number in range(count):
        h, g, e = problem(rng)
        where = (seed, number, h.shape)
        found = simplex.solve(h, g, e)
        reference, scale, size = by_highs(h, g, e)
        if found is None:
            if reference.status == 0:
                assert np.max((e - h @ reference.x) / scale) > -1e-9, where
            continue
        feasible += 1
        x, prices = np.zeros(g.size), np.array(found.prices)
        x[list(found.shares)] = list(found.shares.values())
        # Prices are large where a basis is nearly singular, and so is what rounding does there.
        worst = max(1.0, prices @ scale / size)
        room = EXACT + 1e-15 * worst
        assert len(found.shares) <= h.shape[0] + 1, where
        assert abs(x.sum() - 1.0) < EXACT, where
        missed = np.max((e - h @ x) / scale)
        assert missed < 1e-6, where
        rough += missed >= room
        # No mixture is worth more than the best arm at these prices.
        assert np.max(g + prices @ h) - prices @ e - g @ x < 1e-9 * worst * size, where
        if reference.status == 0:
            assert g @ x / size > -reference.fun - 2e-7 * worst, where
    return feasible, rough


def test_against_highs():
    feasible, rough = check(0, 1_000)
    assert feasible > 800 and rough == 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 150))
def test_against_highs_on_a_hundred_thousand_more(seed):
    assert check(seed, 2_000)[1] <= 1


def test_one_constraint_is_the_envelope():
    rng = np.random.default_rng(7)
    for _ in range(500):
        n = int(rng.integers(1, 40))
        h, g = rng.random(n), rng.random(n)
        e = float(rng.uniform(h.min(), h.max() * 1.05))
        low, high, share = lp.solve_lp(h, g, e)
        found = simplex.solve(h[None], g, np.array([e]))
        if low < 0:
            assert found is None
            continue
        expected = {arm: x for arm, x in ((low, share), (high, 1.0 - share)) if x > 0.0}
        assert found is not None and sorted(found.shares) == sorted(expected)
        np.testing.assert_allclose([found.shares[arm] for arm in expected], list(expected.values()))


def test_two_constraints_by_hand():
    """Half the plays must succeed at a cost of at most 2: a third each of three arms, say."""
    h = np.array([[0.0, 0.5, 1.0], [-1.0, -1.0, -4.0]])
    found = simplex.solve(h, np.array([1.0, 0.4, 0.0]), np.array([0.5, -2.0]))
    assert found is not None
    np.testing.assert_allclose(found.shares[1], 1 / 3)
    np.testing.assert_allclose(list(found.shares.values()), 1 / 3)
    # The prices at which all three arms are worth the same.
    np.testing.assert_allclose(found.prices, (1.2, 0.2 / 3))


def test_without_constraints_it_is_the_best_arm():
    found = simplex.solve(np.zeros((0, 3)), np.array([0.2, 0.7, 0.7]), np.zeros(0))
    assert found == simplex.Solution({1: 1.0}, ())


def test_the_answer_does_not_depend_on_what_was_solved_before():
    rng = np.random.default_rng(5)
    room, problems = simplex.Simplex.new(3), []
    while len(problems) < 30:
        h, g, e = problem(rng)
        if h.shape[0] == 3:
            problems.append((h, g, e))
    for h, g, e in problems:
        again = simplex.Simplex.new(3)
        assert simplex.solve_simplex(h, g, e, room) == simplex.solve_simplex(h, g, e, again)
        np.testing.assert_array_equal(room.basis, again.basis)
        np.testing.assert_array_equal(room.level, again.level)
