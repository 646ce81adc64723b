"""A small experiment in a folder of its own, run by Snakemake here or on a cluster."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from lincon.fingerprint import fingerprint
from tests.workflow.bench import planned

ROOT = Path(__file__).parents[2]
SLURM = ["--workflow-profile", str(ROOT / "profiles" / "slurm")]
# Closed-form arms need no file, and two policies on them show all there is to batching.
SMALL: dict[str, Any] = {
    "data": "standin",
    "runs": 2,
    "points": 20,
    "only": ["small"],
    "experiments": {
        "small": {
            "dataset": "wireless",
            "eta": 0.5,
            "horizon": 2000,
            "policies": ["lincon_ts", "lincon_kl_ucb"],
        }
    },
}
DATASET = planned(SMALL)["dataset"][0]
GROUP = f"dataset={DATASET}/constraints=eta_0.5/horizon=2000"
OUTCOMES = f"results/studies/small/results/{GROUP}/outcomes.parquet"
RUNS = f"results/runs/{GROUP}"


class Experiment:
    """A working folder of the pipeline; the workflow itself stays where it is.

    Without `jit` kernels are left to Python: runs this small take less than compiling.
    """

    jit = False

    def __init__(self, folder: Path, **config: Any):
        self.folder = folder
        self.log = folder / "snakemake.out"
        shutil.copytree(ROOT / "config", folder / "config", dirs_exist_ok=True)
        self.configure(**config)

    def configure(self, **config: Any) -> None:
        (self.folder / "small.yaml").write_text(yaml.safe_dump(SMALL | config))

    def command(self, *options: str, targets: tuple[str, ...] = (OUTCOMES,)) -> list[str]:
        """Without targets last, a list option such as --group-components would swallow them."""
        snakefile = ["--snakefile", str(ROOT / "Snakefile"), "--configfile", "small.yaml"]
        return [sys.executable, "-m", "snakemake", *options, *snakefile, "--", *targets]

    def start(self, *options: str, env: dict[str, str] | None = None, **more) -> subprocess.Popen:
        """Start the pipeline; what it prints goes to `log`."""
        with self.log.open("wb") as log:
            return subprocess.Popen(
                self.command(*options, **more),
                cwd=self.folder,
                env=(env or dict(os.environ)) | ({} if self.jit else {"NUMBA_DISABLE_JIT": "1"}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def run(self, *options: str, timeout: float = 240, **more) -> str:
        """Run the pipeline to its good end; returns what it printed."""
        return self.finish(self.start(*options, **more), timeout)

    def finish(self, running: subprocess.Popen, timeout: float = 240) -> str:
        try:
            code = running.wait(timeout)
        finally:
            running.kill()
        printed = self.log.read_text()
        assert code == 0, printed[-5000:]
        return printed

    def warm_up(self) -> None:
        """All that simulations wait for: arms and compiled kernels."""
        code = fingerprint("engine")
        kernels = [
            f"results/kernels/{code}-{name}" for name in set(planned(SMALL)["kernels"].explode())
        ]
        problem = f"results/problems/dataset={DATASET}/constraints=eta_0.5/problem.json"
        self.run("--cores", "2", targets=(*kernels, problem), timeout=600)

    def runs(self) -> dict[str, str]:
        """The files of all runs and their sha256."""
        return {
            str(file.relative_to(self.folder)): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in sorted((self.folder / RUNS).rglob("run=*.parquet"))
        }

    def times(self) -> dict[str, int]:
        """When each run was written."""
        return {file: (self.folder / file).stat().st_mtime_ns for file in self.runs()}

    def finished(self) -> set[str]:
        """The runs that Snakemake says are finished, in its log file: the terminal is quiet."""
        logs = sorted((self.folder / ".snakemake/log").glob("*.snakemake.log"))
        printed = logs[-1].read_text() if logs else ""
        output = r"output: (\S+/run=\d+\.parquet),.*?jobid: (\d+)"
        files = {job: file for file, job in re.findall(output, printed, re.S)}
        return {files[job] for job in re.findall(r"Finished jobid: (\d+) \(Rule: sim", printed)}
