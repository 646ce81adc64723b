"""The league: policies by composite regret at T, with what can and what cannot be told apart.

Composite regret on the expected basis cannot be gamed by trading violations for reward. All pairs
of policies are compared by paired t tests, corrected by Holm's method over all pairs: the best of
many is picked by looking, so a correction over the comparisons with it alone would be too small.
Oracles know the truth and are references: they are listed, not ranked.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from lincon.analysis.inference import (
    ALPHA,
    detectable_difference,
    holm,
    paired_t,
    variance_ratio,
)
from lincon.analysis.intervals import t_interval
from lincon.analysis.metrics import without_rounding
from lincon.problem.record import Problem


def ranking(problem: Problem) -> str:
    """What the league goes by; without an optimum there is no regret, and the violation is left."""
    return "composite_expected" if problem.feasible else "violation_expected"


def league(
    outcomes: pd.DataFrame, problem: Problem, horizon: int, references: Collection[str] = ()
) -> pd.DataFrame:
    """One row a policy, the best first.

    `behind` is the paired difference to the best policy, `tied` whether it cannot be told from
    none, `p_holm` its p-value corrected over all pairs of ranked policies.
    """
    by_run = outcomes.pivot(index="run", columns="policy", values=ranking(problem))
    ranked = [p for p in by_run.mean().sort_values(kind="stable").index if p not in references]
    compared = pairs(by_run, ranked, horizon)
    rows = []
    for policy in (*ranked, *(p for p in by_run if p in references)):
        runs = outcomes[outcomes["policy"] == policy].sort_values("run")
        row = _row(policy, runs, by_run[policy].to_numpy(), problem, horizon)
        row["reference"] = policy in references
        rows.append(row | _against_best(policy, ranked, compared, by_run, horizon))
    frame = pd.DataFrame(rows)
    frame.insert(0, "rank", _ranks(frame))
    return frame


def pairs(by_run: pd.DataFrame, policies: Sequence[str], horizon: int) -> pd.DataFrame:
    """All pairs, the better of each first: the paired difference, alone and corrected by Holm."""
    rows = []
    for first, second in itertools.combinations(policies, 2):
        found = paired_t(_difference(by_run, second, first, horizon))
        rows.append((first, second, found.value, found.low, found.high, found.p))
    columns = ["first", "second", "difference", "ci_low", "ci_high", "p_value"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(p_holm=holm(frame["p_value"].to_numpy(dtype=float)))


def _difference(by_run: pd.DataFrame, policy: str, other: str, horizon: int) -> np.ndarray:
    return without_rounding(by_run[policy].to_numpy() - by_run[other].to_numpy(), float(horizon))


def _against_best(
    policy: str, ranked: Sequence[str], compared: pd.DataFrame, by_run: pd.DataFrame, horizon: int
) -> dict[str, object]:
    numbers = ["behind", "behind_low", "behind_high", "p_value", "p_holm"]
    numbers += ["detectable", "variance_ratio"]
    if policy not in ranked or policy == ranked[0]:
        start = 0.0 if policy in ranked else np.nan
        unknown: dict[str, object] = dict.fromkeys(numbers, np.nan)
        return unknown | {"behind": start, "tied": policy in ranked}
    best = ranked[0]
    (_, row), *_ = compared[(compared["first"] == best) & (compared["second"] == policy)].iterrows()
    difference = _difference(by_run, policy, best, horizon)
    return {
        "behind": row["difference"],
        "behind_low": row["ci_low"],
        "behind_high": row["ci_high"],
        "p_value": row["p_value"],
        "p_holm": row["p_holm"],
        "detectable": detectable_difference(difference),
        "variance_ratio": variance_ratio(by_run[policy].to_numpy(), by_run[best].to_numpy()),
        # One run (no p-value) tells nothing apart.
        "tied": not row["p_holm"] < ALPHA,
    }


def _row(
    policy: str, runs: pd.DataFrame, by_run: np.ndarray, problem: Problem, horizon: int
) -> dict[str, object]:
    low, high = t_interval(by_run)
    met = runs["floor_met"].to_numpy(dtype=bool)
    reward = float(runs["reward_expected"].mean())
    best = np.nan if problem.optimum is None else horizon * problem.optimum
    return {
        "policy": policy,
        "composite": float(by_run.mean()),
        "ci_low": low,
        "ci_high": high,
        "regret": float(runs["signed_regret_expected"].mean()),
        "violation": float(runs["signed_violation_expected"].mean()),
        "reward": reward,
        "share_of_optimum": reward / best if best else np.nan,
        "event_rate": float(runs["events_realised"].mean()) / horizon,
        "floor_met": int(met.sum()),
        "n_runs": len(runs),
        "worst_deficit": float(runs["worst_deficit"].max()),
        "mean_worst_deficit": float(runs["worst_deficit"].mean()),
        "rounds_until_kept": float(runs["last_deficit"].median()),
        "never_kept": int((runs["last_deficit"] >= horizon).sum()),
    }


def _ranks(frame: pd.DataFrame) -> list[str]:
    """1=, 1=, 3, ...: those that cannot be told from the best share its rank; oracles have none."""
    tied = frame["tied"] & ~frame["reference"]
    place = iter(range(1, len(frame) + 1))
    several = tied.sum() > 1
    result = []
    for reference, with_best in zip(frame["reference"], tied, strict=True):
        if reference:
            result.append("")
            continue
        number = next(place)
        result.append(("1=" if several else "1") if with_best else str(number))
    return result
