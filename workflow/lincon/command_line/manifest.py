"""Record the checksums of all that a study is made of, for `lincon verify`."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ARGUMENTS = {"--out": {"type": Path, "required": True, "help": "the manifest to write, as JSON"}}


@dataclass(frozen=True)
class Settings:
    study: str
    # Files outside the study's folder: arms and problems.
    files: list[str]
    # Each a `lincon.command_line.runs.RunsOf`.
    players: list[dict[str, Any]]
    trees: list[str]
    runs: int


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.files import write_text
    from lincon.study import manifest
    from lincon.study.paths import StudyPaths, run_files

    folder = Path(StudyPaths(settings.study).folder)
    mine = [path for path in folder.rglob("*") if path.is_file() and path != args.out]
    runs = [
        path
        for player in settings.players
        for tree in settings.trees
        for path in run_files(tree, player, settings.runs)
    ]
    visible = [path for path in mine if not path.name.startswith(".")]
    files = manifest.make([*map(Path, settings.files), *runs, *visible])
    write_text(args.out, json.dumps({"study": settings.study, "files": files}, indent=1) + "\n")
