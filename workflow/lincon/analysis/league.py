"""The league: feasibility first, joint regret inside a group, and only what the runs can tell.

A policy that keeps every constraint in at least 80% of its runs is `kept` (an oracle that draws
from the optimal mixture does so in 84%), one that keeps them in fewer is `sometimes`, in none
`never`.
Inside a group policies are ranked by their mean joint regret on the expected basis. All pairs of
policies are compared by paired t tests, corrected by Holm's method over all pairs: the best is
picked by looking at the same runs, so a correction over its own comparisons would be too small.
References know the truth or ignore half of the problem: they are listed, not ranked.
"""

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lincon.analysis.inference import ALPHA, holm, log, mean_of, paired_t, runs_needed
from lincon.analysis.measures import own_optimum, without_rounding
from lincon.problem.record import Problem

KEPT, SOMETIMES, NEVER, REFERENCE = "kept", "sometimes", "never", "reference"
GROUPS = (KEPT, SOMETIMES, NEVER, REFERENCE)
# The share of runs from which a policy counts as keeping its constraints.
MOST = 0.8
# Policies of a group whose means are that far apart should be significantly different.
FAR = 0.1


def group_of(share: float) -> str:
    """By the share of runs that keep every constraint."""
    return KEPT if share >= MOST else SOMETIMES if share > 0.0 else NEVER


def ordered(frame: pd.DataFrame, within: Sequence[str]) -> pd.DataFrame:
    """Rows of policies at each of the places `within`: feasibility first, then joint regret.

    `kept` is the share of runs; `group` and `best`, the first of its place, are added.
    """
    groups = frame["kept"].map(group_of)
    frame = frame.assign(group=groups, order=groups.map(GROUPS.index))
    frame = frame.sort_values([*within, "order", "joint"], kind="stable", ignore_index=True)
    return frame.drop(columns="order").assign(best=~frame.duplicated(list(within)))


def scores(outcomes: pd.DataFrame, problem: Problem) -> pd.DataFrame:
    """What ranks inside a group, runs x policies; without an optimum only violations are left."""
    if problem.feasible:
        score = outcomes["joint_expected"]
    else:
        count = len(problem.goal.constraints)
        score = outcomes[[f"violation_{j}_expected" for j in range(count)]].sum(axis=1)
    return outcomes.assign(score=score).pivot(index="run", columns="policy", values="score")


def league(
    outcomes: pd.DataFrame, problem: Problem, horizon: int, references: Collection[str] = ()
) -> tuple[pd.DataFrame, float | None]:
    """One row per policy, the best of those that keep their constraints first; and `needed_runs`.

    `behind` is the paired difference to the best of the group, `tied` whether it is not
    significantly different, `p_holm` its p-value corrected over all pairs of ranked policies.
    """
    by_run = scores(outcomes, problem)
    share = outcomes.groupby("policy", sort=False)["kept"].mean()
    groups = {p: REFERENCE if p in references else group_of(x) for p, x in share.items()}
    order = sorted(by_run, key=lambda p: (GROUPS.index(groups[p]), by_run[p].mean()))
    ranked = [policy for policy in order if groups[policy] != REFERENCE]
    compared = pairs(by_run, ranked, horizon)
    rows = []
    for policy in order:
        runs = outcomes[outcomes["policy"] == policy].sort_values("run")
        row = {"policy": policy, "group": groups[policy]} | _row(runs, problem, horizon)
        best = next(p for p in order if groups[p] == groups[policy])
        rows.append(row | _behind(policy, best, compared))
    frame = pd.DataFrame(rows)
    needed = needed_runs(by_run, groups, compared, horizon)
    frame.insert(2, "rank", _ranks(frame) if needed is None else "")
    return frame, needed


def pairs(by_run: pd.DataFrame, policies: Sequence[str], horizon: int) -> pd.DataFrame:
    """All pairs of ranked policies: the paired difference, second minus first, and Holm's p."""
    rows = [
        (first, second, *paired_t(_difference(by_run, second, first, horizon)))
        for first, second in itertools.combinations(policies, 2)
    ]
    columns = ["first", "second", "behind", "behind_low", "behind_high", "p_value"]
    frame = pd.DataFrame(rows, columns=columns).set_index(["first", "second"])
    return frame.assign(p_holm=holm(frame["p_value"].to_numpy(dtype=float)))


def _difference(by_run: pd.DataFrame, policy: str, other: str, horizon: int) -> np.ndarray:
    return without_rounding(by_run[policy].to_numpy() - by_run[other].to_numpy(), float(horizon))


def needed_runs(
    by_run: pd.DataFrame, groups: Mapping[str, str], compared: pd.DataFrame, horizon: int
) -> float | None:
    """About how many runs would rank these policies (0: unknown); None where these runs do.

    They do not where most of the pairs of a group whose means are far apart are not significantly
    different: there is something to find, and it was not found.
    """
    mean, far, missed = by_run.mean(), 0, []
    for (first, second), p in compared["p_holm"].items():
        low, high = sorted((mean[first], mean[second]))
        if groups[first] == groups[second] and high - low > FAR * low:
            far += 1
            missed += [] if p < ALPHA else [(first, second)]
    if 2 * len(missed) <= far:
        return None
    if len(by_run) < 2:
        return 0.0
    apart = [_difference(by_run, second, first, horizon) for first, second in missed]
    return float(math.ceil(max(runs_needed(each, len(compared)) for each in apart)))


def _behind(policy: str, best: str, compared: pd.DataFrame) -> dict[str, Any]:
    names = ["behind", "behind_low", "behind_high", "p_holm"]
    if (best, policy) not in compared.index:  # the best of its group, or a reference
        return dict.fromkeys(names, np.nan) | {"tied": policy == best}
    found = compared.loc[(best, policy), names].to_dict()
    return found | {"tied": not found["p_holm"] < ALPHA}  # one run (no p-value) separates nothing


def _row(runs: pd.DataFrame, problem: Problem, horizon: int) -> dict[str, object]:
    best = runs["optimum"].mean() if own_optimum(runs) else horizon * (problem.optimum or np.nan)
    row: dict[str, object] = {"runs": len(runs), "kept_runs": int(runs["kept"].sum())}
    for name in ("joint", "regret", "reward"):
        row |= mean_of(name, runs[f"{name}_expected"].to_numpy(dtype=float))
    row |= {"composite": float(runs["composite_expected"].mean())}
    row |= {"share_of_optimum": float(runs["reward_expected"].mean()) / float(best)}
    for j in range(len(problem.goal.constraints)):
        since = runs[f"last_shortfall_{j}"]
        row |= {
            f"rate_{j}": float(runs[f"amount_{j}_realised"].mean()) / horizon,
            f"kept_{j}": int(runs[f"kept_{j}"].sum()),
            **mean_of(f"violation_{j}", runs[f"violation_{j}_expected"].to_numpy(dtype=float)),
            **mean_of(f"shortfall_{j}", runs[f"shortfall_{j}_realised"].to_numpy(dtype=float)),
            f"worst_shortfall_{j}": float(runs[f"worst_shortfall_{j}"].max()),
            # Where half of the runs are short at T, the median is between a round and none.
            f"kept_from_{j}": np.nan
            if 2 * int((since >= horizon).sum()) >= len(runs)
            else float(since.median()) + 1.0,
        }
    return row


def _ranks(frame: pd.DataFrame) -> list[str]:
    """1=, 1=, 3, ...: those that tie with the best of their group share its place."""
    result: list[str] = []
    first: dict[str, int] = {}
    tied = frame[frame["tied"]].groupby("group").size()
    for place, (group, with_best) in enumerate(zip(frame["group"], frame["tied"], strict=True), 1):
        first.setdefault(group, place)
        shared = with_best and tied[group] > 1
        text = f"{first[group]}=" if shared else str(place)
        result.append("" if group == REFERENCE else text)
    return result


def keeping(outcomes: pd.DataFrame, frame: pd.DataFrame, problem: Problem) -> dict | None:
    """What keeping the promise costs: the best keeper minus the best of all, paired by run."""
    keepers, ranked = frame[frame["group"] == KEPT], frame[frame["group"] != REFERENCE]
    if keepers.empty or not problem.feasible:
        return None
    keeper = keepers["policy"].iloc[0]
    best = ranked.loc[ranked["joint"].idxmin(), "policy"]
    found: dict[str, object] = {"keeper": keeper, "best": best}
    for name in ("joint", "reward"):
        by_run = outcomes.pivot(index="run", columns="policy", values=f"{name}_expected")
        paid = mean_of(name, by_run[keeper].to_numpy() - by_run[best].to_numpy())
        found |= {key: None if math.isnan(x) else x for key, x in paid.items()}
    return found


def growth(
    summary: pd.DataFrame, lower_bound: float, policies: Sequence[str], horizon: int
) -> pd.DataFrame:
    """J / (C log t) at every power of ten from 10^3 to T: whether the lower bound is near.

    Empty where the lower bound is zero: where every other arm is known to be worse beforehand.
    """
    chosen = (summary["metric"] == "joint") & (summary["basis"] == "expected")
    rows = summary[chosen & summary["policy"].isin(list(policies))]
    if not lower_bound > 0.0:
        rows = rows.iloc[:0]
    recorded = np.unique(rows["t"])
    powers = [10**k for k in range(3, 1 + int(math.log10(horizon)))]
    # Not every power of ten is recorded: the nearest round stands for it.
    wanted = {int(recorded[np.argmin(np.abs(recorded - t))]) for t in powers if len(recorded)}
    rows = rows[rows["t"].isin(wanted | {horizon})]
    rows = rows[["policy", "t", "mean", "ci_low", "ci_high", "n_runs"]].reset_index(drop=True)
    unit = lower_bound * log(rows["t"].to_numpy(dtype=float)) if len(rows) else 1.0
    for name, source in (("ratio", "mean"), ("ratio_low", "ci_low"), ("ratio_high", "ci_high")):
        rows[name] = rows[source] / unit
    columns = ["policy", "t", "joint", "ratio", "ratio_low", "ratio_high", "n_runs"]
    return rows.rename(columns={"mean": "joint"})[columns]
