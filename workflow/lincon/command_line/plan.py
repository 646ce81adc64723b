"""Leave a study's plan beside its results: its config, by which its runs can be told later."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ARGUMENTS = {"--out": {"type": Path, "required": True, "help": "the plan to write, as JSON"}}


@dataclass(frozen=True)
class Settings:
    # The config as validated, defaults filled in.
    config: dict[str, Any]


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.files import write_text

    write_text(args.out, json.dumps(settings.config, indent=2, sort_keys=True) + "\n")
