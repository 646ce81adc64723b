"""Results in words: constraints, amounts, rewards and costs."""

from dataclasses import dataclass

import pandas as pd

from lincon.analysis.league import KEPT, SOMETIMES
from lincon.analysis.measures import spends
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.problem.goal import Constraint
from lincon.problem.record import Problem
from lincon.report.table import Number, half_of, interval_of
from lincon.report.text import listed, number, one_line, percent, supported

# The joint regret of the best keeper, in units of the lowest of all, up to which it is an answer.
DEAR = 1.25


@dataclass(frozen=True)
class Bound:
    """Constraint `j` of a problem, with its price; `floor`: the paper's, on the event rate."""

    j: int
    constraint: Constraint
    price: float
    floor: bool

    @property
    def name(self) -> str:
        """The name of the amount."""
        return "event rate" if self.floor else one_line(self.constraint.name)

    @property
    def counts_events(self) -> bool:
        return (self.constraint.per_event, self.constraint.per_play) == (1.0, 0.0)

    @property
    def is_share(self) -> bool:
        """Whether amounts are shares of the rounds: events, or plays of a group of arms."""
        of_group = self.constraint.per_event == 0.0 and "=" in str(self.constraint.per_play)
        return self.counts_events or of_group

    def kept_by(self, amounts: pd.Series) -> pd.Series:
        return self.constraint.sign * amounts >= self.constraint.sign * self.constraint.bound

    def amount(self, x: float, half: float = float("nan")) -> str:
        """An average amount, with the digits that half its interval supports."""
        return percent(x, half) if self.is_share else supported(x, half)

    def shortfall(self, x: float) -> str:
        """A sum of what is missing: `43 events`, `4.1 (cost)`."""
        text = number(round(x, 1 if abs(x) < 100 else 0))
        return f"{text} events" if self.counts_events else f"{text} ({self.name})"

    @property
    def sign(self) -> str:
        return "\u2265" if self.constraint.sense == "at_least" else "\u2264"

    @property
    def promise(self) -> str:
        """`correct \u2265 75%`."""
        return f"{self.name} {self.sign} {self.amount(self.constraint.bound)}"


def bounds(problem: Problem) -> list[Bound]:
    constraints, eta = problem.goal.constraints, problem.goal.eta
    prices = problem.prices if problem.feasible else [0.0] * len(constraints)
    return [
        Bound(j, one, float(price), eta is not None)
        for j, (one, price) in enumerate(zip(constraints, prices, strict=True))
    ]


def dearest(problem: Problem) -> Bound:
    """The constraint with the largest price: the one that a plane shows."""
    return max(bounds(problem), key=lambda bound: bound.price)


def thresholds(problem: Problem) -> str:
    """The constraints: `floor 50%`, `correct \u2265 75%, acme \u2264 20%`."""
    if problem.goal.eta is not None:
        return f"floor {percent(problem.goal.eta)}"
    return ", ".join(bound.promise for bound in bounds(problem))


def promise(problem: Problem) -> str:
    """The constraints in words: `the floor of 50%`, `correct \u2265 75% and acme \u2264 20%`."""
    if problem.goal.eta is not None:
        return f"the floor of {percent(problem.goal.eta)}"
    return listed([bound.promise for bound in bounds(problem)])


def earnings(problem: Problem) -> tuple[str, float]:
    """The heading for earnings or spending, and the sign that makes them positive."""
    return ("cost", -1.0) if spends(problem) else ("reward", 1.0)


def label(shown: Results | Sweep, policy: str) -> str:
    return one_line(str(shown.policies.get(policy, {}).get("label", policy)))


def reached(results: Results, bound: Bound, row: pd.Series) -> str:
    """What a policy averages of a constraint's amount, with the digits that the runs support."""
    half = half_of(row, f"shortfall_{bound.j}") / results.horizon
    return bound.amount(row[f"rate_{bound.j}"], half)


def earned(results: Results, row: pd.Series) -> Number:
    """The reward in per cent of the optimal one, or by how much the cost is above the optimal."""
    part = row["share_of_optimum"]
    half = half_of(row, "reward") * abs(part / row["reward"]) if row["reward"] else 0.0
    if not spends(results.problem):
        return Number(part, percent(part, half))
    return Number(part, f"{'+' * bool(part > 1.0)}{percent(part - 1.0, half)}")


def money(results: Results, x: float) -> str:
    """A reward in the user's units."""
    return f"{number(x * results.scale)} {results.unit}".rstrip()


def average(results: Results, x: float) -> str:
    """A reward per round in the user's units: `0.2 EUR per round`, `2 USD per 1,000 requests`."""
    per, play = results.arms.per, "request" if results.arms.kinds else "round"
    return f"{money(results, x * per)} per {play if per == 1 else f'{per:,} {play}s'}"


def joint_regret(results: Results, row: pd.Series) -> str:
    """With its interval, in the user's units."""
    return f"{interval_of(row, 'joint', results.scale)} {results.unit}".rstrip()


def changes(results: Results, first: str, second: str, basis: str) -> dict[str, float]:
    """How much more regret and violation the first policy has at T, relative to the second."""
    ends = results.outcomes.groupby("policy").mean(numeric_only=True)
    columns = {"regret": "regret", "violation": f"violation_{dearest(results.problem).j}"}
    own, base = ({name: float(ends.loc[policy, f"{column}_{basis}"])
                  for name, column in columns.items()} for policy in (first, second))  # fmt: skip
    return {name: own[name] / x - 1.0 for name, x in base.items() if first != second and x > 0.0}


def leaders(results: Results) -> pd.DataFrame:
    """Both ends of the trade: who keeps the constraints best, and who has the lowest joint regret.

    One row where these are the same policy, or where keeping the constraints is not dear.
    """
    ranked = results.ranked
    first, lowest, group = ranked.index[0], ranked["joint"].idxmin(), ranked["group"].iloc[0]
    if group != KEPT:
        first = ranked["kept_runs"].idxmax() if group == SOMETIMES else lowest
    elif ranked["joint"][first] <= DEAR * ranked["joint"][lowest]:
        lowest = first
    return ranked.loc[list(dict.fromkeys([first, lowest]))]
