"""List, or delete, the run files that no study refers to, going by the plans that studies left."""

from __future__ import annotations

import argparse
from pathlib import Path

ARGUMENTS = {
    "--delete": {"action": "store_true", "help": "delete them, not only list them"},
    "--forget": {
        "nargs": "+",
        "default": [],
        "metavar": "STUDY",
        "help": "studies whose runs nobody wants any more",
    },
}


def run(args: argparse.Namespace) -> None:
    from lincon.errors import UserError
    from lincon.study import alive
    from lincon.study.inventory import delete, listing, stale

    if not args.delete:
        print(listing(stale(Path(), args.forget)))
        return
    with alive.alone() as nobody:
        if not nobody:
            raise UserError("a run is alive in this folder and may need them; wait for its end")
        found = stale(Path(), args.forget)
        print(listing(found))
        delete(found.files)
