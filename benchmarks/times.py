"""Waiting times: the study of config/config.yaml on stand-in data, in a temporary folder.

    python benchmarks/times.py        first without a compiled kernel, then with; a few minutes

Seconds depend on what else the machine does; CPU seconds, of all processes, much less.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What is timed, the options that it adds, what is deleted before it, and the seconds aimed at.
STEPS = (
    ("first `make`: kernels are compiled", [], ["results", "kernels"], 45),
    ("compiled, one job per run", [], ["results"], 35),
    ("compiled, 16 runs per job", ["runs_per_job=16"], ["results"], 12),
    ("nothing to do", ["runs_per_job=16"], [], 1.5),
)


def timed(folder: Path, options: list[str]) -> tuple[float, float]:
    """Seconds and CPU seconds of what `make` calls once it has set up."""
    command = [sys.executable, "-m", "snakemake", "--cores", "all"]
    command += ["--config", "data=standin", *options]
    library = {"PYTHONPATH": str(ROOT / "workflow"), "NUMBA_CACHE_DIR": str(folder / "kernels")}
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, cwd=folder, env=os.environ | library, check=True, stdout=subprocess.DEVNULL
    )
    seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, busy


def main() -> None:
    print("| | seconds | CPU seconds | aim, seconds |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("Snakefile", "config", "profiles", "workflow"):
            (folder / part).symlink_to(ROOT / part)
        (folder / "kernels").mkdir()
        for what, options, deleted, aim in STEPS:
            for old in deleted:
                shutil.rmtree(folder / old, ignore_errors=True)
            seconds, busy = timed(folder, options)
            print(f"| {what} | {seconds:.1f} | {busy:.1f} | {aim} |", flush=True)


if __name__ == "__main__":
    main()
