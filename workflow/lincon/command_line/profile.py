"""Processor time by stage, from what the jobs left in their logs."""

from __future__ import annotations

import argparse
from pathlib import Path

ARGUMENTS = {
    "--logs": {"type": Path, "default": Path("results/logs"), "help": "the folder of the logs"}
}


def run(args: argparse.Namespace) -> None:
    from lincon.study.inventory import profile

    print(profile(args.logs))
