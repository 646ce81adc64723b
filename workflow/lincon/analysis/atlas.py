"""Who wins where: from how runs on many problems ended to maps, profiles and ranks.

Two criteria. `kept` puts feasibility first, as a league does: policies that keep the floor in at
least 80% of their runs, then those that sometimes do, then those that never do, each by their mean
joint regret at T (expected basis); a policy that does not keep it has no factor of the best.
`joint` is joint regret alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lincon.analysis.inference import t_interval
from lincon.analysis.league import GROUPS, MOST, group_of

CRITERIA = ("kept", "joint")
AXES = ["correlation", "slack", "arms"]
COORDINATES = ["problem", "arms", "slack", "correlation", "near_optimal"]
# Factors of the best at which profiles are taken.
FACTORS = np.geomspace(1.0, 32.0, 161)


@dataclass(frozen=True)
class Atlas:
    """`problems`: one row per problem and policy; `winners`: per cell of the map and criterion;

    `profiles`: per criterion, policy and factor; `ranks`: per criterion and policy.
    """

    problems: pd.DataFrame
    winners: pd.DataFrame
    profiles: pd.DataFrame
    ranks: pd.DataFrame

    def frames(self) -> dict[str, pd.DataFrame]:
        return dict(vars(self))


def analyse(outcomes: pd.DataFrame, policies: Sequence[str]) -> Atlas:
    """The atlas of outcomes (one row per problem, policy, horizon and run).

    Some problems may have been played for longer too: what a policy that locked onto a wrong arm
    costs shows only then.
    """
    short, long = outcomes["horizon"].min(), outcomes["horizon"].max()
    problems = by_problem(outcomes[outcomes["horizon"] == short], policies)
    frame = ranks(problems)
    later = pd.DataFrame({"policy": [], "factor_joint": []})
    if long > short:
        later = by_problem(outcomes[outcomes["horizon"] == long], policies)
    for name, of in (("long_factor", "median"), ("long_worst_factor", "max")):
        frame[name] = frame["policy"].map(later.groupby("policy")["factor_joint"].agg(of))
    return Atlas(problems, winners(problems), profiles(problems), frame)


def by_problem(outcomes: pd.DataFrame, policies: Sequence[str]) -> pd.DataFrame:
    """Means over runs, and under each criterion the factor of the best and the rank."""
    grouped = outcomes.groupby([*COORDINATES, "policy"], sort=False)
    frame = grouped.agg(
        joint=("joint_expected", "mean"),
        regret=("regret_expected", "mean"),
        violation=("violation_0_expected", "mean"),
        composite=("composite_expected", "mean"),
        kept=("kept", "mean"),
        worst_shortfall=("worst_shortfall_0", "mean"),
        n_runs=("run", "size"),
    ).reset_index()
    frame["policy"] = pd.Categorical(frame["policy"], list(policies))
    frame = frame.sort_values(["problem", "policy"], ignore_index=True)
    frame["policy"] = frame["policy"].astype(str)
    frame["group"] = frame["kept"].map(group_of)
    for criterion in CRITERIA:
        score = scores(frame, criterion)
        best = score.groupby(frame["problem"]).transform("min")
        frame[f"factor_{criterion}"] = factor(score, best)
        frame[f"rank_{criterion}"] = ranked(frame, criterion)
    return frame


def scores(frame: pd.DataFrame, criterion: str) -> pd.Series:
    """What is to be small: joint regret, infinite where the criterion is failed."""
    if criterion == "joint":
        return frame["joint"]
    return frame["joint"].where(frame["kept"] >= MOST, np.inf)


def ranked(frame: pd.DataFrame, criterion: str) -> pd.Series:
    """Ranks on every problem; under `kept` a group as a whole comes before the next."""
    score = frame["joint"]
    if criterion == "kept":
        above = 1.0 + score.groupby(frame["problem"]).transform("max")
        score = score + frame["group"].map(GROUPS.index) * above
    return score.groupby(frame["problem"]).rank(method="average")


def factor(score: pd.Series, best: pd.Series) -> pd.Series:
    """Score over the best; infinite for all where nobody meets the criterion."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(score == best, 1.0, score / best)
    return pd.Series(np.where(np.isinf(score), np.inf, ratio), score.index)


def winners(problems: pd.DataFrame) -> pd.DataFrame:
    """In each cell of the map the policy with the lowest mean, and how much more the next has.

    `policy` is empty where nobody meets the criterion; `margin` is infinite where nobody else does.
    """
    cells = (
        problems.groupby([*AXES, "policy"], sort=True)
        .agg(
            joint=("joint", "mean"),
            kept=("kept", "mean"),
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
        "joint": float(best["joint"]) if somebody else np.nan,
        "kept": float(best["kept"]) if somebody else np.nan,
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
                # The larger of two neighbours: between a number and infinity there is no mean.
                "q90_factor": float(np.quantile(factors, 0.9, method="higher")),
                "worst_factor": float(factors.max()),
                "kept": float(own["kept"].mean()),
                "keeps_on": float((own["kept"] >= MOST).mean()),
                "n_problems": len(place),
            }
        )
    return pd.DataFrame(rows).sort_values("mean_rank", kind="stable")
