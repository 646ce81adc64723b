"""What lies below the line of a decision cannot change it, for every target and any amounts."""

import numpy as np
import pytest

from lincon.engine.lazy.decision_line import (
    SLACK,
    Working,
    choose,
    decision_line,
    include,
    line_start,
    tilted,
)
from lincon.policies.control import Control
from lincon.policies.registry import make_policy
from lincon.problem.program import Program

LP: dict[str, str] = {}
# A policy, and its target in mid-run.
ASKED = {
    "lp": (LP, {}),
    "lp, infeasible": (LP, {"target": 4.0}),
    "lp, infeasible, greedy": ({**LP, "fallback": "greedy"}, {"target": 4.0}),
    "lp, no floor": (LP, {"target": 0.0}),
    "argmax": ({"target": "none"}, {"target": 0.0}),
}
CASES = [(asked, general) for asked in ASKED for general in (False, True)]


def control_of(asked: str, program: Program) -> Control:
    parts, state = ASKED[asked]
    control = Control.new(make_policy("p", {"estimator": "truth", **parts}), program, 1_000)
    for name, numbers in ({"target": 0.5} | state).items():
        getattr(control, name)[:] = numbers
    return control


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


@pytest.mark.parametrize(("asked", "general"), CASES)
def test_arms_below_the_line_change_nothing(asked, general):
    rng = np.random.default_rng(3)
    below = 0
    for _ in range(100):
        program, theta = made(rng, general)
        working, control = working_of(program, theta), control_of(asked, program)
        low, high, share = choose(control, working, 8)
        tilt, height = decision_line(control, working, low, high)
        assert 0.0 <= tilt <= 1.0
        starts = [min(line_start(program, arm, tilt, height), 1.0) for arm in range(8, 28)]
        more = np.array(starts) * np.where(rng.random(20) < 0.5, 1.0 - 1e-9, rng.random(20))
        reached = more >= [line_start(program, arm, tilt, height) for arm in range(8, 28)]
        below += np.sum(~reached & (more > 0.0))
        kept = [arm for arm, is_at in zip(range(8, 28), reached, strict=True) if not is_at]
        for place, arm in enumerate(kept):
            include(working, 8 + place, arm, more[arm - 8], program)
        again = choose(control, working, 8 + len(kept))
        assert again[:2] == (low, high)
        assert again[2] == pytest.approx(share)
    assert below > 300


@pytest.mark.parametrize(("asked", "general"), CASES)
def test_the_chosen_arms_are_on_their_line(asked, general):
    rng = np.random.default_rng(4)
    for _ in range(50):
        program, theta = made(rng, general)
        working, control = working_of(program, theta), control_of(asked, program)
        low, high, _ = choose(control, working, 8)
        tilt, height = decision_line(control, working, low, high)
        for arm in (low, high):
            if arm >= 0:
                per_event, per_play = tilted(program, arm, tilt)
                reach = theta[arm] * per_event + per_play
                assert reach == pytest.approx(height, rel=1e-12, abs=1e-14)
                assert general or reach >= height * SLACK
