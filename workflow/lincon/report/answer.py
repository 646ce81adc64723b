"""The answer of an experiment: a headline of one to three sentences, and a table of facts.

Feasibility comes first, and its price beside it. The answer is good news only where a policy keeps
every constraint in 80% of its runs, has at most 1.25 times the lowest joint regret of all policies,
and does better than the best single arm that keeps the constraints. Otherwise both ends of the
trade are named.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from lincon.analysis.claims import HOLDS
from lincon.analysis.league import KEPT, SOMETIMES
from lincon.analysis.measures import ORACLE_KEEPS, own_optimum, spends
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.report.service import class_of
from lincon.report.text import counted, listed, one_line, share
from lincon.report.words import (
    bounds,
    earned,
    label,
    leaders,
    money,
    promise,
    reached,
)

GOOD, WARNING, BAD = "good", "warning", "bad"
KEPT_MEANS = (
    "A run keeps a constraint if its final shortfall is at most one standard deviation of the "
    "optimal mixture's own sum, plus what forced first plays cost an oracle in expectation; an "
    f"oracle does so in {ORACLE_KEEPS:.0%} of its runs. Policies that do so in 80% of their runs "
    "come first."
)


class Answer(NamedTuple):
    """How good the news is, and the sentences that say it, the headline first."""

    tone: str
    lines: list[str]


def answer_of(results: Results) -> Answer:
    problem, ranked = results.problem, results.ranked
    if not problem.feasible:
        return Answer(BAD, [f"No mixture of arms keeps {promise(problem)}."])
    if ranked.empty:
        return Answer(WARNING, ["Only references were played."])
    ends, group = leaders(results), ranked["group"].iloc[0]
    keeper, lowest = ends.iloc[0], ends.iloc[-1]
    idle = group == KEPT and _idles(results, keeper)
    if group == KEPT:
        kept = f"{share(keeper['kept_runs'], keeper['runs'])} runs, {_earned(results, keeper)}"
        lines = [f"{label(results, keeper['policy'])} keeps {promise(problem)} in {kept}."]
        lines += [f"{_reaches(results, lowest)}."] * (len(ends) > 1)
        lines += [_single(results)] * (len(ends) > 1 or idle)
    else:
        often = " in 80% of its runs" * (group == SOMETIMES)
        lines = [f"No policy kept {promise(problem)}{often}."]
        lines += [f"Most often kept: {_reaches(results, keeper)}."] * (len(ends) > 1)
        lines += [f"Lowest joint regret: {_reaches(results, lowest)}."]
    good = group == KEPT and len(ends) == 1 and not idle
    return Answer(GOOD if good else WARNING, lines)


def headline(results: Sequence[Results], sweeps: Sequence[Sweep]) -> Answer:
    """The sentences that a study begins with, the verdict first."""
    if results and all(len(one.claims) and len(one.ranked) == 2 for one in results):
        return Answer("", [_verdict(results)])
    if len(results) == 1:
        return answer_of(results[0])
    if not results:
        return Answer("", [f"{one_line(one.title)}: {sweep_finding(one)}" for one in sweeps])
    keepers = [one.ranked[one.ranked["group"] == KEPT] for one in results]
    best = [label(one, kept["policy"].iloc[0]) for one, kept in zip(results, keepers, strict=True)
            if len(kept)]  # fmt: skip
    if not best:
        text = f"No policy keeps its constraints in any of {len(results)} experiments."
        return Answer("", [text])
    counts = [*Counter(best).most_common(), ("none", len(results) - len(best))]
    each = [f"{name} in {count}" for name, count in counts if count]
    each[0] += f" of {len(results)} experiments"
    return Answer("", [f"Best policy that keeps the constraints: {', '.join(each)}."])


def sweep_finding(swept: Sweep) -> str:
    """At how many points some policy keeps the constraints, and which does so best."""
    best = swept.best
    if best.empty:
        return "No point is feasible."
    kept = best[best["group"] == KEPT]
    counts = (best if kept.empty else kept)["policy"].value_counts()
    leads = listed([f"{label(swept, str(policy))} ({count:,})" for policy, count in counts.items()])
    where = f"{len(kept):,} of {counted(len(best), 'feasible point')}"
    if kept.empty:
        return f"No policy keeps the constraints at any point; lowest joint regret: {leads}."
    return f"The constraints are kept at {where}; lowest joint regret among keepers: {leads}."


def _verdict(results: Sequence[Results]) -> str:
    """Whether the challenger beats the baseline everywhere, and whether it keeps its floors."""
    verdicts = pd.concat([one.claims["verdict"] for one in results])
    first, second = (label(results[0], policy) for policy in results[0].compare)
    groups = [one.ranked.set_index("policy")["group"][one.compare[0]] for one in results]
    kept = [one_line(r.title) for r, g in zip(results, groups, strict=True) if g == KEPT]
    held, count = int((verdicts == HOLDS).sum()), len(results)
    text = f"{held} of {len(verdicts)} claims hold for {first} against {second}"
    if held == len(verdicts):
        what = _what_differs(results)
        on = f" {'on' if what == 'dataset' else 'in'} {'both' if count == 2 else f'all {count}'} "
        where = f"{on}{what}s" if count > 1 else ""
        text = f"{'Paper reproduced: ' * _is_paper(results[0])}{first} beats {second}{where}"
    what = "floor" if all(one.problem.goal.eta is not None for one in results) else "constraint"
    if len(kept) == count:
        return f"{text} and keeps {'the' if count == 1 else 'every'} {what}"
    if kept:
        return f"{text}, but keeps the {what} only on {listed(kept)}"
    return f"{text}, but keeps {'neither' if count == 2 else 'no'} {what}"


def _what_differs(results: Sequence[Results]) -> str:
    """What one experiment differs in from the others."""
    return "dataset" if len({one.problem.dataset for one in results}) > 1 else "experiment"


def _is_paper(results: Results) -> bool:
    """Whether the paper's two policies are compared on its goal and data, or their stand-ins."""
    entries = [results.policies[policy].get("policy", {}) for policy in results.compare]
    classes = [class_of(entry) for entry in entries]
    problem, pair = results.problem, ["LinConTS", "LinConKLUCB"]
    return (
        classes == pair and problem.goal.eta is not None and problem.source in ("real", "standin")
    )


def claims_line(results: Sequence[Results]) -> str:
    """How many claims hold, over all experiments that have some; empty where none has."""
    checked = [one for one in results if len(one.claims)]
    if not checked:
        return ""
    held = [f"{(one.claims['verdict'] == HOLDS).sum()} of {len(one.claims)}" for one in checked]
    first = checked[0]
    names = " against ".join(label(first, policy) for policy in first.compare)
    who = "Paper" if _is_paper(first) else names
    how = f"({counted(first.runs, 'paired run')}, Holm)"
    if len(set(held)) == 1:
        what = _what_differs(checked)
        where = f" {'on' if what == 'dataset' else 'in'} each {what}" if len(held) > 1 else ""
        return f"{who}: {held[0]} claims hold{where} {how}"
    each = [f"{text} on {one_line(r.title)}" for text, r in zip(held, checked, strict=True)]
    return f"{who}: claims that hold: {listed(each)} {how}"


def _earned(results: Results, row: pd.Series) -> str:
    """What was earned or spent in T rounds, against what the best mixture would."""
    part, text = row["share_of_optimum"], earned(results, row)
    if not math.isfinite(part):
        return f"with a total of {money(results, row['reward'])}"
    if spends(results.problem):
        side = "below" if part < 1.0 else "above"
        by = text.lstrip("+\u2212")
        return f"at a cost {by} {side} the optimal one"
    return f"with {text} of the optimal reward"


def _reaches(results: Results, row: pd.Series) -> str:
    """What a policy reached, in how many runs within tolerance, and what it earned."""
    every = bounds(results.problem)
    names = [f"{bound.name} " * (len(every) > 1) for bound in every]
    texts = [reached(results, bound, row) for bound in every]
    amounts = listed([name + text for name, text in zip(names, texts, strict=True)])
    within = f"{share(row['kept_runs'], row['runs'])} runs within tolerance"
    return f"{label(results, row['policy'])} reaches {amounts} ({within}), {_earned(results, row)}"


def best_single_arm(results: Results) -> pd.Series | None:
    """The best of the arms that keep every constraint when played alone, on all kinds."""
    arms, table = results.arms, results.theory
    if arms.kinds:
        weights = arms.kind_shares[arms.kind]
        numbers = table.filter(regex="^(reward|amount_)").mul(weights, axis=0).assign(w=weights)
        table = numbers.groupby(table["label"], sort=False).sum().reset_index()
        table = table[table["w"] > 1.0 - 1e-9]
    for bound in bounds(results.problem):
        table = table[bound.kept_by(table[f"amount_{bound.j}"])]
    return None if table.empty else table.loc[table["reward"].idxmax()]


def _single(results: Results) -> str:
    arm = best_single_arm(results)
    if arm is None:
        return "No single arm keeps the constraints."
    part = arm["reward"] / (results.problem.optimum or math.nan)
    total = arm["reward"] * results.horizon
    row = {"share_of_optimum": part, "reward": total, "reward_low": total, "reward_high": total}
    what, name = _earned(results, pd.Series(row)), one_line(arm["label"])
    return f"The best single arm that keeps {promise(results.problem)}, {name}, ends {what}."


def _idles(results: Results, row: pd.Series) -> bool:
    """Whether a policy does no better than the best single arm that keeps the constraints."""
    changing = own_optimum(results.outcomes) or "drift" in results.arms.world
    arm = None if changing or not results.problem.binds else best_single_arm(results)
    return arm is not None and bool(row["reward"] <= arm["reward"] * results.horizon)
