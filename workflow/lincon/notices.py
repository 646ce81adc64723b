"""What the terminal says after a run: the assumptions, and whether anything is a stand-in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from lincon.problem import Problem


def assumptions(problems: Iterable[Problem]) -> pd.DataFrame:
    """One row a problem: the paper's assumptions, checked."""
    return pd.DataFrame([_row(problem) for problem in problems])


def _row(problem: Problem) -> dict[str, object]:
    return {
        "dataset": problem.dataset,
        "source": problem.source,
        "arms": problem.arms,
        "eta": problem.eta,
        "feasible": problem.feasible,
        "strictly_feasible": problem.slater_gap > 0,
        "slater_gap": problem.slater_gap,
        "binding": problem.binding,
        "unique_optimum": problem.unique,
        "two_arms": len(problem.support) == 2,
        "optimum": problem.optimum,
        "price": problem.price,
        "note": problem.note or _remark(problem),
    }


def _remark(problem: Problem) -> str:
    if not problem.feasible:
        return f"out of reach: the largest mean is {problem.largest_mean:.6g}"
    return "" if problem.binding else "unconstrained: the best arm meets eta by itself"


def notices(paths: Iterable[Path]) -> str:
    """The assumption check as text, and the one line to type where a stand-in was used."""
    problems = [Problem.from_json(path.read_text(encoding="utf-8")) for path in paths]
    lines = ["Assumptions of the paper:"]
    for problem in problems:
        marks = (
            ("feasible", problem.feasible),
            ("strictly feasible", problem.slater_gap > 0),
            ("binding", problem.binding),
            ("unique optimum", problem.unique),
            ("two arms", len(problem.support) == 2),
        )
        checks = ", ".join(name if holds else f"NOT {name}" for name, holds in marks)
        remark = f"; {_remark(problem)}" if _remark(problem) else ""
        lines.append(
            f"  {problem.dataset}, eta {problem.eta:g}: {checks} "
            f"(Slater gap {problem.slater_gap:.4g}){remark}"
        )
    standins = sorted({problem.dataset for problem in problems if problem.source == "standin"})
    if standins:
        lines += [
            f"STAND-IN ARMS, NOT THE REAL DATA: {', '.join(standins)}.",
            "Once online, type: make real",
        ]
    return "\n".join(lines)
