"""Generated arms: what is asked for holds, judged by the exact LP; a seed gives the same arms."""

import hashlib
import itertools

import numpy as np
import pytest
from scipy.stats import spearmanr

from lincon.data.generate import RECIPES
from lincon.data.sources import extract
from lincon.errors import UserError
from lincon.problem.solve import solve_problem

GRID = list(itertools.product((6, 200), (0.1, 0.8), (0.01, 0.1), (0, 3), (0, 1, 2)))


def made(**changes):
    return extract({"kind": "generated", "floor": 0.5, **changes}, [], "g")


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_problem_of_a_grid_is_as_asked_for(recipe):
    for arms, floor, slack, near, seed in GRID:
        keys = {"arms": arms, "floor": floor, "slack": slack, "near_optimal": near, "seed": seed}
        found = made(recipe=recipe, **keys)
        problem = solve_problem(found, floor)
        assert len(found) == arms
        assert problem.feasible and problem.binds, keys
        assert found.mean.max() == pytest.approx(floor + slack, abs=1e-9), keys
        gap = problem.level - (found.value + problem.prices[0]) * found.mean
        close = np.flatnonzero(gap <= problem.level * 0.02 * (1 + 1e-6))
        assert len(set(close) - set(problem.support)) == near, keys


def test_laws_and_rank_correlation_are_about_what_is_asked_for_where_little_is_lowered():
    for correlation in (-0.8, 0.3):
        found = made(arms=3000, correlation=correlation, floor=0.9, slack=0.02, trade_off=0.99)
        assert spearmanr(found.mean, found.value).statistic == pytest.approx(correlation, abs=0.1)
    found = made(arms=5000, recipe="rare_events", slack=0.01)
    shape = found.mean / found.mean.max()
    assert shape.mean() == pytest.approx(0.1 / 0.6, rel=0.15)  # the largest of 5,000 is near 0.6
    assert found.value.mean() == pytest.approx(0.25, abs=0.02)
    for seed in range(5):
        note = made(arms=500, trade_off=0.7, seed=seed).note
        assert float(note.split("trade-off ")[1]) == pytest.approx(0.7, rel=0.05)


def test_a_seed_gives_the_same_arms_on_every_machine():
    found = made(recipe="rare_events", seed=3, near_optimal=4)
    assert found.source == "generated" and "recipe rare_events, seed 3" in found.note
    assert not np.array_equal(found.mean, made(recipe="rare_events", seed=4, near_optimal=4).mean)
    numbers = np.round(np.concatenate([found.mean, found.value]), 9) + 0.0
    digest = hashlib.sha256(numbers.astype("<f8").tobytes()).hexdigest()[:16]
    assert digest == "eac4bf054528f61b", "other arms make old results incomparable"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"slack": 0.6}, r"slack is 0\.6 above a floor of 0\.5; their sum is the largest mean"),
        ({"near_optimal": 48}, "near_optimal is 48 of 50 arms"),
        (
            {"arms": 3, "recipe": "steep_trade_off", "floor": 0.001, "slack": 0.998},
            "in none of 20 draws did the floor",
        ),
    ],
)
def test_what_cannot_be_made_is_refused(changes, message):
    with pytest.raises(UserError, match=message):
        made(**changes)
