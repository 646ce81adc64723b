"""The simplex for several constraints and kinds against HiGHS, the envelope, and its own duals.

HiGHS works to tolerances, so an answer is judged by what holds whatever the tolerances did: the
mixture is feasible, and the duals prove that no other is better.
"""

import numpy as np
import pytest
from scipy.optimize import linprog

from lincon.errors import UserError
from lincon.problem import lp, simplex

EXACT = 1e-10


def problem(rng, most_kinds=4):
    """Amounts, gains, bounds and kinds: random, on a grid, dependent, nearly so, scaled."""
    m, n, family = int(rng.integers(1, 9)), int(rng.integers(1, 30)), rng.integers(0, 7)
    h, g = rng.random((m, n)), rng.random(n)
    if family == 1:
        h, g = np.round(h * 4) / 4, np.round(g * 4) / 4
    elif family == 2:
        h, g = h[0] * rng.random((m, 1)), h[0] * rng.random(n)
    elif family == 3:
        h, g = rng.normal(size=(m, n)), rng.normal(size=n)
    elif family == 4:
        h = np.round(h * 3) / 3 + 1e-9 * rng.normal(size=(m, n))
        g = np.round(g * 3) / 3 + 1e-9 * rng.normal(size=n)
    elif family == 5:
        h, g = h * 10.0 ** rng.uniform(-6, 6, (m, 1)), g * 10.0 ** rng.uniform(-6, 6)
    elif family == 6:
        h = rng.random((m, 1)) + 1e-11 * rng.normal(size=(m, n))
    kind = np.append(np.arange(min(n, int(rng.integers(1, most_kinds + 1)))), [0] * n)[:n]
    kinds = int(kind.max()) + 1
    kind[kinds:] = rng.integers(0, kinds, n - kinds)
    share = np.round(rng.dirichlet(np.ones(kinds)), 2) + 0.01
    share /= share.sum()
    y = rng.dirichlet(np.full(n, 0.3))
    y *= (share / np.bincount(kind, y, kinds).clip(1e-9))[kind]
    e, how, size = h @ y, rng.random(), np.ptp(h, axis=1) + 1e-6 * np.abs(h).max(axis=1)
    if how < 0.3:
        e = e - 0.2 * rng.random(m) * size
    elif how < 0.5:
        e = e + 0.3 * rng.random(m) * size * (rng.random(m) < 0.5)
    return h, g, e, kind, share


def by_highs(h, g, e, kind, share):
    """HiGHS on the problem scaled to numbers of about 1; rows, and the size of the gains."""
    rows = h - e[:, None]
    scale = np.abs(rows).max(axis=1)
    rows, size = rows / np.where(scale > 0.0, scale, 1.0)[:, None], max(np.abs(g).max(), 1e-300)
    sums = (kind == np.arange(share.size)[:, None]).astype(float)
    return linprog(-g / size, -rows, np.zeros(e.size), sums, share), rows, scale, size


def check(seed: int, count: int, most_kinds: int) -> tuple[int, int]:
    """How many of the problems were feasible, and how many were refused."""
    rng, feasible, refused = np.random.default_rng(seed), 0, 0
    for number in range(count):
        h, g, e, kind, share = problem(rng, most_kinds)
        where = (seed, number, h.shape)
        try:
            solution = simplex.solve(h, g, e, kind, share)
        except UserError:
            refused += 1
            continue
        reference, rows, scale, size = by_highs(h, g, e, kind, share)
        if solution is None:
            if reference.status == 0:
                assert np.min(rows @ reference.x) < 1e-9, where
            continue
        feasible += 1
        x, prices = np.zeros(g.size), np.array(solution.prices)
        x[list(solution.shares)] = list(solution.shares.values())
        y = x * share[kind]
        assert len(solution.shares) <= e.size + share.size, where
        np.testing.assert_allclose(np.bincount(kind, x), 1.0, atol=EXACT, err_msg=str(where))
        assert np.min(rows @ y) > -EXACT, where
        # No mixture is worth more than the best arm of each kind at these prices, which are large
        # where a basis is nearly singular, and so is what rounding does there.
        worst = max(1.0, prices @ scale / size)
        worth = g / size + (prices * scale / size) @ rows
        best = [worth[kind == k].max() for k in range(share.size)]
        assert best @ share - g @ y / size < 1e-9 * worst, where
        if reference.status == 0:
            assert g @ y / size > -reference.fun - 2e-7 * worst, where
    return feasible, refused


@pytest.mark.parametrize("kinds", [1, 4])
def test_against_highs(kinds):
    feasible, refused = check(kinds, 500, kinds)
    assert feasible > 350 and refused == 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 150))
def test_against_highs_on_a_hundred_thousand_more(seed):
    assert check(seed, 2_000, 1 + 3 * (seed % 2))[1] <= 2, "constraints that differ by 1e-9 only"


def test_nearly_equal_arms_keep_shares_that_sum_to_one():
    h = np.array(
        [
            [0.7500000000048072, 0.7499999999955236],
            [0.009999999999954125, 0.010000000000036691],
        ]
    )
    e = np.array([0.7500000000045711, 0.009999999999956224])
    for g in ([1.0, 2.0], [2.0, 1.0]):
        solution = simplex.solve(h, np.array(g), e)
        assert solution is not None and sum(solution.shares.values()) == pytest.approx(1, abs=1e-15)


def test_a_solution_that_misses_its_equations_is_refused(monkeypatch):
    def broken(h, g, e, work):
        work.basis[:], work.level[:], work.scale[:] = [0, 1], [0.5, 0.25], 1.0
        return simplex.OPTIMAL

    monkeypatch.setattr(simplex, "solve_simplex", broken)
    with pytest.raises(UserError, match="too nearly dependent"):
        simplex.solve(np.array([[0.0, 1.0]]), np.array([1.0, 0.0]), np.array([0.25]))


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


def test_two_kinds_by_hand():
    """Half of the requests are easy. A success is cheapest to gain among the hard ones."""
    h, g = np.array([[0.5, 0.9, 0.2, 0.8]]), np.array([0.0, -2.0, 0.0, -1.0])
    solution = simplex.solve(h, g, np.array([0.5]), np.array([0, 0, 1, 1]), [0.5, 0.5])
    assert solution is not None
    assert solution.shares == pytest.approx({0: 1.0, 2: 0.5, 3: 0.5})
    assert solution.prices == pytest.approx((1 / 0.6,))


def test_the_answer_does_not_depend_on_what_was_solved_before():
    rng = np.random.default_rng(5)
    problems = []
    while len(problems) < 30:
        h, g, e, _, _ = problem(rng)
        if h.shape[0] == 3:
            problems.append((h, g, e))
    used: dict[int, simplex.Simplex] = {}
    for h, g, e in problems:
        work = used.setdefault(g.size, simplex.Simplex.new(3, np.zeros(g.size)))
        again = simplex.Simplex.new(3, np.zeros(g.size))
        assert simplex.solve_simplex(h, g, e, work) == simplex.solve_simplex(h, g, e, again)
        np.testing.assert_array_equal(work.basis, again.basis)
        np.testing.assert_array_equal(work.level, again.level)
