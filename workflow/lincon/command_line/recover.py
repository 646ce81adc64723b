"""After a kill: drop the lock that Snakemake left, and half-written files, if no run is alive."""

from __future__ import annotations

import argparse
import subprocess
import sys

ARGUMENTS: dict[str, object] = {}


def run(args: argparse.Namespace) -> None:
    from lincon.study import alive

    locks, files = alive.snakemake_locks(), alive.temporary_files()
    if not locks and not files:
        return
    with alive.alone() as nobody:
        if not nobody:
            print("Another run is alive in this folder; its lock and its files are left alone.")
            return
        for file in files:
            file.unlink(missing_ok=True)
    if files:
        print(f"Removed {len(files)} half-written files of jobs that were killed.")
    if locks:
        # Snakemake's own way to drop its lock; nobody else is alive, as was just seen.
        command = [sys.executable, "-m", "snakemake", "--unlock", "--cores", "1"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        print("Removed the lock of a run that was killed." if not done.returncode else done.stderr)
