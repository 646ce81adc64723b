"""Check the files of studies against the checksums recorded when they were written."""

from __future__ import annotations

import argparse

ARGUMENTS = {
    "studies": {"nargs": "*", "metavar": "STUDY", "help": "which studies; all that left a manifest"}
}


def run(args: argparse.Namespace) -> None:
    from lincon.errors import UserError
    from lincon.study import manifest

    names = args.studies or manifest.studies()
    if not names:
        raise UserError("no study has left a manifest yet; run one first")
    damaged = 0
    for name in names:
        files = manifest.read(name)
        lines = manifest.differences(files)
        damaged += len(lines)
        print(f"{name}: {len(files)} files, {len(lines)} not as they were written")
        for line in lines:
            print(f"  {line}")
    if damaged:
        raise UserError(
            f"{damaged} files differ; delete the ones named above and run snakemake again, which "
            "makes them and what depends on them anew"
        )
