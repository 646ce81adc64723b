"""Everything about one experiment as tables: theory, claims, outcomes, plays, league."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ARGUMENTS = {
    "--arms": {"type": Path, "required": True, "help": "the arm table"},
    "--problem": {"type": Path, "required": True, "help": "the problem's optimum"},
    "--summary": {"type": Path, "required": True, "help": "the setting's summary"},
    "--out": {"type": Path, "required": True, "help": "the folder of the experiment's tables"},
}


@dataclass(frozen=True)
class Settings:
    name: str
    title: str
    # Each a `lincon.command_line.runs.RunsOf`.
    players: list[dict[str, Any]]
    runs: int
    resamples: int
    seed: int
    gamma: float
    # The policies' labels and colours, by id, in the order of the legend; `reference` is true for
    # those that know the truth.
    looks: dict[str, dict[str, Any]]
    # The ids of the two policies that the claims compare, challenger first; none, no claims.
    compare: list[str] = field(default_factory=list)
    # What the bands of curves hold: each point, or the whole curve (simultaneous).
    bands: str = "pointwise"


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.analysis import analyse
    from lincon.analysis.results import make_results
    from lincon.analysis.runs import read_all, read_plays
    from lincon.command_line.runs import files_of
    from lincon.data import arms as arm_table
    from lincon.files import read_frame
    from lincon.problem.record import read_problem

    problem, arms = read_problem(args.problem), arm_table.read(args.arms)
    runs, metadata = read_all(files_of("runs", settings.players, settings.runs), settings.runs)
    plays = {
        policy: read_plays(files, policy, settings.runs)
        for policy, files in files_of("plays", settings.players, settings.runs).items()
    }
    how = analyse.Settings(
        runs=settings.runs,
        resamples=settings.resamples,
        seed=settings.seed,
        gamma=settings.gamma,
        compare=(settings.compare[0], settings.compare[1]) if settings.compare else None,
        references=tuple(p for p, look in settings.looks.items() if look.get("reference")),
    )
    results = make_results(
        settings.name,
        settings.title,
        settings.looks,
        problem,
        arms,
        read_frame(args.summary, "a summary"),
        analyse.analyse(runs, plays, problem, arms, how),
        metadata,
        arms.unit,
        arms.scale,
        settings.bands,
    )
    results.save(args.out)
