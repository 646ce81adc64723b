"""A sweep: the experiments of its cells side by side, with their coordinates in columns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from lincon.analysis.league import REFERENCE
from lincon.analysis.measures import spends
from lincon.analysis.results import Results, in_users_unit
from lincon.problem.record import Problem

Files = Sequence[str]


def read(
    spec: Mapping[str, Any], outcomes: Files, curves: Files, problems: Files, arms: Files
) -> "Results | Sweep":
    """An experiment from its files: a sweep, or with one cell and no axis the results of it.

    Parameters
    ----------
    spec
        Its name, title, axes, cells, looks and the two policies that claims compare, as
        `lincon.study.plan.Plan.experiment` declares it.
    outcomes, curves, problems, arms
        A file for each cell, in the order of the cells.
    """
    cells, looks = [], spec["looks"]
    for cell, *files in zip(spec["cells"], outcomes, curves, problems, arms, strict=True):
        ids = {name: policy for policy, name in cell["policies"].items()}
        shown = {policy: looks[name] for name, policy in ids.items()}
        compare = [ids[name] for name in spec["compare"]]
        names = {"name": spec["name"], "title": spec["title"]}
        asked = {key: str(cell[key]) for key in ("constraints", "horizon")}
        cells.append(Results.read(*files, looks=shown, compare=compare, asked=asked, **names))
    return Sweep(spec["cells"], cells, looks) if spec["axes"] else cells[0]


@dataclass(frozen=True)
class Sweep:
    """`places` has the coordinates (axis -> value) and policies (id -> name) of each of `cells`.

    `policies`: the looks by name.
    """

    places: Sequence[Mapping[str, Any]]
    cells: Sequence[Results]
    policies: Mapping[str, Mapping[str, Any]]

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """The columns of the coordinates; an axis named like a measure is renamed."""
        taken = {*_final(self.cells[0]), *_league(self.cells[0]), *_state(self.cells[0])}
        taken -= {"horizon"}  # which says the same
        return tuple(
            f"{axis} (swept)" if axis in taken else axis for axis in self.places[0]["coordinates"]
        )

    @cached_property
    def values(self) -> pd.DataFrame:
        """One row per cell, policy, metric and basis, at T."""
        return self._joined(_final)

    @cached_property
    def leagues(self) -> pd.DataFrame:
        """One row per cell and policy; `best` is the first of those that are ranked."""
        return self._joined(_league)

    @cached_property
    def states(self) -> pd.DataFrame:
        """One row per cell: the problem there."""
        return self._joined(_state)

    def _joined(self, table: Callable[[Results], pd.DataFrame]) -> pd.DataFrame:
        """The table of every cell, with coordinates, and names in place of policies' ids."""
        parts = []
        for place, cell in zip(self.places, self.cells, strict=True):
            at = dict(zip(self.axes, place["coordinates"].values(), strict=True))
            frame = table(cell).drop(columns=list(at), errors="ignore")
            if "policy" in frame:
                frame = frame.assign(policy=frame["policy"].map(place["policies"]))
            parts.append(pd.concat([pd.DataFrame(at, index=frame.index), frame], axis=1))
        return pd.concat(parts, ignore_index=True)

    def rows(self, metric: str, basis: str = "expected") -> pd.DataFrame:
        """The final values of one metric on one basis."""
        return self.values[(self.values["metric"] == metric) & (self.values["basis"] == basis)]

    @cached_property
    def best(self) -> pd.DataFrame:
        """One row per feasible cell: the policy that ranks first there."""
        feasible = self.leagues.merge(self.states[[*self.axes, "feasible"]], on=list(self.axes))
        return feasible[feasible["best"] & feasible["feasible"]].reset_index(drop=True)

    def table(self) -> pd.DataFrame:
        """One row per cell and policy: coordinates, problem, league row in the user's unit."""
        frame = in_users_unit(self.leagues, self.last.scale)
        frame["label"] = [self.policies[policy].get("label", policy) for policy in frame["policy"]]
        return self.states.merge(frame, on=list(self.axes)).assign(unit=self.last.unit)

    # What all cells share.

    @property
    def last(self) -> Results:
        return self.cells[-1]

    @property
    def name(self) -> str:
        return self.last.name

    @property
    def title(self) -> str:
        return self.last.title

    @property
    def problem(self) -> Problem:
        return self.last.problem


def _final(cell: Results) -> pd.DataFrame:
    return cell.curves[cell.curves["t"] == cell.horizon].drop(columns="t")


def _league(cell: Results) -> pd.DataFrame:
    first = cell.league.index == cell.league.index[0]
    return cell.league.assign(best=first & (cell.league["group"] != REFERENCE))


def _state(cell: Results) -> pd.DataFrame:
    problem = cell.problem
    state: dict[str, object] = {"dataset": problem.dataset, "source": problem.source}
    state |= {"horizon": cell.horizon, "feasible": problem.feasible, "binding": problem.binds}
    state |= {"spends": spends(problem), "optimum": problem.optimum}
    prices = problem.prices or (np.nan,) * len(problem.goal.constraints)
    for j, (one, price) in enumerate(zip(problem.goal.constraints, prices, strict=True)):
        state |= {f"bound_{j}": one.bound, f"price_{j}": price}
    return pd.DataFrame([state]).astype({"optimum": float})
