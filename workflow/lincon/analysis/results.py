"""A group of runs as two tables, and an experiment as what can be computed from them.

A group is a dataset with constraints and a horizon. `outcomes` has one row per policy and run,
`curves` one per policy, metric, basis and recorded round. League, claims and bounds are computed
from these, the problem and the arms when they are asked for; nothing else is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import pandas as pd

from lincon.analysis import claims as claims_of
from lincon.analysis import league as league_of
from lincon.analysis import measures, theory
from lincon.analysis.runs import Metadata, Paths, forces_plays, read_runs
from lincon.data import arms as arm_tables
from lincon.data.arms import Arms
from lincon.data.raw import file_sha256
from lincon.errors import UserError
from lincon.files import read_table, write_frame
from lincon.problem.record import Problem, read_problem, require_arms

File = str | Path
Looks = Mapping[str, Mapping[str, Any]]
# Measures in units of value.
REWARDS = ("reward", "cost", "regret", "joint", "composite", "behind", "violations", "ratio")


def write_results(
    run_files: Paths,
    arms: File,
    problem: File,
    outcomes: File,
    curves: File,
    *,
    policies: Sequence[str],
    runs: int,
    tolerances: measures.Tolerances = (),
) -> None:
    """Write the two tables of a group from the files of its runs.

    Parameters
    ----------
    run_files : paths
        Parquet files of runs 0 to `runs` - 1 of all `policies`, in any order.
    arms, problem : path
        What the runs were played on.
    outcomes, curves : path
        Where to write.
    tolerances : sequence of float or None
        Per constraint: by how much the average may miss the threshold; None is the default.
    """
    played = read_runs(run_files, policies, runs)
    table, stated = _of_one_another(played.metadata, arms, problem)
    forcing = [p for p, entry in played.entries.items() if forces_plays(entry, table)]
    known = played.metadata | {"unit": table.unit, "scale": repr(table.scale), "note": stated.note}
    ended, means = measures.measured(played.series, table, stated, tolerances, forcing)
    write_frame(outcomes, ended.assign(source=table.source), known)
    write_frame(curves, means, known)


def _of_one_another(
    metadata: Metadata, arms_file: File, problem_file: File
) -> tuple[Arms, Problem]:
    """Arms and problem; refused where the runs are not of them."""
    arms, problem = arm_tables.read(arms_file), read_problem(problem_file)
    require_arms(problem, arms, str(problem_file))
    for where, what, stated, needed in (
        (arms_file, "dataset", arms.dataset, metadata.get("dataset")),
        (arms_file, "hash", file_sha256(arms_file), metadata.get("arms_sha256")),
        (problem_file, "constraints", problem.goal.text, metadata.get("constraints")),
    ):
        if stated != needed:
            raise UserError(
                f"{where}: the {what} is {stated}, but the runs are of {needed}; delete the file "
                "that is in the wrong place and run again"
            )
    return arms, problem


@dataclass(frozen=True)
class Results:
    """An experiment's results, in the arms' units (`factor` converts to the user's).

    Attributes
    ----------
    outcomes : DataFrame
        One row per policy and run: its sums at the horizon.
    curves : DataFrame
        One row per policy, metric, basis and recorded round: mean and 95% interval over the runs.
    league : DataFrame
        One row per policy, the best of those that keep the constraints first.
    problem : Problem
        The constraints, the optimum and its prices.
    arms : Arms
        What was played.
    policies : dict
        Policy to its look, in the order of the legend: {"label", "colour"?, "reference"?,
        "standing"?, "policy": the config entry}. References are shown but not ranked.
    compare : sequence of str
        Challenger and baseline of the claims.
    metadata : dict
        What the files of all runs have in common.
    """

    name: str
    title: str
    problem: Problem
    arms: Arms
    policies: dict[str, dict[str, Any]]
    outcomes: pd.DataFrame
    curves: pd.DataFrame
    compare: Sequence[str] = ()
    metadata: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        outcomes: File,
        curves: File,
        problem: File,
        arms: File,
        *,
        name: str,
        title: str,
        looks: Looks,
        compare: Sequence[str] = (),
        asked: Mapping[str, str] | None = None,
    ) -> Self:
        """An experiment from the files of its group, which may hold other policies too.

        `asked`: metadata that the files must have, such as their horizon.
        """
        ended, metadata = read_rows(outcomes, list(looks))
        rounds, others = read_rows(curves, list(looks))
        table, stated = _of_one_another(metadata, arms, problem)
        for what, needed in (asked or {}).items():
            if metadata.get(what) != needed:
                raise UserError(
                    f"{outcomes}: {what} {metadata.get(what)} instead of {needed}; delete the file "
                    "that is in the wrong place, it or one that it was made from, and run again"
                )
        if others != metadata:
            raise UserError(f"{outcomes} and {curves} are of other runs; delete both and run again")
        policies = {policy: dict(look) for policy, look in looks.items()}
        return cls(name, title, stated, table, policies, ended, rounds, compare, metadata)

    @classmethod
    def of_series(
        cls,
        series: Mapping[str, pd.DataFrame],
        arms: Arms,
        problem: Problem,
        *,
        looks: Looks,
        name: str = "",
        title: str = "",
        compare: Sequence[str] = (),
        tolerances: measures.Tolerances = (),
        metadata: Metadata | None = None,
    ) -> Self:
        """An experiment from runs in memory: policy -> one row per run and recorded round.

        A look's `policy`, the config entry, says whether first plays are forced.
        """
        entries = {policy: look.get("policy", {}) for policy, look in looks.items()}
        forcing = [policy for policy, entry in entries.items() if forces_plays(entry, arms)]
        tables = measures.measured(series, arms, problem, tolerances, forcing)
        policies = {policy: dict(look) for policy, look in looks.items()}
        return cls(name, title, problem, arms, policies, *tables, compare, dict(metadata or {}))

    @property
    def unit(self) -> str:
        return self.arms.unit

    @property
    def scale(self) -> float:
        """What turns sums over rounds into the user's unit."""
        return self.arms.scale / self.arms.per

    @property
    def code(self) -> str:
        """The fingerprint of the code that played the runs."""
        return self.metadata.get("code", "")

    @cached_property
    def labels(self) -> dict[str, str]:
        return {policy: str(look.get("label", policy)) for policy, look in self.policies.items()}

    @cached_property
    def horizon(self) -> int:
        return int(self.curves["t"].max())

    @cached_property
    def runs(self) -> int:
        return int(self.curves["n_runs"].iloc[0])

    @cached_property
    def references(self) -> tuple[str, ...]:
        return tuple(p for p, look in self.policies.items() if look.get("reference"))

    @cached_property
    def league(self) -> pd.DataFrame:
        """One row per policy, the best of those that keep the constraints first."""
        return league_of.league(self.outcomes, self.problem, self.horizon, self.references)

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """The league without references."""
        return self.league[self.league["group"] != league_of.REFERENCE]

    @cached_property
    def one_problem(self) -> bool:
        """Whether every run has this problem, immediate feedback and means that stay.

        Claims and bounds are of such runs alone.
        """
        return not (self.arms.world or measures.own_optimum(self.outcomes))

    @cached_property
    def claims(self) -> pd.DataFrame:
        """One row per claim about `compare`; empty where these two policies did not both play."""
        if not (self.one_problem and self.compare and set(self.compare) <= set(self.policies)):
            return pd.DataFrame(columns=claims_of.COLUMNS)
        first, second = self.compare
        return claims_of.check_claims(self.outcomes, self.problem, (first, second), self.horizon)

    @cached_property
    def theory(self) -> pd.DataFrame:
        """One row per arm: its share of the optimum, its gap, the plays needed to rule it out."""
        return theory.theory_table(self.arms, self.problem)

    @cached_property
    def lower_bound(self) -> float | None:
        """C: joint regret of every consistent policy eventually exceeds C log T."""
        return theory.lower_bound(self.theory) if self.one_problem else None

    @cached_property
    def bounds(self) -> pd.DataFrame:
        """The paper's three bounds for the challenger; empty where there are no claims."""
        if self.claims.empty:
            return pd.DataFrame()
        parts = (self.outcomes, self.theory, self.problem, self.horizon, self.compare[0])
        return theory.bounds(*parts)

    def rows(self, metric: str, basis: str) -> pd.DataFrame:
        """The curves of one metric on one basis."""
        chosen = (self.curves["metric"] == metric) & (self.curves["basis"] == basis)
        return self.curves[chosen]

    def factor(self, metric: str) -> float:
        """The factor from this metric's numbers to the user's units."""
        return self.scale if metric in REWARDS else 1.0


def in_users_unit(frame: pd.DataFrame, scale: float) -> pd.DataFrame:
    """A table of the experiment with its rewards in the user's unit."""
    numbers = frame.select_dtypes("float")
    return frame.assign(
        **{name: scale * numbers[name] for name in numbers if name.partition("_")[0] in REWARDS}
    )


def read_rows(path: File, policies: Sequence[str]) -> tuple[pd.DataFrame, Metadata]:
    """The rows of these policies in a group's table, in this order; and its metadata."""
    table = read_table(path, "a table of results")
    metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
    frame = table.replace_schema_metadata(None).to_pandas()
    order = {policy: place for place, policy in enumerate(policies)}
    if missing := set(order) - set(frame["policy"]):
        raise UserError(f"{path} has no policy {min(missing)}; delete it and run again")
    frame = frame[frame["policy"].isin(list(order))]
    frame = frame.sort_values("policy", key=lambda names: names.map(order), kind="stable")
    return frame.reset_index(drop=True), metadata
