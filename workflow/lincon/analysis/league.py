"""The league: feasibility first, joint regret inside a group.

A policy that keeps every constraint in at least 80% of its runs is `kept` (an oracle that draws
from the optimal mixture does so in about 84%), one that keeps them in fewer is `sometimes`, in none
`never`. Inside a group policies are ranked by their mean joint regret on the expected basis.
References know the true means: they are listed, not ranked.
"""

import itertools
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lincon.analysis.inference import holm, mean_of, paired_t, share_of, uneven
from lincon.analysis.measures import own_optimum, without_rounding
from lincon.problem.record import Problem

KEPT, SOMETIMES, NEVER, REFERENCE = "kept", "sometimes", "never", "reference"
GROUPS = (KEPT, SOMETIMES, NEVER, REFERENCE)
# The share of runs from which a policy counts as keeping its constraints.
MOST = 0.8


def group_of(share: float) -> str:
    """By the share of runs that keep every constraint."""
    return KEPT if share >= MOST else SOMETIMES if share > 0.0 else NEVER


def scores(outcomes: pd.DataFrame, problem: Problem) -> pd.DataFrame:
    """The ranking measure inside a group, runs x policies; without an optimum, violations."""
    if problem.feasible:
        return outcomes.pivot(index="run", columns="policy", values="joint_expected")
    names = [f"violation_{j}_expected" for j in range(len(problem.goal.constraints))]
    total = outcomes.assign(score=outcomes[names].sum(axis=1))
    return total.pivot(index="run", columns="policy", values="score")


def league(
    outcomes: pd.DataFrame, problem: Problem, horizon: int, references: Collection[str] = ()
) -> pd.DataFrame:
    """One row per policy, the best of those that keep their constraints first.

    `behind` is the paired difference to the best of the group, with its 95% interval; `p_holm` its
    p-value, corrected over all pairs of ranked policies.
    """
    by_run = scores(outcomes, problem)
    share = outcomes.groupby("policy")["kept"].mean()
    groups = {p: REFERENCE if p in references else group_of(x) for p, x in share.items()}
    order = sorted(by_run, key=lambda p: (GROUPS.index(groups[p]), by_run[p].mean()))
    compared = pairs(by_run, [p for p in order if groups[p] != REFERENCE], horizon)
    of_policy = dict(list(outcomes.groupby("policy")))
    rows = []
    for policy in order:
        best = next(p for p in order if groups[p] == groups[policy])
        row = {"policy": policy, "group": groups[policy]}
        row |= _row(of_policy[policy], problem, horizon)
        rows.append(row | {name: column.get((best, policy)) for name, column in compared.items()})
    return pd.DataFrame(rows).astype(dict.fromkeys(compared, float))


def pairs(by_run: pd.DataFrame, policies: Sequence[str], horizon: int) -> pd.DataFrame:
    """All pairs of policies: the paired difference, second minus first, and Holm's p.

    The best is chosen from the same runs, so correcting for its own comparisons alone would not be
    enough.
    """
    rows = {
        (first, second): paired_t(without_rounding(by_run[second] - by_run[first], float(horizon)))
        for first, second in itertools.combinations(policies, 2)
    }
    columns = ["behind", "behind_low", "behind_high", "p_value"]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return frame.assign(p_holm=holm(frame["p_value"])).drop(columns="p_value")


def _row(runs: pd.DataFrame, problem: Problem, horizon: int) -> dict[str, Any]:
    best = runs["optimum"].mean() if own_optimum(runs) else horizon * (problem.optimum or np.nan)
    joint = runs["joint_expected"]
    row: dict[str, Any] = {"runs": len(runs)} | share_of("kept", runs["kept"])
    row |= share_of("strict", runs["strict"])
    for name in ("joint", "regret", "reward"):
        row |= mean_of(name, runs[f"{name}_expected"].to_numpy())
    for name, level in (("q25", 0.25), ("median", 0.5), ("q75", 0.75)):
        row |= {f"joint_{name}": joint.quantile(level)}
    share = runs["reward_expected"].mean() / best
    row |= {"uneven": uneven(joint), "share_of_optimum": share}
    for j in range(len(problem.goal.constraints)):
        row |= {
            f"rate_{j}": problem.rate(j, runs[f"amount_{j}_realised"].mean() / horizon),
            f"tolerance_{j}": runs[f"tolerance_{j}"].iloc[0],
            **mean_of(f"violation_{j}", runs[f"violation_{j}_expected"].to_numpy()),
            **mean_of(f"shortfall_{j}", runs[f"shortfall_{j}_realised"].to_numpy()),
        }
    return row
