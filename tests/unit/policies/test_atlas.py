"""The atlas: its problems are what they are made for, its tables by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest

import lincon
from benchmarks import atlas


def test_problems_have_a_binding_floor_with_the_room_and_the_near_optimal_arms_asked_for():
    chosen = list(itertools.islice(atlas.problems(1_000), 0, 200, 9))
    assert {one["arms"] for one in chosen} == set(atlas.GRID["arms"])
    for problem in chosen:
        arms = atlas.arms_of(problem)
        optimum = lincon.solve(arms, floor=atlas.FLOOR).problem
        (price,) = optimum.prices
        level = arms.value * arms.mean + price * arms.mean
        best = max(level[i] for i in optimum.support)
        assert len(arms) == problem["arms"] and price > 0.0 and len(optimum.support) == 2
        assert arms.mean.max() == pytest.approx(atlas.FLOOR + problem["slack"], abs=1e-9)
        near = np.flatnonzero(level >= best * (1.0 - 0.02 - 1e-9))
        assert set(optimum.support) <= set(near)
        assert len(near) - 2 >= problem["near_optimal"]


def test_a_cell_comes_again_only_after_all_others_and_with_another_seed():
    every = list(atlas.problems(1_000))
    cells = [tuple(one[axis] for axis in atlas.GRID) for one in every]
    assert len(set(cells[:200])) == 200 and cells[:200] == cells[200:400]
    assert len({one["seed"] for one in every}) == 1_000


@pytest.fixture
def frame():
    """Two problems, two runs: gittins_ledger has half, then twice the J of all others."""
    rows = []
    for problem, slack, factor in ((0, 0.02, 0.5), (1, 0.1, 2.0)):
        for policy, run in itertools.product(atlas.POLICIES, range(2)):
            ours = policy == "gittins_ledger"
            cell = {"arms": 5, "slack": slack, "correlation": 0.0, "near_optimal": 0}
            joint = (10.0 + 2.0 * run) * (factor if ours else 1.0)
            kept = {"kept": ours, "strict": ours and run == 0}
            rows.append(cell | kept | {"problem": problem, "policy": policy, "joint": joint})
    return atlas.by_problem(pd.DataFrame(rows))


def test_ratios_are_of_means_over_runs_and_averaged_by_their_logarithms(frame):
    head, *rows = atlas.ratios(frame)
    ours = dict(zip(head, rows[0], strict=True))
    assert rows[0][0] == "Gittins ledger" and (ours["median"], ours["worst"]) == ("1.25", "2")
    assert [row[1:] for row in rows if row[0] == "LinConTS"] == [["1", "1", "1", "1", "1"]]
    # log 2 times sqrt(100 / 99) times Student's 1.984 over sqrt(100) is 0.138.
    assert atlas.geometric(pd.Series([0.5, 2.0] * 50)) == "1.00 \u00b1 0.14"


def test_kept_is_a_share_of_runs(frame):
    assert atlas.keeping(frame)[1] == ["Gittins ledger", "100%", "50%", "100%", "50%"]


def test_the_winner_of_a_cell_keeps_the_floor_first(frame):
    best = atlas.winners(frame)
    assert best["policy"].tolist() == ["gittins_ledger"] * 2
    assert best["group"].tolist() == [0, 0]
