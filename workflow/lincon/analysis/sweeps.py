"""A sweep: the tables of its points, with their coordinates in columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from lincon.analysis import league as league_of
from lincon.analysis.measures import spends
from lincon.analysis.results import read_rows
from lincon.errors import UserError
from lincon.problem.record import Problem, read_problem

# Columns beside the coordinates; an axis of one of these names is called after its constraint.
RESERVED = {"policy", "metric", "basis", "mean", "std", "ci_low", "ci_high", "n_runs", "group"}
RESERVED |= {"best", "rank", "runs", "joint", "regret", "reward", "composite", "behind", "tied"}
RESERVED |= {"p_holm", "uneven", "optimum", "feasible", "binding", "dataset", "source", "label"}


class Tables(NamedTuple):
    """The tables of one point, with the problem that they are of."""

    problem: Problem
    outcomes: pd.DataFrame
    curves: pd.DataFrame
    metadata: Mapping[str, str]


@dataclass(frozen=True)
class Sweep:
    """`values`: one row per point, policy, metric and basis, at T. `states`: one row per point.

    `leagues`: one row per point and policy, as lincon.analysis.league has them, and `best`, the
    first of those that are ranked. All have a column per axis. `policies` maps names to looks;
    `problem` is that of the last point.
    """

    name: str
    title: str
    axes: tuple[str, ...]
    values: pd.DataFrame
    states: pd.DataFrame
    leagues: pd.DataFrame
    policies: Mapping[str, Mapping[str, Any]]
    problem: Problem
    runs: int
    code: str = ""
    unit: str = ""
    scale: float = 1.0

    @classmethod
    def read(
        cls,
        points: Sequence[Mapping[str, Any]],
        *,
        name: str,
        title: str,
        axes: Sequence[str],
        looks: Mapping[str, Mapping[str, Any]],
    ) -> Self:
        """A sweep from the files of its points.

        A point has `coordinates` (axis -> value), `policies` (the id of a policy at this point ->
        its name in `looks`), and the paths `outcomes`, `curves` and `problem`.
        """
        tables = [_read(point) for point in points]
        coordinates = [point["coordinates"] for point in points]
        return cls.of(coordinates, tables, name=name, title=title, axes=axes, looks=looks)

    @classmethod
    def of(
        cls,
        coordinates: Sequence[Mapping[str, Any]],
        tables: Sequence[Tables],
        *,
        name: str,
        title: str,
        axes: Sequence[str],
        looks: Mapping[str, Mapping[str, Any]],
    ) -> Self:
        """A sweep from the tables of its points, whose policies are named as in `looks`."""
        names = {axis: f"{axis} (swept)" if axis in RESERVED else axis for axis in axes}
        references = [policy for policy, look in looks.items() if look.get("reference")]
        parts: dict[str, list[pd.DataFrame]] = {"values": [], "leagues": [], "states": []}
        for place, point in zip(coordinates, tables, strict=True):
            at = {names[axis]: value for axis, value in place.items()}
            for kind, frame in zip(parts, _frames(point, references), strict=True):
                # A coordinate may also be a column, as the horizon is.
                rest = frame.drop(columns=list(at), errors="ignore")
                column = pd.DataFrame(at, index=rest.index)
                parts[kind].append(pd.concat([column, rest], axis=1))
        joined = {kind: pd.concat(frames, ignore_index=True) for kind, frames in parts.items()}
        last = tables[-1]
        codes = {point.metadata.get("code", "") for point in tables}
        return cls(
            name=name,
            title=title,
            axes=tuple(names.values()),
            policies={policy: dict(look) for policy, look in looks.items()},
            problem=last.problem,
            runs=int(joined["leagues"]["runs"].iloc[0]),
            code=codes.pop() if len(codes) == 1 else "",
            unit=last.metadata.get("unit", ""),
            scale=float(last.metadata.get("scale", 1.0)),
            **joined,
        )

    @property
    def rounds(self) -> int:
        """The horizon of its points, where that is not what is swept."""
        return int(self.states["horizon"].iloc[0])

    def rows(self, metric: str, basis: str = "expected") -> pd.DataFrame:
        """The final values of one metric on one basis."""
        return self.values[(self.values["metric"] == metric) & (self.values["basis"] == basis)]

    @cached_property
    def points(self) -> pd.DataFrame:
        """The leagues without references."""
        return self.leagues[self.leagues["group"] != league_of.REFERENCE]

    @cached_property
    def best(self) -> pd.DataFrame:
        """One row per feasible point: the policy that ranks first there."""
        feasible = self.leagues.merge(self.states[[*self.axes, "feasible"]], on=list(self.axes))
        return feasible[feasible["best"] & feasible["feasible"]].reset_index(drop=True)

    def table(self) -> pd.DataFrame:
        """One row per point and policy: coordinates, the problem there, the policy's league row.

        Rewards are in the user's unit.
        """
        rewards = [f"{name}{end}" for name in ("joint", "regret", "reward", "composite", "behind")
                   for end in ("", "_low", "_high", "_q25", "_median", "_q75")]  # fmt: skip
        frame = self.leagues.copy()
        scaled = [column for column in rewards if column in frame]
        frame[scaled] *= self.scale
        frame["label"] = [self.policies[policy].get("label", policy) for policy in frame["policy"]]
        return self.states.merge(frame, on=list(self.axes)).assign(unit=self.unit)


def _read(point: Mapping[str, Any]) -> Tables:
    names: Mapping[str, str] = point["policies"]
    problem = read_problem(point["problem"])
    outcomes, metadata = read_rows(point["outcomes"], list(names))
    curves, _ = read_rows(point["curves"], list(names))
    if metadata.get("constraints", problem.goal.text) != problem.goal.text:
        raise UserError(
            f"{point['outcomes']} is of the constraints {metadata['constraints']}, but its problem "
            f"of {problem.goal.text}; delete it and run again"
        )
    outcomes, curves = (f.assign(policy=f["policy"].map(names)) for f in (outcomes, curves))
    return Tables(problem, outcomes, curves, metadata)


def _frames(point: Tables, references: Sequence[str]) -> tuple[pd.DataFrame, ...]:
    """The final values of a point, its league, its state."""
    problem, outcomes, curves, _ = point
    horizon = int(curves["t"].max())
    final = curves[curves["t"] == horizon].drop(columns="t").reset_index(drop=True)
    ranked, _ = league_of.league(outcomes, problem, horizon, references)
    first = ranked.index == ranked.index[0]
    ranked = ranked.assign(best=first & (ranked["group"] != league_of.REFERENCE))
    return final.assign(horizon=horizon), ranked, _state(problem, horizon)


def _state(problem: Problem, horizon: int) -> pd.DataFrame:
    state: dict[str, object] = {"dataset": problem.dataset, "source": problem.source}
    state |= {"horizon": horizon, "feasible": problem.feasible, "binding": problem.binds}
    state |= {"spends": spends(problem)}
    state |= {"optimum": np.nan if problem.optimum is None else problem.optimum}
    prices = problem.prices or (np.nan,) * len(problem.goal.constraints)
    for j, (one, price) in enumerate(zip(problem.goal.constraints, prices, strict=True)):
        state |= {f"bound_{j}": one.bound, f"price_{j}": price}
    return pd.DataFrame([state])
