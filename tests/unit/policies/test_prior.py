"""The learned prior against a grid search with SciPy; the twin plays when it is fitted again."""

import numpy as np
import pytest
from scipy.special import betaln, digamma, polygamma

from lincon.policies.prior import digamma_trigamma, fit_prior

SPREAD = 2.0


def height(log_a, log_b, plays, events, spread=SPREAD):
    a, b = np.exp(log_a)[..., None], np.exp(log_b)[..., None]
    fits = betaln(a + events, b + plays - events) - betaln(a, b)
    return fits.sum(-1) - (log_a**2 + log_b**2) / (2 * spread**2)


def grid_search(plays, events):
    """The best (log a, log b): a grid over [-8, 8]^2, made finer around its best point."""
    centre, half = np.zeros(2), 8.0
    while half > 1e-7:
        axes = [np.linspace(c - half, c + half, 33) for c in centre]
        mesh = np.meshgrid(*axes, indexing="ij")
        best = np.argmax(height(*mesh, plays, events))
        centre, half = np.array([one.ravel()[best] for one in mesh]), half / 8
    return centre


rng = np.random.default_rng(4)
FEW, MANY = rng.integers(1, 9, 40), rng.integers(1, 9000, 40)
COUNTS = {
    "once": (np.ones(40), rng.binomial(1, rng.beta(0.3, 4.0, 40))),
    "few": (FEW, rng.binomial(FEW, rng.beta(0.3, 4.0, 40))),
    "many": (MANY, rng.binomial(MANY, rng.beta(0.3, 4.0, 40))),
    "no event": (np.full(30, 5), np.zeros(30)),
    "all events": (np.full(30, 5), np.full(30, 5)),
    "all alike": (np.full(30, 400), np.full(30, 100)),
    "two arms": (np.array([3, 2000]), np.array([0, 1999])),
    "some unplayed": (np.array([0, 0, 7, 50]), np.array([0, 0, 2, 9])),
}


@pytest.mark.parametrize("case", COUNTS)
@pytest.mark.parametrize("start", [(1.0, 1.0), (0.05, 30.0)])
def test_newton_finds_what_a_grid_search_finds(case, start):
    plays, events = (np.asarray(one, dtype=float) for one in COUNTS[case])
    found = np.log(fit_prior(*start, plays, events, SPREAD))
    searched = grid_search(plays, events)
    assert found == pytest.approx(searched, abs=1e-4)


@pytest.mark.parametrize("x", [1e-6, 0.3, 1.0, 5.9999, 6.0, 17.5, 1e7])
def test_digamma_and_trigamma(x):
    expected = float(digamma(x)), float(polygamma(1, x))
    assert digamma_trigamma(x) == pytest.approx(expected, rel=1e-7, abs=1e-7)
