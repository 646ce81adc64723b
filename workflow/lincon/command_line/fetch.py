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
    "--data": {"choices": ["auto", "real"], "help": "auto: leave an empty file if unreachable"},
}
PINNED = True


@dataclass(frozen=True)
class Settings:
    """Raw files by name, each with its entry in the config: `address`, `sha256`, ..."""

    files: dict[str, dict[str, Any]]


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.data.fetch import Unreachable, fetch
    from lincon.data.kinds import by_hand
    from lincon.data.raw import write_placeholder

    for name, entry in settings.files.items():
        target = args.folder / name
        try:
            fetched = fetch(name, args.folder, mirrors=args.mirrors, by_hand=by_hand(name), **entry)
            print(f"{target}: got from {fetched.origin}, sha256 {fetched.sha256}")
        except Unreachable as error:
            if args.data != "auto":
                raise
            write_placeholder(target)
            print(f"{target} is left empty, the stand-in takes its place: {error}")
