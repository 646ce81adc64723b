"""What is asked for on three arms, worked by hand: targets, queues, weights, with one and two
constraints."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lincon.policies.control import Control, ask, exploration, remember, set_weights, step_size
from lincon.policies.registry import make_policy
from lincon.policies.selectors import Mixture
from lincon.problem.goal import Program
from tests.unit.engine.twin import paper

VALUE = np.array([1.0, 0.5, 0.1])


def control_of(eta=0.5, horizon=100, program=None, **spec):
    policy = make_policy("p", {"estimator": "truth", **spec})
    return Control.new(policy, program or paper(VALUE, eta), horizon)


def rate(t, events, eta=0.5, **spec):
    control = control_of(eta, selector="lp", fallback="greedy", **spec)
    ask(control, np.array([float(events)]), t)
    return control.rate[0]


# --- targets


@pytest.mark.parametrize(
    ("t", "events", "expected"),
    [
        (1, 0, 0.5),  # 50 events in 100 rounds
        (51, 10, 0.8),  # 40 events in 50 rounds
        (51, 60, 0.0),  # met already
        (100, 30, 1.0),  # infeasible
    ],
)
def test_paced(t, events, expected):
    assert rate(t, events, target="paced") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("t", "events", "expected"),
    [
        (11, 9, 0.6),  # four events ahead of eta (t - 1), less than log(100 - 11) = 4.5
        (11, 10, 0.4),  # five ahead
        (99, 49, 0.4),  # log 1 = 0
        (100, 50, 0.4),  # the last round: as if one more was to come
    ],
)
def test_controlled(t, events, expected):
    assert rate(t, events, target="controlled", margin=0.1) == pytest.approx(expected)


def test_controlled_stays_a_rate():
    assert rate(11, 0, 0.95, target="controlled", margin=0.1) == 1.0
    assert rate(11, 11, 0.05, target="controlled", margin=0.1) == 0.0


# --- queues and weights


def played(control, t, arm, event, amount=0.0, program=None):
    mixture = Mixture.new(control.bound.size)
    mixture.amount[:, 0] = amount
    remember(control, program or paper(VALUE, control.bound[0]), t, arm, event, mixture)


def test_the_queue_grows_by_what_is_missing():
    control = control_of(selector="queue", epsilon=3)
    played(control, 9, 0, False)
    assert control.queue[0] == pytest.approx(0.5 + 1.0)
    played(control, 9, 0, True)
    assert control.queue[0] == pytest.approx(2.0)
    for _ in range(20):
        played(control, 10**6, 0, True)
    assert control.queue[0] == 0.0


def test_the_tilt_of_a_queue():
    """Q = 4 at t = 25 with v = 2: an event is worth 0.4 more, 0.4 / 1.4 of all."""
    control = control_of(selector="queue", v=2)
    control.queue[0] = 4.0
    ask(control, np.zeros(1), 25)
    assert control.tilt[0] == pytest.approx(0.4 / 1.4)


TWO = Program(
    VALUE,
    np.zeros(3),
    np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]),
    np.array([[0.0, 0.0, 0.0], [-4.0, -2.0, 0.0]]),
    np.array([0.5, -3.0]),
)


def test_each_constraint_has_a_queue():
    control = control_of(selector="queue", program=TWO, v=2)
    played(control, 4, 0, True, program=TWO)
    assert control.queue.tolist() == [0.0, 1.0]
    control.queue[:] = 4.0, 8.0
    ask(control, np.zeros(2), 25)
    np.testing.assert_allclose(control.tilt, [0.4 / 2.2, 0.8 / 2.2])


def test_the_primal_dual_weights():
    control = control_of(selector="primal_dual")
    step = math.sqrt(math.log(2) / 50)
    assert step_size(control) == pytest.approx(step)
    played(control, 3, 0, True, 0.2)  # a forced round teaches nothing
    assert control.log_weight[0] == 0.0
    played(control, 4, 0, True, 0.2)
    set_weights(control)
    failure, time = control.weight
    assert failure / time == pytest.approx((1 + step) ** 0.8 / (1 + step) ** 0.5)
    assert failure + time == pytest.approx(1.0)


def test_consumption_is_scaled_to_the_smallest_budget():
    """Half of the events may be missed, a quarter of the spending's range is left."""
    control = control_of(selector="primal_dual", program=TWO)
    assert control.budget == 0.5
    np.testing.assert_allclose(control.consumption, [1.0, 0.5 / 0.75 / 4.0])
    assert step_size(control) == pytest.approx(math.sqrt(math.log(3) / 50))
    control.log_weight[:] = 0.0, math.log(2.0)
    set_weights(control)
    np.testing.assert_allclose(control.weight, [0.25, 0.5, 0.25])


def test_weights_do_not_overflow():
    for program in (None, TWO):
        for log_weight in (-5_000.0, 5_000.0):
            control = control_of(selector="primal_dual", program=program)
            control.log_weight[:] = log_weight
            set_weights(control)
            assert control.weight.sum() == pytest.approx(1.0)
    control = control_of(1.0, selector="primal_dual")
    assert step_size(control) == 1.0
    played(control, 4, 0, True, 1.0)
    assert control.log_weight[0] == 0.0


def test_exploration():
    greedy = control_of(selector="eps_greedy", uniform_rate=0.5)
    assert exploration(greedy, 2) == pytest.approx(min(1.0, 0.5 * 3 * math.log(2) / 2))
    assert exploration(greedy, 100) == pytest.approx(0.5 * 3 * math.log(100) / 100)
    assert exploration(control_of(selector="eps_greedy", uniform_rate=50), 4) == 1.0
    assert exploration(control_of(selector="uniform"), 50) == 1.0
    assert exploration(control_of(selector="lp"), 50) == 0.0
