"""Tables over all settings of a study: problems and their assumptions, values at the horizon."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from lincon.analysis.results import REWARDS
from lincon.problem.record import Problem
from lincon.report.table import Interval, Table


def assumptions(problems: Iterable[Problem]) -> pd.DataFrame:
    """One row per problem and constraint: what is assumed, checked, and the prices."""
    rows = []
    for problem in problems:
        missing = (None,) * len(problem.goal.constraints)
        for j, one in enumerate(problem.goal.constraints):
            rows.append(
                {
                    "dataset": problem.dataset,
                    "source": problem.source,
                    "arms": problem.arms,
                    "constraint": one.name,
                    "sense": one.sense.replace("_", " "),
                    "bound": one.bound,
                    "feasible": problem.feasible,
                    "slater_gap": problem.slater_gaps[j],
                    "binding": problem.binding[j],
                    "unique_optimum": problem.unique,
                    "arms_in_optimum": len(problem.support),
                    "optimum": problem.optimum,
                    "amount": (problem.amounts or missing)[j],
                    "price": (problem.prices or missing)[j],
                    "price_below": problem.prices_left[j],
                    "price_above": problem.prices_right[j],
                    "remark": problem.note,
                }
            )
    return pd.DataFrame(rows)


def assumptions_table(frame: pd.DataFrame) -> Table:
    shown = [name for name in frame.columns if name not in ("source", "remark")]
    marked = frame.assign(dataset=_marked(frame))
    return Table.of(marked, shown=shown, title="Problems and assumptions", key="assumptions")


def final_table(frame: pd.DataFrame, labels: Mapping[str, str]) -> Table:
    """The metrics at the horizon on the expected basis: one row per policy, one column each."""
    chosen = _in_units(frame.assign(dataset=_marked(frame))[frame["basis"] == "expected"])
    known = list(dict.fromkeys(chosen["metric"]))
    violations = [name for name in known if name.startswith("violation")]
    metrics = ["joint", "regret", *violations, "reward", "cost", "ratio", "composite"]
    metrics = [name for name in metrics if name in known]
    settings = ["dataset", "constraints", "horizon", "policy", "unit"]
    rows = []
    for (dataset, constraints, horizon, policy, unit), part in chosen.groupby(settings, sort=False):
        found = part.dropna(subset="mean").set_index("metric")[["mean", "ci_low", "ci_high"]]
        cells = [Interval(*found.loc[m]) if m in found.index else None for m in metrics]
        rows.append(
            [dataset, constraints, f"{horizon:,}", labels.get(policy, policy), unit, *cells]
        )
    # Only where a setting has several constraints does a number say which.
    names = [m.removesuffix("_0") if len(violations) == 1 else m.replace("_", " ") for m in metrics]
    headings = ["dataset", "constraints", "T", "policy", "unit", *names]
    title = "Values at the horizon, expected basis, with 95% intervals"
    return Table(headings, rows, title, "final", frame=frame)


def _in_units(frame: pd.DataFrame) -> pd.DataFrame:
    """With rewards in the user's unit, and as costs where the goal is to spend little."""
    frame = frame[~(frame["spends"] & (frame["metric"] == "ratio"))]
    cost = frame["spends"] & (frame["metric"] == "reward")
    factor = frame["scale"].where(frame["metric"].isin(REWARDS), 1.0).mask(cost, -frame["scale"])
    ends = frame[["ci_low", "ci_high"]].mul(factor, axis=0)
    return frame.assign(
        metric=frame["metric"].mask(cost, "cost"),
        mean=frame["mean"] * factor,
        ci_low=ends.min(axis=1),
        ci_high=ends.max(axis=1),
    )


def _marked(frame: pd.DataFrame) -> pd.Series:
    """The names of datasets, stand-ins marked."""
    return frame["dataset"] + (frame["source"] == "standin").map({True: " (stand-in)", False: ""})
