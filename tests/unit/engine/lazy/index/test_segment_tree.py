"""The tree of caps against plain loops over the arms."""

from __future__ import annotations

import numpy as np
import pytest

from lincon.engine.lazy.index.segment_tree import (
    NEVER,
    SegmentTree,
    choose_tilts,
    find_above,
    first_expired,
    remove_cap,
    set_cap,
    swap_entries,
    track_tilt,
)
from lincon.problem.goal import Program
from tests.unit.engine.twin import paper


def filled(arms, rng):
    """(tree, program, cap, expiry) after many changes; a cap of -1 is none."""
    value = np.round(rng.random(arms), int(rng.integers(1, 5)))
    cost, a, b = rng.random((3, arms)) if arms % 2 else (0 * value, 0 * value + 1, 0 * value)
    program = Program(value, cost, a[None], b[None], np.zeros(1))
    tree, cap, expiry = SegmentTree.new(program), np.full(arms, -1.0), np.full(arms, NEVER)
    for _ in range(4 * arms):
        arm = int(rng.integers(arms))
        if rng.random() < 0.2:
            cap[arm], expiry[arm] = -1.0, NEVER
            remove_cap(tree, arm)
        else:
            cap[arm], expiry[arm] = rng.random(), rng.integers(1, 100)
            set_cap(tree, arm, cap[arm], expiry[arm], program)
    return tree, program, cap, expiry


def far(program, cap, tilt):
    gain, amount = cap * program.value - program.cost, cap * program.a[0] + program.b[0]
    return np.where(cap >= 0.0, (1.0 - tilt) * gain + tilt * amount, -5.0)


@pytest.mark.parametrize("arms", [1, 2, 8, 9, 100, 1000])
def test_an_arm_that_reaches_is_found_if_there_is_one(arms):
    rng = np.random.default_rng(arms)
    tree, program, cap, _ = filled(arms, rng)
    for tilt in np.concatenate([[0.0, 1.0], rng.random(50), rng.normal(0.3, 0.01, 50)]):
        track_tilt(tree, tilt)
        if rng.random() < 0.1:
            choose_tilts(tree)
        distance = far(program, cap, tilt)
        for least in (*rng.random(5), distance.max() * (1.0 - 1e-12), distance.max() + 1e-12, -3.0):
            arm = find_above(tree, tilt, least)
            if arm >= 0:
                assert distance[arm] >= least - 1e-14
            else:
                assert not (distance > least + 1e-14).any()


@pytest.mark.parametrize("arms", [1, 5, 300])
def test_what_has_expired(arms):
    rng = np.random.default_rng(arms)
    tree, program, cap, expiry = filled(arms, rng)
    for t in range(1, 102):
        late = set()
        while (arm := first_expired(tree, t)) >= 0:
            late.add(arm)
            set_cap(tree, arm, cap[arm], NEVER, program)
        assert late == set(np.flatnonzero((expiry >= t - 1) & (expiry < t)))


def test_swapped_arms_have_each_others_caps():
    program = paper([0.5, 0.2, 0.5], 0.5)
    tree = SegmentTree.new(program)
    set_cap(tree, 0, 0.8, 7, program)
    swap_entries(tree, 0, 2)
    assert find_above(tree, 0.3, 0.5) == 2
    assert first_expired(tree, 8) == 2
    remove_cap(tree, 2)
    assert find_above(tree, 0.3, 0.0) == -1
