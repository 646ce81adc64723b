"""Caps fall from level to level, and none reaches a line that is said to be above."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from lincon.engine.lazy.thompson.cap_levels import (
    INTERVALS,
    LEVELS,
    LINES,
    CapLevels,
    cap_at,
    caps_reach,
    interval_of,
    record_line,
    set_levels,
)
from lincon.problem.goal import Program
from tests.unit.engine.twin import paper

pytestmark = pytest.mark.slow


def some_caps(seed, rounds, arms=50):
    """Caps set by random lines through random points, and the arms' values."""
    rng = np.random.default_rng(seed)
    value = rng.random(arms) if seed % 2 else np.round(rng.random(arms) * 4) / 4
    program = paper(value, 0.5)
    caps = CapLevels.new(program)
    for _ in range(rounds):
        low, high = rng.choice(value, 2)
        record_line(caps, rng.random() ** 2, rng.uniform(0.1, 0.6), low, high)
    set_levels(caps, program, rounds)
    return caps, value, rng


CASES = [(0, 1), (1, 16), (2, LINES), (3, 3 * LINES)]


@pytest.mark.parametrize("seed, rounds", CASES)
def test_every_value_has_an_interval_and_falling_caps(seed, rounds):
    caps, value, _ = some_caps(seed, rounds)
    assert (np.diff(caps.knots) >= 0.0).all()
    for r in value:
        interval = interval_of(caps, r)
        assert caps.knots[interval] <= r <= caps.knots[interval + 1]
        falling = [cap_at(caps, level, interval, r) for level in range(LEVELS)]
        assert all(0.0 < lower <= upper <= 1.0 for upper, lower in pairwise(falling))
    assert caps.knots[interval_of(caps, value.max()) + 1] == value.max()


@pytest.mark.parametrize("seed, rounds", CASES)
def test_a_line_that_no_cap_reaches_is_above_all_arms(seed, rounds):
    """The claim that rounds end on, against every arm, for lines of all kinds."""
    caps, value, rng = some_caps(seed, rounds)
    ended = 0
    for _ in range(60):
        tilt, height = rng.choice([0.0, 1.0, rng.random()]), rng.uniform(-0.1, 1.2)
        for interval in range(INTERVALS):
            inside = [r for r in value if interval_of(caps, r) == interval]
            for level in range(LEVELS):
                if not caps_reach(caps, level, interval, tilt, height):
                    ended += 1
                    for r in inside:
                        cap = cap_at(caps, level, interval, r)
                        assert cap * ((1.0 - tilt) * r + tilt) < height
    assert ended > 0


def test_curves_are_quantiles_of_the_lines():
    """Level lines of heights 1..100 %, and one arm of value 1: caps are quantiles of heights."""
    caps = CapLevels.new(paper([1.0], 0.5))
    for height in np.linspace(0.01, 1.0, 100):
        record_line(caps, 0.0, height, 1.0, 1.0)
    set_levels(caps, paper([1.0], 0.5), 100)
    falling = [cap_at(caps, level, 0, 1.0) for level in range(LEVELS)]
    assert falling[:2] == pytest.approx([0.11, 0.03])
    assert falling[2] < 0.01 and falling[3] < falling[2]


@pytest.mark.parametrize("seed, rounds", CASES)
def test_arms_with_caps_of_their_own(seed, rounds, arms=50):
    """Costs and any amounts: caps fall, and a line that none is said to reach is above all."""
    rng = np.random.default_rng(seed)
    value, cost, a, b = rng.random((4, arms))
    program = Program(value, cost, 2 * a[None], b[None] - 0.5, np.array([0.5]))
    caps, ended = CapLevels.new(program), 0
    for _ in range(rounds):
        record_line(caps, rng.random() ** 2, rng.uniform(-0.5, 1.5), 0.0, 0.0)
    set_levels(caps, program, rounds)
    for arm in range(arms):
        falling = [cap_at(caps, level, interval_of(caps, arm), arm) for level in range(LEVELS)]
        assert all(0.0 < lower <= upper <= 1.0 for upper, lower in pairwise(falling))
    for _ in range(60):
        tilt, height = rng.choice([0.0, 1.0, rng.random()]), rng.uniform(-1.0, 3.0)
        for level in range(LEVELS):
            for interval in range(INTERVALS):
                if caps_reach(caps, level, interval, tilt, height):
                    continue
                ended += 1
                for arm in range(arms):
                    if interval_of(caps, arm) == interval:
                        cap = cap_at(caps, level, interval, arm)
                        gain = cap * value[arm] - cost[arm]
                        amount = cap * program.a[0, arm] + program.b[0, arm]
                        assert (1.0 - tilt) * gain + tilt * amount < height
    assert ended > 300
