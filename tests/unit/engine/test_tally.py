"""What a run counts, by hand: two arms, a floor of .07, plays whose events are certain."""

import numpy as np
import pytest

from lincon.engine.python_policy import count_round
from lincon.engine.randomness import luck_key
from lincon.engine.tally import (
    AMOUNT,
    EXPECTED_AMOUNT,
    LAST_SHORTFALL,
    WORST_SHORTFALL,
    Tally,
    count_shortfall,
)
from lincon.policies.selectors import Mixture
from tests.unit.engine.twin import paper

MEAN, PROGRAM = np.array([1.0, 0.0]), paper([0.5, 0.9], 0.07)


def test_three_rounds():
    """Arm 0 for sure, then arm 1 of the mixture (.25, .75), then arm 1 of all alike."""
    tally, mixture = Tally.new(MEAN, PROGRAM, 3), Mixture.new(1)
    mixture.arm[1], mixture.share[:] = 1, (0.25, 0.75)
    alone = mixture._replace(share=np.ones(2))
    for t, (arm, played, size) in enumerate([(0, alone, 1), (1, mixture, 2), (1, mixture, 0)], 1):
        key = luck_key(1, "d")
        assert count_round(tally, t, arm, played, size, MEAN, PROGRAM, key, 0) == (arm == 0)
    assert tally.plays.tolist() == [1, 2] and tally.events.tolist() == [1, 0]
    assert tally.chosen.tolist() == [0, 1, 1]
    assert tally.expected_plays(PROGRAM).tolist() == [1.75, 1.25]
    # Reward, events, expected reward .5 + .125 + .25, expected events 1 + .25 + .5, infeasible.
    assert tally.totals.tolist() == [0.5, 1.0, 0.875, 1.75, 1.0]
    assert tally.amounts[[AMOUNT, EXPECTED_AMOUNT], 0].tolist() == [1.0, 1.75]
    assert tally.amounts[WORST_SHORTFALL, 0] == 0.0


def test_a_floor_met_to_rounding_is_no_shortfall():
    tally = Tally.new(MEAN, PROGRAM)
    amounts = tally.amounts[:, 0]
    amounts[AMOUNT] = 7.0
    assert 100 * 0.07 > 7.0
    count_shortfall(tally, 0, 100, 0.07)
    assert amounts[WORST_SHORTFALL] == amounts[LAST_SHORTFALL] == 0.0
    count_shortfall(tally, 0, 101, 0.07)
    assert amounts[WORST_SHORTFALL] == pytest.approx(0.07)
    assert amounts[LAST_SHORTFALL] == 101
