"""The tree of caps against plain loops over the arms."""

from __future__ import annotations

import numpy as np
import pytest

from lincon.engine.lazy.index.segment_tree import (
    NEVER,
    Reach,
    clear,
    first_due,
    follow,
    reaches,
    retilt,
    set_cap,
    swap_seats,
)


def filled(arms, rng):
    """(reach, value, cap, due) after many changes; a cap of -1 is none."""
    value = np.round(rng.random(arms), int(rng.integers(1, 5)))
    reach, cap, due = Reach.new(value), np.full(arms, -1.0), np.full(arms, NEVER)
    for _ in range(4 * arms):
        arm = int(rng.integers(arms))
        if rng.random() < 0.2:
            cap[arm], due[arm] = -1.0, NEVER
            clear(reach, arm)
        else:
            cap[arm], due[arm] = rng.random(), rng.integers(1, 100)
            set_cap(reach, arm, cap[arm], due[arm], value[arm])
    return reach, value, cap, due


def far(value, cap, tilt):
    return np.where(cap >= 0.0, cap * ((1.0 - tilt) * value + tilt), -1.0)


@pytest.mark.parametrize("arms", [1, 2, 8, 9, 100, 1000])
def test_an_arm_that_reaches_is_found_if_there_is_one(arms):
    rng = np.random.default_rng(arms)
    reach, value, cap, _ = filled(arms, rng)
    for tilt in np.concatenate([[0.0, 1.0], rng.random(50), rng.normal(0.3, 0.01, 50)]):
        follow(reach, tilt)
        if rng.random() < 0.1:
            retilt(reach)
        distance = far(value, cap, tilt)
        for least in (*rng.random(5), distance.max() * (1.0 - 1e-12), distance.max() + 1e-12, -0.5):
            arm = reaches(reach, tilt, least)
            if arm >= 0:
                assert distance[arm] >= least - 1e-14
            else:
                assert not (distance > least + 1e-14).any()


@pytest.mark.parametrize("arms", [1, 5, 300])
def test_what_is_due(arms):
    rng = np.random.default_rng(arms)
    reach, value, cap, due = filled(arms, rng)
    for t in range(1, 102):
        late = set()
        while (arm := first_due(reach, t)) >= 0:
            late.add(arm)
            set_cap(reach, arm, cap[arm], NEVER, value[arm])
        assert late == set(np.flatnonzero((due >= t - 1) & (due < t)))


def test_swapped_arms_have_each_others_caps():
    value = np.array([0.5, 0.2, 0.5])
    reach = Reach.new(value)
    set_cap(reach, 0, 0.8, 7, 0.5)
    swap_seats(reach, 0, 2)
    assert reaches(reach, 0.3, 0.5) == 2
    assert first_due(reach, 8) == 2
    clear(reach, 2)
    assert reaches(reach, 0.3, 0.0) == -1
