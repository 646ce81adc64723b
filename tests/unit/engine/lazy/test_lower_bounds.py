"""The best lower bound from stale ones is the best of all, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lincon.engine.lazy.lower_bounds import LowerBounds, best_bound, set_bound
from lincon.policies.targets import best_lower_bound, lower_bound


@pytest.mark.parametrize("arms", [1, 2, 7, 100])
@pytest.mark.parametrize("least_plays, width", [(20.0, 2.0), (0.0, 0.5), (3.0, 0.0)])
def test_the_best_bound_is_that_of_a_loop_over_all_arms(arms, least_plays, width):
    rng = np.random.default_rng(arms)
    mean = rng.random(arms)
    plays, events = np.zeros((2, arms), np.int64)
    bounds, found = LowerBounds.new(arms), 0
    for t in range(1, 4_000):
        arm = int(min(rng.exponential(arms / 4), arms - 1))
        plays[arm] += 1
        events[arm] += rng.random() < mean[arm]
        now = lower_bound(plays[arm], events[arm], t, least_plays, width)
        set_bound(bounds, arm, now)
        if rng.random() < 0.3:
            best = best_bound(bounds, plays, events, t + 1, least_plays, width)
            assert best == best_lower_bound(plays, events, t + 1, least_plays, width)
            found += math.isfinite(best)
    assert found > 100


def test_without_plays_there_is_no_bound():
    counts = np.full(5, 20, np.int64)
    assert best_bound(LowerBounds.new(5), counts, counts, 200, 20.0, 2.0) == -math.inf
    assert best_lower_bound(counts, counts, 200, 20.0, 2.0) == -math.inf
