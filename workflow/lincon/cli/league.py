"""`lincon league`: the answer of a study that has run."""

import argparse
import os
import shutil
import sys
from pathlib import Path

from lincon.errors import UserError
from lincon.study.paths import STUDIES


def arguments(parser: argparse.ArgumentParser) -> None:
    about = "a study's name, its config file or its study.json (default: all here)"
    parser.add_argument("studies", nargs="*", help=about)


def run(args: argparse.Namespace) -> None:
    records = [record_of(name) for name in args.studies]
    for path in records or sorted(Path(STUDIES).glob("*/study.json")):
        # A run for a few files may not have made one yet.
        if path.exists():
            show(path)


def record_of(name: str) -> Path:
    """The record of a study by its name, its config file, or the record's own path."""
    if name.endswith(".json"):
        return Path(name)
    if name.endswith((".yaml", ".yml")):
        from lincon.study.config import default_study, read_config

        name = read_config(name).get("study") or default_study([name])
    path = Path(STUDIES, name, "study.json")
    if not path.is_file():
        there = ", ".join(sorted(p.parent.name for p in Path(STUDIES).glob("*/study.json")))
        raise UserError(f"the study {name} has not run here; allowed: {there or 'none has yet'}")
    return path


def show(path: Path) -> None:
    """Print what a study found."""
    from lincon.report import terminal
    from lincon.report.study import opened, read_record

    results, sweeps = opened(read_record(path))
    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    width = min(shutil.get_terminal_size().columns, 100)
    page = path.with_name("report.html")
    print(terminal.study(results, sweeps, page, width=width, colours=colours), flush=True)
