"""From series to metrics: clipped per run, averaged after; nothing made of missing runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lincon.analysis import metrics
from lincon.data import arms
from lincon.engine.simulate import Setting, simulate
from lincon.errors import UserError
from lincon.policies import registry as policies
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import runs_of, small, small_problem

T = np.array([1, 10, 100])


def at_the_end(summary: pd.DataFrame, metric: str, basis: str = "expected") -> pd.Series:
    rows = summary[(summary["metric"] == metric) & (summary["basis"] == basis)]
    return rows[rows["t"] == T[-1]].iloc[0]


def summary_of(series: pd.DataFrame, runs: int, eta: float = 0.5) -> pd.DataFrame:
    return metrics.summarise({"a": series}, solve_problem(small(), eta), runs, 200, 1)


def test_regret_and_violation_are_clipped_in_each_run_and_averaged_after():
    # One run is 10 short of each, the other 10 over: clipped after averaging, both would be 0.
    series = runs_of(T, np.array([0.075, 0.275]), np.array([0.4, 0.6]))
    summary = summary_of(series, 2)
    for metric in ("regret", "violation"):
        assert at_the_end(summary, metric)["mean"] == pytest.approx(5.0)
    assert at_the_end(summary, "composite")["mean"] == pytest.approx(0.0, abs=1e-9)
    assert at_the_end(summary, "reward")["mean"] == pytest.approx(17.5)


def test_rounding_is_neither_regret_nor_violation():
    # 0.1 added ten million times is off by 1e-4: nothing, beside ten million rounds.
    t = np.array([1, 1_000, 10_000_000])
    series = runs_of(t, np.full(2, 0.175), np.full(2, 0.5))
    for column in ("reward", "events"):
        series[f"expected_{column}"] -= 4e-11 * series["t"]
    values = metrics.per_run(series, small_problem(), "expected")
    for metric in ("regret", "violation", "composite"):
        assert (values[metric] == 0.0).all(), metric
    series["expected_events"] -= 1e-3
    late = metrics.per_run(series, small_problem(), "expected")["violation"]
    assert late[0] == pytest.approx([1e-3, 1e-3, 0.0], rel=1e-3), "at its scale, a deficit is one"


def test_the_ratio_is_of_means_and_undefined_while_nothing_is_violated():
    series = runs_of(T, np.array([0.1, 0.3]), np.array([0.4, 0.6]))
    assert at_the_end(summary_of(series, 2), "ratio")["mean"] == pytest.approx(20.0 / 5.0)
    kept = summary_of(runs_of(T, np.array([0.1, 0.3]), np.array([0.5, 0.6])), 2)
    ratio = kept[kept["metric"] == "ratio"]
    assert ratio[["mean", "ci_low", "ci_high"]].isna().all().all()


def test_without_an_optimum_there_is_violation_but_no_regret():
    summary = summary_of(runs_of(T, np.array([0.1, 0.1]), np.array([0.4, 0.5])), 2, eta=0.9)
    assert set(summary["metric"]) == {"violation", "reward", "ratio", "deficit", "infeasible"}
    assert at_the_end(summary, "violation")["mean"] == pytest.approx(45.0)


def test_the_mixture_error_leaves_suboptimal_plays_out():
    plays = np.array([[0, 2, 20], [0, 2, 40]])
    series = runs_of(T, np.array([0.1, 0.1]), np.array([0.5, 0.5]), plays)
    counts = metrics.counts_per_run(series, small_problem())
    assert counts["suboptimal"][:, -1].tolist() == [20.0, 40.0]
    # 50 plays of the first of two arms that share 80, then 60, plays half and half.
    assert counts["mixture"][:, -1] == pytest.approx([10.0, 20.0])


def test_the_mixture_error_where_there_is_no_one_split():
    series = runs_of(T, np.array([0.1, 0.1]), np.array([0.5, 0.5]))
    twice = solve_problem(arms.make([0.4, 0.6, 0.6], [0.5, 0.25, 0.25]), 0.5)
    assert not twice.unique and "mixture" not in metrics.counts_per_run(series, twice)
    alone = solve_problem(small(), 0.2)
    assert not metrics.counts_per_run(series, alone)["mixture"].any()


def test_counts_are_in_the_summary_once():
    summary = summary_of(runs_of(T, np.array([0.1, 0.1]), np.array([0.5, 0.5])), 2)
    counted = summary[summary["metric"].isin(metrics.COUNTS)]
    assert set(counted["basis"]) == {"realised"}
    assert len(counted) == len(metrics.COUNTS) * T.size
    assert not summary.duplicated(["policy", "metric", "basis", "t"]).any()


def test_one_run_gives_numbers_without_intervals():
    summary = summary_of(runs_of(T, np.array([0.1]), np.array([0.4])), 1)
    assert summary["mean"].notna().all()
    assert summary[["std", "ci_low", "ci_high", "boot_low", "boot_high"]].isna().all().all()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda s: s[s["run"] != 1], r"missing \[1\] and has \[\]"),
        (lambda s: s.replace({"run": {2: 7}}), r"missing \[2\] and has \[7\]"),
        (lambda s: s[(s["run"] != 1) | (s["t"] != 10)], "not recorded at the same rounds"),
        (lambda s: s.assign(t=s["t"] + (s["run"] == 1)), "not recorded at the same rounds"),
        (lambda s: pd.concat([s, s.iloc[:1]]), "not recorded at the same rounds"),
    ],
)
def test_an_incomplete_set_of_runs_is_refused(damage, message):
    series = runs_of(T, np.full(3, 0.1), np.full(3, 0.5))
    with pytest.raises(UserError, match=f"^a: .*{message}"):
        summary_of(damage(series), 3)


def test_the_order_of_rows_does_not_matter():
    series = runs_of(T, np.array([0.1, 0.2]), np.array([0.4, 0.45]))
    shuffled = series.sample(frac=1.0, random_state=1)
    pd.testing.assert_frame_equal(summary_of(shuffled, 2), summary_of(series, 2))


@pytest.mark.parametrize("eta", [0.5, 0.3, 0.6])
def test_composite_regret_is_the_sum_of_gaps_times_expected_plays(eta):
    policy = policies.make_policy("ts", {"estimator": "beta_sample", "selector": "lp"})
    setting = Setting("small", eta, 500, policy, 0, 1, engine="dense")
    stated = solve_problem(small(), eta)
    run = simulate(setting, small(), stated)
    composite = metrics.per_run(run.series.to_pandas(), stated, "expected")["composite"][0, -1]
    gaps = stated.level - (small().value + stated.price) * small().mean
    plays = run.plays.to_pandas()["expected_plays"].to_numpy()
    assert plays.sum() == pytest.approx(500)
    assert composite == pytest.approx(float(gaps @ plays), rel=1e-12, abs=1e-12)
