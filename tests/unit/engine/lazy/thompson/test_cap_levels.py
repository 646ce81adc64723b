"""Caps fall from level to level, and none reaches a line that is said to be above."""

from itertools import pairwise, product

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
from lincon.problem.program import Program
from tests.unit.engine.twin import paper

pytestmark = pytest.mark.slow


ARMS = 50
# Seed, rounds, and whether arms have costs and amounts of any size, so caps of their own.
CASES = [
    (*case, own) for case in [(0, 1), (1, 16), (2, LINES), (3, 3 * LINES)] for own in (False, True)
]


def some_caps(seed, rounds, own):
    """Caps set by random lines, the arms, and the names that caps know the arms by."""
    rng = np.random.default_rng(seed)
    value, cost, a, b = rng.random((4, ARMS))
    if own:
        program = Program(value, cost, 2 * a[None], b[None] - 0.5, np.array([0.5]))
    else:
        program = paper(value if seed % 2 else np.round(value * 4) / 4, 0.5)
    caps = CapLevels.new(program)
    for _ in range(rounds):
        height = rng.uniform(-0.5, 1.5) if own else rng.uniform(0.1, 0.6)
        record_line(caps, rng.random() ** 2, height, *rng.choice(program.value, 2))
    set_levels(caps, program, rounds)
    return caps, program, np.arange(ARMS) if own else program.value, rng


@pytest.mark.parametrize("seed, rounds, own", CASES)
def test_every_arm_has_an_interval_and_falling_caps(seed, rounds, own):
    caps, _, names, _ = some_caps(seed, rounds, own)
    for name in names:
        interval = interval_of(caps, name)
        assert own or caps.knots[interval] <= name <= caps.knots[interval + 1]
        falling = [cap_at(caps, level, interval, name) for level in range(LEVELS)]
        assert all(0.0 < lower <= upper <= 1.0 for upper, lower in pairwise(falling))
    assert own or caps.knots[interval_of(caps, names.max()) + 1] == names.max()


@pytest.mark.parametrize("seed, rounds, own", CASES)
def test_a_line_that_no_cap_reaches_is_above_all_arms(seed, rounds, own):
    """The claim that rounds end on, against every arm, for lines of all kinds."""
    caps, program, names, rng = some_caps(seed, rounds, own)
    intervals, ended = np.array([interval_of(caps, name) for name in names]), 0
    for _ in range(60):
        tilt, height = rng.choice([0.0, 1.0, rng.random()]), rng.uniform(-1.0, 3.0)
        for interval, level in product(range(INTERVALS), range(LEVELS)):
            if caps_reach(caps, level, interval, tilt, height):
                continue
            ended += 1
            for arm in np.flatnonzero(intervals == interval):
                cap = cap_at(caps, level, interval, names[arm])
                gain = cap * program.value[arm] - program.cost[arm]
                amount = cap * program.a[0, arm] + program.b[0, arm]
                assert (1.0 - tilt) * gain + tilt * amount < height
    assert ended > 300


def test_curves_are_quantiles_of_the_lines():
    """Level lines of heights 1..100 %, and one arm of value 1: caps are quantiles of heights."""
    caps = CapLevels.new(paper([1.0], 0.5))
    for height in np.linspace(0.01, 1.0, 100):
        record_line(caps, 0.0, height, 1.0, 1.0)
    set_levels(caps, paper([1.0], 0.5), 100)
    falling = [cap_at(caps, level, 0, 1.0) for level in range(LEVELS)]
    assert falling[:2] == pytest.approx([0.11, 0.03])
    assert falling[2] < 0.01 and falling[3] < falling[2]
