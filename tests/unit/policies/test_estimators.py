"""What the estimators believe, against 60-digit arithmetic and SciPy's laws."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lincon.policies.estimators import (
    believe,
    believe_lower,
    bernoulli_kl,
    kl_budget,
    kl_ucb,
    kl_upper,
    ucb1,
)
from lincon.policies.parts import Estimator, Parameters

NO_RNG = np.random.default_rng(0)


def decimal_kl(p: Decimal, q: Decimal) -> Decimal:
    divergence = p * (p / q).ln() if p > 0 else Decimal(0)
    return divergence + ((1 - p) * ((1 - p) / (1 - q)).ln() if p < 1 else 0)


def decimal_index(plays: int, events: int, budget: float) -> float:
    """max{q : n d(s/n, q) <= budget} by bisection, with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        p, allowed = Decimal(events) / plays, Decimal(budget) / plays
        low, high = p, Decimal(1)
        while high - low > Decimal("1e-18"):
            middle = (low + high) / 2
            low, high = (middle, high) if decimal_kl(p, middle) <= allowed else (low, middle)
        return float(low)


@given(st.integers(1, 10**6), st.floats(0, 1), st.integers(2, 10**12), st.sampled_from([0.0, 3.0]))
@example(1, 0.0, 2, 0.0)
@example(10**6, 0.0, 10**12, 3.0)
@example(10**6, 1.0, 10**12, 3.0)
@example(50, 0.02, 3, 3.0)
@settings(max_examples=200)
def test_kl_index_is_the_root(plays, share, t, c):
    events = round(share * plays)
    budget = kl_budget(max(t, plays), 1.0, c)
    index = kl_ucb(plays, events, budget)
    assert index == pytest.approx(decimal_index(plays, events, budget), rel=0, abs=1e-12)
    assert events / plays <= index <= 1.0


@pytest.mark.parametrize("p", [1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("budget", [1e-6, 1e-3, 0.1, 5.0, 100.0])
def test_kl_upper_of_tiny_means_is_relatively_right(p, budget):
    with localcontext() as context:
        context.prec = 60
        q, step = Decimal(kl_upper(p, budget)), Decimal("1e-9")
        below, above = q * (1 - step), min(q * (1 + step), 1 - Decimal("1e-50"))
        assert decimal_kl(Decimal(p), below) <= Decimal(budget) <= decimal_kl(Decimal(p), above)


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_kl_upper_without_a_budget_is_the_mean(p):
    assert kl_upper(p, 0.0) == kl_upper(p, -1.0) == p


@given(st.floats(0, 1), st.floats(1e-300, 1, exclude_max=True))
def test_bernoulli_kl_against_scipy(p, q):
    expected = scipy.stats.entropy([p, 1 - p], [q, 1 - q])
    assert bernoulli_kl(p, q) == pytest.approx(expected, rel=1e-9, abs=1e-15)
    assert bernoulli_kl(0.0, 0.0) == bernoulli_kl(1.0, 1.0) == 0.0
    assert bernoulli_kl(0.5, 0.0) == bernoulli_kl(0.5, 1.0) == math.inf


def test_kl_budget():
    assert kl_budget(1, 1.0, 3.0) == 0.0
    assert kl_budget(2, 1.0, 3.0) == math.log(2)  # log log t is negative before e and left out
    assert kl_budget(1000, 1.0, 0.0) == math.log(1000)
    assert kl_budget(1000, 1.0, 3.0) == math.log(1000) + 3 * math.log(math.log(1000))


def test_ucb1():
    assert ucb1(100, 40, 1000, 1.0) == pytest.approx(0.4 + math.sqrt(2 * math.log(1000) / 100))
    assert ucb1(100, 40, 1000, 0.25) == pytest.approx(0.4 + math.sqrt(0.5 * math.log(1000) / 100))
    assert ucb1(100, 0, 1000, 0.0) == 0.0
    assert ucb1(1, 1, 2, 1.0) == ucb1(10, 9, 1000, 1.0) == ucb1(0, 0, 5, 1.0) == 1.0


def parameters(explore=1.0, c=0.0):
    return Parameters(*(0.0 for _ in Parameters._fields))._replace(explore=explore, c=c)


def beliefs(estimator: str, plays, events, t, rng=NO_RNG, mean=None, **given):
    plays, events = np.asarray(plays, np.int64), np.asarray(events, np.int64)
    theta = np.full(plays.size, np.nan)
    mean = np.zeros(plays.size) if mean is None else np.asarray(mean)
    code = int(Estimator[estimator.upper()])
    prior = np.array([1.0, 1.0, given.get("explore", 1.0), np.inf])
    believe(code, parameters(**given), prior, plays, events, t, mean, rng, theta)
    return theta


@pytest.mark.parametrize(
    ("plays", "events"),
    [(0, 0), (1, 0), (2, 1), (40, 3), (1_000, 1_000), (20_000, 7_000)],
)
def test_sampled_posteriors_are_beta(plays, events):
    """KS at a fixed posterior: as many arms with the same counts as draws are wanted."""
    rng = np.random.default_rng([plays, events])
    draws = beliefs("beta_sample", np.full(20_000, plays), np.full(20_000, events), 7, rng)
    law = scipy.stats.beta(1 + events, 1 + plays - events)
    assert scipy.stats.kstest(draws, law.cdf).pvalue > 1e-3
    # The test has teeth: it tells this posterior from that of one more event.
    other = scipy.stats.beta(2 + events, 1 + plays - events)
    if plays < 100:
        assert scipy.stats.kstest(draws, other.cdf).pvalue < 1e-6


def test_believe_uses_each_arms_own_counts():
    plays, events = [1, 10, 400], [1, 3, 90]
    pairs = list(zip(plays, events, strict=True))
    by_kl = [kl_ucb(n, s, kl_budget(500, 1.0, 3.0)) for n, s in pairs]
    by_ucb1 = [ucb1(n, s, 500, 0.75) for n, s in pairs]
    np.testing.assert_array_equal(beliefs("kl_ucb", plays, events, 500, c=3.0), by_kl)
    np.testing.assert_array_equal(beliefs("ucb1", plays, events, 500, explore=0.75), by_ucb1)
    mean = [0.2, 0.3, 0.1]
    np.testing.assert_array_equal(beliefs("truth", plays, events, 500, mean=mean), mean)


def test_explore_divides_the_counts():
    """The samples of 5 and 2 plays at 0.5, say, are those of 10 and 4; so are the indices."""
    rng, plays, events = np.random.default_rng(3), np.full(20_000, 40), np.full(20_000, 12)
    draws = beliefs("beta_sample", plays, events, 7, rng, explore=4.0)
    assert scipy.stats.kstest(draws, scipy.stats.beta(4, 8).cdf).pvalue > 1e-3
    for estimator in ("kl_ucb", "ucb1"):
        divided = beliefs(estimator, [40], [12], 500, explore=4.0)
        np.testing.assert_allclose(divided, beliefs(estimator, [10], [3], 500), rtol=1e-12)


@pytest.mark.parametrize("estimator", ["kl_ucb", "ucb1"])
def test_the_lower_end_is_that_of_the_misses(estimator):
    plays, events = np.array([1, 10, 400]), np.array([0, 7, 90])
    lower = np.empty(3)
    believe_lower(int(Estimator[estimator.upper()]), parameters(), plays, events, 500, lower)
    np.testing.assert_allclose(lower, 1.0 - beliefs(estimator, plays, plays - events, 500))
    assert (lower <= events / plays).all()
