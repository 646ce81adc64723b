"""The league: feasibility first, joint regret inside a group, and nothing that runs cannot tell."""

import math

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.league import league, pairs
from lincon.analysis.measures import outcomes
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
    return outcomes(series, small(), small_problem())


def league_of(policies: Played, references=(), runs: int = RUNS) -> pd.DataFrame:
    return league(ended(policies, runs), small_problem(), 1_000, references)[0]


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
    assert table["rank"].tolist() == ["1", "2", "3", ""]
    assert table["kept_runs"].tolist() == [RUNS, 4, 0, RUNS]
    # 5 of regret and 100 missing events at 0.25 each, against 75.
    greedy = table.set_index("policy").loc["greedy"]
    assert [greedy[k] for k in ("regret", "violation_0", "joint")] == pytest.approx([5, 100, 30])
    assert greedy["rate_0"] == pytest.approx(0.4)
    assert greedy["share_of_optimum"] == pytest.approx(0.17 / 0.175)
    assert greedy["joint_low"] < greedy["joint"] < greedy["joint_high"] < table["joint"].iloc[0]


def test_ties_share_a_place_inside_their_group():
    table = league_of(
        {
            "bad": (0.10 + WOBBLE, 0.5),
            "good": (0.17 + WOBBLE, 0.5),
            "twin": (0.1699 + SHUFFLED, 0.5),
            "short": (0.17 + WOBBLE, 0.4),
        }
    )
    assert table["policy"].tolist() == ["good", "twin", "bad", "short"]
    assert table["rank"].tolist() == ["1=", "1=", "3", "4"]
    row = table.set_index("policy").loc["bad"]
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
    table, _ = league(outcomes(series, made, problem), problem, 1_000)
    assert table["policy"].iloc[0] == "near"
    assert table.set_index("policy")["composite"].idxmin() != "near"


def test_all_pairs_are_corrected_for():
    rng = np.random.default_rng(1)
    false = 0
    for _ in range(100):
        by_run = pd.DataFrame(rng.normal(size=(16, 8)), columns=list("abcdefgh"))
        order = by_run.mean().sort_values().index
        false += (pairs(by_run, list(order), 1)["p_holm"] < 0.05).any()
    assert false / 100 <= 0.1, "of eight equal policies some pair was separated too often"


def noisy(gap: float, count: int, runs: int, noise: float, seed: int) -> pd.DataFrame:
    """Policies whose rewards per round are `gap` apart, each with its own noise."""
    rng = np.random.default_rng(seed)
    rates = {f"p{k:02}": 0.17 - gap * k for k in range(count)}
    return ended({n: (r + rng.normal(0, noise, runs), 0.5) for n, r in rates.items()}, runs)


def test_few_runs_do_not_rank_many_policies_and_as_many_as_they_ask_for_do():
    table, needed = league(noisy(0.001, 19, 6, 0.01, 2), small_problem(), 1_000)
    assert (table["rank"] == "").all() and 10 < needed < 10_000
    _, needed = league(noisy(0.01, 4, 5, 0.02, 5), small_problem(), 1_000)
    table, more = league(noisy(0.01, 4, int(needed), 0.02, 6), small_problem(), 1_000)
    assert needed > 5 and more is None and table["rank"].iloc[0].startswith("1")
    # Where most pairs are separated, two that tie with the best do not empty the ranks.
    behind = {"best": 0.0, "near": 0.006, "too": 0.006, "far": 0.03, "last": 0.06}
    rng = np.random.default_rng(4)
    made = ended({n: (0.135 - x + rng.normal(0, 0.01, RUNS), 0.5) for n, x in behind.items()})
    table, needed = league(made, small_problem(), 1_000)
    assert needed is None and table["rank"].tolist() == ["1=", "1=", "1=", "4", "5"]


@pytest.mark.parametrize(("held", "since"), [(3, math.nan), (4, math.nan), (5, 501.0)])
def test_the_floor_holds_in_the_median_run_if_more_than_half_hold_it(held, since):
    last = np.where(np.arange(RUNS) < held, 500, 1_000)
    series = runs_of(T, 0.1 + WOBBLE, np.full(RUNS, 0.5)).assign(
        worst_shortfall_0=7.0, last_shortfall_0=np.repeat(last, len(T))
    )
    made = outcomes({"a": series}, small(), small_problem())
    row = league(made, small_problem(), 1_000)[0].iloc[0]
    assert row["kept_from_0"] == pytest.approx(since, nan_ok=True)
    assert row["worst_shortfall_0"] == 7.0


def test_without_an_optimum_violations_order_the_league():
    problem = solve_problem(small(), 0.9)
    series = {name: runs_of(T, 0.1 + WOBBLE, np.full(RUNS, events))
              for name, events in (("more", 0.4), ("less", 0.5))}  # fmt: skip
    table, _ = league(outcomes(series, small(), problem), problem, 1_000)
    assert table["policy"].tolist() == ["less", "more"]
    assert table["joint"].isna().all() and table["share_of_optimum"].isna().all()
