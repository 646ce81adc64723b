"""Make the arms of a dataset from its source."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ARGUMENTS = {
    "--raw": {"type": Path, "nargs": "*", "default": [], "help": "raw files"},
    "--out": {"type": Path, "required": True, "help": "the arm table to write"},
}


@dataclass(frozen=True)
class Settings:
    dataset: str
    # The config's `auto`, `real` or `standin`.
    data: str
    # The dataset's entry in the config, without its label and licence.
    entry: dict[str, Any]


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.data import arms
    from lincon.data.sources import extract

    spec = settings.entry | {"data": settings.data}
    made = extract(spec, args.raw, settings.dataset)
    if made.read_as:
        print(f"{made.address}: read as {made.read_as}")
    arms.write(made, args.out)
