"""The answer in sentences, made from the numbers: for the top of the page and for the terminal.

Feasibility comes first. Where no policy keeps the promise, that is the first thing said, and
nothing is recommended.
"""

import math
from typing import NamedTuple

import pandas as pd

from lincon.analysis.league import KEPT, MOST, SOMETIMES
from lincon.analysis.measures import own_optimum
from lincon.analysis.results import Results
from lincon.analysis.runs import INFEASIBLE_RUNS
from lincon.analysis.theory import next_price
from lincon.data.arms import POSTERIOR, WARM
from lincon.report import view
from lincon.report.text import SOURCES, counted, interval, listed, number, one_line, percent
from lincon.report.view import amount, bounds_of, label, money, promise

GOOD, WARNING, BAD = "good", "warning", "bad"
# So many policies that tie with the best are named in a sentence; the league has all.
NAMED = 4
ENDS = ("", "_low", "_high")
# Of the joint regret: below that a surplus is not worth a sentence.
SURPLUS = 0.05


class Answer(NamedTuple):
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
    advice = [_which(results, row), _possible(results, row)]
    if row["group"] == KEPT and view.spends(results.problem):
        advice.reverse()  # who pays asks first which mixture, and what it costs
    advice += [_joint(results, row), _keeping(results), _on_the_way(results, row), _idle(results)]
    advice += _circumstances(results)
    good = row["group"] == KEPT and results.runs_needed is None and not _idles(results, row)
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
    if _idles(results, row):
        return f"{name} keeps {promise(results)}, but a single arm would do better"
    return f"{name} keeps {promise(results)} with the lowest joint regret of those that do"


def best_of(results: Results) -> pd.Series | None:
    """The policy that the answer is about: the best keeper, or the one that comes closest.

    That is, of those whose joint regret is not significantly different from the lowest, the one
    that misses least: a policy that ignores the constraints is not close to keeping them.
    """
    ranked = results.ranked
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
    name, ranked, few = label(results, row["policy"]), results.ranked, ""
    kept = f"kept {promise(results)} in {row['kept_runs']} of {counted(row['runs'], 'run')}"
    joint = money(results, *(row[f"joint{end}"] for end in ENDS))
    if (needed := results.runs_needed) is not None:
        more = f"about {number(needed)} runs would" if needed else "add runs"
        few = f"{counted(results.runs, 'run')} cannot rank these {len(ranked)} policies; {more}."
    if row["group"] != KEPT:
        return f"{_nobody(results, row)} {few}".rstrip()
    if few:
        return f"{few} {name}, which {kept}, has the lowest mean so far."
    if _idles(results, row):
        arm = one_line(results.arms.label[_safest(results)])
        did = "spent no less" if view.spends(results.problem) else "earned no more"
        return (
            f"{name} {kept}, but {did} than always playing {arm} would; its joint regret: {joint}."
        )
    keepers = ranked[ranked["group"] == KEPT]
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
    parts += [_level(results, j, row[f"rate_{j}"]) for j in range(len(results.names))]
    if math.isfinite(row["share_of_optimum"]):
        what = view.counted_in(results.problem)[0]
        parts.append(f"{percent(row['share_of_optimum'])} of the optimal {what}")
    return (
        f"No policy kept {promise(results)}{_reliably(row)} within {results.horizon:,} rounds; "
        f"closest: {label(results, row['policy'])} ({', '.join(parts)})."
    )


def _level(results: Results, j: int, x: float) -> str:
    """What constraint j comes to: `event rate 50%`, `75% correct`, `latency 3.2`."""
    name = one_line(results.names[j])
    if results.problem.goal.eta is not None:
        return f"event rate {percent(x)}"
    return f"{percent(x)} {name}" if results.is_share(j) else f"{name} {number(x)}"


def _reliably(row: pd.Series) -> str:
    return f" in {MOST:.0%} of its runs" if row["group"] == SOMETIMES else ""


def _safest(results: Results) -> int:
    """The arm that has the most to give to the dearest constraint: always playing it is safe."""
    bound = view.dearest(results.problem)
    amounts = results.theory[f"amount_{bound.j}"]
    return int((amounts if bound.at_least else -amounts).idxmax())


def _idles(results: Results, row: pd.Series) -> bool:
    """Whether a policy earns no more than always playing the safest arm: not worth learning."""
    alone = results.theory["reward"][_safest(results)] * results.horizon
    return bool(results.problem.binds and row["reward"] <= alone)


def _possible(results: Results, row: pd.Series) -> str:
    """The best mixture and what it is worth, against single arms and against the policy."""
    problem, best = results.problem, results.problem.optimum or 0.0
    shares = zip(problem.support, problem.shares, strict=True)
    mixture = listed([f"{one_line(results.arms.label[i])} ({percent(x)})" for i, x in shares])
    rates = listed([_level(results, j, x) for j, x in enumerate(problem.amounts)])
    rates = rates.replace("event rate", "an event rate of") if problem.goal.eta else rates
    name, earned = label(results, row["policy"]), row["reward"] / results.horizon
    if view.spends(problem):
        more = ""
        if results.possible < 0.0 and earned != best:
            change = row["reward"] / results.possible - 1.0
            more = f", {percent(abs(change))} {'more' if change > 0.0 else 'less'}"
        return (
            f"{_means(results)} cheapest mixture is {mixture}: {money(results, -best)} per round "
            f"at {rates}{_cheaper(results)}; {name}, which had to learn it, spent "
            f"{money(results, -earned)} per round{more}."
        )
    share = f" ({percent(row['share_of_optimum'])})" if best > 0.0 else ""
    return (
        f"{_means(results)} best mixture is {mixture}: it earns {money(results, best)} per round "
        f"at {rates}.{_dearer(results)} {name} earned {money(results, row['reward'])} of a "
        f"possible {money(results, results.possible)}{share}."
    )


def _means(results: Results) -> str:
    """How a sentence about the best mixture begins."""
    if "drift" in results.arms.world:
        return "At the means of the first round the"
    return "At the posterior means the" if results.arms.means == POSTERIOR else "The"


def _alone(results: Results) -> int | None:
    """The best single arm that keeps every constraint."""
    table = results.theory
    keeps = pd.Series(True, table.index)
    for bound in view.bounds(results.problem):
        amounts = table[f"amount_{bound.j}"]
        keeps &= amounts >= bound.bound if bound.at_least else amounts <= bound.bound
    return int(table["reward"].where(keeps).idxmax()) if keeps.any() else None


def _dearer(results: Results) -> str:
    """What single arms earn: the best that keeps the promise, and the best of all."""
    if not results.problem.binds:
        return ""
    table, what = results.theory, "promise" if results.problem.goal.eta is None else "floor"
    arm, free = _alone(results), int(table["reward"].idxmax())
    beyond = f"without the {what} {one_line(table['label'][free])} would earn"
    beyond = f"{beyond} {money(results, table['reward'][free])}"
    if arm is None:
        return f" No single arm keeps the {what}; {beyond}."
    name = f"The best single arm that keeps the {what}, {one_line(table['label'][arm])},"
    return f" {name} earns {money(results, table['reward'][arm])}; {beyond}."


def _cheaper(results: Results) -> str:
    """How much less the mixture costs than always using one arm, and which."""
    if not results.problem.binds:
        return ""
    best, table = results.problem.optimum or 0.0, results.theory
    said = {_safest(results): f"the best on {one_line(view.dearest(results.problem).name)}"}
    if (arm := _alone(results)) is not None:
        cheapest = "the cheapest single arm that keeps the promise"
        said[arm] = f"{said[arm]}, and {cheapest}" if arm in said else cheapest
    parts = [
        f"{percent(1.0 - best / table['reward'][arm])} less than always using "
        f"{one_line(table['label'][arm])} ({what}: {money(results, -table['reward'][arm])})"
        for arm, what in said.items()
        if table["reward"][arm] < best
    ]
    return f", {listed(parts)}" if parts else ""


def _joint(results: Results, row: pd.Series) -> str:
    """J taken apart, each part in its own unit, with the price that adds them up."""
    drawn = results.arms.means == POSTERIOR
    lost = "overspent" if view.spends(results.problem) else "of reward"
    parts = [f"{money(results, *(row[f'regret{end}'] for end in ENDS))} {lost}"]
    for bound in view.bounds(results.problem):
        if row[f"violation_{bound.j}"] == 0.0 or (bound.price == 0.0 and not drawn):
            continue
        short = interval(*(row[f"violation_{bound.j}{end}"] for end in ENDS))
        what = f"{'missing' if bound.at_least else 'too much'} of {one_line(bound.name)}"
        what = "missing events" if results.is_rate(bound.j) and bound.at_least else what
        price = f"a price of {money(results, bound.price)} each"
        price = "the price of each run's own problem" if drawn else price
        parts.append(f"{short} {what} at {price}")
    text = f"Its joint regret of {money(results, row['joint'])} is {listed(parts)}."
    if row["joint"] - row["composite"] > SURPLUS * row["joint"]:
        arms = f"cost {money(results, row['composite'])} of it"
        text += f" Suboptimal arms, played to learn or to repay, {arms}; the rest is surplus."
    beyond = next_price(results.arms, results.problem)
    if results.problem.binds and not drawn and beyond > results.problem.prices[0]:
        repaid = f"{money(results, beyond)} each"
        text += f" Repaying a shortfall beyond the optimal mixture costs more: {repaid}."
    return text


def _keeping(results: Results) -> str:
    found = results.keeping
    if found is None or len(results.ranked) < 2:
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
        until = "still so at the end in half of the runs or more"
        if math.isfinite(since):
            until = f"until round {number(since - 1.0)} in the median run"
        most = f"up to {number(worst)}{' events' if results.is_rate(bound.j) else ''}"
        said.append(f"{most} {off} ({until})" if worst else f"never {off}")
    return f"On the way it was {listed(said)}."


def _idle(results: Results) -> str:
    """Which constraints cost nothing: a figure of the trade-off would mislead without it."""
    if results.problem.goal.eta is not None and not results.problem.binds:
        return f"{_means(results)} floor does not bind: the best arm meets it by itself."
    pairs = zip(results.names, results.problem.binding, strict=True)
    idle = [one_line(name) for name, binding in pairs if not binding]
    return f"Not binding: {listed(idle)}." if idle else ""


def _circumstances(results: Results) -> list[str]:
    """What is said of runs with a history, their own means, drift or late feedback."""
    said, arms = [], results.arms
    if arms.start == WARM:
        said.append(
            "Policies began with your counts and tried no arm just to try it: this is what they "
            "cost with your history."
        )
    if arms.means == POSTERIOR:
        said.append(
            "Every run drew its means from the posterior of your counts and is held against its "
            "own optimum: this holds for arms like these, and intervals include how little is "
            "known of them."
        )
        if left_out := int(results.metadata.get(INFEASIBLE_RUNS, 0)):
            said[-1] += (
                f" Left out: {counted(left_out, 'run')} of {results.runs + left_out} that drew "
                f"means with which no mixture keeps {promise(results)}."
            )
    met = {"delay": "feedback came late or never", "drift": "the means drifted"}
    if found := " and ".join(text for key, text in met.items() if f'"{key}"' in arms.world):
        own = own_optimum(results.outcomes)
        against = "; each round is held against its own optimum" if own else ""
        said.append(f"In these runs {found}{against}: no lower bound or theorem applies.")
    return said
