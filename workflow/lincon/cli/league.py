"""`lincon league`: the answer of a study, as at the end of a run."""

from __future__ import annotations

import argparse
from pathlib import Path

from lincon.errors import UserError
from lincon.shared import real_command
from lincon.study.paths import STUDIES, here


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
    from lincon.page.sentences import answer_of

    results = [Results.load(path.parent) for path in sorted(folder.glob("tables/*/results.json"))]
    lines = []
    if standins := sorted({r.problem.dataset for r in results if r.problem.source == "standin"}):
        lines.append(f"STAND-IN DATA ({', '.join(standins)}): run `{real_command()}` when online")
    for one in results:
        found = answer_of(one)
        lines += [
            found.heading,
            *(f"  {text}" for text in (*found.advice, *dict(found.policies).values())),
        ]
    page = folder / "report.html"
    return "\n".join([*lines, *([f"Open  {page}"] if page.exists() else [])])
