"""What a reader must know at the end of a run: assumptions, stand-ins, where to look."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

ARGUMENTS: dict[str, object] = {}
# What it prints is read by people, not kept in a log.
TIMED = False


@dataclass(frozen=True)
class Settings:
    study: str
    # (dataset, eta) of every problem of the study.
    problems: list[list[str]]


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.analysis.tables import notices, read_problems
    from lincon.study.paths import StudyPaths

    # A call for single targets need not have stated every problem.
    problems = read_problems(settings.problems, missing_ok=True)
    if problems:
        print(notices(problems))
        print(f"Results of the study: {StudyPaths(settings.study).folder}")
