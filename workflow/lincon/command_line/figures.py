"""All figures of one experiment, in one process: laying out is cheap, importing is not."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

ARGUMENTS = {
    "--tables": {"type": Path, "required": True, "help": "the folder of the experiment's tables"},
    "--out": {"type": Path, "required": True, "help": "the folder to write to"},
}


@dataclass(frozen=True)
class Settings:
    # Of lincon.figures.registry; none, all that the tables allow.
    figures: list[str] = field(default_factory=list)


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.analysis.results import Results
    from lincon.figures.draw import draw_all

    draw_all(Results.load(args.tables), args.out, settings.figures or None)
