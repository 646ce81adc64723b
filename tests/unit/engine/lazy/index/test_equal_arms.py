"""Arms whose indices never differ, against a dictionary of sets."""

from __future__ import annotations

import numpy as np
import pytest

from lincon.engine.lazy.index.equal_arms import EqualArms, are_equal, find_equal, meld, remove
from lincon.policies.estimators import kl_ucb, ucb1
from tests.unit.engine.twin import paper


def heap(classes, representative):
    """All arms of a heap; each is lower than its children."""
    arms, waiting = set(), [representative]
    while waiting:
        arm = waiting.pop()
        arms.add(arm)
        for child in (int(classes.left[arm]), int(classes.right[arm])):
            if child >= 0:
                assert child > arm
                assert classes.parent[child] == arm
                waiting.append(child)
    return arms


@pytest.mark.parametrize("arms, values", [(1, 1), (10, 1), (60, 3), (300, 300)])
def test_representatives_are_the_lowest_of_their_class(arms, values):
    rng = np.random.default_rng(arms)
    value = rng.integers(values, size=arms) / values
    classes, plays, events = (
        EqualArms.new(paper(value, 0.5)),
        np.zeros(arms, np.int64),
        np.zeros(arms, np.int64),
    )
    for turn in range(3000):
        arm = turn if turn < arms else int(rng.integers(arms))
        before = set() if turn < arms else heap(classes, root(classes, arm))
        plays[arm] += 1
        events[arm] += rng.random() < 0.8
        representative = remove(classes, arm, plays, events)
        assert heap(classes, arm) == {arm}
        rest = before - {arm}
        assert representative == (min(rest) if rest and min(before) == arm else -1)
        assert not rest or heap(classes, min(rest)) == rest
        other = find_equal(classes, arm, plays, events)
        if other >= 0:
            assert classes.parent[other] == -1
            both = heap(classes, other) | {arm}
            assert all(are_equal(classes, arm, equal, plays, events) for equal in both)
            assert meld(classes, arm, other) == min(both)
            assert heap(classes, min(both)) == both


def root(classes, arm):
    while classes.parent[arm] >= 0:
        arm = int(classes.parent[arm])
    return arm


def test_equal_arms_have_the_same_index():
    rng = np.random.default_rng(0)
    plays = rng.integers(1, 6, 200)
    events = rng.integers(0, plays + 1)
    classes = EqualArms.new(paper(np.ones(200), 0.5))
    for t in (201, 5_000, 10**7):
        kl = [kl_ucb(n, s, np.log(t)) for n, s in zip(plays, events, strict=True)]
        ucb = [ucb1(n, s, t, 1.0) for n, s in zip(plays, events, strict=True)]
        for first in range(100):
            if are_equal(classes, first, first + 100, plays, events):
                assert kl[first] == kl[first + 100]
                assert ucb[first] == ucb[first + 100]


def test_what_sets_arms_apart():
    value = np.array([0.5, 0.5, 0.5, 0.6])
    plays, events = np.array([3, 4, 3, 3]), np.array([1, 2, 1, 1])
    classes = EqualArms.new(paper(value, 0.5))
    assert are_equal(classes, 0, 2, plays, events)
    assert not are_equal(classes, 0, 1, plays, events)
    assert not are_equal(classes, 0, 3, plays, events)
    assert are_equal(classes, 0, 1, plays, plays)
