"""Across runs: 95% intervals, paired tests, Holm's correction.

Every policy of a run is played on the same random events, so policies are compared by the
differences of paired runs, whose mean has Student's t. A ratio of two means is made such a mean by
the delta method: its runs' influence on it.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy  # submodules are loaded when used

LEVEL = 0.95
ALPHA = 1.0 - LEVEL

# Sarle's bimodality coefficient of the uniform law; that of the normal law is 1/3.
UNIFORM = 5.0 / 9.0
FEWEST = 8  # runs needed to judge the distribution's shape


def t_quantile(runs: int) -> float:
    return float(scipy.special.stdtrit(runs - 1, (1.0 + LEVEL) / 2.0))


def t_interval(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The 95% interval of the mean over runs, the first axis; one run gives none."""
    runs, mean = len(values), values.mean(axis=0)
    if runs < 2:
        return mean * np.nan, mean * np.nan
    half = t_quantile(runs) * values.std(axis=0, ddof=1) / np.sqrt(runs)
    return mean - half, mean + half


def mean_of(name: str, values: np.ndarray) -> dict[str, float]:
    """One number per run as three columns: `name`, `name_low` and `name_high`."""
    low, high = map(float, t_interval(values))
    return {name: float(values.mean()), f"{name}_low": low, f"{name}_high": high}


def describe(values: np.ndarray) -> dict[str, np.ndarray]:
    """Statistics of `values` (runs x columns); one run gives no interval, not a zero one."""
    low, high = t_interval(values)
    std = values.std(axis=0, ddof=1) if len(values) > 1 else low
    return {"mean": values.mean(axis=0), "std": std, "ci_low": low, "ci_high": high}


def share_of(name: str, held: pd.Series) -> dict[str, float]:
    """In how many runs something held, `name_runs`, with Wilson's 95% interval of the share."""
    count = int(held.sum())
    found = scipy.stats.binomtest(count, len(held)).proportion_ci(LEVEL, method="wilson")
    return {f"{name}_runs": count, f"{name}_low": found.low, f"{name}_high": found.high}


def uneven(values: pd.Series) -> bool:
    """Whether runs end so differently that their mean describes none of them.

    By Sarle's bimodality coefficient, (skewness^2 + 1) / kurtosis with the corrections for small
    samples: above that of the uniform law a sample is skewed or has two peaks, and the t interval
    of its mean covers less than 95%.
    """
    n = len(values)
    if n < FEWEST or values.std() <= 1e-9 * abs(values.mean()):
        return False
    kurtosis = values.kurt() + 3.0 * (n - 1) ** 2 / ((n - 2) * (n - 3))
    return bool((values.skew() ** 2 + 1.0) / kurtosis > UNIFORM)


def ratio_by_run(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """One number per run: their mean is mean(top) / mean(bottom), their spread the ratio's own.

    The delta method: a run's influence on the ratio. So a ratio is tested like any other mean.
    """
    above, below = top.mean(axis=0), bottom.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(below > 0.0, above / below, np.nan)
        return ratio + (top - ratio * bottom) / below


class Estimate(NamedTuple):
    """A number, its 95% interval, and the two-sided p-value of its being zero."""

    value: float
    low: float
    high: float
    p: float


def paired_t(differences: np.ndarray) -> Estimate:
    """The mean of one number per run. Differences without spread are tested by their signs.

    Their t would be infinite, yet two runs with the same number of events do not prove equality.
    """
    runs, value = len(differences), float(np.mean(differences))
    low, high = map(float, t_interval(differences))
    if runs < 2:
        return Estimate(value, low, high, np.nan)
    error = float(np.std(differences, ddof=1)) / np.sqrt(runs)
    if error == 0.0:
        return Estimate(value, low, high, 1.0 if value == 0.0 else 2.0 ** (1 - runs))
    p = 2.0 * scipy.special.stdtr(runs - 1, -abs(value) / error)
    return Estimate(value, low, high, float(p))


def holm(p: pd.Series) -> pd.Series:
    """Holm's step-down p-values, which control the family-wise error rate; NaN does not count."""
    known = p.dropna().sort_values(kind="stable")
    steps = known * np.arange(len(known), 0, -1)
    return steps.cummax().clip(upper=1.0).reindex(p.index)
