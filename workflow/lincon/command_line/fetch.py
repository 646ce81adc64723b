"""Get raw files: the bytes with the pinned checksum, or nothing."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ARGUMENTS = {
    "--folder": {"type": Path, "required": True, "help": "the folder of raw files"},
    "--mirrors": {"type": json.loads, "default": [], "help": "places to try first, as JSON"},
    "--data": {
        "choices": ["auto", "real", "optional"],
        "help": "auto: leave an empty file if unreachable; optional: or if its bytes are wrong",
    },
}
PINNED = True


@dataclass(frozen=True)
class Settings:
    """Raw files by name, each with its entry in the config: `address`, `sha256`, ..."""

    files: dict[str, dict[str, Any]]


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.data.fetch import Unreachable, fetch
    from lincon.data.kinds import by_hand
    from lincon.data.raw import WrongBytes, is_placeholder, write_placeholder

    for name, entry in settings.files.items():
        target = args.folder / name
        try:
            fetched = fetch(name, args.folder, mirrors=args.mirrors, by_hand=by_hand(name), **entry)
            print(f"{target}: got from {fetched.origin}, sha256 {fetched.sha256}")
        except (Unreachable, WrongBytes) as error:
            # A file that somebody put there is never replaced by an empty one.
            kept = target.is_file() and not is_placeholder(target)
            if args.data == "real" or kept or (args.data == "auto" and type(error) is WrongBytes):
                raise
            write_placeholder(target)
            instead = (
                "it is left out" if args.data == "optional" else "the stand-in takes its place"
            )
            print(f"{target} is left empty, {instead}: {error}")
