"""A cap holds: the index, computed as the dense engine does, stays below it until it expires."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincon.engine.lazy.index.index_bound import cap_and_expiry, index, new_round
from lincon.policies.parts import Estimator, Parameters

ROUNDS = st.integers(2, 10**7)
PLAYS = st.integers(1, 10**6)
KL_UCB, UCB1 = int(Estimator.KL_UCB), int(Estimator.UCB1)


def given_as(explore, c):
    return Parameters(*(0.0 for _ in Parameters._fields))._replace(explore=explore, c=c)


PARAMETERS = st.sampled_from([given_as(x, c) for x in (0.1, 1.0) for c in (0.0, 0.5, 3.0)])
ESTIMATORS = st.sampled_from([KL_UCB, UCB1])


@given(ESTIMATORS, PARAMETERS, ROUNDS, PLAYS, st.floats(0, 1), st.floats(1e-6, 1.5))
def test_an_index_stays_below_its_cap(estimator, parameter, t, plays, success, line):
    events = round(success * plays)
    cap, expiry = cap_and_expiry(new_round(estimator, parameter, t), plays, events, line)
    if cap < 0.0:
        return
    assert cap < line
    assert expiry >= t
    last = 10**15 if expiry == math.inf else max(int(min(expiry, 1e15)), t)
    for later in np.unique(np.geomspace(t, last, 20).astype(np.int64)):
        now = new_round(estimator, parameter, int(min(max(later, t), last)))
        assert index(now, plays, events) <= cap


@given(ESTIMATORS, PARAMETERS, ROUNDS, PLAYS, st.floats(0, 1), st.floats(1e-6, 1))
def test_no_cap_at_or_below_the_index(estimator, parameter, t, plays, success, part):
    events = round(success * plays)
    now = new_round(estimator, parameter, t)
    line = part * index(now, plays, events)
    if line > 0.0:
        assert cap_and_expiry(now, plays, events, line)[0] < 0.0


@pytest.mark.parametrize("estimator", [KL_UCB, UCB1])
def test_a_clear_distance_gives_a_cap_that_lasts(estimator):
    now = new_round(estimator, given_as(0.5, 0.5), 1000)
    theta = index(now, 100, 30)
    cap, expiry = cap_and_expiry(now, 100, 30, theta + 0.1)
    assert theta < cap < theta + 0.1
    assert expiry > 1500
