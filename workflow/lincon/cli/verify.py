"""`lincon verify`: every Parquet file holds checksums of its pages and of its metadata."""

from __future__ import annotations

import argparse
from pathlib import Path

from lincon.errors import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=Path, default=Path("results"))


def run(args: argparse.Namespace) -> None:
    from lincon.files import read_table

    files = sorted(args.folder.rglob("[!.]*.parquet"))
    damaged = []
    for path in files:
        try:
            read_table(path, "a table of lincon")
        except UserError as error:
            damaged.append(path)
            print(error)
    print(f"{len(files)} Parquet files in {args.folder}, {len(damaged)} damaged")
    if damaged:
        raise UserError("delete the files named above and run again to make them")
