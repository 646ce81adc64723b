"""Intervals across runs: how often they cover, and what they are without enough runs."""

from __future__ import annotations

import numpy as np
import pytest

from lincon.analysis import intervals
from lincon.analysis.intervals import (
    bootstrap,
    bootstrap_interval,
    describe,
    resample,
    resampling_weights,
)

RUNS, EXPERIMENTS = 16, 2_000
# Made-up runs, each an experiment a column, and the true mean.
SHAPES = {
    "normal": (lambda rng: rng.normal(size=(RUNS, EXPERIMENTS)), 0.0),
    "exponential": (lambda rng: rng.exponential(size=(RUNS, EXPERIMENTS)), 1.0),
    "lognormal": (lambda rng: rng.lognormal(size=(RUNS, EXPERIMENTS)), float(np.exp(0.5))),
}


def coverage(shape: str) -> tuple[float, float]:
    """How often the t interval and the bootstrap interval hold the true mean."""
    draw, truth = SHAPES[shape]
    statistics = describe(draw(np.random.default_rng(7)), resampling_weights(RUNS, 1_000, 7))
    t, boot = (
        np.mean((statistics[f"{kind}_low"] <= truth) & (truth <= statistics[f"{kind}_high"]))
        for kind in ("ci", "boot")
    )
    return float(t), float(boot)


def test_t_intervals_of_normal_runs_cover_as_often_as_they_say():
    t, boot = coverage("normal")
    print(f"normal: t {t:.1%}, bootstrap {boot:.1%}")
    assert 0.92 <= t <= 0.97
    assert 0.88 <= boot <= t, "the percentile bootstrap is too narrow with few runs"


@pytest.mark.parametrize(
    ("shape", "t_range", "boot_range"),
    [
        ("exponential", (0.89, 0.94), (0.87, 0.92)),
        ("lognormal", (0.81, 0.87), (0.79, 0.85)),
    ],
)
def test_intervals_of_skewed_runs_cover_less_often_as_the_docs_say(shape, t_range, boot_range):
    t, boot = coverage(shape)
    print(f"{shape}: t {t:.1%}, bootstrap {boot:.1%}")
    assert t_range[0] <= t <= t_range[1]
    assert boot_range[0] <= boot <= boot_range[1]


def test_simultaneous_bands_hold_whole_curves():
    rng = np.random.default_rng(11)
    runs, experiments = 16, 300
    weights = resampling_weights(runs, 500, 2)
    whole = pointwise = 0
    for _ in range(experiments):
        curves = np.cumsum(rng.normal(size=(runs, 40)), axis=1)
        statistics = describe(curves, weights)
        whole += np.all((statistics["sup_low"] <= 0.0) & (statistics["sup_high"] >= 0.0))
        pointwise += np.all((statistics["ci_low"] <= 0.0) & (statistics["ci_high"] >= 0.0))
    assert 0.91 <= whole / experiments <= 0.99
    assert pointwise / experiments < 0.87, "pointwise intervals do not"


def test_simultaneous_bands_are_no_narrower_and_may_have_no_width():
    values = np.column_stack([np.zeros(8), np.random.default_rng(1).normal(size=(8, 3))])
    statistics = describe(values, resampling_weights(8, 300, 1))
    assert (statistics["sup_low"] <= statistics["ci_low"]).all()
    assert statistics["sup_low"][0] == statistics["sup_high"][0] == 0.0


def test_one_run_has_a_mean_and_quantiles_but_no_interval():
    statistics = describe(np.array([[3.0, 4.0]]), resampling_weights(1, 10, 1))
    assert statistics["mean"].tolist() == statistics["q50"].tolist() == [3.0, 4.0]
    for name in ("std", "ci_low", "ci_high", "boot_low", "boot_high", "sup_low", "sup_high"):
        assert np.isnan(statistics[name]).all()


def test_two_runs_worked_by_hand():
    statistics = describe(np.array([[1.0], [3.0]]), resampling_weights(2, 1_000, 1))
    assert statistics["mean"] == 2.0
    assert statistics["std"] == pytest.approx(np.sqrt(2.0))
    assert statistics["ci_high"] - 2.0 == pytest.approx(12.7062, abs=1e-4)
    assert (statistics["boot_low"], statistics["boot_high"]) == (1.0, 3.0)
    assert statistics["q10"] == pytest.approx(1.2) and statistics["q90"] == pytest.approx(2.8)


def test_equal_runs_have_an_interval_of_no_width():
    statistics = describe(np.full((5, 1), 2.0), resampling_weights(5, 100, 1))
    assert statistics["ci_low"] == statistics["ci_high"] == 2.0
    assert statistics["boot_low"] == statistics["boot_high"] == pytest.approx(2.0)


@pytest.mark.parametrize("resamples", [1, 2, 3, 41, 1_000])
def test_the_bootstrap_interval_is_that_of_numpy(resamples):
    draws = np.random.default_rng(3).normal(size=(7, resamples))
    expected = np.quantile(draws, [0.025, 0.975], axis=-1)
    assert np.array(bootstrap_interval(draws)) == pytest.approx(expected, rel=1e-12)


def test_the_bootstrap_takes_columns_in_portions(monkeypatch):
    values = np.random.default_rng(5).gamma(2.0, size=(6, 23))
    weights = resampling_weights(6, 50, 1)
    whole = bootstrap(weights, values), bootstrap(weights, values, values + 1, statistic=np.divide)
    seen = []

    def counting(weights, values):
        seen.append(len(weights) * values.shape[1])
        return resample(weights, values)

    monkeypatch.setattr(intervals, "AT_ONCE", 250)
    monkeypatch.setattr(intervals, "resample", counting)
    parts = bootstrap(weights, values), bootstrap(weights, values, values + 1, statistic=np.divide)
    assert np.array(parts) == pytest.approx(np.array(whole), rel=1e-12)
    assert max(seen) <= 250 and sum(seen) == 3 * 50 * 23


def test_an_undefined_draw_leaves_the_interval_undefined():
    draws = np.random.default_rng(3).normal(size=(2, 1_000))
    draws[1, 5] = np.nan
    low, high = bootstrap_interval(draws)
    assert np.isfinite(low[0]) and np.isnan(low[1]) and np.isnan(high[1])


def test_resamples_are_means_of_runs_and_follow_the_seed():
    weights = resampling_weights(4, 50, 1)
    assert weights.sum(axis=1) == pytest.approx(np.ones(50))
    assert np.array_equal(weights, resampling_weights(4, 50, 1))
    assert not np.array_equal(weights, resampling_weights(4, 50, 2))
    values = np.arange(8.0).reshape(4, 2)
    assert resample(weights, values) == pytest.approx((weights @ values).T)
