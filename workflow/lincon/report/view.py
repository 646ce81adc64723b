"""What figures, page and sentences take from results: words for bounds, and who stands out."""

from dataclasses import dataclass

import pandas as pd

from lincon.analysis.league import KEPT, NEVER, REFERENCE, SOMETIMES
from lincon.analysis.measures import spends
from lincon.analysis.results import Results
from lincon.problem.goal import Constraint
from lincon.problem.record import Problem
from lincon.report.text import (
    interval,
    listed,
    number,
    one_line,
    percent,
    supported,
    supported_percent,
)

GROUPS = {
    KEPT: "kept in 80% of runs or more",
    SOMETIMES: "kept in some runs",
    NEVER: "never kept",
    REFERENCE: "for reference: knows the means",
}


@dataclass(frozen=True)
class Bound:
    """Constraint `j` of a problem, in words."""

    j: int
    name: str
    at_least: bool
    bound: float
    price: float
    paper: bool  # the event rate, of at least eta

    @property
    def sign(self) -> str:
        return "\u2265" if self.at_least else "\u2264"

    @property
    def text(self) -> str:
        given = f"{self.name} {self.sign} {self.bound:g}"
        return f"\u03b7 = {self.bound:g}" if self.paper else given

    @property
    def amount(self) -> str:
        """What it is that must average so much."""
        return "event rate" if self.paper else self.name

    @property
    def shortfall(self) -> str:
        return "events short of the floor" if self.paper else f"{self.name}: shortfall"


def bounds(problem: Problem) -> list[Bound]:
    goal = problem.goal
    prices = problem.prices if problem.feasible else [0.0] * len(goal.constraints)
    return [
        Bound(j, c.name, c.sense == "at_least", c.bound, float(prices[j]), goal.eta is not None)
        for j, c in enumerate(goal.constraints)
    ]


def dearest(problem: Problem) -> Bound:
    """The constraint with the largest price: the one that a plane shows."""
    return max(bounds(problem), key=lambda bound: bound.price)


def counted_in(problem: Problem) -> tuple[str, float]:
    """What is earned or spent, and the sign that makes it positive."""
    return ("cost", -1.0) if spends(problem) else ("reward", 1.0)


def label(results: Results, policy: str) -> str:
    return one_line(results.labels.get(policy, policy))


def amount(results: Results, j: int, x: float) -> str:
    """An average amount of constraint j: per cent where it is a share of the rounds."""
    return percent(x) if results.is_share(j) else number(x)


def reached(results: Results, j: int, row: pd.Series) -> str:
    """What a policy averages of constraint j, with the digits that the runs support."""
    x, ends = row[f"rate_{j}"], [row[f"shortfall_{j}{end}"] for end in ("_low", "_high")]
    half = (ends[1] - ends[0]) / 2.0 / results.horizon
    if results.is_share(j):
        return supported_percent(x, half)
    return supported(x, x - half, x + half)


def money(results: Results, *numbers: float) -> str:
    """A reward, or a reward with its interval, in the user's units."""
    scaled = [x * results.scale for x in numbers]
    text = interval(*scaled) if len(scaled) == 3 else number(scaled[0])
    return f"{text} {results.unit}".rstrip()


def bounds_of(results: Results) -> str:
    """The constraints in words: `floor 50%`, `correct \u2265 75%, acme \u2264 20%`."""
    return ", ".join(_bounds(results, "floor "))


def promise(results: Results) -> str:
    return listed(_bounds(results, "the floor of "))


def keepers(results: Results, count: int) -> str:
    """So many policies keep the promise, as a clause."""
    who = f"{count} of {len(results.ranked)} policies" if count else "no policy"
    return f"{who} keep{'s' * (count < 2)} {promise(results)}"


def _bounds(results: Results, floor: str) -> list[str]:
    return [
        f"{floor}{percent(bound.bound)}"
        if bound.paper
        else f"{one_line(bound.name)} {bound.sign} {amount(results, bound.j, bound.bound)}"
        for bound in bounds(results.problem)
    ]


def changes(results: Results, first: str, second: str, basis: str) -> dict[str, float]:
    """How much more regret and violation the first policy has at T, relative to the second."""
    metrics = {"regret": "regret", "violation": f"violation_{dearest(results.problem).j}"}
    changes = {}
    for name, metric in metrics.items():
        rows = results.rows(metric, basis)
        ends = rows[rows["t"] == results.horizon].set_index("policy")["mean"]
        if first != second and ends.get(second, 0.0) > 0.0:
            changes[name] = float(ends[first] / ends[second]) - 1.0
    return changes


def counts_rounds(one: Constraint) -> bool:
    """Whether its amounts are shares of the rounds: events, or plays of a group of arms."""
    group = one.per_event == 0.0 and "=" in str(one.per_play)
    return group or (one.per_event, one.per_play) == (1.0, 0.0)


def times(rows: pd.DataFrame, factor: float | pd.Series) -> pd.DataFrame:
    """Means and their intervals in another unit; a factor below zero swaps the ends."""
    ends = rows[["ci_low", "ci_high"]].mul(factor, axis=0)
    mean = rows["mean"] * factor
    return rows.assign(mean=mean, ci_low=ends.min(axis=1), ci_high=ends.max(axis=1))
