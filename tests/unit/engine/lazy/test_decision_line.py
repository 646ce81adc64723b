"""What lies below the line of a decision cannot change it, for every selector."""

from __future__ import annotations

import numpy as np
import pytest

from lincon.engine.lazy.decision_line import (
    SLACK,
    Working,
    decide,
    decision_line,
    include,
    line_start,
)
from lincon.policies.selectors import ARGMAX, LP, PRIMAL_DUAL, QUEUE, Demand, select

DEMANDS = {
    "lp": Demand(LP, 0.5, False, 0.0, 0.0, 1.0),
    "lp, out of reach": Demand(LP, 0.95, False, 0.0, 0.0, 1.0),
    "lp, out of reach, greedy": Demand(LP, 0.95, True, 0.0, 0.0, 1.0),
    "lp, no floor": Demand(LP, 0.0, False, 0.0, 0.0, 1.0),
    "argmax": Demand(ARGMAX, 0.5, False, 0.0, 0.0, 1.0),
    "queue": Demand(QUEUE, 0.5, False, 0.4, 0.0, 1.0),
    "primal_dual": Demand(PRIMAL_DUAL, 0.5, False, 0.0, 0.7, 0.3 * 0.5),
    "primal_dual, no failures so far": Demand(PRIMAL_DUAL, 0.5, False, 0.0, 0.0, 0.5),
    "primal_dual, floor of one": Demand(PRIMAL_DUAL, 1.0, False, 0.0, 0.8, 0.0),
}


@pytest.mark.parametrize("demand", DEMANDS.values(), ids=DEMANDS)
def test_arms_below_the_line_change_nothing(demand):
    rng = np.random.default_rng(3)
    below = 0
    for _ in range(300):
        few = int(rng.integers(1, 6))
        theta, value = 0.9 * rng.random(few), rng.random(few)
        decision = select(demand, theta, value, theta * value)
        tilt, height = decision_line(demand, theta, value, decision[0], decision[1])
        assert 0.0 <= tilt <= 1.0
        more_value = rng.random(20)
        more_theta = np.array([min(line_start(tilt, height, r), 1.0) for r in more_value])
        more_theta *= np.where(rng.random(20) < 0.5, 1.0 - 1e-9, rng.random(20))
        below += np.sum(more_theta > 0.0)
        all_theta, all_value = np.append(theta, more_theta), np.append(value, more_value)
        again = select(demand, all_theta, all_value, all_theta * all_value)
        assert again[:2] == decision[:2]
        assert again[2] == pytest.approx(decision[2])
    assert below > 1_000


@pytest.mark.parametrize("demand", DEMANDS.values(), ids=DEMANDS)
def test_the_chosen_arms_are_on_their_line(demand):
    rng = np.random.default_rng(4)
    for _ in range(100):
        theta, value = 0.9 * rng.random(8), rng.random(8)
        low, high, _ = select(demand, theta, value, theta * value)
        tilt, height = decision_line(demand, theta, value, low, high)
        for arm in (low, high):
            if arm >= 0:
                reach = theta[arm] * ((1.0 - tilt) * value[arm] + tilt)
                assert reach == pytest.approx(height, rel=1e-12)
                assert reach >= height * SLACK


def test_the_working_set():
    demand, working = DEMANDS["argmax"], Working.new(3)
    assert decide(demand, working, 0)[:2] == (-1, -1)
    size = include(working, 0, 7, 0.5, 0.5)
    size = include(working, size, 4, 0.9, 0.5)
    assert size == 2
    low, high, share, tilt, height = decide(demand, working, size)
    assert (low, high, share, tilt) == (1, 1, 1.0, 0.0)
    assert working.arm[low] == 4
    assert height == pytest.approx(0.45)
