"""Who wins where: from how runs on many problems ended to ranks and a map.

Feasibility comes first, as in a league: policies that keep the floor in at least 80% of their runs,
then those that sometimes do, then those that never do, each by their mean joint regret at T
(expected basis). A factor is joint regret over the lowest of all policies on the same problem:
it says what a policy costs, whether or not it keeps the floor.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from lincon.analysis.inference import exp, log, mean_of
from lincon.analysis.league import KEPT, ordered

CELL = ["correlation", "slack", "arms"]
COORDINATES = ["problem", "arms", "slack", "correlation", "near_optimal"]


class Atlas(NamedTuple):
    """`problems`: one row per problem and policy; `winners`: per cell of the map; `ranks`: per
    policy."""

    problems: pd.DataFrame
    winners: pd.DataFrame
    ranks: pd.DataFrame


def analyse(outcomes: pd.DataFrame, policies: Sequence[str]) -> Atlas:
    """The atlas of outcomes (one row per problem, policy, horizon and run).

    Some problems may have been played for longer too: what a policy that locked onto a wrong arm
    costs shows only then.
    """
    short, long = outcomes["horizon"].min(), outcomes["horizon"].max()
    problems = by_problem(outcomes[outcomes["horizon"] == short])
    frame = ranks(problems, policies)
    later = by_problem(outcomes[outcomes["horizon"] == long]) if long > short else problems.iloc[:0]
    factors = later.groupby("policy")["factor"]
    for name, found in (("long_factor", factors.median()), ("long_worst_factor", factors.max())):
        frame[name] = frame["policy"].map(found)
    return Atlas(problems, winners(problems), frame)


def by_problem(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Means over runs; on every problem the best first, with its rank and factor."""
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
    frame = ordered(frame, COORDINATES)
    lowest = frame.groupby("problem")["joint"].transform("min")
    with np.errstate(divide="ignore", invalid="ignore"):
        frame["factor"] = np.where(frame["joint"] == lowest, 1.0, frame["joint"] / lowest)
    # Equal numbers share their ranks.
    frame["rank"] = frame.groupby("problem").cumcount() + 1.0
    equal = frame.groupby(["problem", "group", "joint"])
    return frame.assign(rank=equal["rank"].transform("mean"))


def winners(problems: pd.DataFrame) -> pd.DataFrame:
    """In each cell of the map the best policy, and how much more the next of its group has.

    `margin` is infinite where there is no other in its group.
    """
    cells = problems.groupby([*CELL, "policy"], sort=True).agg(
        joint=("joint", "mean"), kept=("kept", "mean"), n_problems=("problem", "nunique")
    )
    frame = ordered(cells.reset_index(), CELL)
    following = frame.groupby([*CELL, "group"])["joint"].shift(-1).fillna(np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        frame["margin"] = following / frame["joint"]
    return frame[frame["best"]].drop(columns="best").reset_index(drop=True)


def ranks(problems: pd.DataFrame, policies: Sequence[str]) -> pd.DataFrame:
    """Mean rank with its 95% t interval over problems, the best first; what it costs beside it.

    `behind` is the mean difference of ranks to the best policy, paired by problem, `behind_low`
    and `behind_high` its interval; `relative` the geometric mean of joint regret over that of the
    first policy given.
    """
    table = problems.pivot(index="problem", columns="policy", values="rank")
    joint = problems.pivot(index="problem", columns="policy", values="joint")
    best = table[list(policies)].mean().idxmin()
    rows = []
    for policy in policies:
        own = problems[problems["policy"] == policy]
        behind = (table[policy] - table[best]).to_numpy()
        quotient = (joint[policy] / joint[policies[0]]).to_numpy()
        known = np.isfinite(quotient) & (quotient > 0.0)
        rows.append(
            {
                "policy": policy,
                **mean_of("mean_rank", table[policy].to_numpy()),
                **mean_of("behind", behind),
                "first_on": float((own["rank"] == 1.0).mean()),
                "keeps_on": float((own["group"] == KEPT).mean()),
                "kept": float(own["kept"].mean()),
                "relative": float(exp(log(quotient[known]).mean())) if known.any() else np.nan,
                "median_factor": float(own["factor"].median()),
                # The larger of two neighbours: between a number and infinity there is no mean.
                "q90_factor": float(np.quantile(own["factor"], 0.9, method="higher")),
                "worst_factor": float(own["factor"].max()),
                "n_problems": len(own),
            }
        )
    return pd.DataFrame(rows).sort_values("mean_rank", kind="stable", ignore_index=True)
