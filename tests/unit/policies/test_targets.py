"""The rates that targets ask for, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lincon.errors import UserError
from lincon.policies.parts import TARGETS
from lincon.policies.targets import CODES, lower_bound, safe_rate, target_code, target_rate


def rate(target, t, events, eta=0.5, horizon=100, **given):
    parameters = np.zeros(3)
    for place, parameter in enumerate(TARGETS[target].parameters):
        parameters[place] = given.get(parameter.name, parameter.default)
    return target_rate(CODES[target], parameters, eta, horizon, t, float(events))


def test_fixed():
    assert rate("fixed", 7, 0) == 0.5


def test_tightened():
    assert rate("tightened", 50, 0, k=0.5) == pytest.approx(
        0.5 + 0.5 * math.sqrt(math.log(50) / 50)
    )
    assert rate("tightened", 3, 0, k=5) == 1.0


@pytest.mark.parametrize("target", ["paced", "safe_paced"])
@pytest.mark.parametrize(
    ("t", "events", "expected"),
    [
        (1, 0, 0.5),  # 50 events in 100 rounds
        (51, 25, 0.5),  # on its way
        (51, 10, 0.8),  # 40 events in 50 rounds
        (51, 50, 0.0),  # met already
        (51, 60, 0.0),
        (100, 49, 1.0),  # one event in one round
        (100, 30, 1.0),  # out of reach
    ],
)
def test_paced(target, t, events, expected):
    assert rate(target, t, events) == pytest.approx(expected)


def test_a_surplus_is_aimed_at_on_top_of_the_floor():
    """50 events and 2 log 100 more, of which there are 10, in 50 rounds."""
    expected = (50 + 2 * math.log(100) - 10) / 50
    assert rate("safe_paced", 51, 10, surplus=2) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("t", "events", "expected"),
    [
        (11, 5, 0.6),  # no more than eta (t - 1)
        (11, 6, 0.6),  # one event ahead, less than log(100 - 11) = 4.5
        (11, 9, 0.6),
        (11, 10, 0.4),  # five ahead
        (99, 49, 0.4),  # log 1 = 0
        (99, 48, 0.6),
        (100, 50, 0.4),  # the last round: as if one more was to come
    ],
)
def test_controlled(t, events, expected):
    assert rate("controlled", t, events, margin=0.1) == pytest.approx(expected)


def test_controlled_stays_a_rate():
    assert rate("controlled", 11, 0, eta=0.95, margin=0.1) == 1.0
    assert rate("controlled", 11, 11, eta=0.05, margin=0.1) == 0.0


def test_lower_bound():
    spread = math.sqrt(2 * 0.3 * 0.7 * math.log(500) / 40)
    assert lower_bound(40, 12, 500, 20.0, 2.0) == pytest.approx(0.3 - spread)
    assert lower_bound(40, 40, 500, 20.0, 2.0) == 1.0
    assert lower_bound(20, 10, 500, 20.0, 2.0) == -math.inf


@pytest.mark.parametrize(
    ("paced", "best", "expected"),
    [
        (0.8, 0.7, 0.7),  # no faster than an arm is known to be able to
        (0.8, 0.9, 0.8),
        (0.8, 0.3, 0.5),  # never below the floor while behind
        (0.8, -math.inf, 0.5),
        (0.4, -math.inf, 0.4),  # ahead: the floor may be left
    ],
)
def test_safe_rate(paced, best, expected):
    assert safe_rate(paced, 0.5, best) == expected


def test_an_unknown_target_is_refused():
    with pytest.raises(UserError, match="target: 'steam' is not one of fixed, "):
        target_code("steam")
