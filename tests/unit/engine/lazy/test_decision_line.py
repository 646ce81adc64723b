"""What lies below the line of a decision cannot change it, for every selector and any amounts."""

from __future__ import annotations

import numpy as np
import pytest

from lincon.engine.lazy.decision_line import (
    SLACK,
    Demand,
    Working,
    choose,
    decide,
    decision_line,
    include,
    line_start,
    tilted,
)
from lincon.policies.parts import Selector
from lincon.problem.goal import Program

LP, ARGMAX, QUEUE, PRIMAL_DUAL = (
    int(code) for code in (Selector.LP, Selector.ARGMAX, Selector.QUEUE, Selector.PRIMAL_DUAL)
)
# Consumption, the highest amount, the least gain and the extent of the paper's problem.
PAPER = (1.0, 1.0, 0.0, 1.0)
DEMANDS = {
    "lp": Demand(LP, False, 0.5, 0.0, 0.0, 1.0, *PAPER),
    "lp, infeasible": Demand(LP, False, 0.95, 0.0, 0.0, 1.0, *PAPER),
    "lp, infeasible, greedy": Demand(LP, True, 0.95, 0.0, 0.0, 1.0, *PAPER),
    "lp, no floor": Demand(LP, False, 0.0, 0.0, 0.0, 1.0, *PAPER),
    "argmax": Demand(ARGMAX, False, 0.5, 0.0, 0.0, 1.0, *PAPER),
    "queue": Demand(QUEUE, False, 0.5, 0.4, 0.0, 1.0, *PAPER),
    "primal_dual": Demand(PRIMAL_DUAL, False, 0.5, 0.0, 0.7, 0.3 * 0.5, *PAPER),
    "primal_dual, no failures so far": Demand(PRIMAL_DUAL, False, 0.5, 0.0, 0.0, 0.5, *PAPER),
    "primal_dual, floor of one": Demand(PRIMAL_DUAL, False, 1.0, 0.0, 0.8, 0.0, *PAPER),
}
GENERAL = {
    "lp": DEMANDS["lp"],
    "lp, infeasible": Demand(LP, False, 4.0, 0.0, 0.0, 1.0, *PAPER),
    "lp, infeasible, greedy": Demand(LP, True, 4.0, 0.0, 0.0, 1.0, *PAPER),
    "argmax": DEMANDS["argmax"],
    "queue": DEMANDS["queue"],
    "primal_dual": Demand(PRIMAL_DUAL, False, 0.5, 0.0, 0.6, 0.2, 0.3, 3.0, -1.0, 3.0),
}
CASES = [
    *(pytest.param(demand, False, id=name) for name, demand in DEMANDS.items()),
    *(pytest.param(demand, True, id=f"{name}, general") for name, demand in GENERAL.items()),
]


def made(rng, general: bool) -> tuple[Program, np.ndarray]:
    """28 arms, of which the first eight have a theta."""
    value, ones, zeros = rng.random(28), np.ones(28), np.zeros(28)
    cost, a, b = zeros, ones, zeros
    if general:
        cost, a, b = rng.random(28), 2 * rng.random(28), rng.random(28)
    return Program(value, cost, a[None], b[None], np.array([0.5])), 0.9 * rng.random(8)


def working_of(program, theta) -> Working:
    working = Working.new(program.value.size)
    for arm, each in enumerate(theta):
        include(working, arm, arm, each, program)
    return working


@pytest.mark.parametrize(("demand", "general"), CASES)
def test_arms_below_the_line_change_nothing(demand, general):
    rng = np.random.default_rng(3)
    below = 0
    for _ in range(300):
        program, theta = made(rng, general)
        working = working_of(program, theta)
        low, high, share = choose(demand, program, working, 8)
        tilt, height = decision_line(demand, program, working, low, high)
        assert 0.0 <= tilt <= 1.0
        starts = [min(line_start(program, arm, tilt, height), 1.0) for arm in range(8, 28)]
        more = np.array(starts) * np.where(rng.random(20) < 0.5, 1.0 - 1e-9, rng.random(20))
        reached = more >= [line_start(program, arm, tilt, height) for arm in range(8, 28)]
        below += np.sum(~reached & (more > 0.0))
        kept = [arm for arm, is_at in zip(range(8, 28), reached, strict=True) if not is_at]
        for place, arm in enumerate(kept):
            include(working, 8 + place, arm, more[arm - 8], program)
        again = choose(demand, program, working, 8 + len(kept))
        assert again[:2] == (low, high)
        assert again[2] == pytest.approx(share)
    assert below > 1_000


@pytest.mark.parametrize(("demand", "general"), CASES)
def test_the_chosen_arms_are_on_their_line(demand, general):
    rng = np.random.default_rng(4)
    for _ in range(100):
        program, theta = made(rng, general)
        working = working_of(program, theta)
        low, high, _ = choose(demand, program, working, 8)
        tilt, height = decision_line(demand, program, working, low, high)
        for arm in (low, high):
            if arm >= 0:
                per_event, per_play = tilted(program, arm, tilt)
                reach = theta[arm] * per_event + per_play
                assert reach == pytest.approx(height, rel=1e-12, abs=1e-14)
                assert general or reach >= height * SLACK


def test_the_working_set():
    program, _ = made(np.random.default_rng(0), False)
    program.value[:] = 0.5
    demand, working = DEMANDS["argmax"], Working.new(28)
    assert decide(demand, program, working, 0)[:2] == (-1, -1)
    size = include(working, 0, 7, 0.5, program)
    size = include(working, size, 4, 0.9, program)
    assert size == 2
    low, high, share, tilt, height = decide(demand, program, working, size)
    assert (low, high, share, tilt) == (1, 1, 1.0, 0.0)
    assert working.arm[low] == 4
    assert height == pytest.approx(0.45)
