"""Intervals and tests across runs: against SciPy, by hand, and how often they are wrong."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks.coverage import detectable_difference
from lincon.analysis.inference import (
    describe,
    holm,
    paired_t,
    ratio_by_run,
    share_of,
    t_interval,
    uneven,
)

RUNS, EXPERIMENTS = 16, 2_000
# Laws of made-up runs: the true mean, and how often a 95% interval of 16 runs covers it.
SHAPES = {"normal": (0.0, (0.92, 0.97)), "exponential": (1.0, (0.89, 0.94))}
SHAPES["lognormal"] = (math.exp(0.5), (0.81, 0.87))


@pytest.mark.parametrize("shape", SHAPES)
def test_t_intervals_cover_as_often_as_the_docs_say(shape):
    truth, (low, high) = SHAPES[shape]
    found = describe(getattr(np.random.default_rng(7), shape)(size=(RUNS, EXPERIMENTS)))
    assert low <= np.mean((found["ci_low"] <= truth) & (truth <= found["ci_high"])) <= high


def test_one_run_has_a_mean_and_no_interval_and_two_are_worked_by_hand():
    alone = describe(np.array([[3.0, 4.0]]))
    assert alone.pop("mean").tolist() == [3.0, 4.0]
    assert all(np.isnan(values).all() for values in alone.values())
    two = describe(np.array([[1.0], [3.0]]))
    assert two["std"] == pytest.approx(np.sqrt(2.0))
    assert two["ci_high"] - 2.0 == pytest.approx(12.7062, abs=1e-4)


def test_paired_t_is_that_of_scipy():
    ours, theirs = np.random.default_rng(1).normal(size=(2, 9))
    found = paired_t(ours - theirs)
    expected = stats.ttest_rel(ours, theirs)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    interval = expected.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_differences_without_spread():
    assert paired_t(np.zeros(4)).p == 1.0
    assert paired_t(np.full(2, 2.0)).p == 0.5
    assert paired_t(np.full(4, 2.0)).p == 0.125
    assert paired_t(np.full(16, -2.0)).p == 0.5**15
    alone = paired_t(np.array([2.0]))
    assert alone.value == 2.0 and math.isnan(alone.low) and math.isnan(alone.p)


def test_holm_by_hand():
    assert holm(pd.Series([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx(
        [0.03, 0.06, 0.06, 0.02]
    )
    known = holm(pd.Series([0.6, np.nan, 0.9]))
    assert known[[0, 2]].tolist() == [1.0, 1.0] and math.isnan(known[1])
    assert holm(pd.Series([], dtype=float)).empty


def test_a_share_of_runs_has_wilsons_interval():
    # z = 1.96: (p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n).
    found = share_of("kept", pd.Series([True] * 13 + [False] * 3))
    assert list(found.values()) == pytest.approx([13, 0.5699, 0.9341], abs=1e-4)
    assert share_of("kept", pd.Series([True] * 16))["kept_low"] == pytest.approx(0.8064, abs=1e-4)


def test_runs_that_end_in_two_ways_are_uneven():
    rng = np.random.default_rng(2)
    two = np.where(np.arange(16) < 12, 850.0, 75.0) + rng.normal(0, 20, 16)
    assert uneven(pd.Series(two))
    even = [uneven(pd.Series(rng.normal(700, 50, 16))) for _ in range(200)]
    assert np.mean(even) < 0.1
    assert not uneven(pd.Series(np.full(16, 3.0))) and not uneven(pd.Series([1.0, 9.0]))


@pytest.mark.parametrize("runs", [2, 16])
def test_ratios_and_their_differences_are_covered_as_often_as_they_say(runs):
    rng = np.random.default_rng(12)
    ours, theirs = (
        ratio_by_run(rng.normal(100.0, 10.0, (runs, 2_000)), rng.normal(20.0, 3.0, (runs, 2_000)))
        for _ in range(2)
    )
    for values, truth in ((ours, 5.0), (ours - theirs, 0.0)):
        low, high = t_interval(values)
        assert np.mean((low <= truth) & (high >= truth)) == pytest.approx(0.95, abs=0.025)


@pytest.mark.parametrize("runs", [2, 4, 16, 10_000])
def test_the_detectable_difference_has_its_power_by_the_law_of_the_spread(runs):
    """The probability that |mean| is beyond the limit, averaged over the law of its error."""
    shift = detectable_difference(math.sqrt(runs), runs)  # in standard errors of the mean
    chances = (np.arange(20_000) + 0.5) / 20_000
    limit = stats.t.ppf(0.975, runs - 1) * np.sqrt(stats.chi2.ppf(chances, runs - 1) / (runs - 1))
    found = stats.norm.sf(limit - shift) + stats.norm.cdf(-limit - shift)
    assert found.mean() == pytest.approx(0.8, abs=1e-3)
