"""The ladder: caps go down step by step, and no cap is beyond a line that is said to be above."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from lincon.engine.lazy.thompson.cap_levels import (
    INTERVALS,
    KNOTS,
    LINES,
    STEPS,
    Ladder,
    cap_of,
    interval_of,
    reaches,
    remember,
    set_ladder,
    sort,
)


def some_ladder(seed, rounds, arms=50):
    """A ladder set by random lines through random points, and the arms' values."""
    rng = np.random.default_rng(seed)
    value = rng.random(arms) if seed % 2 else np.round(rng.random(arms) * 4) / 4
    ladder = Ladder.new(value)
    for _ in range(rounds):
        low, high = rng.choice(value, 2)
        remember(ladder, rng.random() ** 2, rng.uniform(0.1, 0.6), low, high)
    set_ladder(ladder, rounds)
    return ladder, value, rng


CASES = [(seed, rounds) for seed in range(4) for rounds in (1, 2, 16, LINES, 3 * LINES)]


@pytest.mark.parametrize("seed, rounds", CASES)
def test_every_value_has_an_interval_and_falling_caps(seed, rounds):
    ladder, value, _ = some_ladder(seed, rounds)
    assert (np.diff(ladder.knots) >= 0.0).all()
    for r in value:
        interval = interval_of(ladder, r)
        assert ladder.knots[interval] <= r <= ladder.knots[interval + 1]
        caps = [cap_of(ladder, step, interval, r) for step in range(STEPS)]
        assert all(0.0 < lower <= upper <= 1.0 for upper, lower in pairwise(caps))
    assert ladder.knots[interval_of(ladder, value.max()) + 1] == value.max()


@pytest.mark.parametrize("seed, rounds", CASES)
def test_a_line_that_no_cap_reaches_is_above_all_arms(seed, rounds):
    """The claim that rounds end on, against every arm, for lines of all kinds."""
    ladder, value, rng = some_ladder(seed, rounds)
    ended = 0
    for _ in range(300):
        tilt, height = rng.choice([0.0, 1.0, rng.random()]), rng.uniform(-0.1, 1.2)
        for interval in range(INTERVALS):
            inside = [r for r in value if interval_of(ladder, r) == interval]
            for step in range(STEPS):
                if not reaches(ladder, step, interval, tilt, height):
                    ended += 1
                    for r in inside:
                        cap = cap_of(ladder, step, interval, r)
                        assert cap * ((1.0 - tilt) * r + tilt) < height
    assert ended > 0


def test_curves_are_quantiles_of_the_lines():
    """Level lines of heights 1..100 %, and one arm of value 1: caps are quantiles of heights."""
    ladder = Ladder.new(np.ones(1))
    for height in np.linspace(0.01, 1.0, 100):
        remember(ladder, 0.0, height, 1.0, 1.0)
    set_ladder(ladder, 100)
    caps = [cap_of(ladder, step, 0, 1.0) for step in range(STEPS)]
    assert caps[:2] == pytest.approx([0.11, 0.03])
    assert caps[2] < 0.01 and caps[3] < caps[2]


@pytest.mark.parametrize("size", [0, 1, 2, KNOTS, 100, 500])
def test_sort(size):
    values = np.random.default_rng(size).random(size).round(2)
    expected = np.sort(values)
    sort(values)
    np.testing.assert_array_equal(values, expected)
