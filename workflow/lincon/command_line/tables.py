"""The tables over all settings of a study: assumptions, final values, one summary of everything."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field

ARGUMENTS: dict[str, object] = {}
TITLES = {"assumptions": "The paper's assumptions", "final": "Values at the horizon"}


@dataclass(frozen=True)
class Settings:
    study: str
    # (dataset, eta, horizon) of every setting of the study.
    settings: list[list]
    # Policy id -> label.
    labels: dict[str, str] = field(default_factory=dict)


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.analysis import tables
    from lincon.files import write_frame, write_text
    from lincon.study.paths import StudyPaths

    paths = StudyPaths(settings.study)
    problems = tables.read_problems([setting[:2] for setting in settings.settings])
    summary = tables.collect(paths, settings.settings, problems)
    frames = {"assumptions": tables.assumptions(problems), "final": tables.final_values(summary)}
    for name, frame in frames.items():
        write_frame(paths.table(f"{name}.parquet"), frame)
        write_text(paths.table(f"{name}.md"), tables.markdown(frame, TITLES[name]))
    write_text(paths.table("assumptions.tex"), tables.assumptions_latex(frames["assumptions"]))
    write_text(paths.table("final.tex"), tables.final_latex(frames["final"], settings.labels))
    write_frame(paths.everything, summary)
