"""The formulas in NumPy against the engine's kernels, which have slow twins of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lincon.policies import estimators
from lincon.policies.online import formulas
from lincon.problem import lp

# A coarse grid, so that ties and points on one line are met; and numbers as they come.
COORDINATES = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.floats(0, 1))
POINTS = st.lists(st.tuples(COORDINATES, COORDINATES), min_size=1, max_size=12)


@given(POINTS, COORDINATES)
@settings(max_examples=500, deadline=None)
def test_the_lp_is_the_kernels(points, eta):
    theta, value = np.array(points).T.copy()
    low, high, share = lp.solve_lp(theta, theta * value, eta)
    answer = formulas.solve_lp(theta, value, eta)
    assert answer == (None if low < 0 else (low, high, share))


@given(
    st.lists(st.tuples(st.integers(1, 10**6), st.floats(0, 1)), min_size=1, max_size=20),
    st.integers(1, 10**9),
    st.floats(0, 5),
)
@settings(max_examples=300, deadline=None)
def test_the_kl_index_is_the_kernels(arms, t, c):
    plays = np.array([n for n, _ in arms], float)
    events = np.array([round(share * n) for n, share in arms], float)
    budget = formulas.kl_budget(t, c)
    assert budget == estimators.kl_budget(t, 1.0, c)
    expected = [estimators.kl_ucb(n, s, budget) for n, s in zip(plays, events, strict=True)]
    found = formulas.kl_upper(events / plays, budget / plays)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_the_best_lower_bound_by_hand():
    plays, events = np.array([20.0, 21.0, 400.0]), np.array([20.0, 14.0, 240.0])
    second = 2 / 3 - math.sqrt(2 * (2 / 3) * (1 / 3) * math.log(500) / 21)
    third = 0.6 - math.sqrt(2 * 0.6 * 0.4 * math.log(500) / 400)
    assert third > second
    bound = formulas.best_lower_bound(plays, events, 500, 20, 2)
    assert bound == pytest.approx(third, rel=1e-14)
    # One play less asked for, and the first arm counts, which never failed.
    assert formulas.best_lower_bound(plays, events, 500, 19, 2) == 1.0
    assert formulas.best_lower_bound(plays, events, 500, 400, 2) == 0.0
