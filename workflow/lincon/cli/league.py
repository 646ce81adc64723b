"""`lincon league`: the answer of a study, as at the end of a run."""

from __future__ import annotations

import argparse
from pathlib import Path

from lincon.errors import UserError
from lincon.shared import real_command
from lincon.study.paths import STUDIES, here

# So many policies have a sentence each; more are in the league of the page.
FEW = 4


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("studies", nargs="*", help="names or folders (default: all here)")


def run(args: argparse.Namespace) -> None:
    named = [
        Path(name) if Path(name).is_dir() else Path(here(STUDIES), name) for name in args.studies
    ]
    folders = named or sorted(path for path in Path(here(STUDIES)).glob("*"))
    found = [answers for folder in folders if (answers := answer(folder))]
    # At the end of a run for a few files, named by its folder, there may be nothing to say.
    if not found and not any("/" in name for name in args.studies):
        raise UserError("no study has a league here yet; make it with: lincon run")
    if found:
        print("\n\n".join(found), flush=True)


def answer(folder: Path) -> str:
    """What a study found, and where to look; empty before there is anything."""
    from lincon.analysis.results import Results
    from lincon.report.sentences import answer_of
    from lincon.report.text import banner

    results = [Results.load(path.parent) for path in sorted(folder.glob("tables/*/results.json"))]
    warning = banner(one.problem for one in results)
    lines = [f"{warning} Run `{real_command()}` when online."] if warning else []
    for one in results:
        found = answer_of(one)
        each = dict(found.policies).values() if len(found.policies) <= FEW else ()
        lines += [found.heading, *(f"  {text}" for text in (*found.advice, *each))]
    page = folder / "report.html"
    return "\n".join([*lines, *([f"Open  {page}"] if page.exists() else [])])
