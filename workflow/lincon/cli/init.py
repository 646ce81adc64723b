"""`lincon init`: a small study that runs as it is."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

from lincon.errors import UserError
from lincon.files import write_text

TEMPLATE = Path(__file__).parent / "new_study"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="an empty or a new folder")


def run(args: argparse.Namespace) -> None:
    for path in new_study(args.folder):
        print(path)
    here = args.folder.resolve() == Path.cwd()
    print(f"Next: {'' if here else f'cd {shlex.quote(str(args.folder))} && '}lincon run")


def new_study(folder: Path) -> list[Path]:
    """Write the files of a small study; the folder must be empty or absent."""
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise UserError(f"{folder} is not empty; a study begins in an empty folder, or a new one")
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", folder.resolve().name).lstrip("_-0123456789")[:60]
    sources = sorted(path for path in TEMPLATE.rglob("*") if path.is_file())
    written = [folder / path.relative_to(TEMPLATE) for path in sources]
    for source, target in zip(sources, written, strict=True):
        text = source.read_text(encoding="utf-8")
        write_text(target, text.replace("STUDY", name or "study"))
    return written
