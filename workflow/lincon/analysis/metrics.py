"""From cumulative series to what is measured: per run first, then across runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lincon.analysis.inference import ratio_interval
from lincon.analysis.intervals import (
    SPREAD,
    bootstrap,
    describe,
    resampling_weights,
)
from lincon.errors import UserError
from lincon.problem.record import Problem

BASES = ("expected", "realised")
METRICS = ("regret", "violation", "reward", "ratio", "composite", "deficit")
# Plays are plays on either basis: these are in the summary once, as realised.
COUNTS = ("infeasible", "suboptimal", "mixture")
# What rounding may add to a sum, per round: 10^7 times the same number are off by 4e-11 a round.
ROUNDING = 1e-9
STATISTICS = (
    *("mean", "std", "ci_low", "ci_high", "boot_low", "boot_high", "sup_low", "sup_high"),
    *("q10", "q50", "q90", "n_runs"),
)


def per_run(series: pd.DataFrame, problem: Problem, basis: str) -> dict[str, np.ndarray]:
    """Each metric as an array of runs x recorded rounds.

    Regret and violation are clipped per run, as the paper defines them; the composite regret is
    signed, so that nobody gains by trading one for the other, and so is the deficit, the violation
    before clipping. Where eta is out of reach there is no optimum to regret.
    """
    prefix = "expected_" if basis == "expected" else ""
    t, reward = np.unique(series["t"]), _grid(series, f"{prefix}reward")
    shortfall = without_rounding(t * problem.eta - _grid(series, f"{prefix}events"), t)
    metrics = {"violation": np.maximum(shortfall, 0.0), "reward": reward, "deficit": shortfall}
    if problem.feasible:
        loss = without_rounding(t * problem.optimum - reward, t)
        metrics["regret"] = np.maximum(loss, 0.0)
        metrics["composite"] = without_rounding(loss + problem.price * shortfall, t)
    return metrics


def without_rounding(values: np.ndarray, t: np.ndarray | float) -> np.ndarray:
    """Zero where a difference of sums over t rounds is nothing but their rounding."""
    return np.where(np.abs(values) <= ROUNDING * t, 0.0, values)


def counts_per_run(series: pd.DataFrame, problem: Problem) -> dict[str, np.ndarray]:
    """What is counted, as arrays of runs x recorded rounds.

    `suboptimal` counts the plays of arms with D_i > 0. `mixture` is how far the plays of the two
    optimal arms are from the optimal split between them, |k_1(t) - x_1 (k_1(t) + k_2(t))|; where
    other arms tie with them no split is the optimal one.
    """
    metrics = {"infeasible": _grid(series, "infeasible")}
    if problem.feasible:
        metrics["suboptimal"] = _grid(series, "suboptimal")
        if len(problem.support) == 1:
            metrics["mixture"] = np.zeros_like(metrics["suboptimal"])
        elif problem.unique and "leading" in series.columns:
            optimal = np.unique(series["t"]) - metrics["suboptimal"]
            metrics["mixture"] = np.abs(_grid(series, "leading") - problem.shares[0] * optimal)
    return metrics


def _grid(series: pd.DataFrame, column: str) -> np.ndarray:
    """A column of rows sorted by run and round, as runs x rounds."""
    return series[column].to_numpy(dtype=float).reshape(series["run"].nunique(), -1)


def check_complete(series: pd.DataFrame, runs: int, policy: str) -> None:
    """Refuse a set of runs with a hole, a stranger or rounds that do not match."""
    present = set(series["run"].unique())
    if present != set(range(runs)):
        missing = sorted(set(range(runs)) - present)
        extra = sorted(int(run) for run in present - set(range(runs)))
        raise UserError(
            f"{policy}: the summary needs runs 0 to {runs - 1}, but is missing {missing} "
            f"and has {extra} besides"
        )
    whole = len(series) == runs * series["t"].nunique()
    if not whole or series.duplicated(["run", "t"]).any():
        raise UserError(f"{policy}: its runs were not recorded at the same rounds")


def summarise(
    series: Mapping[str, pd.DataFrame], problem: Problem, runs: int, resamples: int, seed: int
) -> pd.DataFrame:
    """The tidy summary of a setting: one row per policy, basis, metric and recorded round."""
    weights = resampling_weights(runs, resamples, seed)
    parts: list[pd.DataFrame] = []
    for policy, frame in series.items():
        check_complete(frame, runs, policy)
        frame = frame.sort_values(["run", "t"])
        t = np.unique(frame["t"])
        for basis in BASES:
            metrics = per_run(frame, problem, basis)
            if basis == "realised":
                metrics |= counts_per_run(frame, problem)
            statistics = {name: describe(values, weights) for name, values in metrics.items()}
            statistics["ratio"] = ratio(metrics["reward"], metrics["violation"], weights)
            for metric in (*METRICS, *COUNTS):
                if metric in statistics:
                    keys = {"policy": policy, "metric": metric, "basis": basis, "t": t}
                    parts.append(pd.DataFrame(keys | statistics[metric] | {"n_runs": runs}))
    return pd.concat(parts, ignore_index=True)[["policy", "metric", "basis", "t", *STATISTICS]]


def ratio(reward: np.ndarray, violation: np.ndarray, weights: np.ndarray) -> dict[str, np.ndarray]:
    """Mean reward over mean violation; undefined while the violation is zero.

    Its interval is that of the delta method, beside the percentile bootstrap.
    """
    unknown = np.full(reward.shape[1], np.nan)
    result = dict.fromkeys((*SPREAD, "q10", "q50", "q90"), unknown)
    result["mean"] = quotient(reward.mean(axis=0), violation.mean(axis=0))
    if len(reward) > 1:
        result["ci_low"], result["ci_high"] = ratio_interval(reward, violation)
        low, high = bootstrap(weights, reward, violation, statistic=quotient)
        result |= {"boot_low": low, "boot_high": high}
    return result


def quotient(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0.0, numerator / denominator, np.nan)
