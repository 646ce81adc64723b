"""Tables over many settings: assumptions, final values, one summary of all; and the last notice."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from lincon.analysis.table import Table, latex_file
from lincon.analysis.text import markdown_text, with_interval
from lincon.files import read_frame, write_frame, write_text
from lincon.problem.record import Problem

CHECKED = ("feasible", "strictly_feasible", "binding", "unique_optimum")
METRICS = ("regret", "violation", "reward", "ratio", "composite")
TITLES = {"assumptions": "The paper's assumptions", "final": "Values at the horizon"}
# So many problems have a line each at the end of a run; more are counted.
FEW = 8


def assumptions(problems: Iterable[Problem]) -> pd.DataFrame:
    """One row a problem: the paper's assumptions, checked."""
    return pd.DataFrame([_assumptions_row(problem) for problem in problems])


def _assumptions_row(problem: Problem) -> dict[str, object]:
    return {
        "dataset": problem.dataset,
        "source": problem.source,
        "arms": problem.arms,
        "eta": problem.eta,
        "feasible": problem.feasible,
        "strictly_feasible": problem.slater_gaps[0] > 0,
        "slater_gap": problem.slater_gaps[0],
        "binding": problem.binds,
        "unique_optimum": problem.unique,
        "two_arms": len(problem.support) == 2,
        "optimum": problem.optimum,
        "price": problem.price,
        "remark": "; ".join(filter(None, (problem.note, _remark(problem)))),
    }


def _remark(problem: Problem) -> str:
    if not problem.feasible:
        return f"out of reach: the largest mean is {problem.reachable[0]:.6g}"
    return "" if problem.binds else "unconstrained: the best arm meets eta by itself"


def collect(
    summaries: Iterable[str | Path], problems: Iterable[Problem], horizons: Iterable[int]
) -> pd.DataFrame:
    """The summaries of all settings as one table, with the setting and its source in columns."""
    parts = []
    for path, problem, horizon in zip(summaries, problems, horizons, strict=True):
        part = read_frame(path, "a summary")
        part.insert(0, "dataset", problem.dataset)
        part.insert(1, "source", problem.source)
        part.insert(2, "eta", problem.eta)
        part.insert(3, "horizon", horizon)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def write_tables(
    folder: Path, problems: Iterable[Problem], summary: pd.DataFrame, labels: Mapping[str, str]
) -> None:
    """Assumptions and final values: as Parquet, Markdown and LaTeX."""
    unique = list({(problem.dataset, problem.eta): problem for problem in problems}.values())
    frames = {"assumptions": assumptions(unique), "final": final_values(summary)}
    for name, frame in frames.items():
        write_frame(folder / f"{name}.parquet", frame)
        write_text(folder / f"{name}.md", markdown(frame, TITLES[name]))
    write_text(folder / "assumptions.tex", assumptions_latex(frames["assumptions"]))
    write_text(folder / "final.tex", final_latex(frames["final"], labels))


def final_values(summary: pd.DataFrame) -> pd.DataFrame:
    """The last recorded round of every setting."""
    return summary[summary["t"] == summary["horizon"]].drop(columns="t").reset_index(drop=True)


def markdown(frame: pd.DataFrame, heading: str) -> str:
    """A frame as a Markdown table; rows from stand-in arms are called out above it."""
    lines = [f"# {heading}", ""]
    standins = sorted(frame.loc[frame["source"] == "standin", "dataset"].unique())
    if standins:
        lines += [f"**Stand-in arms, not the real data: {', '.join(standins)}.**", ""]
    lines += ["| " + " | ".join(frame.columns) + " |", "|" + "---|" * len(frame.columns)]
    for row in frame.itertuples(index=False):
        lines.append("| " + " | ".join(_plain(_cell(value)) for value in row) + " |")
    return "\n".join(lines) + "\n"


def assumptions_latex(frame: pd.DataFrame) -> str:
    """The paper's assumptions as a table that fits a page."""
    names = ["dataset", "arms", "eta", *CHECKED, "optimum", "price"]
    marked = frame.assign(dataset=_marked(frame))
    rows = [[_cell(value) for value in row] for row in marked[names].itertuples(index=False)]
    headings = [name.replace("_", " ") for name in names]
    return latex_file({"The paper's assumptions": Table(headings, "lrrllllrr", rows)})


def final_latex(frame: pd.DataFrame, labels: Mapping[str, str]) -> str:
    """The metrics at the horizon on the expected basis: a row a policy, a column a metric."""
    kept = frame.assign(dataset=_marked(frame))[frame["basis"] == "expected"]
    settings = ["dataset", "eta", "horizon", "policy"]
    rows = []
    for (dataset, eta, horizon, policy), part in kept.groupby(settings, sort=False):
        found = part.set_index("metric")
        cells = [_cell_of(found, metric) for metric in METRICS]
        rows.append([dataset, f"{eta:g}", f"{horizon:,}", labels.get(policy, policy), *cells])
    headings = ("dataset", "eta", "T", "policy", *METRICS)
    title = "Values at the horizon, expected basis, with 95% intervals"
    return latex_file({title: Table(headings, "lrrl" + "r" * len(METRICS), rows)})


def _marked(frame: pd.DataFrame) -> pd.Series:
    """The names of datasets, stand-ins called so."""
    return frame["dataset"] + (frame["source"] == "standin").map({True: " (stand-in)", False: ""})


def _cell_of(found: pd.DataFrame, metric: str) -> str:
    if metric not in found.index or math.isnan(found.loc[metric, "mean"]):
        return ""
    return with_interval(*found.loc[metric, ["mean", "ci_low", "ci_high"]])


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if value != value else f"{value:.6g}"
    return "" if value is None else str(value)


def _plain(text: str) -> str:
    """Names as they are, which hold no markup; sentences without any."""
    return text if re.fullmatch(r"[\w.@=,-]*", text) else markdown_text(text)


def notices(problems: Sequence[Problem], table: str) -> str:
    """The assumption check as text, and which arms are stand-ins; `table` has all of it."""
    few = len(problems) <= FEW
    lines = ["Assumptions of the paper:"] if few else _counted(problems, table)
    lines += [_checked(problem) for problem in problems if few]
    standins = {problem.dataset for problem in problems if problem.source == "standin"}
    if standins:
        lines.append(f"STAND-IN ARMS, NOT THE REAL DATA: {', '.join(sorted(standins))}.")
    return "\n".join(lines)


def _marks(problem: Problem) -> dict[str, bool]:
    return {
        "feasible": problem.feasible,
        "strictly feasible": problem.slater_gaps[0] > 0,
        "binding": problem.binds,
        "unique optimum": problem.unique,
        "two arms": len(problem.support) == 2,
    }


def _checked(problem: Problem) -> str:
    marks = _marks(problem).items()
    checks = ", ".join(name if holds else f"NOT {name}" for name, holds in marks)
    remark = f"; {_remark(problem)}" if _remark(problem) else ""
    gap = f"Slater gap {problem.slater_gaps[0]:.4g}"
    return f"  {problem.dataset}, eta {problem.eta:g}: {checks} ({gap}){remark}"


def _counted(problems: Sequence[Problem], table: str) -> list[str]:
    counts = Counter(
        name for problem in problems for name, holds in _marks(problem).items() if holds
    )
    held = ", ".join(f"{name} {counts[name]:,}" for name in _marks(problems[0]))
    return [
        f"Assumptions of the paper, of {len(problems):,} problems: {held}",
        f"  each of them: {table}",
    ]
