"""A sweep: final values at every point, which policy to take there, and where bounds bind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from lincon.analysis.league import ordered
from lincon.analysis.measures import spends
from lincon.files import read_frame
from lincon.problem.record import Problem, read_problem


@dataclass(frozen=True)
class Sweep:
    """`values`: one row per point, policy, metric and basis, at T. `states`: one row per point.

    `policies` maps names to {"label", "colour"?, "reference"?}; `problem` is the last point's.
    """

    name: str
    title: str
    axes: tuple[str, ...]
    values: pd.DataFrame
    states: pd.DataFrame
    policies: Mapping[str, Mapping[str, Any]]
    problem: Problem
    runs: int
    code: str = ""
    unit: str = ""
    scale: float = 1.0

    @property
    def rounds(self) -> int:
        """The horizon of its points, where that is not what is swept."""
        return int(self.values["horizon"].iloc[0])

    def rows(self, metric: str, basis: str = "expected") -> pd.DataFrame:
        """The final values of one metric on one basis."""
        return self.values[(self.values["metric"] == metric) & (self.values["basis"] == basis)]

    @cached_property
    def points(self) -> pd.DataFrame:
        """One row per point and ranked policy: its group, its measures, whether it is the best.

        Feasibility comes first, then joint regret, as in a league.
        """
        keys = [*self.axes, "policy"]
        frame = self.rows("kept", "realised")[[*keys, "mean"]].rename(columns={"mean": "kept"})
        for name in ("joint", "regret", "reward"):
            columns = {"mean": name, "ci_low": f"{name}_low", "ci_high": f"{name}_high"}
            frame = frame.merge(self.rows(name)[[*keys, *columns]].rename(columns=columns), on=keys)
        for j, one in enumerate(self.problem.goal.constraints):
            short = self.rows(f"shortfall_{j}", "realised")[[*keys, "mean", "horizon"]]
            bound = self.states[[*self.axes, f"bound_{j}"]]
            frame = frame.merge(short, on=keys).merge(bound, on=list(self.axes))
            rate = frame[f"bound_{j}"] - one.sign * frame["mean"] / frame["horizon"]
            frame = frame.assign(**{f"rate_{j}": rate}).drop(columns=["mean", "horizon"])
        known = [name for name, look in self.policies.items() if not look.get("reference")]
        return ordered(frame[frame["policy"].isin(known)], self.axes)


def read(
    points: Sequence[Mapping[str, Any]],
    axes: Sequence[str],
    name: str = "",
    title: str = "",
    policies: Mapping[str, Mapping[str, Any]] | None = None,
) -> Sweep:
    """A sweep of its points' files.

    A point has `problem` and `summary` (paths), `coordinates` (axis -> value) and `policies` (the
    id that a policy has at this point -> its name in the sweep).
    """
    parts, states, codes = [], [], set()
    for point in points:
        problem, final = final_values(point)
        final = final[final["policy"].isin(point["policies"])]
        final = final.assign(policy=final["policy"].map(point["policies"]), **point["coordinates"])
        parts.append(final)
        codes.add((pq.read_schema(point["summary"]).metadata or {}).get(b"code", b"").decode())
        states.append(point["coordinates"] | _state(problem))
    values = pd.concat(parts, ignore_index=True)
    return Sweep(
        name=name,
        title=title,
        axes=tuple(axes),
        values=values,
        states=pd.DataFrame(states),
        policies=dict(policies or {}),
        problem=problem,
        runs=int(values["n_runs"].iloc[0]),
        code=codes.pop() if len(codes) == 1 else "",
        unit=str(values["unit"].iloc[0]),
        scale=float(values["scale"].iloc[0]),
    )


def final_values(point: Mapping[str, Any]) -> tuple[Problem, pd.DataFrame]:
    """A setting's problem, and the last round of its summary with the setting in columns.

    Numbers are in the arms' own unit: `scale` turns them into the user's, `unit`. Where it
    `spends`, rewards are costs.
    """
    problem = read_problem(point["problem"])
    frame = read_frame(point["summary"], "a summary")
    horizon = int(frame["t"].max())
    final = frame[frame["t"] == horizon].drop(columns="t").reset_index(drop=True)
    known = pq.read_schema(point["summary"]).metadata or {}
    setting: dict[str, object] = {"dataset": problem.dataset, "source": problem.source}
    setting |= {"constraints": problem.goal.text, "horizon": horizon, "spends": spends(problem)}
    setting |= {"unit": known.get(b"unit", b"").decode(), "scale": float(known.get(b"scale", 1.0))}
    return problem, final.assign(**setting)[[*setting, *final]]


def _state(problem: Problem) -> dict[str, object]:
    state: dict[str, object] = {"feasible": problem.feasible, "binding": problem.binds}
    state |= {"optimum": np.nan if problem.optimum is None else problem.optimum}
    prices = problem.prices or (np.nan,) * len(problem.goal.constraints)
    for j, (one, price) in enumerate(zip(problem.goal.constraints, prices, strict=True)):
        state |= {f"bound_{j}": one.bound, f"price_{j}": price}
    return state
