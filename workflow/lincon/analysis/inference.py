"""Across runs: intervals of means and of whole curves, paired tests, Holm's correction.

Every policy of a run is played on the same random events, so policies are compared by the
differences of paired runs. A mean of such differences has Student's t; a ratio of two means has
none, and is studentised by the delta method in every bootstrap resample (bootstrap-t).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy  # scipy.special is loaded when it is used; scipy.stats would take a second

LEVEL = 0.95
ALPHA = 1.0 - LEVEL
POWER = 0.8
# Resampled numbers that are held at once: 32 MB, whatever the rounds and the resamples.
AT_ONCE = 4_000_000

# The C library's, one number at a time: NumPy's differ in the last digit between processors.
log = np.vectorize(math.log, otypes=[float])
exp = np.vectorize(math.exp, otypes=[float])


def resampling_weights(runs: int, resamples: int, seed: int) -> np.ndarray:
    """One row per bootstrap resample: how much each run weighs in its mean."""
    counts = np.random.default_rng(seed).multinomial(runs, np.full(runs, 1.0 / runs), resamples)
    return counts / runs


def t_quantile(runs: int) -> float:
    return float(scipy.special.stdtrit(runs - 1, (1.0 + LEVEL) / 2.0))


def t_interval(values: np.ndarray) -> tuple[float, float]:
    """The 95% interval of the mean of `values`, one per run; one run gives none."""
    runs = len(values)
    if runs < 2:
        return np.nan, np.nan
    half = float(t_quantile(runs) * values.std(ddof=1) / np.sqrt(runs))
    return float(values.mean()) - half, float(values.mean()) + half


def describe(values: np.ndarray, weights: np.ndarray) -> dict[str, np.ndarray]:
    """Statistics of `values` (runs x columns); one run gives no interval, not a zero one."""
    runs, columns = values.shape
    mean = values.mean(axis=0)
    if runs < 2:
        names = ("std", "ci_low", "ci_high", "sup_low", "sup_high")
        return {"mean": mean} | dict.fromkeys(names, np.full(columns, np.nan))
    std = values.std(axis=0, ddof=1)
    half = t_quantile(runs) * std / np.sqrt(runs)
    low, high = simultaneous(values, weights)
    ends = {"ci_low": mean - half, "ci_high": mean + half, "sup_low": low, "sup_high": high}
    return {"mean": mean, "std": std} | ends


def simultaneous(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A band that holds the whole curve of means in 95% of experiments, not each point alone.

    Sup-t: the largest |mean* - mean| / error over the columns, in each resample, has a 95% quantile
    c. Resampled means scatter by sqrt((n - 1) / n) too little and know nothing of the error's own
    error: c is scaled, and taken from the normal law to Student's t.
    """
    runs, columns = values.shape
    if runs < 2:
        return np.full(columns, np.nan), np.full(columns, np.nan)
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(runs)
    moving = error > 1e-12 * np.abs(mean)
    deviations = (values[:, moving] - mean[moving]) / error[moving]
    largest = np.zeros(len(weights))
    step = max(1, AT_ONCE // len(weights))
    for first in range(0, deviations.shape[1], step):
        off = deviations[:, first : first + step].T @ weights.T
        largest = np.maximum(largest, np.abs(off, out=off).max(axis=0))
    scaled = np.quantile(largest, LEVEL) * np.sqrt(runs / (runs - 1.0))
    # Beyond nine deviations the normal law has no digits left.
    critical = max(
        float(scipy.special.stdtrit(runs - 1, scipy.special.ndtr(min(scaled, 8.0)))),
        t_quantile(runs),
    )
    return mean - critical * error, mean + critical * error


@dataclass(frozen=True)
class Estimate:
    """A number, its 95% interval, and the two-sided p-value of its being zero."""

    value: float
    low: float
    high: float
    p: float


def paired_t(differences: np.ndarray) -> Estimate:
    """The mean of one number per run; differences that are all zero are not evidence."""
    value = float(np.mean(differences))
    low, high = t_interval(differences)
    if len(differences) < 2:
        return Estimate(value, low, high, np.nan)
    error = float(np.std(differences, ddof=1)) / np.sqrt(len(differences))
    if error == 0.0:
        return Estimate(value, low, high, _without_spread(value, len(differences)))
    return Estimate(
        value,
        low,
        high,
        float(2.0 * scipy.special.stdtr(len(differences) - 1, -abs(value) / error)),
    )


def _without_spread(value: float, runs: int) -> float:
    """The p-value of differences that are all the same: by their signs, as t would be infinite.

    Two runs with the same number of events do not prove equality.
    """
    return 1.0 if value == 0.0 else 2.0 ** (1 - runs)


def ratio_difference(ours: np.ndarray, theirs: np.ndarray, weights: np.ndarray) -> Estimate:
    """The difference of two ratios of means, by bootstrap-t; `ours` is (numerator, denominator).

    With few runs some resamples repeat one run alone and have no spread: their statistic is
    infinite, and where that many are there is no interval.
    """
    whole = np.full((1, len(weights[0])), 1.0 / len(weights[0]))
    estimate, error = (float(each[0]) for each in _ratios(ours, theirs, whole))
    if not np.isfinite(estimate) or not np.isfinite(error) or len(weights[0]) < 2:
        return Estimate(estimate, np.nan, np.nan, np.nan)
    if error == 0.0:
        p = _without_spread(estimate, len(weights[0]))
        return Estimate(estimate, estimate, estimate, p)
    draws, errors = _ratios(ours, theirs, weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (draws - estimate) / errors
    t = np.where(np.isnan(t), 0.0, t)
    t = np.where(np.isnan(draws) | (errors == 0.0), np.inf, t)
    tail = float(np.mean(np.abs(t) >= abs(estimate) / error))
    p = max(tail, 1.0 / (len(t) + 1))
    lost = np.isinf(t)
    t = np.where(lost, np.where(np.arange(len(t)) % 2 == 0, np.inf, -np.inf), t)
    low, high = np.quantile(t, [ALPHA / 2.0, 1.0 - ALPHA / 2.0], method="inverted_cdf")
    if not (np.isfinite(low) and np.isfinite(high)):
        return Estimate(estimate, np.nan, np.nan, p)
    return Estimate(estimate, estimate - high * error, estimate - low * error, p)


def _ratios(
    ours: np.ndarray, theirs: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The difference of the ratios under each row of weights, and its delta-method error."""
    runs = weights.shape[1]
    values, errors = np.empty((2, len(weights)))
    step = max(1, AT_ONCE // (4 * runs))
    for first in range(0, len(weights), step):
        part = slice(first, first + step)
        mine, my_influence = _ratio(ours, weights[part])
        other, other_influence = _ratio(theirs, weights[part])
        values[part] = mine - other
        square = np.sum(weights[part] * (my_influence - other_influence) ** 2, axis=1)
        errors[part] = np.sqrt(square / max(runs - 1, 1))
    return values, errors


def _ratio(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ratio of the weighted means, and each run's influence on it."""
    top, bottom = values
    below = weights @ bottom
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(below > 0.0, (weights @ top) / below, np.nan)
        return ratio, (top - ratio[:, None] * bottom) / below[:, None]


def ratio_interval(top: np.ndarray, bottom: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The interval of mean(top) / mean(bottom), for every column (runs x columns).

    The delta method with Student's t: it moves smoothly along a curve, where bootstrap-t of a few
    runs leaps, and covers as well (docs/statistics.md).
    """
    runs, (above, below) = len(top), (top.mean(axis=0), bottom.mean(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(below > 0.0, above / below, np.nan)
        influence = (top - ratio * bottom) / below
        half = t_quantile(runs) * influence.std(axis=0, ddof=1) / np.sqrt(runs)
    return ratio - half, ratio + half


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's step-down p-values, which control the family-wise error rate; NaN does not count."""
    p = np.asarray(p, dtype=float)
    adjusted = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(order) else steps
    return adjusted


def detectable_difference(differences: np.ndarray) -> float:
    """The smallest true difference that a paired t test of so many runs finds with 80% power.

    From the runs' own spread: where the noncentral t is above the test's limit with this power.
    """
    runs = len(differences)
    if runs < 2:
        return np.nan
    error = float(np.std(differences, ddof=1)) / np.sqrt(runs)
    return float(scipy.special.nctdtrinc(runs - 1, 1.0 - POWER, t_quantile(runs))) * error


def variance_ratio(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The variance of the paired difference over that of independent runs: below one is gained."""
    if len(ours) < 2:
        return np.nan
    apart = float(np.var(ours, ddof=1) + np.var(theirs, ddof=1))
    return float(np.var(ours - theirs, ddof=1)) / apart if apart > 0.0 else np.nan


def runs_needed(differences: np.ndarray, tests: int) -> float:
    """About how many runs find this mean difference with 80% power, corrected for `tests` tests."""
    value, spread = abs(float(np.mean(differences))), float(np.std(differences, ddof=1))
    if value == 0.0 or len(differences) < 2:
        return np.inf
    limit, power = scipy.special.ndtri([1.0 - ALPHA / (2.0 * tests), POWER])
    # Student's t needs about half the square of the limit more than the normal law.
    return float(((limit + power) * spread / value) ** 2 + limit**2 / 2.0)
