"""After a kill: remove half-written files of dead jobs, and Snakemake's lock if no run is alive."""

from __future__ import annotations

import argparse

ARGUMENTS: dict[str, object] = {}


def run(args: argparse.Namespace) -> None:
    from lincon.files import sweep_tree
    from lincon.study import alive, paths

    # A name says whose file it is: those of jobs that live on without their Snakemake stay.
    removed = [file for folder in paths.WRITTEN for file in sweep_tree(folder)]
    if removed:
        print(f"Removed {len(removed)} half-written files of jobs that were killed.")
    if not alive.snakemake_locks():
        return
    with alive.alone() as nobody:
        if not nobody:
            print("Another run is alive in this folder; its lock is left alone.")
            return
        # As `snakemake --unlock` does, which would take seconds in which another run may begin.
        for lock in alive.snakemake_locks():
            lock.unlink(missing_ok=True)
    print("Removed the lock of a run that was killed.")
