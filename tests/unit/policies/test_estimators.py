"""What the estimators believe, against 60-digit arithmetic and SciPy's laws."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lincon.jit import entry
from lincon.policies.control import Control
from lincon.policies.estimators import (
    Beliefs,
    believe,
    bernoulli_kl,
    kl_budget,
    kl_ucb,
    kl_upper,
)
from lincon.policies.registry import make_policy
from tests.unit.engine.twin import paper


@entry
def set_beliefs(control, plays, events, t, mean, rng, beliefs):
    believe(control, plays, events, t, mean, rng, beliefs)


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
    assert kl_budget(2, 1.0, 3.0) == math.log(2)  # log log t is negative before e and left out
    assert kl_budget(5, 1.0, 3.0) == math.log(5) + 3 * math.log(math.log(5))


@pytest.mark.parametrize(
    ("plays", "events"),
    [(0, 0), (1, 0), (2, 1), (40, 3), (1_000, 1_000), (20_000, 7_000)],
)
def test_sampled_posteriors_are_beta(plays, events):
    """KS at a fixed posterior: as many arms with the same counts as draws are wanted."""
    rng = np.random.default_rng([plays, events])
    counts, program = np.full((2, 20_000), [[plays], [events]]), paper(np.zeros(20_000), 0.5)
    policy = make_policy("p", {"estimator": "beta_sample", "target": "none"})
    control, beliefs = Control.new(policy, program, 100), Beliefs.new(policy, program)
    set_beliefs(control, *counts, 7, np.zeros(0), rng, beliefs)
    draws = beliefs.upper
    law = scipy.stats.beta(1 + events, 1 + plays - events)
    assert scipy.stats.kstest(draws, law.cdf).pvalue > 1e-3
    # The test has power: it rejects the posterior with one more event.
    other = scipy.stats.beta(2 + events, 1 + plays - events)
    if plays < 100:
        assert scipy.stats.kstest(draws, other.cdf).pvalue < 1e-6
