"""Tables over all settings of a study: problems and their assumptions, values at the horizon.

And what is printed at the end of a run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace

import pandas as pd

from lincon.problem.record import Problem
from lincon.report.table import Interval, Table
from lincon.report.text import banner, number

# So many problems have a line each at the end of a run; more are counted.
FEW = 8


def checks(problem: Problem) -> dict[str, bool]:
    """The assumptions of the paper, and of the lower bound."""
    return {
        "feasible": problem.feasible,
        "strictly feasible": all(gap > 0.0 for gap in problem.slater_gaps),
        "binding": problem.binds,
        "unique optimum": problem.unique,
    }


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
                    "remark": "; ".join(filter(None, (problem.note, remark(problem, j)))),
                }
            )
    return pd.DataFrame(rows)


def remark(problem: Problem, j: int) -> str:
    if problem.slater_gaps[j] < 0.0:
        return f"infeasible: the best arm has {number(problem.reachable[j])}"
    if not problem.feasible:
        return "infeasible together with the others"
    return "" if problem.binding[j] else "does not bind: the optimum is the same without it"


def assumptions_table(frame: pd.DataFrame) -> Table:
    marked = frame.assign(dataset=_marked(frame))
    left_out = ("source", "remark")
    shown = [name for name in frame.columns if name not in left_out]
    return Table.of(marked, shown=shown, title="Problems and assumptions", key="assumptions")


def final_table(frame: pd.DataFrame, labels: Mapping[str, str]) -> Table:
    """The metrics at the horizon on the expected basis: one row per policy, one column each."""
    chosen = frame.assign(dataset=_marked(frame))[frame["basis"] == "expected"]
    metrics = [name for name in dict.fromkeys(chosen["metric"]) if not name.startswith("shortfall")]
    settings = ["dataset", "constraints", "horizon", "policy"]
    rows = []
    for (dataset, constraints, horizon, policy), part in chosen.groupby(settings, sort=False):
        found = part.set_index("metric")
        cells = [_cell_of(found, metric) for metric in metrics]
        rows.append([dataset, constraints, f"{horizon:,}", labels.get(policy, policy), *cells])
    headings = ["dataset", "constraints", "T", "policy", *(m.replace("_", " ") for m in metrics)]
    title = "Values at the horizon, expected basis, with 95% intervals"
    return Table(headings, rows, title, "final", frame=frame)


def banner_of(frame: pd.DataFrame) -> str:
    """The warning about stand-ins of a frame with the columns dataset and source."""
    pairs = zip(frame["dataset"], frame["source"], strict=True)
    return banner(SimpleNamespace(dataset=d, source=s) for d, s in pairs)


def markdown(table: Table, warning: str) -> str:
    return "\n\n".join(
        filter(None, [f"# {table.title}", f"**{warning}**" * bool(warning), table.markdown()])
    )


def _marked(frame: pd.DataFrame) -> pd.Series:
    """The names of datasets, stand-ins marked."""
    return frame["dataset"] + (frame["source"] == "standin").map({True: " (stand-in)", False: ""})


def _cell_of(found: pd.DataFrame, metric: str) -> Interval | None:
    if metric not in found.index or math.isnan(found.loc[metric, "mean"]):
        return None
    return Interval(*found.loc[metric, ["mean", "ci_low", "ci_high"]])


def notices(problems: Sequence[Problem], table: str) -> str:
    """The assumptions as text, and which arms are stand-ins; `table` has all of it."""
    few = len(problems) <= FEW
    lines = ["Assumptions:", *map(_checked, problems)] if few else _counted(problems, table)
    return "\n".join(filter(None, [*lines, banner(problems)]))


def _checked(problem: Problem) -> str:
    held = ", ".join(name if holds else f"NOT {name}" for name, holds in checks(problem).items())
    bounds = ", ".join(f"{one.name} {one.bound:g}" for one in problem.goal.constraints)
    said = dict.fromkeys(remark(problem, j) for j in range(len(problem.goal.constraints)))
    tail = "; ".join(filter(None, said))
    return f"  {problem.dataset}, {bounds}: {held}{'; ' if tail else ''}{tail}"


def _counted(problems: Sequence[Problem], table: str) -> list[str]:
    counts = Counter(name for each in problems for name, holds in checks(each).items() if holds)
    held = ", ".join(f"{name} {counts[name]:,}" for name in checks(problems[0]))
    return [f"Assumptions of {len(problems):,} problems: {held}", f"  each of them: {table}"]
