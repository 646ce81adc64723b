"""The answer of an experiment: one to three sentences and a table of facts, made from the numbers.

Feasibility comes first, and its price beside it. The answer is good news only where a policy keeps
every constraint in 80% of its runs, has at most 1.25 times the lowest joint regret of all policies,
and does better than the best single arm that keeps the constraints. Otherwise both ends of the
trade are named.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from lincon.analysis.claims import HOLDS
from lincon.analysis.league import KEPT, MOST, SOMETIMES
from lincon.analysis.measures import own_optimum
from lincon.analysis.results import Results
from lincon.analysis.runs import INFEASIBLE_RUNS
from lincon.analysis.sweeps import Sweep
from lincon.data.arms import POSTERIOR, WARM
from lincon.report import view
from lincon.report.service import LINCON_KL_UCB, LINCON_TS, class_of
from lincon.report.text import counted, interval, listed, number, one_line, percent, share
from lincon.report.view import amount, label, money, promise

GOOD, WARNING, BAD = "good", "warning", "bad"
# The joint regret of the best keeper, in units of the lowest of all, up to which it is an answer.
DEAR = 1.25


class Answer(NamedTuple):
    """`lines`: sentences, the first of which is the headline. `facts`: what, and its value."""

    tone: str
    lines: list[str]
    facts: list[tuple[str, str]]


def answer_of(results: Results) -> Answer:
    facts = [*_problem_facts(results), *_circumstances(results)]
    if not results.problem.feasible:
        return Answer(BAD, [f"No mixture of arms keeps {promise(results)}: {_reach(results)}."], [])
    ranked = results.ranked
    if ranked.empty:
        return Answer(WARNING, ["Only references were played."], facts)
    best, lowest = ranked.iloc[0], ranked.loc[ranked["joint"].idxmin()]
    if best["group"] != KEPT:
        who = " in 80% of its runs" if best["group"] == SOMETIMES else ""
        lines = [f"No policy kept {promise(results)}{who}.", _lowest(results, lowest)]
        return Answer(WARNING, lines, [*_policy_facts(results, lowest), *facts])
    kept = f"keeps {promise(results)} in {share(best['kept_runs'], best['runs'])} runs"
    lines = [f"{label(results, best['policy'])} {kept}, {_earned(results, best['reward'])}."]
    dear = best["joint"] > DEAR * lowest["joint"]
    idle = _idles(results, best)
    if dear:
        lines.append(_reaches(results, lowest))
    if dear or idle:
        lines += _single(results)
    if (needed := results.runs_needed) is not None:
        more = f"about {number(needed)} would" if needed else "add runs"
        lines.append(f"{counted(results.runs, 'run')} cannot rank these policies; {more}.")
    tone = WARNING if dear or idle or needed is not None else GOOD
    return Answer(tone, lines, [*_policy_facts(results, best), *facts])


def finding(results: Results) -> str:
    """The headline, for the title of a figure."""
    return answer_of(results).lines[0].rstrip(".")


def short_finding(results: Results) -> str:
    """Who keeps the constraints, in a few words: for the line above a table."""
    what = "the floor" if results.problem.goal.eta is not None else "the constraints"
    if not results.problem.feasible:
        return f"no mixture of arms keeps {what}"
    keepers = int((results.ranked["group"] == KEPT).sum())
    if not keepers:
        return f"no policy kept {what}"
    return f"{keepers} of {counted(len(results.ranked), 'policy')} kept {what}".replace(
        "policys", "policies"
    )


def headline(results: Sequence[Results], sweeps: Sequence[Sweep]) -> tuple[str, list[str]]:
    """The tone and the sentences that a study begins with, the verdict first."""
    checked = [one for one in results if len(one.claims)]
    if checked and len(checked) == len(results) and all(len(one.ranked) == 2 for one in results):
        return "", [_verdict(results)]
    if len(results) == 1:
        answer = answer_of(results[0])
        return answer.tone, answer.lines
    if not results:
        return "", [f"{counted(len(sweeps), 'sweep')}"]
    where: dict[str, list[str]] = {}
    for one in results:
        keepers = one.ranked[one.ranked["group"] == KEPT]["policy"]
        best = label(one, keepers.iloc[0]) if len(keepers) else "none"
        where.setdefault(best, []).append(one.title)
    if set(where) == {"none"}:
        return "", [f"No policy keeps its constraints in any of {len(results)} experiments."]
    named = len(results) <= 4
    each = [
        f"{name} {f'on {listed(list(map(one_line, titles)))}' if named else f'in {len(titles)}'}"
        for name, titles in sorted(
            where.items(), key=lambda item: (item[0] == "none", -len(item[1]))
        )
    ]
    of = "" if named else f" in {len(results)} experiments"
    return "", [f"Best policy that keeps the constraints{of}: {'; '.join(each)}."]


def _verdict(results: Sequence[Results]) -> str:
    """Whether the challenger beats the baseline everywhere, and whether it keeps its floors."""
    verdicts = pd.concat([one.claims["verdict"] for one in results])
    first, second = (label(results[0], policy) for policy in results[0].compare)
    kept = [
        one for one in results
        if (one.ranked.set_index("policy")["group"] == KEPT)[one.compare[0]]
    ]  # fmt: skip
    held, both = int((verdicts == HOLDS).sum()), {1: "", 2: " on both datasets"}
    where = both.get(len(results), f" on all {len(results)} datasets")
    text = f"{first} beats {second}{where}"
    if held < len(verdicts):
        text = f"{held} of {len(verdicts)} claims hold for {first} against {second}"
    elif _is_paper(results[0]):
        text = f"Paper reproduced: {text}"
    what = "floor" if all(one.problem.goal.eta is not None for one in results) else "constraint"
    if not kept:
        none = {1: f"misses the {what}", 2: f"keeps neither {what}"}
        return f"{text}, but {none.get(len(results), f'keeps no {what}')}"
    if len(kept) == len(results):
        return f"{text} and keeps {'the' if len(kept) == 1 else 'every'} {what}"
    return f"{text}, but keeps the {what} only on {listed([one_line(r.title) for r in kept])}"


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
    held = [(int((one.claims["verdict"] == HOLDS).sum()), len(one.claims)) for one in checked]
    first = checked[0]
    names = " against ".join(label(first, policy) for policy in first.compare)
    who = "Paper" if _is_paper(first) else names
    said = [f"{count} of {total}" for count, total in held]
    how = f"({counted(first.runs, 'paired run')}, Holm)"
    if len(set(said)) == 1:
        where = " on each dataset" if len(said) > 1 else ""
        return f"{who}: {said[0]} claims hold{where} {how}"
    each = listed([f"{s} on {one_line(r.title)}" for s, r in zip(said, checked, strict=True)])
    return f"{who}: claims that hold: {each} {how}"


def _reach(results: Results) -> str:
    """Why the goal is infeasible."""
    problem = results.problem
    if problem.goal.eta is not None:
        return f"the best arm has an event rate of {percent(problem.reachable[0])}"
    alone = [
        f"{one_line(one.name)} reaches {amount(results, j, problem.reachable[j])} at best"
        for j, one in enumerate(problem.goal.constraints)
        if problem.slater_gaps[j] < 0.0
    ]
    return listed(alone) or "each can be met alone, but not together"


def _earned(results: Results, reward: float) -> str:
    """What was earned or spent in T rounds, against what the best mixture would."""
    if not math.isfinite(results.possible) or results.possible == 0.0:
        return f"with a total of {money(results, reward)}"
    if view.spends(results.problem):
        over = reward / results.possible - 1.0
        side = "under" if over < 0.0 else "over"
        return f"at {percent(abs(over))} {side} the lowest possible cost"
    return f"with {percent(reward / results.possible)} of the optimal reward"


def _reached(results: Results, row: pd.Series) -> str:
    """The average amounts of a policy: `event rate 42%`, `correct 74.8%`."""
    return listed(
        [
            f"{one_line(bound.amount)} {view.reached(results, bound.j, row)}"
            for bound in view.bounds(results.problem)
        ]
    )


def _lowest(results: Results, row: pd.Series) -> str:
    """The policy with the lowest joint regret, where no policy keeps the constraints."""
    kept = f"kept in {share(row['kept_runs'], row['runs'])} runs"
    parts = f"{_reached(results, row)}, {kept}, {_earned(results, row['reward'])}"
    return f"Lowest joint regret: {label(results, row['policy'])} ({parts})."


def _reaches(results: Results, row: pd.Series) -> str:
    """The other end of the trade: who has the lowest joint regret."""
    within = f"{share(row['kept_runs'], row['runs'])} runs within tolerance"
    return (
        f"{label(results, row['policy'])} reaches {_reached(results, row)} ({within}), "
        f"{_earned(results, row['reward'])}."
    )


def best_single_arm(results: Results) -> int | None:
    """The best of the arms that keep every constraint when played alone."""
    table = results.theory
    keeps = pd.Series(True, table.index)
    for bound in view.bounds(results.problem):
        amounts = table[f"amount_{bound.j}"]
        keeps &= amounts >= bound.bound if bound.at_least else amounts <= bound.bound
    return int(table["reward"].where(keeps).idxmax()) if keeps.any() else None


def _single(results: Results) -> list[str]:
    arm = best_single_arm(results)
    if arm is None:
        return ["No single arm keeps the constraints."]
    name, reward = one_line(results.arms.label[arm]), results.theory["reward"][arm]
    earned = _earned(results, reward * results.horizon)
    earned = (
        earned.replace("at ", "costs ", 1) if view.spends(results.problem) else f"ends {earned}"
    )
    return [f"The best single arm that keeps {promise(results)}, {name}, {earned}."]


def _idles(results: Results, row: pd.Series) -> bool:
    """Whether a policy does no better than the best single arm that keeps the constraints."""
    changing = own_optimum(results.outcomes) or "drift" in results.arms.world
    arm = None if changing or not results.problem.binds else best_single_arm(results)
    return arm is not None and row["reward"] <= results.theory["reward"][arm] * results.horizon


def _problem_facts(results: Results) -> list[tuple[str, str]]:
    """The optimum, the best single arm, and what does not bind."""
    problem = results.problem
    if not problem.feasible:
        return []
    shares = zip(problem.support, problem.shares, strict=True)
    mixture = listed([f"{one_line(results.arms.label[i])} ({percent(x)})" for i, x in shares])
    sign = view.counted_in(problem)[1]
    at = listed([f"{n} {amount(results, j, problem.amounts[j])}"
                 for j, n in enumerate(b.amount for b in view.bounds(problem))])  # fmt: skip
    best = money(results, sign * (problem.optimum or 0.0))
    facts = [("Optimal mixture", f"{mixture}: {best} per round at {one_line(at)}")]
    arm = best_single_arm(results)
    single = "none" if arm is None else one_line(results.arms.label[arm])
    if arm is not None:
        single += f": {money(results, sign * results.theory['reward'][arm])} per round"
    facts.append(("Best single arm that keeps the constraints", single))
    pairs = zip(results.names, problem.binding, strict=True)
    if idle := [one_line(name) for name, binding in pairs if not binding]:
        facts.append(("Not binding", listed(idle)))
    return facts


def _policy_facts(results: Results, row: pd.Series) -> list[tuple[str, str]]:
    """How a policy kept the constraints, and what its joint regret is made of."""
    runs = row["runs"]
    kept = f"{share(row['kept_runs'], runs)} runs ({_ends(row, 'kept')})"
    allowed = [_shortfall(results, j, row[f"tolerance_{j}"]) for j in range(len(results.names))]
    strict = f"{share(row['strict_runs'], runs)} runs ({_ends(row, 'strict')})"
    facts = [
        ("Policy", label(results, row["policy"])),
        ("Kept", f"{kept}, with a final shortfall of at most {listed(allowed)}"),
        ("Kept strictly", f"{strict}, without any final shortfall"),
        ("Joint regret", _parts(results, row)),
    ]
    if row["uneven"]:
        facts.append(("Runs differ widely", uneven_text(results, row)))
    worst = [_shortfall(results, j, row[f"worst_shortfall_{j}"]) for j in range(len(results.names))]
    facts.append(("Largest shortfall in any run", listed(worst)))
    paid = results.keeping
    if paid is not None and paid["keeper"] != paid["lowest"]:
        ends = [paid[f"joint{end}"] for end in ("", "_low", "_high")]
        cost = f"{money(results, *ends)} more joint regret than {label(results, paid['lowest'])}"
        facts.append(("Cost of keeping the constraints", cost))
    return facts


def _ends(row: pd.Series, word: str) -> str:
    return f"95% interval {row[f'{word}_low']:.0%} to {row[f'{word}_high']:.0%}"


def uneven_text(results: Results, row: pd.Series) -> str:
    """The median and the quartiles of the joint regret."""
    low, middle, high = (money(results, row[f"joint_{name}"]) for name in ("q25", "median", "q75"))
    return f"joint regret has the median {middle} and the quartiles {low} and {high}"


def _shortfall(results: Results, j: int, x: float) -> str:
    """A shortfall of constraint j: `43 events`, `4.1 (cost)`."""
    text = interval(round(x, 1 if abs(x) < 100 else 0), math.nan, math.nan)
    return f"{text} events" if results.is_rate(j) else f"{text} ({one_line(results.names[j])})"


def _parts(results: Results, row: pd.Series) -> str:
    """Joint regret as lost reward and shortfalls at their prices."""
    total = money(results, *(row[f"joint{end}"] for end in ("", "_low", "_high")))
    if own_optimum(results.outcomes):
        return f"{total}, at the prices of each run's own problem"
    lost = "overspent" if view.spends(results.problem) else "lost reward"
    parts = [f"{money(results, row['regret'])} {lost}"]
    for bound in view.bounds(results.problem):
        if bound.price > 0.0:
            what = "missing events" if results.is_rate(bound.j) else one_line(bound.name)
            short = number(round(row[f"violation_{bound.j}"], 1))
            parts.append(f"{short} {what} \u00d7 price {money(results, bound.price)}")
    return f"{total} = {' + '.join(parts)}"


def _circumstances(results: Results) -> list[tuple[str, str]]:
    """What is special about the runs: a history, their own means, drift or late feedback."""
    facts, arms = [], results.arms
    if arms.start == WARM:
        facts.append(("Start", "warm: policies begin with your counts, and no play is forced"))
    if arms.means == POSTERIOR:
        left_out = int(results.metadata.get(INFEASIBLE_RUNS, 0))
        lost = f"; {counted(left_out, 'infeasible run')} left out" if left_out else ""
        means = "each run draws its means from the posterior of your counts and has its own optimum"
        facts.append(("Means", f"{means}{lost}"))
    met = {"delay": "feedback comes late or never", "drift": "the means drift"}
    if words := [text for key, text in met.items() if f'"{key}"' in arms.world]:
        facts.append(("Feedback", f"{listed(words)}: no lower bound or theorem applies"))
    return facts


def kept_means() -> str:
    """What `kept` means, in a sentence: for notes under tables."""
    return (
        "A run keeps a constraint if its final shortfall is at most one standard deviation of the "
        "optimal mixture's own sum, plus what forced first plays cost an oracle in expectation; an "
        f"oracle does so in 84% of its runs. Policies that do so in {MOST:.0%} of their runs come "
        "first."
    )
