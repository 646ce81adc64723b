"""The answer in sentences, made from the numbers: for the top of the page and for the terminal.

Feasibility comes first. Where no policy keeps the promise, that is the first thing said, and
nothing is recommended.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from lincon.analysis.league import KEPT, MOST, REFERENCE, SOMETIMES
from lincon.analysis.results import Results
from lincon.problem.goal import Constraint
from lincon.report.text import SOURCES, counted, interval, listed, number, one_line, percent

GOOD, WARNING, BAD = "good", "warning", "bad"
# So many policies that tie with the best are named in a sentence; the league has all.
NAMED = 4
# A promise kept at more than so many times the lowest joint regret is a choice, not an advice: any
# policy that plays for the constraints alone keeps them.
DEAR = 1.5


@dataclass(frozen=True)
class Answer:
    """What is said of an experiment before any figure."""

    heading: str
    tone: str
    advice: list[str]


def answer_of(results: Results) -> Answer:
    heading = (
        f"{one_line(results.title)}: {bounds_of(results)}, T = {results.horizon:,}, "
        f"{counted(results.runs, 'run')}, {source_of(results)}."
    )
    if not results.problem.feasible:
        return Answer(heading, BAD, [_infeasible(results)])
    row = best_of(results)
    if row is None:
        return Answer(heading, WARNING, ["Only references were played."])
    advice = [_which(results, row), _possible(results, row)]
    if row["group"] == KEPT and (results.problem.optimum or 0.0) < 0.0:
        advice.reverse()  # who pays asks first which mixture, and what it costs
    advice += [_joint(results, row), _keeping(results), _on_the_way(results, row), *_idle(results)]
    good = row["group"] == KEPT and results.runs_needed is None and not dear(results)
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
    if times := dear(results):
        return f"{name} keeps {promise(results)}, at {times:.1f} times the lowest joint regret"
    return f"{name} keeps {promise(results)} with the lowest joint regret of those that do"


def best_of(results: Results) -> pd.Series | None:
    """The policy that the answer is about: the best keeper, or the one that comes closest.

    That is, of those whose joint regret is not significantly different from the lowest, the one
    that misses least: a policy that ignores the constraints is not close to keeping them.
    """
    ranked = results.league[results.league["group"] != REFERENCE]
    if ranked.empty or ranked["group"].iloc[0] == KEPT:
        return None if ranked.empty else ranked.iloc[0]
    near = ranked[(ranked["group"] == ranked["group"].iloc[0]) & ranked["tied"]]
    missed = sum(p * near[f"violation_{j}"] for j, p in enumerate(results.problem.prices))
    return near.loc[missed.idxmin()] if results.problem.binds else near.iloc[0]


def dear(results: Results) -> float:
    """How many times the lowest joint regret of all the best keeper has, where that is too much."""
    found = results.keeping
    if found is None or not (found["joint_low"] or 0.0) > 0.0:
        return 0.0
    joint = results.league.set_index("policy")["joint"]
    keeper, best = joint[found["keeper"]], joint[found["best"]]
    return keeper / best if keeper > DEAR * best > 0.0 else 0.0


def label(results: Results, policy: str) -> str:
    return one_line(results.labels.get(policy, policy))


def source_of(results: Results) -> str:
    return SOURCES.get(results.problem.source, results.problem.source)


def amount(results: Results, j: int, x: float) -> str:
    """An average amount of constraint j: per cent where it is a share of the rounds."""
    return percent(x) if results.is_share(j) else number(x)


def bounds_of(results: Results) -> str:
    """The constraints in words: `floor 50%`, `success at least 75%, acme at most 20%`."""
    return ", ".join(
        _bound(results, j, one) for j, one in enumerate(results.problem.goal.constraints)
    )


def _bound(results: Results, j: int, one: Constraint) -> str:
    level = amount(results, j, one.bound)
    if results.problem.goal.eta is not None:
        return f"floor {level}"
    return f"{one_line(one.name)} {one.sense.replace('_', ' ')} {level}"


def promise(results: Results) -> str:
    if results.problem.goal.eta is not None:
        return f"the floor of {percent(results.problem.goal.eta)}"
    return f"the promise ({bounds_of(results)})"


def money(results: Results, *numbers: float) -> str:
    """A reward, or a reward with its interval, in the user's units."""
    scaled = [x * results.scale for x in numbers]
    text = interval(*scaled) if len(scaled) == 3 else number(scaled[0])
    return f"{text} {results.unit}".rstrip()


def _infeasible(results: Results) -> str:
    problem = results.problem
    alone = [
        f"{one_line(one.name)} reaches {amount(results, j, best)} at best"
        for j, (one, best) in enumerate(
            zip(problem.goal.constraints, problem.reachable, strict=True)
        )
        if one.sign * (best - one.bound) < 0.0
    ]
    why = listed(alone) or "each can be met alone, but not together"
    if problem.goal.eta is not None:
        why = f"its best arm has an event rate of {percent(problem.reachable[0])}"
    return f"No mixture of arms keeps {promise(results)} on {one_line(results.title)}: {why}."


def _which(results: Results, row: pd.Series) -> str:
    if row["group"] != KEPT:
        return _nobody(results, row) + _too_few(results)
    name, league = label(results, row["policy"]), results.league
    keepers = league[league["group"] == KEPT]
    others = int((league["group"] != REFERENCE).sum()) - 1
    kept = f"kept {promise(results)} in {row['kept_runs']} of {counted(row['runs'], 'run')}"
    joint = money(results, row["joint"], row["joint_low"], row["joint_high"])
    if results.runs_needed is not None:
        return f"{_too_few(results).strip()} {name}, which {kept}, has the lowest mean so far."
    if not others:
        return f"{name}, the only policy played, {kept}; its joint regret is {joint}."
    if times := dear(results):
        best = label(results, results.keeping["best"])  # type: ignore[index]
        return (
            f"{name} {kept}, but at {times:.1f} times the joint regret of {best}, which does not "
            f"keep it: {joint}."
        )
    tied = [label(results, policy) for policy in keepers.loc[keepers["tied"], "policy"][1:]]
    if len(keepers) == 1:
        return f"Use {name}: of {others + 1} policies it alone {kept}. Its joint regret is {joint}."
    shown = tied if len(tied) <= NAMED + 1 else [*tied[:NAMED], f"{len(tied) - NAMED} more"]
    not_apart = f"; {listed(shown)} {'is' if len(tied) == 1 else 'are'} not significantly different"
    return (
        f"Use {name}: it {kept}, with the lowest joint regret of the {len(keepers)} policies that "
        f"did so, {joint}{not_apart if tied else ''}."
    )


def _nobody(results: Results, row: pd.Series) -> str:
    parts = [f"in {row['kept_runs']} of {counted(row['runs'], 'run')}"] if row["kept_runs"] else []
    for j, name in enumerate(results.names):
        what = "event rate" if results.is_rate(j) else one_line(name)
        parts.append(f"{what} {amount(results, j, row[f'rate_{j}'])}")
    if math.isfinite(row["share_of_optimum"]):
        parts.append(f"{percent(row['share_of_optimum'])} of the optimal reward")
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
    ranked = results.league[results.league["group"] != REFERENCE]
    more = f"about {number(results.runs_needed)} runs would" if results.runs_needed else "add runs"
    return f" {counted(results.runs, 'run')} cannot rank these {len(ranked)} policies; {more}."


def _possible(results: Results, row: pd.Series) -> str:
    problem, best = results.problem, results.problem.optimum or 0.0
    total = best * results.horizon
    mixture = listed(
        [
            f"{one_line(results.arms.label[arm])} ({percent(share)})"
            for arm, share in zip(problem.support, problem.shares, strict=True)
        ]
    )
    name, earned = label(results, row["policy"]), row["reward"]
    if total < 0.0:  # a goal that costs: what is spent is what is not earned
        did = f"{name} spent {money(results, -earned)} where {money(results, -total)} was possible"
    else:
        share = f" ({percent(row['share_of_optimum'])})" if total > 0.0 else ""
        did = f"{name} earned {money(results, earned)} of a possible {money(results, total)}{share}"
    rates = listed(
        [
            f"{'an event rate' if results.is_rate(j) else one_line(one)} of {amount(results, j, x)}"
            for j, (one, x) in enumerate(zip(results.names, problem.amounts, strict=True))
        ]
    )
    each = per_round(results, best)
    return f"The best possible is {mixture}: {each} at {rates}{_alone(results)}. {did}."


def per_round(results: Results, reward: float) -> str:
    if reward < 0.0:
        return f"{money(results, -reward)} spent per round"
    return f"{money(results, reward)} per round"


def _alone(results: Results) -> str:
    """What single arms would earn: the best that keeps every constraint, and the best of all.

    Beside them, where the goal costs, the arm with the most of the first constraint.
    """
    problem, table = results.problem, results.theory
    slack = [
        one.sign * (table[f"amount_{j}"] - one.bound)
        for j, one in enumerate(problem.goal.constraints)
    ]
    keeps = pd.concat(slack, axis=1).min(axis=1) >= 0.0
    if not problem.binds:
        return ""
    named = {}
    if keeps.any():
        named["the best single arm that keeps it is"] = table["reward"].where(keeps).idxmax()
        if (problem.optimum or 0.0) < 0.0 and slack[0].idxmax() not in named.values():
            named[f"the one with the most {one_line(results.names[0])} is"] = slack[0].idxmax()
    named["without it the best would be"] = table["reward"].idxmax()
    texts = [
        f"{what} {one_line(table['label'][arm])}, {per_round(results, table['reward'][arm])}"
        for what, arm in named.items()
    ]
    return "; " + "; ".join(texts)


def _joint(results: Results, row: pd.Series) -> str:
    """J taken apart, each part in its own unit, with the price that adds them up."""
    lost = "overspent" if (results.problem.optimum or 0.0) < 0.0 else "of reward"
    parts = [f"{money(results, *(row[f'regret{end}'] for end in ('', '_low', '_high')))} {lost}"]
    for j, price in enumerate(results.problem.prices):
        if price == 0.0:
            continue
        short = interval(*(row[f"violation_{j}{end}"] for end in ("", "_low", "_high")))
        above = results.problem.goal.constraints[j].sense == "at_most"
        what = f"{'too much' if above else 'missing'} of {one_line(results.names[j])}"
        what = "missing events" if results.is_rate(j) and not above else what
        parts.append(f"{short} {what} at a price of {money(results, price)} each")
    text = f"Its joint regret of {money(results, row['joint'])} is {listed(parts)}."
    beyond = results.scalars["next_price"]
    if not results.problem.binds or beyond is None or beyond <= results.problem.prices[0]:
        return text
    repaid = f"{money(results, beyond)} each"
    return f"{text} To repay a shortfall beyond the optimal mixture costs more, {repaid}."


def _keeping(results: Results) -> str:
    found = results.keeping
    if found is None or len(results.league[results.league["group"] != REFERENCE]) < 2:
        return ""
    if found["keeper"] == found["best"]:
        return "It has the lowest joint regret of all: keeping the promise costs nothing here."

    def paid(name: str, sign: float) -> str:
        ends = [sign * (found[f"{name}{end}"] or 0.0) for end in ("", "_low", "_high")]
        known = found[f"{name}_low"] is not None
        return money(results, ends[0], *sorted(ends[1:])) if known else money(results, ends[0])

    what = "spending" if (results.problem.optimum or 0.0) < 0.0 else "reward"
    return (
        f"Keeping the promise costs {paid('joint', 1.0)} of joint regret and "
        f"{paid('reward', -1.0)} of {what} against {label(results, found['best'])}, which has the "
        "lowest joint regret of all and does not keep it."
    )


def _on_the_way(results: Results, row: pd.Series) -> str:
    return f"On the way it was {listed([way(results, row, j) for j in range(len(results.names))])}."


def way(results: Results, row: pd.Series, j: int) -> str:
    """How far a policy was ever short of constraint j, and from when on it held."""
    bound = "the floor" if results.problem.goal.eta is not None else one_line(results.names[j])
    off = "over" if results.problem.goal.constraints[j].sense == "at_most" else "short of"
    if row[f"worst_shortfall_{j}"] == 0.0:
        return f"never {off} {bound}"
    since = row[f"kept_from_{j}"]
    held = "still so at the end in half of the runs or more"
    if math.isfinite(since):
        held = f"no more from round {number(since)} on in the median run"
    unit = results.unit_of(f"shortfall_{j}")
    worst = f"{number(row[f'worst_shortfall_{j}'])} {unit}".rstrip()
    return f"at worst {worst} {off} {bound}, and {held}"


def _idle(results: Results) -> list[str]:
    """Which constraints cost nothing: a figure of the trade-off would mislead without it."""
    if results.problem.goal.eta is not None and not results.problem.binds:
        return ["The floor does not bind: the best arm meets it by itself."]
    pairs = zip(results.names, results.problem.binding, strict=True)
    idle = [one_line(name) for name, binding in pairs if not binding]
    return [f"Not binding: {listed(idle)}."] if idle else []
