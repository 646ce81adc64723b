"""Our runs against published ones: the same numbers as SciPy's, and few false alarms."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lincon.analysis.comparison import COMPARED, at_horizon, compare, welch
from lincon.analysis.inference import holm
from lincon.report.tables import published_text
from tests.unit.analysis.made_runs import small_problem

PROBLEM = small_problem()


def series(runs: int, seed: int, rate: float = 0.45, rounds: int = 40) -> pd.DataFrame:
    """Events at that rate, of which each pays a half."""
    rng = np.random.default_rng(seed)
    events = np.cumsum(rng.random((runs, rounds)) < rate, axis=1)
    t = np.arange(1, rounds + 1)
    return pd.DataFrame(
        {
            "run": np.repeat(np.arange(runs), rounds),
            "t": np.tile(t, runs),
            "reward": 0.5 * events.ravel(),
            "events": events.ravel().astype(float),
        }
    )


def test_welch_is_that_of_scipy():
    rng = np.random.default_rng(1)
    ours, theirs = rng.normal(1.0, 1.0, (5, 7)), rng.normal(0.0, 4.0, (16, 7))
    ours[:, 3] += 9.0
    got = welch(ours, theirs)
    expected = stats.ttest_ind(ours, theirs, equal_var=False)
    interval = expected.confidence_interval(0.95)
    np.testing.assert_allclose(got["p"], expected.pvalue, rtol=1e-9)
    np.testing.assert_allclose(got["ci_low"], interval.low, rtol=1e-9)
    np.testing.assert_allclose(got["ci_high"], interval.high, rtol=1e-9)
    np.testing.assert_allclose(got["theirs_std"], theirs.std(axis=0, ddof=1))
    np.testing.assert_allclose(got["p_rounds"], holm(expected.pvalue), rtol=1e-9)


@pytest.mark.filterwarnings("error")
def test_without_any_spread_or_a_second_run_there_is_no_test():
    """As in the first rounds, where nothing has paid yet and the regret of all runs is t r*."""
    alike = [np.full((n, 4), [0.2023580366, 0.0139351287, 0.1, 1 / 3]) for n in (24, 16)]
    for ours, theirs in ((np.ones((4, 1)), np.zeros((3, 1))), alike, (np.ones((1, 2)), alike[0])):
        got = welch(ours, theirs[:, : ours.shape[1]])
        assert np.isnan(got["p"]).all() and np.isnan(got["p_rounds"]).all()
    assert np.isnan(got["ci_low"]).all(), "one run has no interval"


def test_another_rate_is_found_and_the_same_is_not():
    ours = {"a": series(16, 1), "b": series(16, 2)}
    theirs = {"a": series(16, 3), "b": series(16, 4, rate=0.2)}
    found = at_horizon(compare(ours, theirs, PROBLEM)).set_index(["policy", "metric"])
    assert list(found.index.get_level_values("metric").unique()) == list(COMPARED)
    assert found.loc[("b", "reward"), "p_table"] < 0.01
    assert found.loc[("b", "reward"), "differing"] > 5
    assert found.loc[("b", "reward"), "difference"] > 0 < found.loc[("b", "reward"), "ci_low"]
    assert (found.loc["a", "p_table"] > 0.05).all() and (found.loc["a", "differing"] == 0).all()
    assert (found["p_table"] >= found["p_rounds"]).all()


def test_runs_of_one_law_are_seldom_separated():
    """At a level of 5%, at most; 80 comparisons of 16 with 16 runs."""
    alarms = 0
    for seed in range(80):
        made = compare({"a": series(16, 2 * seed)}, {"a": series(16, 2 * seed + 1)}, PROBLEM)
        alarms += bool((at_horizon(made)["p_table"] < 0.05).any())
    assert alarms <= 9  # the binomial's 0.99 quantile


def test_the_text_says_what_was_compared():
    made = compare({"a": series(4, 1)}, {"a": series(6, 2)}, PROBLEM)
    text = published_text(made, PROBLEM, {"a": "A_1"}, "runs.npy", 0.25)
    assert "4 runs of ours against the 6 in `runs.npy`" in text
    assert f"r* is {PROBLEM.optimum:.6f} here and 0.250000 there" in text
    assert "| A\\_1 | regret |" in text and text.count("**no difference found**") == len(COMPARED)
    standin = replace(PROBLEM, source="standin")
    assert "**Stand-in arms, not the real data: small.**" in published_text(
        made, standin, {"a": "A"}, "runs.npy", 0.25
    )
