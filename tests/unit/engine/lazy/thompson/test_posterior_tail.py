"""Cards: whatever was played, their tails are those of SciPy's Betas, and their rates add up."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from lincon.engine.game import Game
from lincon.engine.lazy.engine import LazyEngine
from lincon.engine.lazy.thompson.cap_levels import (
    STEPS,
    Ladder,
    cap_of,
    interval_of,
    remember,
    set_ladder,
)
from lincon.engine.lazy.thompson.poisson_thinning import ALWAYS, BOUNDS, SILENT
from lincon.engine.lazy.thompson.posterior_tail import (
    ENTRY,
    OFTEN,
    TAILS,
    VALUE,
    A,
    B,
    cap_above,
    follow,
    new_cards,
    odds_at,
    place,
    rings_below,
    slab,
)
from lincon.engine.randomness import choice_stream, luck_key
from lincon.policies.registry import make_policy

VALUES = np.linspace(0.1, 1.0, 30)


def some_ladder(height):
    rng = np.random.default_rng(4)
    ladder = Ladder.new(VALUES)
    for _ in range(200):
        remember(ladder, 0.1 * rng.random(), height * rng.uniform(0.9, 1.1), *rng.choice(VALUES, 2))
    set_ladder(ladder, 200)
    return ladder


def placed(value, plays, events, height=0.3, rarely=1e-6):
    """A card that was placed on some ladder, the ladder and the interval."""
    ladder, card = some_ladder(height), new_cards(np.array([value]))[0]
    card[A], card[B] = 1.0 + events, 1.0 + plays - events
    interval = interval_of(ladder, value)
    place(card, ladder, interval, rarely)
    return card, ladder, interval


def check_tails(card, ladder, interval):
    """Those that are known, against SciPy; how many are, and the least of the others."""
    known, unknown = 0, 1.0
    for step in range(int(card[ENTRY]), STEPS):
        cap = cap_of(ladder, step, interval, card[VALUE])
        tail = stats.beta.sf(cap, card[A], card[B])
        if card[TAILS + step] < 1.0:
            known += 1
            assert card[TAILS + step] <= OFTEN
            assert card[TAILS + step] == pytest.approx(tail, rel=1e-9, abs=1e-250)
        else:
            unknown = min(unknown, tail)
    return known, unknown


COUNTS = [(0, 0), (1, 1), (40, 7), (3_000, 900), (10**6, 2 * 10**5)]


@pytest.mark.parametrize("value", [0.1, 0.33, 0.5, 1.0])
@pytest.mark.parametrize("plays, events", COUNTS)
def test_placed_cards_have_the_tails_of_their_betas(value, plays, events):
    _, unknown = check_tails(*placed(value, plays, events))
    assert unknown > 0.8 * OFTEN


@pytest.mark.parametrize("value", [0.33, 0.6, 1.0])
@pytest.mark.parametrize("plays, events", [(5, 0), (200, 40), (5_000, 1_000)])
@pytest.mark.parametrize("luck", [0.0, 0.2, 1.0])
def test_tails_follow_the_plays(value, plays, events, luck):
    """As long as they say that they are as good as new, they are."""
    rng = np.random.default_rng(plays)
    card, ladder, interval = placed(value, plays, events)
    assert card[TAILS + int(card[ENTRY])] < 1.0
    good, steps = True, 0
    while good and card[TAILS + int(card[ENTRY])] < 1.0 and steps < 1_000:
        event = rng.random() < luck
        good = follow(card, ladder, interval, event)
        card[A if event else B] += 1.0
        if good:
            check_tails(card, ladder, interval)
        steps += 1
    # Misses make a tail fall until it must be computed anew, unless it is nothing; events do not.
    if luck == 0.0:
        assert not good or card[TAILS + int(card[ENTRY])] == 0.0
    elif luck == 1.0:
        assert good


def test_a_cap_that_cannot_be_exceeded_stays_so():
    card, ladder, interval = placed(0.1, 5, 0, height=0.5)
    assert cap_of(ladder, STEPS - 1, interval, 0.1) == 1.0
    for event in (False, True, False):
        assert follow(card, ladder, interval, event)
        card[A if event else B] += 1.0
    assert card[TAILS + STEPS - 1] == 0.0
    assert odds_at(card, 0) == 0.0


def test_an_engine_keeps_its_cards_and_buckets_right():
    mean, value = np.linspace(0.05, 0.6, 30), VALUES[::-1].copy()
    rng = choice_stream(1, "cards", 0.4, "p", 0)
    policy = make_policy("p", {"estimator": "beta_sample", "selector": "lp"})
    engine = LazyEngine(Game(policy, mean, value, 0.4, 9_000, luck_key(1, "cards"), 0, rng))
    state, first, known = engine.advance.args[1], 1, 0
    for last in (31, 60, 100, 300, 1_000, 3_000, 9_000):
        engine.advance(first, last)
        first = last + 1
        for arm, card in enumerate(state.cards):
            bucket, events = state.buckets.bucket[arm], engine.tally.events[arm]
            assert (card[A], card[B]) == (1 + events, 1 + engine.tally.plays[arm] - events)
            if bucket[0] > 0:
                known += check_tails(card, state.ladder, state.buckets.interval[arm])[0]
                for step in range(STEPS):
                    odds = odds_at(card, step)
                    assert (bucket[step] == 0) == (odds == ALWAYS)
                    assert (bucket[step] == SILENT) == (odds == 0.0)
                    assert odds == ALWAYS or odds <= BOUNDS[bucket[step]]
    assert known > 100


@pytest.mark.parametrize("plays, events", [(5, 0), (20, 4), (60, 12)])
def test_rates_add_up_to_the_tail(plays, events):
    """By each step, an arm has rung with the probability of exceeding the cap there."""
    card, _, _ = placed(0.8, plays, events, rarely=1e-3)
    total, met, rung = 0.0, True, 0
    for step in range(STEPS):
        odds, tail = odds_at(card, step), card[TAILS + max(step, int(card[ENTRY]))]
        if not met:
            assert odds == 0.0
        elif odds == ALWAYS:
            met = False
        else:
            total += math.log1p(odds)
            rung += odds > 0.0
            assert -math.expm1(-total) == pytest.approx(tail, rel=1e-12)
    assert rung > 1


@pytest.mark.parametrize("tail", [0.3, 0.1, 1e-3, 1e-12])
def test_a_ring_counts_below_the_rate(tail):
    card = new_cards(np.ones(1))[0]
    card[TAILS] = tail
    rate = -math.log1p(-tail)
    for share in (0.0, 0.5, 0.7, 0.85, 0.95, 1.0 - 1e-9):
        assert rings_below(card, 0, share * rate)
    for share in (1.0 + 1e-9, 1.05, 1.2, 2.0):
        assert not rings_below(card, 0, share * rate)


def test_slabs_go_down_without_gaps():
    card, ladder, interval = placed(0.5, 200, 40)
    entry, high = int(card[ENTRY]), 1.0
    assert slab(card, ladder, interval, 0) == (cap_of(ladder, entry, interval, 0.5), 1.0)
    for step in range(STEPS):
        if step > 0:
            assert cap_above(card, ladder, interval, step) == high
        if step == 0 or step > entry:
            low, top = slab(card, ladder, interval, step)
            assert top == high and low < top
            high = low


def test_new_cards_are_drawn_in_any_case():
    assert all(odds_at(card, 0) == ALWAYS for card in new_cards(VALUES))
