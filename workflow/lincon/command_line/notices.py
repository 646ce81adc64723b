"""What a reader must know at the end of a run: assumptions, stand-ins, where to look."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

ARGUMENTS: dict[str, object] = {}
# What it prints is read by people, not kept in a log.
TIMED = False
# So many policies have a sentence each; more are in the league alone.
FEW = 4


@dataclass(frozen=True)
class Settings:
    study: str
    # (dataset, eta) of every problem of the study.
    problems: list[list[str]]
    # The experiments that are no sweeps.
    experiments: list[str]
    # The raw files of published runs that the study asks for.
    published: list[str] = field(default_factory=list)


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.analysis.league_text import listed
    from lincon.analysis.tables import notices, read_problems
    from lincon.data.raw import is_placeholder
    from lincon.shared import real_command
    from lincon.study.paths import StudyPaths

    # A call for single targets need not have stated every problem, nor made every table.
    problems = read_problems(settings.problems, missing_ok=True)
    paths = StudyPaths(settings.study)
    if problems:
        print(notices(problems, paths.table("assumptions.md")))
    folders = [Path(paths.tables_of(name)) for name in settings.experiments]
    for line in _answers([folder for folder in folders if (folder / "results.json").exists()]):
        print(line)
    missing = list(filter(is_placeholder, settings.published))
    if missing:
        files = listed(missing)
        print(f"The published runs of {files} could not be had and are left out; see results/logs.")
    if missing or any(problem.source == "standin" for problem in problems):
        print(f"Once online, type: {real_command()}")
    if Path(paths.page).exists():
        print(f"The page of the study: {paths.page}")


def _answers(folders: list[Path]) -> list[str]:
    """The sentences at the top of the page; of many policies, only which one to use."""
    from lincon.analysis.results import Results
    from lincon.page.sentences import answer_of

    lines = []
    for folder in folders:
        results = Results.load(folder)
        answer = answer_of(results)
        few = len(answer.policies) <= FEW
        lines += [answer.heading, *(f"  {text}" for text in answer.advice)]
        lines += [f"  {text}" for _, text in answer.policies] if few else []
    return lines
