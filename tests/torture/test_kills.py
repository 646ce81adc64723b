"""A study killed at random moments and resumed, compared with an undisturbed one."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
import pytest

from tests.torture.chance import attempts, generator, tables
from tests.workflow.bench import SMALL, STUDY, Bench, call, new_bench

# How a run ends: the signal, whether the jobs get it too, and how often this is tried.
WAYS = {
    "SIGKILL to all": (signal.SIGKILL, True, 0.6),
    "SIGKILL to Snakemake alone": (signal.SIGKILL, False, 0.16),
    "SIGINT to all": (signal.SIGINT, True, 0.12),
    "SIGTERM to Snakemake": (signal.SIGTERM, False, 0.12),
}
PATIENCE = 180.0


@dataclass(frozen=True)
class Study:
    """A study to be killed; `expected` are the checksums of an undisturbed run."""

    bench: Bench
    expected: Mapping[str, str]
    options: tuple[str, ...]
    env: Mapping[str, str]

    def command(self, *options: str) -> list[str]:
        return self.bench.command(*options, *self.options, config=SMALL)

    def unlock(self) -> None:
        """A lock stays after SIGKILL; Snakemake says how to remove it."""
        done = call(self.command("--unlock"), self.bench.folder, self.env)
        assert done.code == 0, done.text

    def finish(self) -> None:
        """Run again; then everything is as in an undisturbed run."""
        self.unlock()
        done = call(self.command(), self.bench.folder, self.env)
        assert done.code == 0 and "Traceback" not in done.text, done.text
        until = time.monotonic() + PATIENCE
        while jobs := processes_in(self.bench.folder):  # they may live on without their Snakemake
            assert time.monotonic() < until, f"still running: {jobs}"
            time.sleep(0.05)
        results = tables(self.bench)
        wrong = [name for name in self.expected if results.get(name) != self.expected[name]]
        assert not wrong, f"differs from an undisturbed run: {', '.join(wrong)}"

    def killed(self, way: str, seconds: float) -> bool:
        """Start, and kill after so long; whether the run was still alive then."""
        self.unlock()
        with open(self.bench / "killed.log", "wb") as log:
            process = subprocess.Popen(
                self.command(),
                cwd=self.bench.folder,
                env=self.env,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            number, everyone, _ = WAYS[way]
            with suppress(ProcessLookupError):
                if everyone:
                    os.killpg(process.pid, number)
                else:
                    process.send_signal(number)
            process.wait(PATIENCE)
            return True
        assert code == 0, (self.bench / "killed.log").read_text(errors="replace")
        return False


def processes_in(folder: Path) -> list[str]:
    """Processes that work in a folder."""
    names = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.cwd() == str(folder) and process.status() != psutil.STATUS_ZOMBIE:
                names.append(f"{process.pid} {process.name()}")
    return names


def forget(bench: Bench, rng: np.random.Generator) -> None:
    """Delete some of the results or all, with what Snakemake remembers, so that there is work."""
    if rng.random() < 0.3:
        for name in ("results", ".snakemake"):
            shutil.rmtree(bench / name, ignore_errors=True)
    share = rng.uniform(0.4, 1.0)
    for path in outputs(bench / "results"):
        if rng.random() < share:
            (shutil.rmtree if path.is_dir() else Path.unlink)(path)


def outputs(results: Path) -> list[Path]:
    """What jobs write and others ask for: a folder of tables or of figures counts as one."""
    folders = [*results.glob("studies/*/tables/*"), *results.glob("studies/*/figures/*")]
    others = {"tables", "figures", "plays", "chosen"}
    files = [path for path in results.rglob("*.*") if not others.intersection(path.parts)]
    return sorted([*folders, *filter(Path.is_file, files)])


@pytest.mark.parametrize("number", attempts(0, 20))
def test_several_kills_in_a_row_leave_the_same_bytes(finished: Bench, tmp_path, number):
    rng = generator("kills", number)
    bench = finished.copy(tmp_path / "project")
    study = Study(bench, tables(finished), (), bench.environment())
    forget(bench, rng)
    for _ in range(int(rng.integers(4, 12))):
        way = str(rng.choice(list(WAYS), p=[chance for *_, chance in WAYS.values()]))
        if not study.killed(way, float(rng.uniform(1.0, 12.0))):
            forget(bench, rng)
    study.finish()


# Everything of one experiment.
TARGETS = (f"{STUDY}/figures/own", f"{STUDY}/tables/own")
OF_IT = re.compile(r"results/arms/own-|dataset=own-.*/horizon=300/|/tables/own/")
ELSEWHERE = {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "LANG": "C", "PYTHONHASHSEED": "4711"}


def test_other_cores_order_folder_time_language_umask_hash_seed_and_a_kill(
    finished: Bench, tmp_path
):
    expected = {name: sha256 for name, sha256 in tables(finished).items() if OF_IT.search(name)}
    assert len(expected) > 8
    umask = os.umask(0o077)
    try:
        bench = new_bench(tmp_path / "another place" / "my project")
        options = ("--cores", "5", "--scheduler", "ilp", "--", *TARGETS)
        study = Study(bench, expected, options, bench.environment() | ELSEWHERE)
        # While its first jobs run, which go on.
        assert study.killed("SIGKILL to Snakemake alone", 4.0)
        study.finish()
    finally:
        os.umask(umask)
