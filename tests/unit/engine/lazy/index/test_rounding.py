"""An unambiguous pair is the one that the LP among all arms ends at."""

import numpy as np

from lincon.engine.lazy.decision_line import Working, decision_line, include
from lincon.engine.lazy.index.rounding import WIDEST, is_unambiguous, margin
from lincon.policies.control import Control
from lincon.policies.registry import make_policy
from lincon.problem.lp import pair_value, solve_lp
from tests.unit.engine.twin import paper

ETA = 0.3
POLICY = make_policy("p", {"estimator": "truth"})
CONTROL = Control.new(POLICY, paper([1.0], ETA), 1_000)
CONTROL.target[:] = ETA


def working_of(theta, value):
    """(program, working set) of all arms."""
    program, working = paper(value, ETA), Working.new(len(theta))
    for arm, each in enumerate(theta):
        include(working, arm, arm, each, program)
    return program, working


def arms_along_a_line(rng):
    """Many of them almost on one line, many almost at eta."""
    size = int(rng.integers(3, 12))
    distance = np.where(rng.random(size) < 0.5, rng.random(size), 10.0 ** rng.uniform(-12, 0, size))
    theta = ETA + np.where(rng.random(size) < 0.5, -ETA, 1.0 - ETA) * distance
    tilt, height = rng.uniform(0.1, 0.9), 0.3 * (1.0 - 10.0 ** rng.uniform(-13, 0, size))
    return theta, np.maximum((height / theta - tilt) / (1.0 - tilt), 0.0)


def best_pair(theta, value):
    lows, highs = np.flatnonzero(theta < ETA), np.flatnonzero(theta >= ETA)
    pairs = [(int(low), int(high)) for low in lows for high in highs]
    return max(pairs, key=lambda pair: pair_value(theta, theta * value, *pair, ETA))


def test_the_lp_ends_at_an_unambiguous_pair():
    rng = np.random.default_rng(0)
    unambiguous = 0
    for _ in range(1_000):
        theta, value = arms_along_a_line(rng)
        found = solve_lp(theta, theta * value, ETA)
        if found[0] == found[1]:
            continue
        low, high = best_pair(theta, value)
        program, working = working_of(theta, value)
        tilt, height = decision_line(CONTROL, working, low, high)
        near = height * (1.0 - min(margin(CONTROL, working, low, high), WIDEST))
        if is_unambiguous(CONTROL, program, working, theta.size, low, high, tilt, near):
            unambiguous += 1
            assert found[:2] == (low, high)
    assert unambiguous > 300


def test_what_is_ambiguous():
    value = np.array([0.5, 0.1, 0.3])
    for theta in ([0.2, 0.4, 0.4 * (1.0 - 1e-12)], [0.2, ETA, 0.25], [0.2, ETA + 1e-12, 0.25]):
        program, working = working_of(theta, np.full(3, 0.2))
        assert not is_unambiguous(CONTROL, program, working, 3, 0, 1, 0.5, 0.2)
    program, working = working_of([0.2, 0.4, 0.01], value)
    assert is_unambiguous(CONTROL, program, working, 3, 0, 1, 0.5, 0.1)
