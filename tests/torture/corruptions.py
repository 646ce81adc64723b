"""Results damaged on disk: `lincon verify` names them, and no stage reads them in silence."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from tests.torture.kills import TINY
from tests.torture.kind import Attempt, Kind
from tests.workflow.bench import DATED, Bench, new_bench

MANIFEST = "results/studies/small/manifest.json"
# A stage may copy these into what it makes; what they hold is for people to look at.
LOOKED_AT = (".png", ".pdf", ".html", ".md", ".tex")
Damage = Callable[[bytes, np.random.Generator], bytes]


def flipped(data: bytes, rng: np.random.Generator) -> bytes:
    made = bytearray(data)
    made[rng.integers(len(made))] ^= 1 << rng.integers(8)
    return bytes(made)


def cut(data: bytes, rng: np.random.Generator) -> bytes:
    return data[: rng.integers(len(data))]


def empty(data: bytes, rng: np.random.Generator) -> bytes:
    return b""


def zeros(data: bytes, rng: np.random.Generator) -> bytes:
    """As a file system leaves a block that was never written."""
    made, at = bytearray(data), int(rng.integers(len(data)))
    size = min(512, len(made) - at)
    made[at : at + size] = bytes(size)
    return bytes(made)


def longer(data: bytes, rng: np.random.Generator) -> bytes:
    return data + rng.bytes(int(rng.integers(1, 100)))


def rewritten(data: bytes, rng: np.random.Generator) -> bytes:
    return rng.bytes(len(data))


DAMAGES: dict[str, Damage] = {
    one.__name__: one for one in (flipped, cut, empty, zeros, longer, rewritten)
}


@dataclass(frozen=True)
class Job:
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    command: str


@dataclass(frozen=True)
class Finished:
    """A study that is done, a copy of it to damage, its files by kind, and the jobs behind them."""

    whole: Bench
    bench: Bench
    kinds: dict[str, list[str]]
    jobs: list[Job]

    def restore(self, *names: str) -> None:
        for name in names:
            shutil.copy2(self.whole / name, self.bench / name)

    def call(self, command: list[str]) -> tuple[int, str]:
        done = subprocess.run(
            command,
            cwd=self.bench.folder,
            env=self.bench.environment()
            | {"PATH": f"{Path(sys.executable).parent}:{self.bench.environment()['PATH']}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout


def planned_jobs(text: str) -> list[Job]:
    """The jobs of a dry run with --printshellcmds."""
    jobs = []
    for block in re.split(r"^ *(?:local)?rule \w+:$", text, flags=re.MULTILINE)[1:]:
        command = re.search(r"^ *Shell command: (.*)$", block, re.MULTILINE)
        if command and command[1] != "None":
            jobs.append(Job(listed("input", block), listed("output", block), command[1]))
    return jobs


def listed(what: str, block: str) -> tuple[str, ...]:
    found = re.search(rf"^ *{what}: (.*)$", block, re.MULTILINE)
    return tuple(found[1].split(", ")) if found else ()


def kind_of(name: str) -> str:
    """`results/runs/.../run=0.parquet` -> `runs *.parquet`."""
    path = PurePosixPath(name)
    if path.parts[1] == "studies" and "figures" not in path.parts:
        return path.name
    return f"{'figures' if 'figures' in path.parts else path.parts[1]} *{path.suffix}"


def of(whole: Bench, bench: Bench, config: Mapping[str, Any]) -> Finished:
    jobs = planned_jobs(whole.run("-n", "-p", "--forceall", config=config).text)
    kinds: dict[str, list[str]] = {}
    for path in sorted((whole / "results").rglob("*.*")):
        name = path.relative_to(whole.folder).as_posix()
        if path.is_file() and "/logs/" not in name and path.name != ".alive":
            kinds.setdefault(kind_of(name), []).append(name)
    return Finished(whole, bench, kinds, jobs)


@contextmanager
def ready(folder: Path) -> Iterator[Finished]:
    whole = new_bench(folder / "corruptions" / "whole")
    whole.run(config=TINY)
    yield of(whole, whole.copy(folder / "corruptions" / "project"), TINY)


def attempt(study: Finished, rng: np.random.Generator, number: int) -> Attempt:
    """Each kind of file in turn, damaged in one of the ways."""
    kind = sorted(study.kinds)[number % len(study.kinds)]
    name = str(rng.choice(study.kinds[kind]))
    damage = str(rng.choice(list(DAMAGES)))
    data = (study.whole / name).read_bytes()
    made = DAMAGES[damage](data, rng)
    if made == data:
        made = flipped(data, rng)
    (study.bench / name).write_bytes(made)
    try:
        failure = unnoticed(study, name) or misread(study, name, rng)
    finally:
        study.restore(name)
    return Attempt(f"{name} {damage}", failure)


def unnoticed(study: Finished, name: str) -> str:
    code, text = study.call([sys.executable, "-m", "lincon", "verify"])
    if "Traceback" in text:
        return f"verify ends in a traceback: {text[-800:]}"
    if code == 0 or (name not in text and name != MANIFEST):
        return f"verify does not name it: {text[-400:]}"
    return ""


def misread(study: Finished, name: str, rng: np.random.Generator) -> str:
    """One of the jobs that read it refuses it, or makes what it made before."""
    readers = [job for job in study.jobs if name in job.inputs and " manifest " not in job.command]
    if not readers or name.endswith(LOOKED_AT):
        return ""
    job = readers[rng.integers(len(readers))]
    code, text = study.call(["bash", "-c", job.command.rpartition(" > ")[0]])
    changed = [
        output
        for output in job.outputs
        if not output.endswith(DATED)
        and (study.bench / output).read_bytes() != (study.whole / output).read_bytes()
    ]
    study.restore(*job.outputs)
    if "Traceback" in text:
        return f"a traceback: {text[-1500:]}"
    stage = job.command.split(" --settings")[0]
    if code == 0 and changed:
        return f"`{stage}` read it in silence and made another {', '.join(changed)}"
    if code != 0 and name not in text:
        return f"`{stage}` fails without naming it: {text[-500:]}"
    return ""


KIND = Kind(
    "corruptions",
    "every kind of result file with a bit flipped, cut off, emptied, zeroed, longer, rewritten",
    "`lincon verify` names it; a stage that reads it refuses it by name, or is not touched by it",
    "damaged files",
    120,
    ready,
    attempt,
)
