"""Results damaged on disk: refused by name, or read as they were written; never in silence."""

import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from lincon.errors import UserError
from lincon.files import read_table
from tests.torture.chance import attempts, generator
from tests.workflow.bench import DATED, SMALL, Bench

KINDS = (
    "results/arms/*.parquet",
    "results/runs/**/*.parquet",
    "results/studies/**/results/**/*.parquet",
)


def flipped(data: bytes, rng: np.random.Generator) -> bytes:
    bits = bytearray(data)
    bits[rng.integers(len(bits))] ^= 1 << rng.integers(8)
    return bytes(bits)


def zeros(data: bytes, rng: np.random.Generator) -> bytes:
    """As a file system leaves a block that was never written."""
    at = int(rng.integers(len(data)))
    return data[:at] + bytes(len(data[at : at + 512])) + data[at + 512 :]


DAMAGES: tuple[Callable[[bytes, np.random.Generator], bytes], ...] = (
    flipped,
    zeros,
    lambda data, rng: data[: rng.integers(len(data))],
    lambda data, rng: data + rng.bytes(int(rng.integers(1, 100))),
    lambda data, rng: rng.bytes(len(data)),
)


def damage(whole: Bench, bench: Bench, kind: str, number: int) -> tuple[str, np.random.Generator]:
    """Damage a random file of a kind in `bench`; its name, and the generator to go on with."""
    rng = generator(kind, number)
    path = rng.choice(sorted(whole.folder.glob(kind)))
    name, data = path.relative_to(whole.folder).as_posix(), path.read_bytes()
    damaged = DAMAGES[rng.integers(len(DAMAGES))](data, rng)
    (bench / name).write_bytes(damaged if damaged != data else flipped(data, rng))
    return name, rng


@pytest.fixture(scope="module")
def bench(finished: Bench, tmp_path_factory) -> Bench:
    """A copy of the finished study, to be damaged."""
    return finished.copy(tmp_path_factory.mktemp("damaged") / "project")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", attempts(20, 500))
def test_damage_is_refused_or_changes_nothing_that_is_read(finished, bench, kind, number):
    name, _ = damage(finished, bench, kind, number)
    with suppress(UserError):
        read, whole = (read_table(each / name, "a table") for each in (bench, finished))
        assert read.equals(whole, check_metadata=True)
    shutil.copy2(finished / name, bench / name)


def content(path: Path) -> dict[str, bytes]:
    """The bytes of a file, or of all files in a folder."""
    files = path.iterdir() if path.is_dir() else [path]
    return {file.name: file.read_bytes() for file in files}


@pytest.fixture(scope="module")
def readers(finished: Bench) -> dict[str, list[str]]:
    """A file -> the first outputs of the jobs that read it, from a dry run of everything."""
    plan = finished.run("--dry-run", "--forceall", config=SMALL).text
    readers: dict[str, list[str]] = {}
    for block in re.split(r"^ *(?:local)?rule \w+:$", plan, flags=re.MULTILINE)[1:]:
        inputs, outputs = (
            re.search(rf"^ *{what}: (.*)$", block, re.MULTILINE) for what in ("input", "output")
        )
        for name in inputs[1].split(", ") if inputs and outputs else ():
            readers.setdefault(name, []).append(outputs[1].split(", ")[0])
    return readers


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", attempts(1, 20))
def test_a_job_refuses_damage_by_name_or_makes_what_it_made(finished, bench, readers, kind, number):
    name, rng = damage(finished, bench, kind, number)
    output = str(rng.choice(readers[name]))
    done = bench.snakemake("--force", "--", output, config=SMALL)
    try:
        assert "Traceback" not in done.text, done.text[-1500:]
        if done.code:
            assert name in done.text
        elif "/figures" not in output and not output.endswith(DATED):
            assert content(bench / output) == content(finished / output)
    finally:
        shutil.rmtree(bench / "results")
        shutil.copytree(finished / "results", bench / "results", copy_function=shutil.copy2)
