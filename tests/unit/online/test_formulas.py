"""The formulas in NumPy against the engine's kernels, which have slow twins of their own."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lincon.online import formulas
from lincon.policies import estimators, prior
from lincon.problem import lp

# A coarse grid, so that ties and points on one line are met; and numbers as they come.
COORDINATES = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.floats(0, 1))
POINTS = st.lists(st.tuples(COORDINATES, COORDINATES), min_size=1, max_size=12)


@given(POINTS, COORDINATES)
@settings(max_examples=500, deadline=None)
def test_the_lp_is_the_kernels(points, eta):
    theta, value = np.array(points).T.copy()
    low, high, share = lp.solve_lp(theta, theta * value, eta)
    mixture = {low: share} if low == high else {low: share, high: 1.0 - share}
    assert formulas.solve_lp(theta, theta * value, eta) == (None if low < 0 else mixture)


@given(
    st.lists(st.tuples(st.integers(1, 10**6), st.floats(0, 1)), min_size=1, max_size=20),
    st.integers(1, 10**9),
    st.floats(0, 5),
)
@settings(max_examples=300, deadline=None)
def test_the_kl_index_is_the_kernels(arms, t, c):
    plays = np.array([n for n, _ in arms], float)
    events = np.array([round(share * n) for n, share in arms], float)
    budget = formulas.kl_budget(t, 1.0, c)
    assert budget == estimators.kl_budget(t, 1.0, c)
    expected = [estimators.kl_ucb(n, s, budget) for n, s in zip(plays, events, strict=True)]
    found = formulas.kl_upper(events / plays, budget / plays)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-299)


@given(
    st.lists(st.tuples(st.integers(0, 10**4), st.floats(0, 1)), min_size=1, max_size=20),
    st.floats(0.05, 20),
    st.floats(0.05, 20),
)
@settings(max_examples=200, deadline=None)
def test_the_learned_prior_is_the_kernels(arms, a, b):
    plays = np.array([n for n, _ in arms], float)
    events = np.array([round(share * n) for n, share in arms], float)
    expected = prior.fit_prior(a, b, plays, events, 2.0)
    # Where the height is flat, rounding of it ends the steps a little earlier or later.
    np.testing.assert_allclose(formulas.fit_prior(a, b, plays, events, 2.0), expected, rtol=1e-3)
