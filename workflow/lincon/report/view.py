"""What figures, page and sentences take from results: words for bounds, and who stands out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from lincon.analysis.inference import mean_of
from lincon.analysis.league import KEPT, NEVER, REFERENCE, SOMETIMES
from lincon.analysis.measures import spends
from lincon.analysis.results import REWARDS, Results
from lincon.problem.record import Problem
from lincon.report.palette import COLOURED, PROMINENT, Look
from lincon.report.text import interval, listed, number, one_line, percent

LATE = 0.05  # of the rounds: before that a ratio divides by almost nothing
VAST = 20.0  # times the smallest ratio
PANELS = {
    "regret": ("Regret", "cumulative regret"),
    "violation": ("Violation", "cumulative violation"),
    "reward": ("Reward", "cumulative reward"),
    "ratio": ("Reward / violation", "reward per violation"),
    "joint": ("Joint regret", "R + \u03bb* V, each above zero"),
    "composite": ("Composite regret", "R + \u03bb* V, signed"),
    "shortfall": ("Shortfall", "amount short of the bound"),
}
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


def rows_of(results: Results, metric: str, basis: str) -> pd.DataFrame:
    """The summary of a metric in the user's units; a negative reward is a cost."""
    sign = counted_in(results.problem)[1] if metric == "reward" else 1.0
    return times(results.rows(metric, basis), sign * results.factor(metric))


def times(rows: pd.DataFrame, factor: float | pd.Series) -> pd.DataFrame:
    """Means and their intervals in another unit; a factor below zero swaps the ends."""
    ends = rows[["ci_low", "ci_high"]].mul(factor, axis=0)
    mean = rows["mean"] * factor
    return rows.assign(mean=mean, ci_low=ends.min(axis=1), ci_high=ends.max(axis=1))


def panels(results: Results, wanted: Sequence[str]) -> list[tuple[str, str, str]]:
    """Metric, title and label of each panel over the rounds: one per constraint where they differ.

    A ratio is defined where there is one constraint and something is earned.
    """
    kept, cost, found = bounds(results.problem), spends(results.problem), []
    for name in wanted:
        title, label = ("Cost", "cumulative cost") if cost and name == "reward" else PANELS[name]
        label = f"{label}, {results.unit}" if results.unit and name in REWARDS else label
        if name in ("violation", "shortfall"):
            for bound in kept:
                of = f"{title}: {bound.name}" if len(kept) > 1 else title
                found.append((f"{name}_{bound.j}", of, label))
        elif name != "ratio" or (len(kept) == 1 and not cost):
            found.append((name, title, label))
    return found


def prominent(results: Results) -> list[str] | None:
    """Where policies are many, those at the head of the league and those compared stand out."""
    if len(results.policies) - len(results.references) <= COLOURED:
        return None
    compared = results.claims[["policy", "against"]].head(1).to_numpy().ravel()
    return list(dict.fromkeys([*compared, *results.ranked["policy"]]))[:PROMINENT]


def plane(results: Results, bound: Bound) -> pd.DataFrame:
    """Policy -> shortfall x and regret y at T, both signed and realised, with 95% intervals."""
    rows = {}
    for policy, runs in results.outcomes.groupby("policy", sort=False):
        x = runs[f"shortfall_{bound.j}_realised"].to_numpy(dtype=float)
        y = results.scale * runs["signed_regret_realised"].to_numpy(dtype=float)
        rows[policy] = mean_of("x", x) | mean_of("y", y)
    frame = pd.DataFrame.from_dict(rows, orient="index")
    return frame.reindex([policy for policy in results.league["policy"] if policy in frame.index])


def comparable(rows: pd.DataFrame, looks: Mapping[str, Look]) -> tuple[pd.DataFrame, int]:
    """A ratio without the policies whose violation is, or comes back to, almost nothing.

    Theirs is undefined or would press the others flat. Returns how many that stand out are lost.
    """
    late = rows[rows["t"] > LATE * rows["t"].max()].groupby("policy")["mean"]
    most = late.max().where(late.count() == late.size())
    learners = [p for p, look in looks.items() if not look.muted and not look.reference]
    within = most <= VAST * most.reindex(learners).min()
    kept = rows[rows["policy"].map(within).fillna(False).astype(bool)]
    lost = [p for p in most.index if not looks[p].muted and not within[p]]
    return kept, len(lost)
