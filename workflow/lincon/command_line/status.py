"""Runs there, missing and stale, by experiment: reads `snakemake --summary` from standard input."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ARGUMENTS = {
    "--config": {
        "type": Path,
        "required": True,
        "nargs": "+",
        "help": "the default config, then others, each merged into those before",
    }
}


def run(args: argparse.Namespace) -> None:
    from lincon.study.inventory import load, status

    print(status(sys.stdin, load(args.config)))
