"""Average the runs of a setting: one row a policy, metric, basis and recorded round."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ARGUMENTS = {
    "--problem": {"type": Path, "required": True, "help": "the problem's optimum"},
    "--out": {"type": Path, "required": True, "help": "the summary to write"},
}


@dataclass(frozen=True)
class Settings:
    # Each a `lincon.command_line.runs.RunsOf`.
    players: list[dict[str, Any]]
    runs: int
    resamples: int
    seed: int


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.analysis.metrics import summarise
    from lincon.analysis.runs import read_all
    from lincon.command_line.runs import files_of
    from lincon.files import write_frame
    from lincon.problem.record import read_problem

    runs, metadata = read_all(files_of("runs", settings.players, settings.runs), settings.runs)
    problem = read_problem(args.problem)
    frame = summarise(runs, problem, settings.runs, settings.resamples, settings.seed)
    write_frame(args.out, frame, metadata)
