"""Processor time by stage, and inside simulation jobs by phase, as jobs left it in their logs."""

from __future__ import annotations

import argparse
from pathlib import Path

ARGUMENTS = {
    "--logs": {"type": Path, "default": Path("results/logs"), "help": "the folder of the logs"}
}


def run(args: argparse.Namespace) -> None:
    from lincon.study.profile import profile

    print(profile(args.logs))
