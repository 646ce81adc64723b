"""Everything about one experiment that is not a sweep: what figures, page and texts are made of.

It is kept in one folder, `tables/{experiment}/`, and read back from that folder alone.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from lincon.analysis import claims as claims_of
from lincon.analysis import league as league_of
from lincon.analysis import theory as theory_of
from lincon.analysis.layout import FRAMES
from lincon.analysis.measures import outcomes as outcomes_of
from lincon.analysis.measures import own_optimum
from lincon.analysis.measures import tolerances as tolerances_of
from lincon.data import arms as arm_tables
from lincon.data.arms import Arms
from lincon.errors import UserError
from lincon.files import damaged, read_frame, sealed, unsealed, write_frame, write_text
from lincon.problem.goal import program
from lincon.problem.record import Problem

FACTS = (
    *("name", "title", "policies", "lower_bound", "metadata"),
    *("tolerances", "runs_needed", "keeping"),
)
# Measures that are counted in what a value is counted in.
REWARDS = ("reward", "cost", "regret", "joint", "composite", "behind", "violations", "ratio")


@dataclass(frozen=True)
class Results:
    """`policies` maps ids to {"label", "colour"?, "reference"?}, in the order of the legend.

    A reference is drawn and listed, not ranked. `metadata` is all that the runs' files have in
    common. `lower_bound` is C, if there is one; `claims` may be empty. Numbers are in the arms' own
    units; `factor` turns them into the user's.
    """

    name: str
    title: str
    problem: Problem
    arms: Arms
    policies: dict[str, dict[str, Any]]
    summary: pd.DataFrame
    theory: pd.DataFrame
    lower_bound: float | None
    plays: pd.DataFrame
    outcomes: pd.DataFrame
    league: pd.DataFrame
    growth: pd.DataFrame
    claims: pd.DataFrame
    tolerances: Sequence[float] = ()
    runs_needed: float | None = None
    keeping: dict[str, Any] | None = None
    metadata: dict[str, str] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        return self.arms.unit

    @property
    def scale(self) -> float:
        return self.arms.scale

    @property
    def code(self) -> str:
        """The fingerprint of the code that played the runs."""
        return self.metadata.get("code", "")

    @cached_property
    def labels(self) -> dict[str, str]:
        return {policy: str(look.get("label", policy)) for policy, look in self.policies.items()}

    @cached_property
    def horizon(self) -> int:
        return int(self.summary["t"].max())

    @cached_property
    def runs(self) -> int:
        return int(self.summary["n_runs"].iloc[0])

    @cached_property
    def references(self) -> tuple[str, ...]:
        return tuple(p for p, look in self.policies.items() if look.get("reference"))

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """The league without references."""
        return self.league[self.league["group"] != league_of.REFERENCE]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The constraints' names."""
        return tuple(one.name for one in self.problem.goal.constraints)

    @cached_property
    def possible(self) -> float:
        """What the best mixture earns in T rounds, on average where runs have their own."""
        if own_optimum(self.outcomes):
            return float(self.outcomes["optimum"].mean())
        return self.horizon * (self.problem.optimum or 0.0)

    def rows(self, metric: str, basis: str) -> pd.DataFrame:
        """The summary of one metric on one basis."""
        chosen = (self.summary["metric"] == metric) & (self.summary["basis"] == basis)
        return self.summary[chosen]

    def factor(self, metric: str) -> float:
        """What turns a number of this metric into the user's units."""
        return self.scale if metric in REWARDS else 1.0

    def is_rate(self, j: int) -> bool:
        """Whether constraint j counts events, every one alike."""
        one = self.problem.goal.constraints[j]
        return (one.per_event, one.per_play) == (1.0, 0.0)

    def is_share(self, j: int) -> bool:
        """Whether amounts of constraint j are shares of the rounds, to be shown in per cent."""
        numbers = program(self.arms, self.problem.goal)
        in_group = not numbers.a[j].any() and set(abs(numbers.b[j])) <= {0.0, 1.0}
        return self.is_rate(j) or in_group

    def coloured(self, colours: Mapping[str, str]) -> Self:
        """With colours for policies, which no table depends on and none of its files holds."""
        given = {policy: {"colour": colour} for policy, colour in colours.items()}
        policies = {policy: look | given.get(policy, {}) for policy, look in self.policies.items()}
        return replace(self, policies=policies)

    def save(self, folder: str | Path) -> None:
        """Frames as Parquet, the arms beside them, the rest as JSON."""
        folder = Path(folder)
        provenance = self.metadata | {"code": self.code, "note": self.problem.note}
        for name in FRAMES:
            write_frame(folder / f"{name}.parquet", getattr(self, name), provenance)
        arm_tables.write(self.arms, folder / "arms.parquet")
        facts = {name: getattr(self, name) for name in FACTS}
        facts["problem"] = json.loads(self.problem.to_json())
        # Last: where it is, all is there.
        write_text(folder / "results.json", json.dumps(sealed(facts), indent=2) + "\n")

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        folder = Path(folder)
        path = folder / "results.json"
        try:
            facts = unsealed(json.loads(path.read_text(encoding="utf-8")))
            problem = Problem.from_json(json.dumps(facts["problem"]))
            known = {name: facts[name] for name in FACTS}
        except FileNotFoundError:
            raise UserError(f"{folder} holds no results: results.json is missing") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(damaged(path, "the record of an experiment", error)) from None
        frames: dict[str, Any] = {
            name: read_frame(folder / f"{name}.parquet", f"the {name} of an experiment")
            for name in FRAMES
        }
        arms = arm_tables.read(folder / "arms.parquet")
        return cls(problem=problem, arms=arms, **known, **frames)


def analyse(
    policies: Mapping[str, Mapping[str, Any]],
    series: Mapping[str, pd.DataFrame],
    plays: pd.DataFrame,
    arms: Arms,
    problem: Problem,
    summary: pd.DataFrame,
    metadata: Mapping[str, str] | None = None,
    *,
    name: str,
    title: str,
    gamma: float = 0.1,
    compare: Sequence[str] = (),
    tolerances: Sequence[float | None] = (),
) -> Results:
    """All that is to be said of an experiment: runs in, Results out, nothing read or written.

    The summary is that of the setting, and may hold other policies too. `compare`: challenger and
    baseline of the claims. `tolerances`: per constraint and round.
    """
    references = tuple(p for p, look in policies.items() if look.get("reference"))
    horizon = int(next(iter(series.values()))["t"].max())
    table = theory_of.theory_table(arms, problem, gamma)
    ended = outcomes_of(series, arms, problem, tolerances)
    ranked, needed = league_of.league(ended, problem, horizon, references)
    # Bounds and claims are of one problem, with immediate feedback and means that stay.
    own = bool(arms.world) or own_optimum(ended)
    slope = float(np.sum(table["lower_bound"].to_numpy()))
    lower_bound = None if own or not np.isfinite(slope) else slope
    claims = pd.DataFrame(columns=list(claims_of.COLUMNS))
    if not own and compare and set(compare) <= set(series):
        first, second = compare
        claims = claims_of.check_claims(series, problem, table, (first, second))
    shown = summary[summary["policy"].isin(list(policies))].reset_index(drop=True)
    learners = [policy for policy in policies if policy not in references]
    return Results(
        name=name,
        title=title,
        problem=problem,
        arms=arms,
        policies={policy: dict(look) for policy, look in policies.items()},
        summary=shown,
        theory=table,
        lower_bound=lower_bound,
        plays=plays,
        outcomes=ended,
        league=ranked,
        growth=league_of.growth(shown, lower_bound or 0.0, learners, horizon),
        claims=claims,
        tolerances=tolerances_of(arms, problem, horizon, tolerances)[:, 0].tolist(),
        runs_needed=needed,
        keeping=league_of.keeping(ended, ranked, problem),
        metadata=dict(metadata or {}),
    )
