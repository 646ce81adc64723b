"""Claims: made-up runs in which each verdict must come out, and what goes into a verdict."""

import math

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.claims import FAILS, HOLDS, UNDECIDED, check_claims, verdict
from lincon.analysis.measures import measured
from lincon.data import arms
from lincon.problem.goal import Constraint, Goal
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import runs_of, small

T = np.unique(np.rint(np.geomspace(1, 10_000, 60))).astype(int)
RUNS = 8
SPREAD = np.linspace(-0.01, 0.01, RUNS)


def check(new: pd.DataFrame, old: pd.DataFrame, goal: Goal | float = 0.5, made=None):
    """The claims about `new` against `old`."""
    made = small() if made is None else made
    problem = solve_problem(made, goal)
    ended = measured({"new": new, "old": old}, made, problem)[0]
    return check_claims(ended, problem, ("new", "old"), int(new["t"].max()))


def compared(frame: pd.DataFrame, basis: str = "expected") -> pd.DataFrame:
    return frame[frame["basis"] == basis].set_index("quantity")


def series(reward: float, events: float, plays: np.ndarray | None = None) -> pd.DataFrame:
    return runs_of(T, reward + SPREAD, events + SPREAD, plays)


GOOD, BAD = series(0.15, 0.45), series(0.10, 0.40)


def test_a_better_policy_and_a_worse_one():
    for basis in ("expected", "realised"):
        rows = compared(check(GOOD, BAD), basis)
        assert rows["verdict"].tolist() == [HOLDS] * 4
    rows = compared(check(BAD, GOOD))
    assert rows["verdict"].tolist() == [FAILS] * 4


def test_differences_are_paired_and_signed():
    rows = compared(check(GOOD, BAD))
    # Pairs share their random events, so the spread over runs is not in the difference.
    assert rows.loc["regret", ["difference", "ci_low", "ci_high"]].tolist() == pytest.approx(
        [-500.0] * 3
    )
    assert rows.loc["joint", "difference"] == pytest.approx(-625.0)
    assert rows.loc["violation", ["value", "reference"]].tolist() == pytest.approx([500, 1000])
    assert rows.loc["ratio", "difference"] == pytest.approx(1500 / 500 - 1000 / 1000)


def test_noise_without_a_difference_is_undecided():
    rows = compared(check(BAD, runs_of(T, 0.10 + SPREAD[::-1], 0.40 + SPREAD[::-1])))
    assert rows["verdict"].tolist() == [UNDECIDED] * 4
    assert (rows["ci_low"] < 0).all() and (rows["ci_high"] > 0).all()


def test_regret_and_reward_are_one_claim_unless_a_run_is_clipped():
    rows = compared(check(GOOD, BAD))
    assert "reward" not in rows.index and rows.loc["regret", "claim"].endswith("reward")
    # The best runs earn more than the optimum's 0.175, and their regret is zero.
    clipped = compared(check(series(0.17, 0.45), BAD))
    assert clipped.loc[["regret", "reward"], "verdict"].tolist() == [HOLDS, HOLDS]
    assert clipped.loc["regret", "claim"] == "lower regret"


def test_a_ratio_without_violation_is_undefined_and_undecided():
    rows = compared(check(series(0.15, 0.60), BAD))
    assert math.isnan(rows.loc["ratio", "difference"])
    assert rows.loc["ratio", "verdict"] == UNDECIDED
    assert rows.loc["violation", "verdict"] == HOLDS


def test_rounding_does_not_make_a_verdict():
    frame = runs_of(T, np.full(RUNS, 0.21), np.full(RUNS, 0.7))
    frame["expected_reward"] -= 1e-14 * frame["t"] * (1 + frame["run"])
    other = frame.assign(expected_reward=frame["expected_reward"] + 1e-10)
    checked = check(frame, other, made=arms.make([0.7], [0.3], dataset="one"))
    assert set(compared(checked)["verdict"]) == {UNDECIDED}


def test_verdicts_are_corrected_for_their_number():
    # Six true differences of nothing, one that is seen at 5% when looked at alone.
    noise = np.random.default_rng(4).normal(size=RUNS)
    noise = 0.001 * ((noise - noise.mean()) / noise.std(ddof=1) + 1.0)
    new = BAD.copy()
    new["reward"] += np.repeat(noise, T.size) * new["t"]
    row = compared(check(new, BAD), "realised").loc["regret"]
    assert row["p_value"] < 0.05 < row["p_holm"]
    assert verdict(row["ci_low"], row["ci_high"], -1) == HOLDS and row["verdict"] == UNDECIDED


def test_without_an_optimum_only_what_is_defined_is_decided():
    frame = check(GOOD, BAD, 0.9)
    verdicts = compared(frame)["verdict"]
    assert verdicts[["violation", "reward", "ratio"]].tolist() == [HOLDS] * 3
    assert not {"regret", "joint"} & set(verdicts.index)


def test_verdicts_of_intervals():
    assert verdict(-2.0, -1.0, -1) == verdict(1.0, 2.0, 1) == HOLDS
    assert verdict(1.0, 2.0, -1) == verdict(-2.0, -1.0, 1) == FAILS
    assert verdict(-1.0, 1.0, 1) == verdict(0.0, 1.0, 1) == verdict(math.nan, 1.0, 1) == UNDECIDED


def test_a_goal_that_costs_is_claimed_to_cost_less():
    goal = Goal((Constraint("success", 1.0, 0.0, "at_least", 0.5),), value=0.0, cost="value")
    cheap, dear = series(-0.25, 0.5), series(-0.45, 0.5)  # some of the cheap runs are clipped
    frame = check(cheap, dear, goal)
    row = compared(frame).loc["cost"]
    assert (row["value"], row["difference"]) == pytest.approx((2_500.0, -2_000.0))
    assert row["claim"] == "lower cost" and row["verdict"] == HOLDS
    assert not {"reward", "ratio"} & set(compared(frame).index)
