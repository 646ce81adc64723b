"""What Slurm costs: the same runs on this machine and through a Slurm lab, and planning alone.

python benchmarks/cluster.py [RUNS]                 needs root and Slurm (tests/install.sh)
python benchmarks/cluster.py --plan 1000 10000      only plans so many runs; needs nothing
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "workflow")]
os.environ["PYTHONPATH"] = str(ROOT / "workflow")

from tests.cluster.experiment import SLURM, Experiment  # noqa: E402
from tests.cluster.lab import Lab, why_not  # noqa: E402

POLLING = ["--slurm-init-seconds-before-status-checks", "2"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=int, nargs="?", default=16, help="runs to play each way")
    parser.add_argument("--plan", type=int, nargs="+", default=[], help="runs to plan instead")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        experiment = Experiment(Path(folder))
        experiment.jit = True
        if args.plan:
            plan(experiment, args.plan)
        elif reason := why_not():
            sys.exit(reason)
        else:
            execute(experiment, args.runs)


def execute(experiment: Experiment, runs: int) -> None:
    """Every way twice: what a busy machine does to the numbers shows in the difference."""
    half, slurm = runs // 2, [*SLURM, *POLLING]
    # Name, options, and runs per job.
    ways = [
        ("here, 1 core, one run per job", ["--cores", "1"], 1),
        (f"here, 1 core, blocks of {half} runs", ["--cores", "1"], half),
        ("Slurm, one run per job", group(slurm, 1), 1),
        (f"Slurm, groups of {half} jobs of one run", group(slurm, half), 1),
        (f"Slurm, blocks of {half} runs", group(slurm, 1), half),
    ]
    experiment.configure(runs=half)
    experiment.warm_up()
    print("| how | Slurm jobs | seconds | again | CPU seconds per run |\n|---|---|---|---|---|")
    with Lab() as lab:
        for how, options, size in ways:
            experiment.configure(runs=half, runs_per_job=size)
            before, busy = len(lab.squeue()), busy_seconds()
            seconds = [timed(experiment, options, lab.env) for _ in range(2)]
            jobs, busy = (len(lab.squeue()) - before) // 2, busy_seconds() - busy
            times = f"{seconds[0]:.0f} | {seconds[1]:.0f} | {busy / 2 / runs:.1f}"
            print(f"| {how} | {jobs} | {times} |", flush=True)


def busy_seconds() -> float:
    """CPU time of the whole machine, as Slurm jobs are not child processes."""
    user, nice, system = map(float, Path("/proc/stat").read_text().split()[1:4])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")


def group(options: list[str], size: int) -> list[str]:
    return [*options, "--group-components", f"simulate={size}"]


def timed(experiment: Experiment, options: list[str], env: dict[str, str]) -> float:
    for tree in ("runs", "plays", "studies"):
        shutil.rmtree(experiment.folder / "results" / tree, ignore_errors=True)
    start = time.monotonic()
    experiment.run(*options, env=env, timeout=3600)
    return time.monotonic() - start


def plan(experiment: Experiment, sizes: list[int]) -> None:
    """CPU time of planning; wall time would include other work."""
    print("| runs | seconds of processor time | peak memory, MB |\n|---|---|---|")
    for runs in sizes:
        experiment.configure(runs=runs // 2, runs_per_job="auto")
        process = experiment.start("--dry-run", "--quiet", "all", "--cores", "1")
        _, status, used = os.wait4(process.pid, 0)
        if status:
            sys.exit(experiment.log.read_text()[-3000:])
        seconds, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        print(f"| {runs:,} | {seconds:.0f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main()
