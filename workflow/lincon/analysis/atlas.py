"""Who wins where: from how runs on many problems ended to maps, profiles and ranks.

Two criteria. `composite` is the composite regret at T (expected basis, mean over runs). `floor` is
the same among policies that meet the floor: on a problem, or in a cell of the map, these have at
least `MET` of their runs with T eta events or more (realised); the others count as failed. Half, as
the optimal mixture itself, played by who knows the means, is below T eta in about every other run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lincon.analysis.intervals import t_interval

MET = 0.5
CRITERIA = ("composite", "floor")
AXES = ["correlation", "slack", "arms"]
COORDINATES = ["problem", "arms", "slack", "correlation", "near_optimal"]
# Factors of the best at which profiles are taken.
FACTORS = np.geomspace(1.0, 32.0, 161)


@dataclass(frozen=True)
class Atlas:
    """`problems` has a row a problem and policy, `winners` a row a cell of the map and criterion,

    `profiles` a row a criterion, policy and factor, `ranks` a row a criterion and policy.
    """

    problems: pd.DataFrame
    winners: pd.DataFrame
    profiles: pd.DataFrame
    ranks: pd.DataFrame

    def frames(self) -> dict[str, pd.DataFrame]:
        return dict(vars(self))


def analyse(outcomes: pd.DataFrame, policies: Sequence[str]) -> Atlas:
    """The atlas of outcomes (a row a problem, policy and run)."""
    problems = by_problem(outcomes, policies)
    return Atlas(problems, winners(problems), profiles(problems), ranks(problems))


def by_problem(outcomes: pd.DataFrame, policies: Sequence[str]) -> pd.DataFrame:
    """Means over runs, and under each criterion the factor of the best and the rank.

    Where a policy fails the floor, its factor is infinite and it shares the last ranks.
    """
    grouped = outcomes.groupby([*COORDINATES, "policy"], sort=False)
    frame = grouped.agg(
        composite=("composite_expected", "mean"),
        regret=("regret_expected", "mean"),
        violation=("violation_expected", "mean"),
        floor_met=("floor_met", "mean"),
        worst_deficit=("worst_deficit", "mean"),
        n_runs=("run", "size"),
    ).reset_index()
    frame["policy"] = pd.Categorical(frame["policy"], list(policies))
    frame = frame.sort_values(["problem", "policy"], ignore_index=True)
    frame["policy"] = frame["policy"].astype(str)
    for criterion in CRITERIA:
        score = scores(frame, criterion)
        by = score.groupby(frame["problem"])
        frame[f"factor_{criterion}"] = factor(score, by.transform("min"))
        frame[f"rank_{criterion}"] = by.rank(method="average")
    return frame


def scores(frame: pd.DataFrame, criterion: str) -> pd.Series:
    """What is to be small: composite regret, infinite where the criterion is failed."""
    if criterion == "composite":
        return frame["composite"]
    return frame["composite"].where(frame["floor_met"] >= MET, np.inf)


def factor(score: pd.Series, best: pd.Series) -> pd.Series:
    """Score over the best; infinite for all where nobody meets the criterion."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(score == best, 1.0, score / best)
    return pd.Series(np.where(np.isinf(score), np.inf, ratio), score.index)


def winners(problems: pd.DataFrame) -> pd.DataFrame:
    """In each cell of the map the policy with the least mean, and how much more the next has.

    `policy` is empty where nobody meets the criterion; `margin` is infinite where nobody else does.
    """
    cells = (
        problems.groupby([*AXES, "policy"], sort=True)
        .agg(
            composite=("composite", "mean"),
            floor_met=("floor_met", "mean"),
            n_problems=("problem", "nunique"),
        )
        .reset_index()
    )
    rows = []
    for criterion in CRITERIA:
        for place, cell in cells.assign(score=scores(cells, criterion)).groupby(AXES):
            rows.append(dict(zip(AXES, place, strict=True)) | _winner(cell, criterion))
    return pd.DataFrame(rows)


def _winner(cell: pd.DataFrame, criterion: str) -> dict[str, object]:
    ordered = cell.sort_values("score", kind="stable")
    best = ordered.iloc[0]
    somebody = bool(np.isfinite(best["score"]))
    following = ordered["score"].iloc[1] if len(ordered) > 1 else np.inf
    positive = somebody and best["score"] > 0.0
    return {
        "criterion": criterion,
        "policy": best["policy"] if somebody else "",
        "composite": float(best["composite"]) if somebody else np.nan,
        "floor_met": float(best["floor_met"]) if somebody else np.nan,
        "margin": float(following / best["score"]) if positive else np.nan,
        "n_problems": int(best["n_problems"]),
    }


def profiles(problems: pd.DataFrame) -> pd.DataFrame:
    """Performance profiles: the share of problems on which a policy is within a factor of the best.

    (Dolan and Moré, 2002.) A problem on which it fails the criterion is within none.
    """
    parts = []
    for criterion in CRITERIA:
        for policy, rows in problems.groupby("policy", sort=False):
            factors = np.sort(rows[f"factor_{criterion}"].to_numpy(dtype=float))
            share = np.searchsorted(factors, FACTORS, side="right") / len(factors)
            keys = {"criterion": criterion, "policy": policy}
            parts.append(pd.DataFrame(keys | {"factor": FACTORS, "share": share}))
    return pd.concat(parts, ignore_index=True)


def ranks(problems: pd.DataFrame) -> pd.DataFrame:
    """Mean rank with its 95% t interval over problems, the best first; wins and factors beside it.

    `behind` is the mean difference of ranks to the best policy, paired by problem, `behind_low`
    and `behind_high` its interval.
    """
    parts = [_ranks(problems, criterion) for criterion in CRITERIA]
    return pd.concat(parts, ignore_index=True)


def _ranks(problems: pd.DataFrame, criterion: str) -> pd.DataFrame:
    table = problems.pivot(index="problem", columns="policy", values=f"rank_{criterion}")
    best = table.mean().idxmin()
    rows = []
    for policy, own in problems.groupby("policy", sort=False):
        place, factors = table[policy].to_numpy(), own[f"factor_{criterion}"].to_numpy(dtype=float)
        low, high = t_interval(place)
        behind = place - table[best].to_numpy()
        behind_low, behind_high = t_interval(behind)
        rows.append(
            {
                "criterion": criterion,
                "policy": policy,
                "mean_rank": place.mean(),
                "ci_low": low,
                "ci_high": high,
                "behind": behind.mean(),
                "behind_low": behind_low,
                "behind_high": behind_high,
                "best_on": float(np.mean(factors == 1.0)),
                "within_two": float(np.mean(factors <= 2.0)),
                "median_factor": float(np.median(factors)),
                "floor_met": float(own["floor_met"].mean()),
                "meets_floor_on": float((own["floor_met"] >= MET).mean()),
                "n_problems": len(place),
            }
        )
    return pd.DataFrame(rows).sort_values("mean_rank", kind="stable")
