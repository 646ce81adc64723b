"""Whatever was played, posterior tails are those of SciPy's Betas, and their rates add up."""

import math

import numpy as np
import pytest
from scipy import stats

from lincon.engine.lazy.engine import LazyEngine
from lincon.engine.lazy.thompson.cap_levels import (
    LEVELS,
    CapLevels,
    cap_at,
    interval_of,
    record_line,
    set_levels,
)
from lincon.engine.lazy.thompson.poisson_thinning import ALWAYS, BOUNDS, ZERO_RATE
from lincon.engine.lazy.thompson.posterior_tail import (
    FIRST_LEVEL,
    LARGEST_TAIL,
    TAILS,
    VALUE,
    A,
    B,
    cap_interval,
    compute_tails,
    exceedance_odds,
    is_accepted,
    new_posteriors,
    update_tails,
    upper_cap,
)
from lincon.engine.randomness import choice_stream, luck_key
from lincon.policies.registry import make_policy
from tests.unit.engine.games import paper_game
from tests.unit.engine.twin import paper

pytestmark = pytest.mark.slow

VALUES = np.linspace(0.1, 1.0, 30)


def some_caps(height):
    rng = np.random.default_rng(4)
    program = paper(VALUES, 0.5)
    caps = CapLevels.new(program)
    for _ in range(200):
        record_line(
            caps, 0.1 * rng.random(), height * rng.uniform(0.9, 1.1), *rng.choice(VALUES, 2)
        )
    set_levels(caps, program, 200)
    return caps


def placed(value, plays, events, height=0.3, small=1e-6):
    """A posterior with the tails beyond some caps, the caps and the interval."""
    caps, posterior = some_caps(height), new_posteriors(np.array([value]))[0]
    posterior[A], posterior[B] = 1.0 + events, 1.0 + plays - events
    interval = interval_of(caps, value)
    compute_tails(posterior, caps, interval, small)
    return posterior, caps, interval


def check_tails(posterior, caps, interval):
    """Those that are known, against SciPy; how many are, and the smallest of the others."""
    known, unknown = 0, 1.0
    for level in range(int(posterior[FIRST_LEVEL]), LEVELS):
        cap = cap_at(caps, level, interval, posterior[VALUE])
        tail = stats.beta.sf(cap, posterior[A], posterior[B])
        if posterior[TAILS + level] < 1.0:
            known += 1
            assert posterior[TAILS + level] <= LARGEST_TAIL
            assert posterior[TAILS + level] == pytest.approx(tail, rel=1e-9, abs=1e-250)
        else:
            unknown = min(unknown, tail)
    return known, unknown


COUNTS = [(0, 0), (1, 1), (40, 7), (3_000, 900), (10**6, 2 * 10**5)]


@pytest.mark.parametrize("value", [0.1, 1.0])
@pytest.mark.parametrize("plays, events", COUNTS)
def test_computed_tails_are_those_of_the_betas(value, plays, events):
    _, unknown = check_tails(*placed(value, plays, events))
    assert unknown > 0.8 * LARGEST_TAIL


@pytest.mark.parametrize("value", [0.33, 1.0])
@pytest.mark.parametrize("plays, events", [(5, 0), (5_000, 1_000)])
@pytest.mark.parametrize("luck", [0.0, 0.2, 1.0])
def test_tails_follow_the_plays(value, plays, events, luck):
    """As long as they say that they are as good as new, they are."""
    rng = np.random.default_rng(plays)
    posterior, caps, interval = placed(value, plays, events)
    assert posterior[TAILS + int(posterior[FIRST_LEVEL])] < 1.0
    good, levels = True, 0
    while good and posterior[TAILS + int(posterior[FIRST_LEVEL])] < 1.0 and levels < 300:
        event = rng.random() < luck
        good = update_tails(posterior, caps, interval, event)
        posterior[A if event else B] += 1.0
        if good:
            check_tails(posterior, caps, interval)
        levels += 1
    # Misses make a tail fall until it must be recomputed, unless it is nothing; events do not.
    if luck == 0.0:
        assert not good or posterior[TAILS + int(posterior[FIRST_LEVEL])] == 0.0
    elif luck == 1.0:
        assert good


def test_an_engine_keeps_its_tails_and_buckets_right():
    mean, value = np.linspace(0.05, 0.6, 30), VALUES[::-1].copy()
    rng = choice_stream(1, "tails", 0.4, "p", 0)
    policy = make_policy("p", {"estimator": "beta_sample"})
    engine = LazyEngine(paper_game(policy, mean, value, 0.4, 9_000, luck_key(1, "tails"), 0, rng))
    state, first, known = engine.state, 1, 0
    for last in (31, 60, 100, 300, 1_000, 3_000, 9_000):
        engine.advance(first, last)
        first = last + 1
        for arm, posterior in enumerate(state.posteriors):
            bucket, events = state.buckets.bucket[arm], engine.tally.events[arm]
            assert (posterior[A], posterior[B]) == (
                1 + events,
                1 + engine.tally.plays[arm] - events,
            )
            if bucket[0] > 0:
                known += check_tails(posterior, state.caps, state.buckets.interval[arm])[0]
                for level in range(LEVELS):
                    odds = exceedance_odds(posterior, level)
                    assert (bucket[level] == 0) == (odds == ALWAYS)
                    assert (bucket[level] == ZERO_RATE) == (odds == 0.0)
                    assert odds == ALWAYS or odds <= BOUNDS[bucket[level]]
    assert known > 100


@pytest.mark.parametrize("plays, events", [(5, 0), (20, 4), (60, 12)])
def test_rates_add_up_to_the_tail(plays, events):
    """By each level, an arm was accepted with the probability of exceeding the cap there."""
    posterior, _, _ = placed(0.8, plays, events, small=1e-3)
    total, met, proposed = 0.0, True, 0
    for level in range(LEVELS):
        odds, tail = (
            exceedance_odds(posterior, level),
            posterior[TAILS + max(level, int(posterior[FIRST_LEVEL]))],
        )
        if not met:
            assert odds == 0.0
        elif odds == ALWAYS:
            met = False
        else:
            total += math.log1p(odds)
            proposed += odds > 0.0
            assert -math.expm1(-total) == pytest.approx(tail, rel=1e-12)
    assert proposed > 1


@pytest.mark.parametrize("tail", [0.3, 0.1, 1e-3, 1e-12])
def test_a_proposal_is_accepted_below_the_rate(tail):
    posterior = new_posteriors(np.ones(1))[0]
    posterior[TAILS] = tail
    rate = -math.log1p(-tail)
    for share in (0.0, 0.5, 0.7, 0.85, 0.95, 1.0 - 1e-9):
        assert is_accepted(posterior, 0, share * rate)
    for share in (1.0 + 1e-9, 1.05, 1.2, 2.0):
        assert not is_accepted(posterior, 0, share * rate)


def test_slabs_go_down_without_gaps():
    posterior, caps, interval = placed(0.5, 200, 40)
    first, high = int(posterior[FIRST_LEVEL]), 1.0
    assert cap_interval(posterior, caps, interval, 0) == (cap_at(caps, first, interval, 0.5), 1.0)
    for level in range(LEVELS):
        if level > 0:
            assert upper_cap(posterior, caps, interval, level) == high
        if level == 0 or level > first:
            low, top = cap_interval(posterior, caps, interval, level)
            assert top == high and low < top
            high = low
