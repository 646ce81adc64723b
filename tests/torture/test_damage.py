"""Results damaged on disk: `lincon verify` names tables, and no stage reads anything in silence."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from tests.torture.chance import attempts, generator
from tests.workflow.bench import DATED, SMALL, Bench, call

Damage = Callable[[bytes, np.random.Generator], bytes]


def flipped(data: bytes, rng: np.random.Generator) -> bytes:
    made = bytearray(data)
    made[rng.integers(len(made))] ^= 1 << rng.integers(8)
    return bytes(made)


def cut(data: bytes, rng: np.random.Generator) -> bytes:
    return data[: rng.integers(len(data))]


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


DAMAGES: tuple[Damage, ...] = (flipped, cut, zeros, longer, rewritten)


@dataclass(frozen=True)
class Finished:
    """A study that is done, a copy of it to damage, and who reads its files."""

    whole: Bench
    bench: Bench
    # A file -> the first outputs of the jobs that read it.
    readers: dict[str, list[str]]

    def restore(self) -> None:
        shutil.rmtree(self.bench / "results")
        shutil.copytree(self.whole / "results", self.bench / "results", copy_function=shutil.copy2)


def readers_in(plan: str) -> dict[str, list[str]]:
    """From a dry run of everything."""
    found: dict[str, list[str]] = {}
    for block in re.split(r"^ *(?:local)?rule \w+:$", plan, flags=re.MULTILINE)[1:]:
        inputs, outputs = (
            re.search(rf"^ *{what}: (.*)$", block, re.MULTILINE) for what in ("input", "output")
        )
        for name in inputs[1].split(", ") if inputs and outputs else ():
            found.setdefault(name, []).append(outputs[1].split(", ")[0])
    return found


@pytest.fixture(scope="module")
def study(finished: Bench, tmp_path_factory) -> Finished:
    plan = finished.run("--dry-run", "--forceall", config=SMALL).text
    bench = finished.copy(tmp_path_factory.mktemp("damaged") / "project")
    return Finished(finished, bench, readers_in(plan))


KINDS = ("results/runs/**/*.parquet", "results/problems/**/*.json", "results/**/results.json")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", attempts(1, 20))
def test_damage_is_noticed(study: Finished, kind, number):
    rng = generator(kind, number)
    path = rng.choice(sorted(study.whole.folder.glob(kind)))
    name, data = path.relative_to(study.whole.folder).as_posix(), path.read_bytes()
    made = DAMAGES[rng.integers(len(DAMAGES))](data, rng)
    (study.bench / name).write_bytes(made if made != data else flipped(data, rng))
    try:
        assert not unnoticed(study, name)
        assert not misread(study, name, rng)
    finally:
        study.restore()


def test_damage_that_nobody_notices_would_be_told(study: Finished):
    path = next(study.whole.folder.glob(KINDS[0]))
    name = path.relative_to(study.whole.folder).as_posix()
    assert "verify does not name it" in unnoticed(study, name)


def unnoticed(study: Finished, name: str) -> str:
    """A table is checked against its own checksums."""
    done = call(
        [sys.executable, "-m", "lincon", "verify"], study.bench.folder, study.bench.environment()
    )
    if "Traceback" in done.text:
        return f"verify ends in a traceback: {done.text[-800:]}"
    if name.endswith(".parquet") and (done.code == 0 or name not in done.text):
        return f"verify does not name it: {done.text[-400:]}"
    return ""


def misread(study: Finished, name: str, rng: np.random.Generator) -> str:
    """One of the jobs that read it refuses it by name, or makes what it made before."""
    readers = study.readers.get(name, [])
    if not readers:
        return ""
    output = str(rng.choice(readers))
    done = study.bench.snakemake("--force", "--", output, config=SMALL)
    if "Traceback" in done.text:
        return f"a traceback: {done.text[-1500:]}"
    if done.code and name not in done.text:
        return f"{output} fails without naming it: {done.text[-500:]}"
    same = output.endswith(DATED) or (
        (study.bench / output).is_file()
        and (study.bench / output).read_bytes() == (study.whole / output).read_bytes()
    )
    return "" if done.code or same else f"{output} was made of it in silence, and is another"
