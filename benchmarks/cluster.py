"""What Slurm costs: the same runs on this machine and through a Slurm lab, and planning alone.

python benchmarks/cluster.py [RUNS]                 needs root and Slurm (tests/cluster/install.sh)
python benchmarks/cluster.py --plan 1000 10000      only plans so many runs; needs nothing
python benchmarks/cluster.py --project              what studies would cost, from measured rates
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("tests/cluster", "workflow")]

from experiment import SLURM, Experiment  # noqa: E402
from lab import Lab, why_not  # noqa: E402

POLLING = ["--slurm-init-seconds-before-status-checks", "2"]
GENERIC = [SLURM[0], f"{SLURM[1]}/generic", "--seconds-between-status-checks", "2"]

# Measured (docs/cluster.md), in seconds: a run's start, a round of the lazy engine, a Slurm job's
# start; planning and handing out a run; one call of sbatch.
RUN_SECONDS, ROUND_SECONDS, JOB_SECONDS = 1.0, 0.7e-6, 3.0
PLAN_SECONDS, SCHEDULE_SECONDS, SBATCH_SECONDS = 0.004, 0.013, 0.02
STUDIES = [
    ("the paper: 64 runs, T = 50,000", 64, 50_000),
    ("a bench: 20,000 runs, T = 10⁶", 20_000, 10**6),
    ("long runs: 20,000 runs, T = 10⁹", 20_000, 10**9),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=int, nargs="?", default=16, help="runs to play each way")
    parser.add_argument("--plan", type=int, nargs="+", default=[], help="runs to plan instead")
    parser.add_argument("--project", action="store_true", help="compute what studies would cost")
    args = parser.parse_args()
    if args.project:
        project()
        return
    with tempfile.TemporaryDirectory() as folder:
        experiment = Experiment(Path(folder))
        if args.plan:
            plan(experiment, args.plan)
        elif reason := why_not():
            sys.exit(reason)
        else:
            execute(experiment, args.runs)


def execute(experiment: Experiment, runs: int) -> None:
    """Every way twice: what a busy machine does to the numbers shows in the difference."""
    ways = {
        "here, 1 core": ["--cores", "1"],
        "Slurm, one run a job": group([*SLURM, *POLLING], 1),
        f"Slurm, {runs // 2} runs a job": group([*SLURM, *POLLING], runs // 2),
        f"generic, {runs // 2} runs a job": group(GENERIC, runs // 2),
    }
    experiment.configure(runs=runs // 2)
    experiment.warm_up()
    print("| how | Slurm jobs | seconds | seconds, again |\n|---|---|---|---|")
    with Lab() as lab:
        (experiment.folder / "profiles").symlink_to(Path(SLURM[1]).parent)
        for how, options in ways.items():
            before = len(lab.squeue())
            seconds = [timed(experiment, options, lab.env) for _ in range(2)]
            jobs = (len(lab.squeue()) - before) // 2
            print(f"| {how} | {jobs} | {seconds[0]:.0f} | {seconds[1]:.0f} |", flush=True)


def group(options: list[str], size: int) -> list[str]:
    return [*options, "--group-components", f"simulate={size}"]


def timed(experiment: Experiment, options: list[str], env: dict[str, str]) -> float:
    for tree in ("runs", "plays", "summaries"):
        shutil.rmtree(experiment.folder / "results" / tree, ignore_errors=True)
    start = time.monotonic()
    experiment.run(*options, env=env, timeout=3600)
    return time.monotonic() - start


def plan(experiment: Experiment, sizes: list[int]) -> None:
    """Processor time, because that is what planning takes; the rest is waiting for other work."""
    print("| runs | seconds of processor time | peak memory, MB |\n|---|---|---|")
    for runs in sizes:
        experiment.configure(runs=runs // 2)
        process = experiment.start("--dry-run", "--quiet", "all", "--cores", "1")
        _, status, used = os.wait4(process.pid, 0)
        if status:
            sys.exit(experiment.printed()[-3000:])
        seconds, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        print(f"| {runs:,} | {seconds:.0f} | {memory:.0f} |", flush=True)


def project() -> None:
    """Jobs, core-hours and hours of studies; either the cores or Snakemake is the slower one."""
    print("| study | cores | Slurm jobs | core-hours | sbatch, squeue calls | time |")
    print("|---|---|---|---|---|---|")
    for study, runs, rounds in STUDIES:
        for cores in (1, 100, 10_000):
            # As many runs a job as leave every core ten jobs, up to an hour of work.
            each = RUN_SECONDS + ROUND_SECONDS * rounds
            size = max(1, min(runs // (10 * cores), int(3600 / each), 50))
            jobs = -(-runs // size)
            work = runs * each + jobs * JOB_SECONDS
            waves = -(-jobs // cores) * (size * each + JOB_SECONDS)
            snakemake = runs * (PLAN_SECONDS + SCHEDULE_SECONDS)
            wall = max(waves, snakemake, jobs * SBATCH_SECONDS / 2)
            polls = int(wall / 60) + 1
            limit = "" if wall == waves else " (Snakemake)"
            print(
                f"| {study} | {cores:,} | {jobs:,} | {work / 3600:,.1f} | {jobs:,}, {polls:,} |"
                f" {readable(wall)}{limit} |"
            )


def readable(seconds: float) -> str:
    for unit, size in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:.0f} s"


if __name__ == "__main__":
    main()
