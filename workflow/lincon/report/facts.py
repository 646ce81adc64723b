"""The table of facts of an experiment: its policies, its problem, its runs."""

import pandas as pd

from lincon.analysis.measures import own_optimum, spends
from lincon.analysis.results import Results
from lincon.analysis.runs import INFEASIBLE_RUNS
from lincon.data.arms import POSTERIOR, WARM
from lincon.report.table import digits_of
from lincon.report.text import listed, one_line, percent, share
from lincon.report.words import average, bounds, earnings, joint_regret, label, leaders, money


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
    best = average(results, earnings(problem)[1] * (problem.optimum or 0.0))
    idle = listed([bound.name for bound in every if not problem.binding[bound.j]])
    facts = [("Optimal mixture", f"{mixture}: {best} at {at}"), ("Not binding", idle)]
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
