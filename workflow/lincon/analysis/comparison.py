"""Runs that somebody published beside ours: differences with intervals, and two-sample tests.

Theirs were played on other random events, so the samples are independent and compared by Welch's t,
on the realised basis: that is all that such files have.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy  # scipy.special is loaded when it is used

from lincon.analysis.inference import ALPHA, LEVEL, holm
from lincon.analysis.measures import Values, per_run
from lincon.problem.record import Problem

COMPARED = ("regret", "violation_0", "reward", "ratio", "joint")


@dataclass(frozen=True)
class Comparison:
    """`frame`: one row per policy, metric and recorded round; `theirs`: their runs, by policy."""

    frame: pd.DataFrame
    t: np.ndarray
    theirs: dict[str, Values]
    runs: tuple[int, int]  # ours, theirs

    def rows(self, policy: str, metric: str) -> pd.DataFrame:
        chosen = (self.frame["policy"] == policy) & (self.frame["metric"] == metric)
        return self.frame[chosen]


def compare(
    ours: Mapping[str, pd.DataFrame], theirs: Mapping[str, pd.DataFrame], problem: Problem
) -> Comparison:
    """Policy by policy, at the rounds that both were recorded at (the same, in each)."""
    frames, runs, t = [], {}, np.empty(0)
    for policy, series in ours.items():
        mine = realised(series, problem)
        runs[policy] = realised(theirs[policy], problem)
        t = np.unique(series["t"])
        for metric in mine:
            keys = {"policy": policy, "metric": metric, "t": t}
            frames.append(pd.DataFrame(keys | welch(mine[metric], runs[policy][metric])))
    counts = [next(iter(each.values()))["run"].nunique() for each in (ours, theirs)]
    return Comparison(pd.concat(frames, ignore_index=True), t, runs, (counts[0], counts[1]))


def realised(series: pd.DataFrame, problem: Problem) -> Values:
    """The metrics as runs x rounds; their files count events, which are the amounts of a floor."""
    series = series.assign(amount_0=series["events"]).sort_values(["run", "t"])
    metrics = per_run(series, problem, "realised")
    return {name: metrics[name] for name in COMPARED if name in metrics}


def welch(ours: np.ndarray, theirs: np.ndarray) -> dict[str, np.ndarray]:
    """The difference of two means in every column, its 95% interval and p-value; Holm over columns.

    Where neither sample has any spread there is no test: a few coins that all fell alike.
    """
    spreads = []
    for sample in (ours, theirs):
        spread = sample.var(axis=0, ddof=1) if len(sample) > 1 else np.nan * sample[0]
        # Equal numbers have a mean that is rounded, and so a variance that is not quite zero.
        spreads.append(np.where(spread <= (1e-12 * sample.mean(axis=0)) ** 2, 0.0, spread))
    first, second = spreads[0] / len(ours), spreads[1] / len(theirs)
    error, difference = np.sqrt(first + second), ours.mean(axis=0) - theirs.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = first**2 / max(len(ours) - 1, 1) + second**2 / max(len(theirs) - 1, 1)
        freedom = (first + second) ** 2 / shares
        p = 2.0 * scipy.special.stdtr(freedom, -np.abs(difference) / error)
    half = scipy.special.stdtrit(freedom, (1.0 + LEVEL) / 2.0) * error
    found = {"ours": ours.mean(axis=0), "theirs": theirs.mean(axis=0)}
    found |= {"theirs_std": np.sqrt(spreads[1]), "difference": difference}
    found |= {"ci_low": difference - half, "ci_high": difference + half}
    return found | {"p": p, "p_rounds": holm(p)}


def at_horizon(comparison: Comparison) -> pd.DataFrame:
    """One row per policy and metric: the values at T, and the tests over all rounds."""
    grouped = comparison.frame.groupby(["policy", "metric"], sort=False)
    rows = grouped.last(skipna=False).reset_index()
    # The smallest of Holm's p-values is that of the hypothesis that the curves differ nowhere.
    rows["p_rounds"] = grouped["p_rounds"].min().to_numpy()
    rows["differing"] = grouped["p_rounds"].agg(lambda p: int((p < ALPHA).sum())).to_numpy()
    rows["tested"] = grouped["p"].count().to_numpy()
    rows["p_table"] = holm(rows["p_rounds"].to_numpy())
    return rows
