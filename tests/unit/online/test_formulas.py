"""The formulas and the linear program in NumPy are those of the kernels, and of HiGHS."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from lincon.online import formulas, linear
from lincon.policies import estimators, gittins, prior


def test_kl_index():
    rng = np.random.default_rng(1)
    p, budget = np.r_[0.0, 1.0, 1e-9, rng.random(300)], np.r_[0.1, 0.1, 3.0, 5 * rng.random(300)]
    kernel = [estimators.kl_upper(*one) for one in zip(p, budget, strict=True)]
    np.testing.assert_allclose(formulas.kl_upper(p, budget), kernel, rtol=1e-12, atol=1e-15)
    for t in (1, 2, 3, 1000):
        assert formulas.kl_budget(t, 0.7, 3.0) == estimators.kl_budget(t, 0.7, 3.0)


@pytest.mark.parametrize("scale", [1, 30, 10_000])
def test_gittins_index(scale):
    rng = np.random.default_rng(scale)
    for a, b, ahead in zip(*rng.random((2, 40)) * scale + 0.1, rng.random(40) * 1e4, strict=True):
        kernel = gittins.gittins(a, b, ahead, a / (a + b))
        assert math.isclose(formulas.gittins(a, b, ahead), kernel, rel_tol=1e-7)
    kernel = gittins.rounds_ahead(0.3, 1000)  # a power by other multiplications
    assert math.isclose(formulas.rounds_ahead(0.3 * 1000), kernel, rel_tol=1e-13)
    assert formulas.rounds_ahead(0.5) == gittins.rounds_ahead(0.3, 1) == 1.0


@pytest.mark.parametrize("seed", range(6))
def test_learned_prior(seed):
    rng = np.random.default_rng(seed)
    plays = rng.integers(0, 10 ** (1 + seed), 50).astype(float)
    events = rng.binomial(plays.astype(int), rng.beta(1.0, 20.0, 50)).astype(float)
    kernel = prior.fit_prior(1.0, 1.0, plays, events, 2.0)
    np.testing.assert_allclose(formulas.fit_prior(1.0, 1.0, plays, events, 2.0), kernel, rtol=1e-4)


def highs(gain, amount, bound, kind, share):
    """The optimum in units of all requests; None where it is infeasible."""
    rows = [(kind == k).astype(float) for k in range(len(share))]
    best = linprog(-gain, -amount, -bound, rows, share, method="highs")
    return -best.fun if best.status == 0 else None


@pytest.mark.parametrize("kinds", [1, 2, 3])
@pytest.mark.parametrize("constraints", [1, 2, 3])
def test_linear_program(constraints, kinds):
    rng, feasible = np.random.default_rng(10 * constraints + kinds), 0
    share = rng.dirichlet(np.ones(kinds))
    for case in range(40):
        n = int(rng.integers(kinds, 12))
        kind = np.r_[np.arange(kinds), rng.integers(0, kinds, n - kinds)]
        gain, amount = rng.random((2, n)), rng.random((2, constraints, n))
        if case % 4 == 0:  # equal arms, and arms that nothing tells apart
            gain, amount = gain.round(1), amount.round(1)
        bound = rng.random(constraints) * 0.9
        draws = linear.solve(gain, amount, bound, kind, share)
        for g, h, mixture in zip(gain, amount, draws, strict=True):
            optimum = highs(g, h, bound, kind, share)
            assert (mixture is None) == (optimum is None)
            if mixture is None or optimum is None:
                continue
            feasible += 1
            x = np.zeros(n)
            x[list(mixture)] = list(mixture.values())
            assert (x >= 0.0).all()
            np.testing.assert_allclose(np.bincount(kind, x, kinds), 1.0, atol=1e-12)
            assert (h @ (x * share[kind]) >= bound - 1e-9).all()
            assert math.isclose(g @ (x * share[kind]), optimum, abs_tol=1e-9)
    assert feasible > 20


def test_nearly_equal_arms_give_shares_that_sum_to_1():
    """Met in fuzzing: an older solver gave shares of 0.9746."""
    amount = np.array([[[0.7500000000048072, 0.7499999999955236],
                        [-0.009999999999954125, -0.010000000000036691]]])  # fmt: skip
    bound = np.array([0.7500000000045711, -0.009999999999956224])
    (mixture,) = linear.solve(np.array([[0.5, 0.6]]), amount, bound, np.zeros(2, int), np.ones(1))
    assert mixture is None or math.isclose(sum(mixture.values()), 1.0)


def test_the_closest_arm_has_the_least_shortfall():
    amount, bound = np.array([[0.2, 0.5, 0.5], [0.9, 0.4, 0.4]]), np.array([0.6, 0.8])
    gain, extent = np.array([3.0, 1.0, 2.0]), np.array([1.0, 0.5])
    assert linear.closest(gain, amount, bound, extent) == 0
    assert linear.closest(gain, amount[:1], bound[:1], extent[:1]) == 2
