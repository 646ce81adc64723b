"""A study killed at random moments, resumed as `make` does, compared with an undisturbed one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from tests.torture.kind import Attempt, Kind
from tests.workflow.bench import SMALL, STUDY, Bench, call, changed, checksums, new_bench

TINY = changed(SMALL, {"only": ["own"]})
TABLES = tuple(f"{STUDY}/{name}" for name in ("tables/own/league.md", "tables/final.md"))
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
    """A study to be killed; `expected` are the checksums of an undisturbed run, which took long."""

    bench: Bench
    expected: Mapping[str, str]
    config: Mapping[str, Any]
    seconds: float = 30.0
    targets: tuple[str, ...] = ()
    env: Mapping[str, str] | None = None

    def environment(self) -> dict[str, str]:
        return self.bench.environment() | dict(self.env or {})

    def command(self) -> list[str]:
        """As `make` does."""
        options = self.bench.command(*self.targets, config=self.config)[3:]
        return [sys.executable, "-m", "lincon", "run", *options]

    def run(self, command: list[str]) -> str:
        """A command that must succeed, and what it printed."""
        done = call(command, self.bench.folder, self.environment())
        assert done.code == 0, done.text
        return done.text

    def finish(self) -> None:
        """As `make` does after a kill; then everything is as in an undisturbed run."""
        text = self.run(self.command())
        assert "Traceback" not in text, text
        self.wait_for_jobs()
        found = checksums(self.bench)
        wrong = [name for name in self.expected if found.get(name) != self.expected[name]]
        assert not wrong, f"differs from an undisturbed run: {', '.join(wrong)}"
        if not self.targets:
            self.run([sys.executable, "-m", "lincon", "verify"])

    def wait_for_jobs(self) -> None:
        """Jobs may live on without their Snakemake."""
        until = time.monotonic() + PATIENCE
        while jobs := processes_in(self.bench.folder):
            assert time.monotonic() < until, f"still running: {jobs}"
            time.sleep(0.05)

    def killed(self, way: str, seconds: float) -> bool:
        """Start, and kill after so long; whether the run was still alive then."""
        with open(self.bench / "killed.log", "wb") as log:
            process = subprocess.Popen(
                self.command(),
                cwd=self.bench.folder,
                env=self.environment(),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            number, everyone, _ = WAYS[way]
            with suppress(ProcessLookupError, psutil.Error):
                if everyone:
                    os.killpg(process.pid, number)
                else:  # to Snakemake, which `lincon run` started
                    psutil.Process(process.pid).children()[0].send_signal(number)
            process.wait(PATIENCE)
            return True
        text = (self.bench / "killed.log").read_text(encoding="utf-8", errors="replace")
        assert process.returncode == 0, text
        return False


def processes_in(folder: Path) -> list[str]:
    """Processes that work in a folder."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.cwd() == str(folder) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(f"{process.pid} {process.name()}")
    return found


def forget(bench: Bench, rng: np.random.Generator) -> str:
    """Delete some of the results or all, with what Snakemake remembers, so that there is work."""
    if rng.random() < 0.3:
        for name in ("results", ".snakemake"):
            shutil.rmtree(bench / name, ignore_errors=True)
        return "from the beginning"
    files = sorted((bench / "results").rglob("*.*"))
    share = rng.uniform(0.4, 1.0)
    for path in files:
        # What is asked for goes in any case: Snakemake looks no further than that.
        asked = path.relative_to(bench.folder).as_posix() in TABLES
        if path.is_file() and (asked or rng.random() < share):
            path.unlink()
    return f"from {1 - share:.0%} of the results"


@contextmanager
def ready(folder: Path) -> Iterator[Study]:
    """One undisturbed run, and the same folder to do anything to."""
    bench = new_bench(folder / "kills" / "project")
    study = Study(bench, {}, TINY)
    began = time.monotonic()
    study.run(bench.command(config=TINY))
    yield Study(bench, checksums(bench), TINY, time.monotonic() - began)


def without_pictures(study: Study) -> Study:
    """As far as the tables: more kills in the same time."""
    expected = {
        name: sha256
        for name, sha256 in study.expected.items()
        if "/figures/" not in name and not name.endswith(".html")
    }
    return replace(study, targets=TABLES, expected=expected, seconds=study.seconds / 2)


def attempt(study: Study, rng: np.random.Generator, _: int) -> Attempt:
    """Several kills in a row, each of what the one before it left."""
    said, kills = [forget(study.bench, rng)], 0
    if rng.random() < 0.7:
        study = without_pictures(study)
    try:
        for _ in range(int(rng.integers(8, 17))):
            way = str(rng.choice(list(WAYS), p=[chance for *_, chance in WAYS.values()]))
            seconds = float(rng.uniform(0.01, 0.2) * study.seconds)
            if study.killed(way, seconds):
                kills += 1
                said.append(f"{way} after {seconds:.2f} s")
            else:
                said.append(forget(study.bench, rng))
        study.finish()
    except AssertionError as error:
        study.wait_for_jobs()
        shutil.rmtree(study.bench / "results", ignore_errors=True)
        shutil.rmtree(study.bench / ".snakemake", ignore_errors=True)
        return Attempt("; ".join(said), str(error)[-3000:], max(kills, 1))
    return Attempt("; ".join(said), "", kills)


KIND = Kind(
    "kills",
    "a small study killed at random moments (SIGKILL, SIGINT, SIGTERM), then `make` again",
    "every result byte as in an undisturbed run",
    "kills",
    200,
    ready,
    attempt,
)
