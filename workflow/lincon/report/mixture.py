"""The best mixture of arms, beside single arms and beside what a policy made of it."""

from __future__ import annotations

import pandas as pd

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.drawn import of_which_means
from lincon.report.text import listed, one_line, percent
from lincon.report.words import label, level, money


def safest(results: Results) -> int:
    """The arm that has the most to give to the dearest constraint: always playing it is safe."""
    bound = view.dearest(results.problem)
    amounts = results.theory[f"amount_{bound.j}"]
    return int((amounts if bound.at_least else -amounts).idxmax())


def idles(results: Results, row: pd.Series) -> bool:
    """Whether a policy earns no more than always playing the safest arm: not worth learning."""
    alone = results.theory["reward"][safest(results)] * results.horizon
    return bool(results.problem.binds and row["reward"] <= alone)


def possible(results: Results, row: pd.Series) -> str:
    """The best mixture and what it is worth, against single arms and against the policy."""
    problem, best = results.problem, results.problem.optimum or 0.0
    mixture = listed(
        [
            f"{one_line(results.arms.label[arm])} ({percent(share)})"
            for arm, share in zip(problem.support, problem.shares, strict=True)
        ]
    )
    rates = listed([level(results, j, x) for j, x in enumerate(problem.amounts)])
    rates = rates.replace("event rate", "an event rate of") if problem.goal.eta else rates
    at = of_which_means(results)
    name, earned = label(results, row["policy"]), row["reward"] / results.horizon
    if view.spends(problem):
        more = ""
        if results.possible < 0.0 and earned != best:
            change = row["reward"] / results.possible - 1.0
            more = f", {percent(abs(change))} {'more' if change > 0.0 else 'less'}"
        return (
            f"{at} cheapest mixture is {mixture}: {money(results, -best)} per round at "
            f"{rates}{_cheaper(results)}; {name}, which had to learn it, spent "
            f"{money(results, -earned)} per round{more}."
        )
    share = f" ({percent(row['share_of_optimum'])})" if best > 0.0 else ""
    return (
        f"{at} best mixture is {mixture}: it earns {money(results, best)} per round at {rates}."
        f"{_dearer(results)} {name} earned {money(results, row['reward'])} of a possible "
        f"{money(results, results.possible)}{share}."
    )


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
    said = {safest(results): f"the best on {one_line(view.dearest(results.problem).name)}"}
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
