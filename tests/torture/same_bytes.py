"""One config, one set of bytes: whatever the cores, the order, the folder, the environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tests.torture.kind import Attempt, Kind
from tests.workflow.bench import (
    OTHER_PROCESSOR,
    REPOSITORY,
    SMALL,
    Bench,
    changed,
    checksums,
    new_bench,
)
from tests.workflow.rows import differing_rows

STUDY = changed(
    SMALL, {"only": ["own"], "experiments": {"own": {"policies": ["lincon_ts", "lincon_kl_ucb"]}}}
)


@dataclass(frozen=True)
class Variation:
    """What is other than in the first run; `rows` where the files are cut differently."""

    name: str
    arguments: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    folder: str = "project"
    umask: int = 0o022
    before: Callable[[Bench], None] = lambda bench: None
    python: str = ""
    rows: bool = False


def half_of_a_run(bench: Bench) -> None:
    """As far as the arms and one run, by another call."""
    wanted = [name for name in planned_outputs(bench) if "/runs/" in name][:1]
    bench.run(*wanted, config=STUDY)


def planned_outputs(bench: Bench) -> list[str]:
    text = bench.run("--dry-run", "--summary", config=STUDY).text
    return [line.split("\t")[0] for line in text.splitlines() if line.startswith("results/")]


VARIATIONS = (
    Variation("1 core", ("--cores", "1")),
    Variation("8 cores", ("--cores", "8")),
    Variation("another order of jobs", ("--scheduler", "ilp", "--prioritize", "tables")),
    Variation("16 runs in a job", config={"runs_per_job": 16}, rows=True),
    Variation("resumed", before=half_of_a_run),
    Variation("another folder, with a space", folder="another place/my project"),
    Variation("another time zone", env={"TZ": "Pacific/Kiritimati"}),
    Variation("another language", env={"LANG": "de_DE.UTF-8", "LC_ALL": "C"}),
    Variation("another umask", umask=0o077),
    Variation("another hash seed", env={"PYTHONHASHSEED": "4711"}),
    Variation("compiled kernels", env={"NUMBA_DISABLE_JIT": "0"}),
    Variation("another processor", env=OTHER_PROCESSOR),
    Variation(
        "compiled for another processor",
        env={**OTHER_PROCESSOR, "NUMBA_DISABLE_JIT": "0", "NUMBA_CPU_NAME": "haswell"},
    ),
    Variation("Python 3.12", python="3.12"),
    Variation("Python 3.13", python="3.13"),
    Variation(
        "all at once",
        ("--cores", "5", "--scheduler", "ilp"),
        {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "99"},
        folder="all/at once",
        umask=0o027,
        before=half_of_a_run,
    ),
)


@dataclass(frozen=True)
class First:
    folder: Path
    bench: Bench
    expected: Mapping[str, str]


@contextmanager
def ready(folder: Path) -> Iterator[First]:
    bench = new_bench(folder / "same_bytes" / "first")
    bench.run(config=STUDY)
    yield First(folder / "same_bytes", bench, checksums(bench))


def attempt(first: First, rng: np.random.Generator, number: int) -> Attempt:
    one = VARIATIONS[number % len(VARIATIONS)]
    python = interpreter(one.python, first.folder) if one.python else sys.executable
    if not python:
        return Attempt(f"no Python {one.python} with the pinned packages here", skipped=True)
    place = first.folder / str(number)
    try:
        return Attempt(one.name, varied(first, one, place, python))
    finally:
        shutil.rmtree(place)


def varied(first: First, one: Variation, place: Path, python: str) -> str:
    before = os.umask(one.umask)
    try:
        bench = new_bench(place / one.folder)
        one.before(bench)
        config = changed(STUDY, one.config)
        command = [python, *bench.command(*one.arguments, config=config)[1:]]
        done = subprocess.run(
            command,
            cwd=bench.folder,
            env=bench.environment() | dict(one.env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    finally:
        os.umask(before)
    if done.returncode:
        return done.stdout[-2000:]
    if one.rows:
        wrong = differing_rows(first.bench / "results", bench / "results")
    else:
        found = checksums(bench)
        wrong = [name for name in first.expected if found.get(name) != first.expected[name]]
    return f"differs: {', '.join(wrong)}" if wrong else ""


def interpreter(version: str, folder: Path) -> str:
    """A Python of that version with the pinned packages, in an environment of its own; or none."""
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    # pyenv puts a command for every version into the path, which works for the chosen ones alone.
    base = str(pyenv[-1]) if pyenv else shutil.which(f"python{version}")
    if not base or subprocess.run([base, "--version"], capture_output=True).returncode:
        return ""
    python = folder / f"venv-{version}" / "bin" / "python"
    if not python.exists():
        subprocess.run([base, "-m", "venv", str(python.parents[1])], check=True)
        install = ("-m", "pip", "install", "--quiet", "--require-hashes", "-r")
        lock = str(REPOSITORY / "requirements.txt")
        done = subprocess.run([str(python), *install, lock], capture_output=True, text=True)
        if done.returncode:
            return ""
    return str(python)


KIND = Kind(
    "same_bytes",
    "one study with other cores, order, blocks, folder, time zone, language, umask, processor, "
    "Python",
    "all runs, summaries, tables and figures the same, byte by byte (blocks: row by row)",
    "ways to run a study",
    len(VARIATIONS),
    ready,
    attempt,
)
