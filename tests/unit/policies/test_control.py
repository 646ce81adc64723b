"""What is asked for on three arms, and chosen, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lincon.policies.control import (
    LENGTH,
    LOG_RATIO,
    Control,
    demand_at,
    exploration,
    is_limited,
    rate_asked,
    update_control,
)
from lincon.policies.primal_dual import next_log_ratio, step_size, weights
from lincon.policies.registry import make_policy
from lincon.policies.selectors import select

THETA, VALUE = np.array([0.2, 0.5, 0.8]), np.array([1.0, 0.5, 0.1])


def control_of(eta=0.5, horizon=100, **spec):
    return Control.new(make_policy("p", {"estimator": "truth", **spec}), eta, horizon, 3)


def chosen(control, t=10, events=0.0):
    rate = rate_asked(control, t, events)
    return select(demand_at(control, t, rate), THETA, VALUE, THETA * VALUE)


def test_the_lp():
    """Rewards are 0.2, 0.25 and 0.08: arm 1 is best and has the rate 0.5 by itself."""
    assert chosen(control_of(selector="lp")) == (1, 1, 1.0)
    # At 0.6 a third of the rounds must be arm 2.
    assert chosen(control_of(0.6, selector="lp")) == (1, 2, pytest.approx(2 / 3))
    assert chosen(control_of(0.9, selector="lp"))[:2] == (-1, -1)
    assert chosen(control_of(0.6, selector="lp_greedy")) == (1, 2, pytest.approx(2 / 3))
    assert chosen(control_of(0.9, selector="lp_greedy")) == (2, 2, 1.0)


def test_paced_is_greedy_where_no_mixture_is_fast_enough():
    """45 events in the last 41 rounds: 1 is asked for."""
    paced = control_of(selector="lp", target="paced")
    assert rate_asked(paced, 60, 5.0) == 1.0
    assert chosen(paced, 60, 5.0) == (2, 2, 1.0)
    safe = control_of(selector="lp", target="safe_paced")
    assert is_limited(safe, 1.0) and not is_limited(safe, 0.5) and not is_limited(paced, 1.0)
    # Ahead of the floor, the best reward is enough.
    assert chosen(paced, 60, 40.0) == (1, 1, 1.0)


def test_the_queue():
    """Q = 4 at t = 25 with v = 2: an event is worth 0.4 more; 0.28, 0.45, 0.4."""
    control = control_of(selector="queue", v=2)
    assert chosen(control) == (1, 1, 1.0)
    control.memory[LENGTH] = 4.0
    assert chosen(control, 25) == (1, 1, 1.0)
    # At 8 it is worth 0.8 more: 0.36, 0.65, 0.72.
    control.memory[LENGTH] = 8.0
    assert chosen(control, 25) == (2, 2, 1.0)


def test_the_queue_grows_by_what_is_missing():
    control = control_of(selector="queue", epsilon=3)
    update_control(control, 9, False, 0.0)
    assert control.memory[LENGTH] == pytest.approx(0.5 + 1.0)
    update_control(control, 9, True, 0.0)
    assert control.memory[LENGTH] == pytest.approx(2.0)
    for _ in range(20):
        update_control(control, 10**6, True, 0.0)
    assert control.memory[LENGTH] == 0.0


def test_the_primal_dual_ratio():
    """Weights of 1: rewards over failures + 0.5 are 0.2 / 1.3, 0.25 / 1, 0.08 / 0.7."""
    control = control_of(selector="primal_dual")
    assert chosen(control) == (1, 1, 1.0)
    # Failures cost e^7 as much as time: 0.25 / 0.5 against 0.08 / 0.2 still, nearly.
    control.memory[LOG_RATIO] = 7.0
    assert chosen(control) == (1, 1, 1.0)
    # With hardly any weight on failures it is the reward.
    control.memory[LOG_RATIO] = -50.0
    assert chosen(control) == (1, 1, 1.0)


def test_the_primal_dual_weights():
    control = control_of(selector="primal_dual")
    step = math.sqrt(math.log(2) / 50)
    assert step_size(0.5, 100) == pytest.approx(step)
    update_control(control, 3, True, 0.2)  # a forced round teaches nothing
    assert control.memory[LOG_RATIO] == 0.0
    update_control(control, 4, True, 0.2)
    ratio = (1 + step) ** 0.8 / (1 + step) ** 0.5
    failure, time = weights(control.memory[LOG_RATIO])
    assert failure / time == pytest.approx(ratio)
    assert failure + time == pytest.approx(1.0)


def test_weights_do_not_overflow():
    for log_ratio in (-5_000.0, 5_000.0):
        assert sum(weights(log_ratio)) == 1.0
    assert step_size(1.0, 100) == 1.0
    assert next_log_ratio(0.0, 1.0, 100, 1.0) == 0.0


def test_exploration():
    greedy = control_of(selector="eps_greedy", explore=0.5)
    assert exploration(greedy, 2) == pytest.approx(min(1.0, 0.5 * 3 * math.log(2) / 2))
    assert exploration(greedy, 100) == pytest.approx(0.5 * 3 * math.log(100) / 100)
    assert exploration(control_of(selector="eps_greedy", explore=50), 4) == 1.0
    assert exploration(control_of(selector="uniform"), 50) == 1.0
    assert exploration(control_of(selector="lp"), 50) == 0.0
