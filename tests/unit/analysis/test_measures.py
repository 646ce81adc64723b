"""From series to measures: clipped per run, then averaged; kept within chance fluctuation."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lincon.analysis import measures
from lincon.data import arms
from lincon.errors import UserError
from lincon.problem.goal import Constraint, Goal
from lincon.problem.record import gaps
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import runs_of, small, small_problem

T = np.array([1, 10, 100])


def at_the_end(summary: pd.DataFrame, metric: str, basis: str = "expected") -> pd.Series:
    rows = summary[(summary["metric"] == metric) & (summary["basis"] == basis)]
    return rows[rows["t"] == T[-1]].iloc[0]


def summary_of(series: pd.DataFrame, eta: float = 0.5) -> pd.DataFrame:
    return measures.measured({"a": series}, small(), solve_problem(small(), eta))[1]


def test_regret_and_violation_are_clipped_in_each_run_and_averaged_after():
    # One run is 10 short of each, the other 10 over: clipped after averaging, both would be 0.
    series = runs_of(T, np.array([0.075, 0.275]), np.array([0.4, 0.6]))
    summary = summary_of(series)
    for metric in ("regret", "violation_0"):
        assert at_the_end(summary, metric)["mean"] == pytest.approx(5.0)
    # At a price of 0.25; the composite regret lets the second run's surplus pay for the first.
    assert at_the_end(summary, "joint")["mean"] == pytest.approx(5.0 + 0.25 * 5.0)
    assert at_the_end(summary, "composite")["mean"] == pytest.approx(0.0, abs=1e-9)
    assert at_the_end(summary, "reward")["mean"] == pytest.approx(17.5)


def test_rounding_is_neither_regret_nor_violation():
    # 0.1 added ten million times is off by 1e-4: nothing, beside ten million rounds.
    t = np.array([1, 1_000, 10_000_000])
    series = runs_of(t, np.full(2, 0.175), np.full(2, 0.5))
    for column in ("reward", "amount_0"):
        series[f"expected_{column}"] -= 4e-11 * series["t"]
    values = measures.per_run(series, small_problem(), "expected")
    for metric in ("regret", "violation_0", "composite", "joint"):
        assert (values[metric] == 0.0).all(), metric
    series["expected_amount_0"] -= 1e-3
    late = measures.per_run(series, small_problem(), "expected")["violation_0"]
    assert late[0] == pytest.approx([1e-3, 1e-3, 0.0], rel=1e-3), "at its scale, it is a shortfall"


def test_the_ratio_is_of_means_and_undefined_while_nothing_is_violated():
    series = runs_of(T, np.array([0.1, 0.3]), np.array([0.4, 0.6]))
    assert at_the_end(summary_of(series), "ratio")["mean"] == pytest.approx(20.0 / 5.0)
    kept = summary_of(runs_of(T, np.array([0.1, 0.3]), np.array([0.5, 0.6])))
    ratio = kept[kept["metric"] == "ratio"]
    assert ratio[["mean", "ci_low", "ci_high"]].isna().all().all()


def test_without_an_optimum_there_is_violation_but_no_regret():
    summary = summary_of(runs_of(T, np.array([0.1, 0.1]), np.array([0.4, 0.5])), eta=0.9)
    known = {"violation_0", "shortfall_0", "reward", "ratio", "infeasible", "kept"}
    assert set(summary["metric"]) == known
    assert at_the_end(summary, "violation_0")["mean"] == pytest.approx(45.0)


def test_runs_at_other_rounds_are_refused():
    whole = runs_of(T, np.full(3, 0.1), np.full(3, 0.5))
    moved = whole.assign(t=whole["t"] + (whole["run"] == 1))
    for series in (whole.iloc[1:], moved, pd.concat([whole, whole.iloc[:1]])):
        with pytest.raises(UserError, match=r"^a: its runs were not recorded at the same rounds"):
            summary_of(series)


@pytest.mark.parametrize("eta", [0.5, 0.3])
def test_composite_regret_is_the_sum_of_gaps_times_expected_plays(eta):
    made, problem = small(), solve_problem(small(), eta)
    plays = np.random.default_rng(1).multinomial(10, [0.5, 0.2, 0.3], size=10).cumsum(axis=0)
    t = plays.sum(axis=1)
    series = runs_of(t, np.zeros(1), np.zeros(1))
    series["expected_reward"] = plays @ (made.mean * made.value)
    series["expected_amount_0"] = plays @ made.mean
    found = measures.per_run(series, problem, "expected")
    assert found["composite"][0] == pytest.approx(plays @ gaps(made, problem), abs=1e-12)
    assert (found["joint"] >= found["composite"] - 1e-9).all()


def test_one_standard_deviation_of_the_optimal_mixture_is_kept():
    # The mixture's events have variance 0.25 per round: at T = 100, 5 events.
    problem = small_problem()
    assert measures.tolerances(small(), problem, 100.0)[0, 0] == pytest.approx(5.0)
    series = runs_of(T, np.full(2, 0.1), np.array([0.4501, 0.4499]))
    ended, _ = measures.measured({"a": series}, small(), problem)
    assert ended["kept"].tolist() == ended["kept_0"].tolist() == [True, False]
    # Of the last round: 7.5 of regret, and 4.99 or 5.01 missing events at a price of 0.25.
    assert ended["shortfall_0_realised"].tolist() == pytest.approx([4.99, 5.01])
    assert ended["joint_expected"].tolist() == pytest.approx([7.5 + 1.2475, 7.5 + 1.2525])
    strict, wide = (
        measures.measured({"a": series}, small(), problem, [each])[0] for each in (0.0, 0.06)
    )
    assert not strict["kept"].any() and wide["kept"].all(), "0.06 of an event per round"


@pytest.mark.parametrize("count", [1, 4])
def test_an_oracle_keeps_all_binding_constraints_in_four_runs_of_five(count):
    """Independent constraints, each of which binds: without the correction it would be 0.84^m."""
    problem = small_problem()
    goal = Goal(tuple(Constraint(f"c{j}", 1.0, 0.0, "at_least", 0.5) for j in range(count)))
    several = replace(problem, goal=goal, binding=(True,) * count)
    allowed = measures.tolerances(small(), several, 400.0)[:, 0]
    rng = np.random.default_rng(count)
    short = 200.0 - rng.binomial(400, 0.5, (20_000, count))
    kept = float((short <= allowed).all(axis=1).mean())
    assert 0.80 <= kept <= 0.88


def test_an_oracle_that_first_plays_each_arm_once_keeps_as_often():
    mean = np.append(np.full(98, 0.05), [0.4, 0.6])
    made = arms.make(mean, np.append(np.full(98, 0.1), [0.5, 0.25]))
    problem, t, rng = solve_problem(made, 0.5), 2_000, np.random.default_rng(1)
    forced = (rng.random((5_000, 100)) < mean).sum(axis=1)
    short = 0.5 * t - forced - rng.binomial(t - 100, 0.5, 5_000)
    for first, low, high in ((True, 0.82, 0.86), (False, 0.0, 0.2)):
        allowed = measures.tolerances(made, problem, t, forced=first)[0, 0]
        assert low < np.mean(short <= allowed) < high


def test_costs_and_caps_are_measured_in_the_users_sign():
    # Two arms at 0.1 and 0.3 per play, a cap of 0.2: half and half, and 0.25 is 0.05 too much.
    made = arms.make([0.2, 0.8], [0.1, 0.3])
    goal = Goal((Constraint("spend", 0.0, "value", "at_most", 0.2),), value=1.0)
    problem = solve_problem(made, goal)
    assert problem.shares == pytest.approx((0.5, 0.5))
    series = runs_of(T, np.full(2, 0.5), np.full(2, 0.5))
    series["amount_0"] = series["expected_amount_0"] = 0.25 * series["t"]
    found = measures.per_run(series, problem, "expected")
    assert found["violation_0"][:, -1].tolist() == pytest.approx([5.0, 5.0])
    # A unit of spending is worth 0.6 / 0.2 events.
    assert found["joint"][:, -1].tolist() == pytest.approx([3.0 * 5.0] * 2)
    assert measures.deviations(made, problem).tolist() == pytest.approx([0.1])


def test_with_kinds_of_request_tolerances_are_of_all_rounds():
    """A floor on kind a, half of the requests: every request of kind b meets it exactly."""
    made = arms.make([0.4, 0.6, 0.9, 0.2], [0.5, 0.25, 0.1, 1.0], kind=["a", "a", "b", "b"])
    problem = solve_problem(made, Goal((Constraint("event", 1.0, 0.0, "at_least", 0.5, "a"),)))
    share, rng = dict(zip(problem.support, problem.shares, strict=True)), np.random.default_rng(3)
    mean = np.where(rng.random(100_000) < share[1], 0.6, 0.4)
    amount = np.where(rng.random(100_000) < 0.5, rng.random(100_000) < mean, 0.5)
    assert measures.deviations(made, problem)[0] == pytest.approx(amount.std(), rel=0.01)
    # Each of kind a's arms once instead of its mixture: 0.5 + 0.5 - 0.4 - 0.6.
    forced = measures.forced_shortfall(made, problem, np.array([1.0, 2.0, 4.0]))[0]
    assert forced.tolist() == pytest.approx([0.1, 0.0, 0.0])
