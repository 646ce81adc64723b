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
from lincon.analysis.runs import INFEASIBLE_RUNS
from lincon.analysis.sweeps import Sweep
from lincon.data.arms import POSTERIOR, WARM
from lincon.report.service import LINCON_KL_UCB, LINCON_TS, class_of
from lincon.report.table import digits_of
from lincon.report.text import counted, listed, one_line, percent, share
from lincon.report.words import (
    bounds,
    earned,
    earnings,
    joint_regret,
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
        return Answer(BAD, [f"No mixture of arms keeps {promise(problem)}: {_reach(results)}."])
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
    """Whether the paper's two policies are compared on the paper's goal."""
    entries = [results.policies[policy].get("policy", {}) for policy in results.compare]
    classes = [class_of(entry) for entry in entries]
    return classes == [LINCON_TS, LINCON_KL_UCB] and results.problem.goal.eta is not None


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


def _reach(results: Results) -> str:
    """Why the goal is infeasible."""
    problem = results.problem
    if problem.goal.eta is not None:
        return f"the best arm has an event rate of {percent(problem.reachable[0])}"
    alone = [
        f"{bound.name} reaches {bound.amount(problem.reachable[bound.j])} at best"
        for bound in bounds(problem)
        if problem.slater_gaps[bound.j] < 0.0
    ]
    return listed(alone) or "each can be met alone, but not together"


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


def facts_of(results: Results) -> list[tuple[str, str]]:
    """What, and its value: of the policies that the answer names, of the problem, of the runs."""
    if not results.problem.feasible:
        return []
    ranked = results.ranked
    policies = [] if ranked.empty else [row for _, row in leaders(results).iterrows()]
    each = [fact for row in policies for fact in _policy_facts(results, row)]
    differ = [("Runs differ widely", text) for text in uneven(results)]
    return [*each, *_problem_facts(results), *_circumstances(results), *differ]


def _problem_facts(results: Results) -> list[tuple[str, str]]:
    """The optimum, and what does not bind."""
    problem, every = results.problem, bounds(results.problem)
    shares = zip(problem.support, problem.shares, strict=True)
    mixture = listed([f"{one_line(results.arms.names[i])} ({percent(x)})" for i, x in shares])
    at = listed([f"{b.name} {b.amount(problem.amounts[b.j])}" for b in every])
    best = money(results, earnings(problem)[1] * (problem.optimum or 0.0))
    idle = listed([bound.name for bound in every if not problem.binding[bound.j]])
    facts = [("Optimal mixture", f"{mixture}: {best} per round at {at}"), ("Not binding", idle)]
    return [fact for fact in facts if fact[1]]


def _policy_facts(results: Results, row: pd.Series) -> list[tuple[str, str]]:
    """How a policy kept the constraints, and what its joint regret is made of."""
    every, name = bounds(results.problem), label(results, row["policy"])
    allowed = listed([bound.shortfall(row[f"tolerance_{bound.j}"]) for bound in every])
    return [
        (f"{name}: kept", f"{_count(row, 'kept')}, with a final shortfall of at most {allowed}"),
        (f"{name}: kept strictly", f"{_count(row, 'strict')}, without any final shortfall"),
        (f"{name}: joint regret", _parts(results, row)),
    ]


def _count(row: pd.Series, word: str) -> str:
    ends = f"{row[f'{word}_low']:.0%} to {row[f'{word}_high']:.0%}"
    return f"{share(row[f'{word}_runs'], row['runs'])} runs (95% interval {ends})"


def _parts(results: Results, row: pd.Series) -> str:
    """Joint regret as lost reward and shortfalls at their prices."""
    total = joint_regret(results, row)
    if own_optimum(results.outcomes):
        return f"{total}, at the prices of each run's own problem"
    lost = f"{digits_of(row, 'regret', results.scale)} {results.unit}".rstrip()
    parts = [f"{lost} {'overspent' if spends(results.problem) else 'lost reward'}"]
    for bound in bounds(results.problem):
        if bound.price > 0.0:
            what = "missing events" if bound.counts_events else bound.name
            short = digits_of(row, f"violation_{bound.j}")
            parts.append(f"{short} {what} \u00d7 price {money(results, bound.price)}")
    return f"{total} = {' + '.join(parts)}"


def uneven(results: Results) -> list[str]:
    """Median and quartiles of policies whose runs end so differently that no mean describes one."""
    texts = []
    for _, row in results.league[results.league["uneven"]].iterrows():
        quartiles = [row[f"joint_{name}"] for name in ("q25", "median", "q75")]
        low, middle, high = (f"{float(f'{results.scale * x:.3g}'):,.10g}" for x in quartiles)
        if max(quartiles[2] - quartiles[0], abs(row["joint"] - quartiles[1])) > 0.1 * quartiles[1]:
            name = label(results, row["policy"])
            text = f"{name}: median joint regret {middle}, quartiles {low} to {high}"
            texts.append(f"{text} {results.unit}".rstrip())
    return texts


def _circumstances(results: Results) -> list[tuple[str, str]]:
    """What is special about the runs: a history, their own means, drift or late feedback."""
    arms, left_out = results.arms, int(results.metadata.get(INFEASIBLE_RUNS, 0))
    known = {
        "Start": "from your counts; no play is forced" * (arms.start == WARM),
        "Means": "drawn per run from the posterior of your counts" * (arms.means == POSTERIOR),
        "Infeasible runs left out": f"{left_out:,}" * bool(left_out),
        "Feedback": "late or lost" * ('"delay"' in arms.world),
        "Drift": "the means drift" * ('"drift"' in arms.world),
    }
    return [(what, text) for what, text in known.items() if text]
