"""`lincon league`: the answer of a study, as at the end of a run."""

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from lincon.errors import UserError
from lincon.study.paths import STUDIES, here


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("studies", nargs="*", help="names or folders (default: all here)")
    text = "of the study whose answer is wanted, as it was run"
    parser.add_argument("--configfile", "--configfiles", nargs="+", default=[], help=text)
    parser.add_argument("--markdown", action="store_true", help="as tables for a document")


def run(args: argparse.Namespace) -> None:
    named = [*args.studies, *([study_of(args.configfile)] if args.configfile else [])]
    folders = [Path(n) if "/" in n else Path(here(STUDIES), n) for n in named]
    folders = folders or sorted(Path(here(STUDIES)).glob("*"))
    shown = [show(folder, args.markdown) for folder in folders]
    # At the end of a run for a few files, which names its folder, there may be nothing to say.
    if not any(shown) and not any("/" in name for name in args.studies):
        there = sorted(
            {path.parts[-4] for path in Path(here(STUDIES)).glob("*/tables/*/results.json")}
        )
        if there:
            raise UserError(
                f"{', '.join(named)} has no league here; these have: {', '.join(there)}"
            )
        raise UserError("no study has a league here yet; make it with: lincon run")


def study_of(files: Sequence[str], extra: Sequence[str] = ()) -> str:
    """The name of the study that these config files and `--config` options describe."""
    import yaml

    from lincon.study.config import default_study

    own = Path("config/config.yaml")
    given = [*([str(own)] if own.is_file() else []), *files]
    known: dict[str, object] = {}
    for file in given:
        known |= yaml.safe_load(Path(file).read_text(encoding="utf-8")) or {}
    known |= dict(pair.split("=", 1) for pair in extra if pair.startswith("study="))
    return str(known.get("study", default_study(given)))


def show(folder: Path, markdown: bool = False) -> bool:
    """Print what a study found; whether there was anything."""
    tables = sorted(folder.glob("tables/*/results.json"))
    if not tables:
        return False
    from lincon.analysis.results import Results
    from lincon.report import terminal

    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    width = min(shutil.get_terminal_size().columns, 100)
    results = [Results.load(path.parent) for path in tables]
    if markdown:
        print("\n".join(map(terminal.markdown, results)))
        return True
    # A study of `lincon init` has no Makefile.
    real = "make real" if Path("Makefile").is_file() else "lincon real"
    print(terminal.study(results, folder / "report.html", real, width, colours))
    sys.stdout.flush()
    return True
