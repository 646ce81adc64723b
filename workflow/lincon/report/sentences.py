"""The answer in sentences, made from the numbers: for the top of the page and for the terminal.

Feasibility comes first. Where no policy keeps the promise, that is the first thing said, and
nothing is recommended.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from lincon.analysis.league import KEPT, MOST, SOMETIMES
from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.drawn import drawn, like_these, of_which_means, surprises, with_history
from lincon.report.mixture import idles, possible, safest
from lincon.report.text import SOURCES, counted, interval, listed, number, one_line, percent
from lincon.report.words import amount, bounds_of, label, level, money, promise

GOOD, WARNING, BAD = "good", "warning", "bad"
# So many policies that tie with the best are named in a sentence; the league has all.
NAMED = 4
ENDS = ("", "_low", "_high")
# Of the joint regret: below that a surplus is not worth a sentence.
SURPLUS = 0.05


@dataclass(frozen=True)
class Answer:
    """What is said of an experiment before any figure."""

    heading: str
    tone: str
    advice: list[str]


def answer_of(results: Results) -> Answer:
    source = SOURCES.get(results.problem.source, results.problem.source)
    heading = (
        f"{one_line(results.title)}: {bounds_of(results)}, T = {results.horizon:,}, "
        f"{counted(results.runs, 'run')}, {source}."
    )
    if not results.problem.feasible:
        return Answer(heading, BAD, [_infeasible(results)])
    row = best_of(results)
    if row is None:
        return Answer(heading, WARNING, ["Only references were played."])
    advice = [_which(results, row), possible(results, row)]
    if row["group"] == KEPT and view.spends(results.problem):
        advice.reverse()  # who pays asks first which mixture, and what it costs
    advice += [_joint(results, row), _keeping(results), _on_the_way(results, row), _idle(results)]
    advice += [with_history(results), like_these(results, promise(results)), surprises(results)]
    good = row["group"] == KEPT and results.runs_needed is None and not idles(results, row)
    return Answer(heading, GOOD if good else WARNING, list(filter(None, advice)))


def finding(results: Results) -> str:
    """The answer in one short line, for a title."""
    row = best_of(results)
    if not results.problem.feasible:
        return f"No mixture of arms keeps {promise(results)}"
    if row is None:
        return "Only references were played"
    name = label(results, row["policy"])
    if row["group"] != KEPT:
        return f"No policy kept {promise(results)}{_reliably(row)}; closest: {name}"
    if results.runs_needed is not None:
        return f"{counted(results.runs, 'run')} cannot rank these policies"
    if idles(results, row):
        return f"{name} keeps {promise(results)}, but a single arm would do better"
    return f"{name} keeps {promise(results)} with the lowest joint regret of those that do"


def best_of(results: Results) -> pd.Series | None:
    """The policy that the answer is about: the best keeper, or the one that comes closest.

    That is, of those whose joint regret is not significantly different from the lowest, the one
    that misses least: a policy that ignores the constraints is not close to keeping them.
    """
    ranked = view.ranked(results)
    if ranked.empty or ranked["group"].iloc[0] == KEPT:
        return None if ranked.empty else ranked.iloc[0]
    near = ranked[(ranked["group"] == ranked["group"].iloc[0]) & ranked["tied"]]
    missed = sum(p * near[f"violation_{j}"] for j, p in enumerate(results.problem.prices))
    return near.loc[missed.idxmin()] if results.problem.binds else near.iloc[0]


def _infeasible(results: Results) -> str:
    problem = results.problem
    alone = [
        f"{one_line(one.name)} reaches {amount(results, j, problem.reachable[j])} at best"
        for j, one in enumerate(problem.goal.constraints)
        if problem.slater_gaps[j] < 0.0
    ]
    why = listed(alone) or "each can be met alone, but not together"
    if problem.goal.eta is not None:
        why = f"its best arm has an event rate of {percent(problem.reachable[0])}"
    return f"No mixture of arms keeps {promise(results)} on {one_line(results.title)}: {why}."


def _which(results: Results, row: pd.Series) -> str:
    if row["group"] != KEPT:
        return _nobody(results, row) + _too_few(results)
    name, ranked = label(results, row["policy"]), view.ranked(results)
    keepers = ranked[ranked["group"] == KEPT]
    kept = f"kept {promise(results)} in {row['kept_runs']} of {counted(row['runs'], 'run')}"
    joint = money(results, *(row[f"joint{end}"] for end in ENDS))
    if results.runs_needed is not None:
        return f"{_too_few(results).strip()} {name}, which {kept}, has the lowest mean so far."
    if idles(results, row):
        arm = one_line(results.arms.label[safest(results)])
        did = "spent no less" if view.spends(results.problem) else "earned no more"
        return (
            f"{name} {kept}, but {did} than always playing {arm} would; its joint regret: {joint}."
        )
    if len(ranked) == 1:
        return f"{name}, the only policy played, {kept}; its joint regret is {joint}."
    if len(keepers) == 1:
        return (
            f"Use {name}: of {len(ranked)} policies it alone {kept}. Its joint regret is {joint}."
        )
    tied = [label(results, policy) for policy in keepers.loc[keepers["tied"], "policy"][1:]]
    shown = tied if len(tied) <= NAMED + 1 else [*tied[:NAMED], f"{len(tied) - NAMED} more"]
    not_apart = f"; {listed(shown)} {'is' if len(tied) == 1 else 'are'} not significantly different"
    return (
        f"Use {name}: it {kept}, with the lowest joint regret of the {len(keepers)} policies that "
        f"did so, {joint}{not_apart if tied else ''}."
    )


def _nobody(results: Results, row: pd.Series) -> str:
    parts = [f"in {row['kept_runs']} of {counted(row['runs'], 'run')}"] if row["kept_runs"] else []
    parts += [level(results, j, row[f"rate_{j}"]) for j in range(len(results.names))]
    if math.isfinite(row["share_of_optimum"]):
        what = view.counted_in(results.problem)[0]
        parts.append(f"{percent(row['share_of_optimum'])} of the optimal {what}")
    name = label(results, row["policy"])
    return (
        f"No policy kept {promise(results)}{_reliably(row)} within {results.horizon:,} rounds; "
        f"closest: {name} ({', '.join(parts)})."
    )


def _reliably(row: pd.Series) -> str:
    return f" in {MOST:.0%} of its runs" if row["group"] == SOMETIMES else ""


def _too_few(results: Results) -> str:
    if results.runs_needed is None:
        return ""
    count = len(view.ranked(results))
    more = f"about {number(results.runs_needed)} runs would" if results.runs_needed else "add runs"
    return f" {counted(results.runs, 'run')} cannot rank these {count} policies; {more}."


def _joint(results: Results, row: pd.Series) -> str:
    """J taken apart, each part in its own unit, with the price that adds them up."""
    lost = "overspent" if view.spends(results.problem) else "of reward"
    parts = [f"{money(results, *(row[f'regret{end}'] for end in ENDS))} {lost}"]
    for bound in view.bounds(results.problem):
        if row[f"violation_{bound.j}"] == 0.0 or (bound.price == 0.0 and not drawn(results)):
            continue
        short = interval(*(row[f"violation_{bound.j}{end}"] for end in ENDS))
        what = f"{'missing' if bound.at_least else 'too much'} of {one_line(bound.name)}"
        what = "missing events" if results.is_rate(bound.j) and bound.at_least else what
        price = f"a price of {money(results, bound.price)} each"
        price = "the price of each run's own problem" if drawn(results) else price
        parts.append(f"{short} {what} at {price}")
    text = f"Its joint regret of {money(results, row['joint'])} is {listed(parts)}."
    if row["joint"] - row["composite"] > SURPLUS * row["joint"]:
        arms = f"cost {money(results, row['composite'])} of it"
        text += f" Suboptimal arms, played to learn or to repay, {arms}; the rest is surplus."
    beyond = None if drawn(results) else results.scalars["next_price"]
    if not results.problem.binds or beyond is None or beyond <= results.problem.prices[0]:
        return text
    repaid = f"{money(results, beyond)} each"
    return f"{text} Repaying a shortfall beyond the optimal mixture costs more: {repaid}."


def _keeping(results: Results) -> str:
    found = results.keeping
    if found is None or len(view.ranked(results)) < 2:
        return ""
    if found["keeper"] == found["best"]:
        return "It has the lowest joint regret of all: keeping the promise costs nothing here."

    def paid(name: str, sign: float) -> str:
        ends = [sign * found[f"{name}{end}"] for end in ENDS if found[f"{name}{end}"] is not None]
        return money(results, ends[0], *sorted(ends[1:]))

    what = "spending" if view.spends(results.problem) else "reward"
    return (
        f"Keeping the promise costs {paid('joint', 1.0)} of joint regret and "
        f"{paid('reward', -1.0)} of {what} against {label(results, found['best'])}, which has the "
        "lowest joint regret of all and does not keep it."
    )


def _on_the_way(results: Results, row: pd.Series) -> str:
    """How far it was ever short of each constraint, and from when on that was over."""
    said = []
    for bound in view.bounds(results.problem):
        name = "the floor" if bound.paper else one_line(bound.name)
        off = f"{'short of' if bound.at_least else 'over'} {name}"
        worst, since = row[f"worst_shortfall_{bound.j}"], row[f"kept_from_{bound.j}"]
        unit = results.unit_of(f"shortfall_{bound.j}")
        until = "still so at the end in half of the runs or more"
        if math.isfinite(since):
            until = f"until round {number(since - 1.0)} in the median run"
        most = f"up to {number(worst)} {unit}".rstrip()
        said.append(f"{most} {off} ({until})" if worst else f"never {off}")
    return f"On the way it was {listed(said)}."


def _idle(results: Results) -> str:
    """Which constraints cost nothing: a figure of the trade-off would mislead without it."""
    if results.problem.goal.eta is not None and not results.problem.binds:
        at = of_which_means(results)
        return f"{at} floor does not bind: the best arm meets it by itself."
    pairs = zip(results.names, results.problem.binding, strict=True)
    idle = [one_line(name) for name, binding in pairs if not binding]
    return f"Not binding: {listed(idle)}." if idle else ""
