"""One figure of a sweep: curves, frontier or heat map."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ARGUMENTS = {
    "--out": {"type": Path, "required": True, "help": "the folder to write to"},
}


@dataclass(frozen=True)
class Settings:
    study: str
    title: str
    figure: str
    axes: list[str]
    # Every point with its setting, its coordinates and its policies, by id and by name.
    points: list[dict[str, Any]]
    # The policies' labels and colours, by name, in the order of the legend.
    looks: dict[str, dict[str, str]]
    # The config's `style`.
    style: dict[str, Any] = field(default_factory=dict)


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.figures import sweeps
    from lincon.figures.draw_sweep import draw_sweep
    from lincon.study.paths import StudyPaths
    from lincon.study.style import Style

    sweep = sweeps.read(StudyPaths(settings.study), settings.points, settings.axes)
    style = Style.of(settings.style)
    draw_sweep(sweep, settings.looks, settings.title, settings.figure, args.out, style)
