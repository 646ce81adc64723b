"""`lincon verify`: tables and records of results/ hold checksums of what they say."""

import argparse
import json
from pathlib import Path

from lincon.errors import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=Path, default=Path("results"))


def run(args: argparse.Namespace) -> None:
    from lincon.files import damaged, read_table, unsealed

    names = ("[!.]*.parquet", "problem.json", "results.json")
    files = sorted(path for name in names for path in args.folder.rglob(name))
    wrong = []
    for path in files:
        try:
            if path.suffix == ".json":
                unsealed(json.loads(path.read_text(encoding="utf-8")))
            else:
                read_table(path, "a table of lincon")
        except UserError as error:
            wrong.append(str(error))
        except (OSError, ValueError, TypeError, RecursionError) as error:
            wrong.append(damaged(path, "a record of lincon", error))
    wrong.append(f"{len(files)} tables and records in {args.folder}, {len(wrong)} damaged")
    print(*wrong, sep="\n")
    if wrong[1:]:
        raise UserError("delete the files named above and run again to make them")
