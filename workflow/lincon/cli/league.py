"""`lincon league`: the answer of a study, as at the end of a run."""

import argparse
import os
import shutil
import sys
from pathlib import Path

from lincon.errors import UserError
from lincon.study.paths import STUDIES, here


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("studies", nargs="*", help="names or folders (default: all here)")
    parser.add_argument("--markdown", action="store_true", help="as tables for a document")


def run(args: argparse.Namespace) -> None:
    studies = Path(here(STUDIES))
    folders = [Path(name) if "/" in name else studies / name for name in args.studies]
    shown = [show(folder, args.markdown) for folder in folders or sorted(studies.glob("*"))]
    # At the end of a run for a few files, which names its folder, there may be nothing to say.
    if not any(shown) and not any("/" in name for name in args.studies):
        there = sorted({path.parts[-4] for path in studies.glob("*/tables/*/results.json")})
        known = ", ".join(there) or "none yet, make it with: make"
        named = ", ".join(args.studies) or "any study"
        raise UserError(f"no league of {named} here; there is one of: {known}")


def show(folder: Path, markdown: bool = False) -> bool:
    """Print what a study found; whether there was anything."""
    tables = sorted(folder.glob("tables/*/results.json"))
    if not tables:
        return False
    from lincon.analysis.results import Results
    from lincon.report import terminal

    results = [Results.load(path.parent) for path in tables]
    if markdown:
        print("\n".join(map(terminal.markdown, results)))
        return True
    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    width = min(shutil.get_terminal_size().columns, 100)
    print(terminal.study(results, folder / "report.html", "make real", width, colours), flush=True)
    return True
