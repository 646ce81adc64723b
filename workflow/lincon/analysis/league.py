"""The league: feasibility first, joint regret inside a group, and only what the runs can tell.

A policy that keeps every constraint in at least 80% of its runs is `kept` (an oracle that draws
from the optimal mixture does so in 84%), one that keeps them in fewer is `sometimes`, in none
`never`.
Inside a group policies are ranked by their mean joint regret on the expected basis. All pairs of
policies are compared by paired t tests, corrected by Holm's method over all pairs: the best is
picked by looking at the same runs, so a correction over its own comparisons would be too small.
References know the true means: they are listed, not ranked.
"""

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lincon.analysis.inference import ALPHA, holm, mean_of, paired_t, runs_needed, uneven, wilson
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
    different: there is a difference, and it was not detected.
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
    row = compared.loc[(best, policy), names].to_dict()
    return row | {"tied": not row["p_holm"] < ALPHA}  # one run (no p-value) separates nothing


def _row(runs: pd.DataFrame, problem: Problem, horizon: int) -> dict[str, object]:
    best = runs["optimum"].mean() if own_optimum(runs) else horizon * (problem.optimum or np.nan)
    row: dict[str, object] = {"runs": len(runs)}
    for word in ("kept", "strict"):
        count = int(runs[word].sum())
        low, high = wilson(count, len(runs))
        row |= {f"{word}_runs": count, f"{word}_low": low, f"{word}_high": high}
    joint = runs["joint_expected"].to_numpy(dtype=float)
    for name in ("joint", "regret", "reward"):
        row |= mean_of(name, runs[f"{name}_expected"].to_numpy(dtype=float))
    quartiles = zip(("q25", "median", "q75"), np.quantile(joint, [0.25, 0.5, 0.75]), strict=True)
    row |= {f"joint_{name}": float(x) for name, x in quartiles} | {"uneven": uneven(joint)}
    row |= {"composite": float(runs["composite_expected"].mean())}
    row |= {"share_of_optimum": float(runs["reward_expected"].mean()) / float(best)}
    for j in range(len(problem.goal.constraints)):
        since = runs[f"last_shortfall_{j}"]
        row |= {
            f"rate_{j}": float(runs[f"amount_{j}_realised"].mean()) / horizon,
            f"kept_{j}": int(runs[f"kept_{j}"].sum()),
            f"tolerance_{j}": float(runs[f"tolerance_{j}"].iloc[0]),
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


def price_of_keeping(outcomes: pd.DataFrame, frame: pd.DataFrame) -> dict[str, Any] | None:
    """What keeping the constraints costs: the best keeper minus the lowest joint regret of all.

    `keeper`, `lowest`, and the paired differences in `joint` and `reward` with their intervals;
    None where no policy keeps them, or nothing has a joint regret.
    """
    keepers, ranked = frame[frame["group"] == KEPT], frame[frame["group"] != REFERENCE]
    if keepers.empty or ranked["joint"].isna().all():
        return None
    keeper, lowest = keepers["policy"].iloc[0], ranked.loc[ranked["joint"].idxmin(), "policy"]
    paid: dict[str, Any] = {"keeper": keeper, "lowest": lowest}
    for name in ("joint", "reward"):
        by_run = outcomes.pivot(index="run", columns="policy", values=f"{name}_expected")
        paid |= mean_of(name, by_run[keeper].to_numpy() - by_run[lowest].to_numpy())
    return paid
