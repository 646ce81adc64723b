"""All figures of one experiment in one job: laying out is cheap, importing is not."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ARGUMENTS = {
    "--tables": {"type": Path, "required": True, "help": "the folder of the experiment's tables"},
    "--out": {"type": Path, "required": True, "help": "the folder to write to"},
    "--processes": {"type": int, "default": 1, "help": "how many draw at the same time"},
}


@dataclass(frozen=True)
class Settings:
    # Of lincon.figures.registry; none, all that the tables allow.
    figures: list[str] = field(default_factory=list)
    # Policy id -> colour, of those that have one of their own.
    colours: dict[str, str] = field(default_factory=dict)
    # The config's `style`.
    style: dict[str, Any] = field(default_factory=dict)


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.analysis.results import Results
    from lincon.figures.draw import draw_all
    from lincon.study.style import Style

    results = Results.load(args.tables).coloured(settings.colours)
    style = Style.of(settings.style)
    draw_all(results, args.out, settings.figures or None, style, args.processes)
