"""The cut Beta distributions: tails against SciPy, draws by Kolmogorov-Smirnov, no endless loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from lincon.engine.lazy.thompson.truncated_beta import (
    draw_below,
    draw_between,
    tail_after_event,
    tail_after_miss,
    upper_tail,
)
from lincon.jit import kernel

pytestmark = pytest.mark.slow

SHAPES = [(1, 40), (2, 1), (3, 7), (12, 400), (5000, 20000), (2, 10**7), (3 * 10**6, 7 * 10**6)]
# Priors below 1, of arms without an event or without a miss.
SHAPES += [(0.1, 2.3), (0.02, 300.5), (0.6, 0.9), (2.5, 0.6), (40.2, 0.7)]
TAILS = [0.4, 1e-3, 1e-12]


@kernel
def many(rng, a, b, low, high, out):
    """Draws between low and high, below high where low is 0."""
    for k in range(out.size):
        if low > 0.0:
            out[k] = draw_between(rng, a, b, low, high)
        else:
            out[k] = draw_below(rng, a, b, high)


def cap_of(a, b, tail):
    """The cap with this tail, where doubles near 1 are dense enough to tell such caps apart."""
    cap = special.betainccinv(a, b, tail)
    return cap if cap < 1.0 - 1e-12 else None


def cap_above_mean(a, b, tail):
    cap = cap_of(a, b, tail)
    if cap is None or cap * (a + b) <= a:
        pytest.skip("no such cap above the mean in double precision")
    return cap


def tolerance(a, b):
    """A cap is known to half a unit in its last place, and a large n magnifies that."""
    return 1e-10 + 1e-15 * (a + b)


@pytest.mark.parametrize("a, b", SHAPES)
@pytest.mark.parametrize("tail", TAILS)
def test_tail_agrees_with_scipy(a, b, tail):
    cap = cap_above_mean(a, b, tail)
    found, change = upper_tail(float(a), float(b), cap)
    assert found == pytest.approx(stats.beta.sf(cap, a, b), rel=tolerance(a, b), abs=0.0)
    density = stats.beta.pdf(cap, a, b)
    assert change == pytest.approx(density * cap * (1.0 - cap), rel=tolerance(a, b), abs=0.0)


@pytest.mark.parametrize("a, b", SHAPES)
@pytest.mark.parametrize("tail", TAILS)
def test_a_play_alters_the_tail_by_the_change(a, b, tail):
    cap = cap_above_mean(a, b, tail)
    before = upper_tail(float(a), float(b), cap)
    # What a miss takes away is lost to rounding where it is nearly all.
    lost = 1e-14 * before[0]
    for after, shape in (
        (tail_after_event(float(a), float(b), cap, *before), (a + 1, b)),
        (tail_after_miss(float(a), float(b), cap, *before), (a, b + 1)),
    ):
        density = stats.beta.pdf(cap, *shape)
        close = {"rel": tolerance(a, b), "abs": lost}
        assert after[0] == pytest.approx(stats.beta.sf(cap, *shape), **close)
        assert after[1] == pytest.approx(density * cap * (1.0 - cap), **close)


# Between which tails: above a cap, below one (from 1 on), between two.
SLABS = [*((tail, 0.0) for tail in TAILS), *((1.0, tail) for tail in TAILS)]
SLABS += [(0.4, 0.1), (0.2, 0.19), (0.1, 1e-3), (1e-3, 0.999e-3), (1e-6, 1e-7), (1e-12, 0.5e-12)]


@pytest.mark.parametrize("a, b", SHAPES)
@pytest.mark.parametrize("tails", SLABS)
def test_draws_have_the_law(a, b, tails):
    low, high = (cap_of(a, b, tail) if 0.0 < tail < 1.0 else 1.0 - tail for tail in tails)
    if low is None or high is None or high - low < 1e-9 * low:
        pytest.skip("doubles are too coarse between such caps")
    draws = np.empty(5_000)
    many(np.random.default_rng(7), float(a), float(b), low, high, draws)
    assert (draws >= low).all() and (draws <= high).all()
    # Counted from the top or from the bottom, where the numbers are the finer.
    law = stats.beta.cdf if low == 0.0 else stats.beta.sf
    ends, found = law(np.array([low, high]), a, b), law(draws, a, b)
    uniform = (found - ends[0]) / (ends[1] - ends[0])
    # Two hundred such tests are made: a level of 1e-5 each.
    assert stats.kstest(np.clip(uniform, 0.0, 1.0), "uniform").pvalue > 1e-5


@settings(max_examples=100, deadline=None)
@given(
    events=st.integers(0, 10**7),
    misses=st.integers(0, 10**7),
    cap=st.floats(1e-12, 1.0, exclude_max=True),
    seed=st.integers(0, 2**32),
)
def test_extremes_end_and_stay_inside(events, misses, cap, seed):
    a, b = 1.0 + events, 1.0 + misses
    tail, change = upper_tail(a, b, cap)
    assert 0.0 <= tail <= 1.0 and change >= 0.0
    draws = np.empty(50)
    rng = np.random.default_rng(seed)
    if cap * (a + b) > a:
        many(rng, a, b, cap, 1.0, draws)
        assert ((draws >= cap) & (draws <= 1.0)).all()
    if tail < 0.5:
        many(rng, a, b, 0.0, cap, draws)
        assert ((draws >= 0.0) & (draws <= cap)).all()
