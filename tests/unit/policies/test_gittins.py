"""The optimistic Gittins index against SciPy and by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st

from lincon.policies.gittins import excess, gittins, rounds_ahead
from tests.unit.engine.twin import gittins_index

SHAPES = st.floats(-3, 5).map(lambda power: 10.0**power)


@given(SHAPES, SHAPES, st.floats(1e-3, 1 - 1e-3))
@settings(max_examples=300)
def test_tails_are_scipys(a, b, q):
    more, tail = excess(a, b, q)
    beyond = scipy.special.betaincc([a, a + 1], b, q)
    assert tail == pytest.approx(beyond[0], rel=1e-8, abs=1e-12)
    assert more == pytest.approx(a / (a + b) * beyond[1] - q * beyond[0], rel=1e-8, abs=1e-12)


@given(SHAPES, SHAPES, st.floats(0, 6), st.floats(0, 1))
@settings(max_examples=300)
def test_index_is_the_root_from_every_start(a, b, power, start):
    found = gittins(a, b, 10.0**power, start)
    assert found == pytest.approx(gittins_index(a, b, 10.0**power), rel=0, abs=1e-8)
    assert a / (a + b) <= found <= 1.0


def test_uniform_by_hand():
    # q - 1/2 = (H - 1) (1 - q)^2 / 2: of H = 2 that is q^2 - 4 q + 2 = 0.
    assert gittins(1.0, 1.0, 2.0, 0.9) == pytest.approx(2 - np.sqrt(2))
    assert gittins(1.0, 1.0, 1.0, 0.9) == 0.5


def test_rounds_ahead_fall_in_steps_to_one():
    ahead = [rounds_ahead(0.3, left) for left in range(10_000, 0, -1)]
    assert all(x >= y for x, y in itertools.pairwise(ahead))
    assert 3000 / 1.02 <= ahead[0] <= 3000
    assert ahead[-3:] == [1.0] * 3
    assert len(set(ahead)) < 420
