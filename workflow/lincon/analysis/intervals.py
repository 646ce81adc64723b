"""Across runs: mean, spread, 95% intervals and bands of the mean, for every column at once."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy  # scipy.special is loaded when it is used; scipy.stats would take a second

LEVEL = 0.95
# Resampled numbers that are held at once: 32 MB, whatever the rounds and the resamples.
AT_ONCE = 4_000_000
SPREAD = ("std", "ci_low", "ci_high", "boot_low", "boot_high", "sup_low", "sup_high")


def resampling_weights(runs: int, resamples: int, seed: int) -> np.ndarray:
    """One row a bootstrap resample: how much each run weighs in its mean."""
    counts = np.random.default_rng(seed).multinomial(runs, np.full(runs, 1.0 / runs), resamples)
    return counts / runs


def resample(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The resampled means of `values` (runs x columns): one row a column, one entry a resample."""
    return values.T @ weights.T


def bootstrap_interval(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The percentile interval of resampled statistics (last axis); NaN where a draw is undefined.

    The same numbers as np.quantile, several times as fast: one selection for each end, in place,
    which leaves the draws in another order.
    """
    tail = (1.0 - LEVEL) / 2.0
    undefined = np.isnan(draws).any(axis=-1)
    low, high = (np.where(undefined, np.nan, _quantile(draws, q)) for q in (tail, 1.0 - tail))
    return low, high


def bootstrap(
    weights: np.ndarray,
    *values: np.ndarray,
    statistic: Callable[..., np.ndarray] = lambda mean: mean,
) -> tuple[np.ndarray, np.ndarray]:
    """The percentile interval of a statistic of means, for every column of `values`.

    Columns are taken in portions, so that memory is bounded by AT_ONCE and not by
    columns x resamples.
    """
    columns = values[0].shape[1]
    low, high = np.empty((2, columns))
    step = max(1, AT_ONCE // len(weights))
    for first in range(0, columns, step):
        part = slice(first, first + step)
        draws = statistic(*(resample(weights, each[:, part]) for each in values))
        low[part], high[part] = bootstrap_interval(draws)
    return low, high


def t_interval(values: np.ndarray) -> tuple[float, float]:
    """The 95% interval of the mean of `values`, one a run; one run gives none."""
    runs = len(values)
    if runs < 2:
        return np.nan, np.nan
    half = float(t_quantile(runs) * values.std(ddof=1) / np.sqrt(runs))
    return float(values.mean()) - half, float(values.mean()) + half


def t_quantile(runs: int) -> float:
    return float(scipy.special.stdtrit(runs - 1, (1.0 + LEVEL) / 2.0))


def _quantile(draws: np.ndarray, q: float) -> np.ndarray:
    position = q * (draws.shape[-1] - 1)
    index = math.floor(position)
    draws.partition(index, axis=-1)
    if index == position:
        return draws[..., index]
    following = draws[..., index + 1 :].min(axis=-1)
    return draws[..., index] + (position - index) * (following - draws[..., index])


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
        off = resample(weights, deviations[:, first : first + step])
        largest = np.maximum(largest, np.abs(off, out=off).max(axis=0))
    scaled = np.quantile(largest, LEVEL) * np.sqrt(runs / (runs - 1.0))
    # Beyond nine deviations the normal law has no digits left.
    critical = max(
        float(scipy.special.stdtrit(runs - 1, scipy.special.ndtr(min(scaled, 8.0)))),
        t_quantile(runs),
    )
    return mean - critical * error, mean + critical * error


def describe(values: np.ndarray, weights: np.ndarray) -> dict[str, np.ndarray]:
    """Statistics of `values` (runs x columns); one run gives no interval, not a zero one."""
    runs, columns = values.shape
    q10, q50, q90 = np.quantile(values, [0.1, 0.5, 0.9], axis=0)
    result = {"mean": values.mean(axis=0), "q10": q10, "q50": q50, "q90": q90}
    if runs < 2:
        return result | dict.fromkeys(SPREAD, np.full(columns, np.nan))
    std = values.std(axis=0, ddof=1)
    half = t_quantile(runs) * std / np.sqrt(runs)
    boot_low, boot_high = bootstrap(weights, values)
    sup_low, sup_high = simultaneous(values, weights)
    return result | {
        "std": std,
        "ci_low": result["mean"] - half,
        "ci_high": result["mean"] + half,
        "boot_low": boot_low,
        "boot_high": boot_high,
        "sup_low": sup_low,
        "sup_high": sup_high,
    }
