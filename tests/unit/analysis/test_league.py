"""The league: feasibility first, joint regret inside a group, verdicts only where runs suffice."""

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.league import league, pairs
from lincon.analysis.measures import measured
from lincon.data import arms
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import runs_of, small, small_problem

T = np.array([1, 100, 1_000])
RUNS = 8
WOBBLE = np.linspace(-0.004, 0.004, RUNS)
SHUFFLED = WOBBLE[[3, 6, 0, 5, 2, 7, 1, 4]]
Played = dict[str, tuple[np.ndarray, np.ndarray | float]]


def ended(policies: Played, runs: int = RUNS) -> pd.DataFrame:
    """How runs with these rates of reward and events end on the small problem."""
    series = {
        name: runs_of(T, np.broadcast_to(reward, runs), np.broadcast_to(events, runs))
        for name, (reward, events) in policies.items()
    }
    return measured(series, small(), small_problem())[0]


def league_of(policies: Played, references=(), runs: int = RUNS) -> pd.DataFrame:
    return league(ended(policies, runs), small_problem(), 1_000, references)


def test_those_that_keep_the_floor_come_first_whatever_their_regret():
    met = np.where(np.arange(RUNS) < 4, 0.5, 0.4)
    table = league_of(
        {
            "greedy": (0.17 + WOBBLE, 0.4),
            "careful": (0.10 + WOBBLE, 0.5),
            "lucky": (0.16 + WOBBLE, met),
            "oracle": (np.full(RUNS, 0.175), 0.5),
        },
        references=("oracle",),
    )
    assert table["policy"].tolist() == ["careful", "lucky", "greedy", "oracle"]
    assert table["group"].tolist() == ["kept", "sometimes", "never", "reference"]
    assert table["kept_runs"].tolist() == [RUNS, 4, 0, RUNS]
    # 5 of regret and 100 missing events at 0.25 each, against 75.
    greedy = table.set_index("policy").loc["greedy"]
    assert [greedy[k] for k in ("regret", "violation_0", "joint")] == pytest.approx([5, 100, 30])
    assert greedy["rate_0"] == pytest.approx(0.4)
    assert greedy["share_of_optimum"] == pytest.approx(0.17 / 0.175)
    assert greedy["joint_low"] < greedy["joint"] < greedy["joint_high"] < table["joint"].iloc[0]


def test_policies_are_compared_with_the_best_of_their_group():
    table = league_of(
        {
            "bad": (0.10 + WOBBLE, 0.5),
            "good": (0.17 + WOBBLE, 0.5),
            "twin": (0.1699 + SHUFFLED, 0.5),
            "short": (0.17 + WOBBLE, 0.4),
        }
    )
    assert table["policy"].tolist() == ["good", "twin", "bad", "short"]
    rows = table.set_index("policy")
    assert rows.loc["twin", "behind_low"] < 0.0 < rows.loc["twin", "behind_high"]
    assert rows.loc[["good", "short"], "behind"].isna().all(), "each the best of its group"
    row = rows.loc["bad"]
    assert row["behind"] == pytest.approx(70.0)
    assert row["behind_low"] <= row["behind"] <= row["behind_high"]
    assert row["p_holm"] < 0.05


@pytest.mark.parametrize("seed", range(4))
def test_playing_for_one_side_alone_never_comes_first_where_something_better_is_played(seed):
    """However cheap the constraint is: the near-optimal policy leads both ends of the trade-off.

    These are always the arm of the largest mean, and always that of the largest reward; by
    composite regret one of them would win.
    """
    rng = np.random.default_rng(seed)
    mean, value = np.sort(rng.uniform(0.1, 0.9, 6)), rng.uniform(0.1, 1.0, 6)
    value[-1] = 0.5 * (mean * value)[:-1].max() / mean[-1]  # so that there is a trade-off
    made = arms.make(mean, value)
    reward = made.mean * made.value
    eta = 0.5 * (made.mean[reward.argmax()] + made.mean.max())
    problem = solve_problem(made, eta)
    assert problem.binds
    ends = {name: (reward[arm], made.mean[arm]) for name, arm in
            (("largest_mean", made.mean.argmax()), ("reward_only", reward.argmax()))}  # fmt: skip
    lost = 0.2 * (problem.optimum - ends["largest_mean"][0])
    near = (problem.optimum - lost, eta)
    series = {
        name: runs_of(T, np.full(4, r) + 0.01 * lost * WOBBLE[:4], np.full(4, e), eta=eta)
        for name, (r, e) in (ends | {"near": near}).items()
    }
    made_outcomes = measured(series, made, problem)[0]
    table = league(made_outcomes, problem, 1_000)
    assert table["policy"].iloc[0] == "near"
    assert made_outcomes.groupby("policy")["composite_expected"].mean().idxmin() != "near"


def test_all_pairs_are_corrected_for():
    rng = np.random.default_rng(1)
    false = 0
    for _ in range(100):
        by_run = pd.DataFrame(rng.normal(size=(16, 8)), columns=list("abcdefgh"))
        order = by_run.mean().sort_values().index
        false += (pairs(by_run, list(order), 1)["p_holm"] < 0.05).any()
    assert false / 100 <= 0.1, "of eight equal policies some pair was separated too often"


def test_a_league_row_says_how_runs_ended():
    reached = np.where(np.arange(RUNS) < 6, 0.5, 0.4)
    series = runs_of(T, 0.1 + WOBBLE, reached)
    ended_so = measured({"a": series}, small(), small_problem())[0]
    row = league(ended_so, small_problem(), 1_000).iloc[0]
    assert (row["kept_runs"], row["strict_runs"]) == (6, 6)
    assert row["kept_low"] < 0.75 < row["kept_high"]
    quartiles = row[["joint_q25", "joint_median", "joint_q75"]].tolist()
    assert quartiles == sorted(quartiles) and quartiles[1] < row["joint"], "two runs are far off"
    assert row["uneven"]


def test_without_an_optimum_violations_order_the_league():
    problem = solve_problem(small(), 0.9)
    series = {name: runs_of(T, 0.1 + WOBBLE, np.full(RUNS, events))
              for name, events in (("more", 0.4), ("less", 0.5))}  # fmt: skip
    table = league(measured(series, small(), problem)[0], problem, 1_000)
    assert table["policy"].tolist() == ["less", "more"]
    assert table["joint"].isna().all() and table["share_of_optimum"].isna().all()
