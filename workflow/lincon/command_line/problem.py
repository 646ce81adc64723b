"""Find the optimum of arms and a floor, and check the paper's assumptions."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

ARGUMENTS = {
    "--arms": {"type": Path, "required": True, "help": "the arm table"},
    "--out": {"type": Path, "required": True, "help": "the problem to write, as JSON"},
}


@dataclass(frozen=True)
class Settings:
    eta: float
    # Whether an experiment stands or falls with it; a sweep may go beyond what the arms can meet.
    must_be_feasible: bool


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.data import arms
    from lincon.files import write_text
    from lincon.problem.record import require_feasible
    from lincon.problem.solve import solve_problem

    problem = solve_problem(arms.read(args.arms), settings.eta)
    if settings.must_be_feasible:
        require_feasible(problem)
    write_text(args.out, problem.to_json())
