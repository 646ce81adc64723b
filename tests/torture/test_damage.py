"""Results damaged on disk: refused by name, or read as they were written; never in silence."""

import shutil
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest

from lincon.errors import UserError
from lincon.files import read_table
from tests.torture.chance import attempts, generator, tables
from tests.workflow.bench import SMALL, Bench

# Which files, and the rule that reads them.
READERS = {
    "results/arms/*.parquet": "problem",
    "results/runs/**/*.parquet": "summarise",
    "results/studies/**/results/**/*.parquet": "tables",
}


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


@pytest.fixture(scope="module")
def bench(finished: Bench, tmp_path_factory) -> Bench:
    """A copy of the finished study, to be damaged."""
    return finished.copy(tmp_path_factory.mktemp("damaged") / "project")


def damage(finished: Bench, bench: Bench, kind: str, number: int) -> str:
    """Damage a random file of a kind in `bench`; its name."""
    rng = generator(kind, number)
    path = rng.choice(sorted(finished.folder.glob(kind)))
    name, data = path.relative_to(finished.folder).as_posix(), path.read_bytes()
    damaged = DAMAGES[rng.integers(len(DAMAGES))](data, rng)
    (bench / name).write_bytes(damaged if damaged != data else flipped(data, rng))
    return name


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("number", attempts(20, 500))
def test_damage_is_refused_or_changes_nothing_that_is_read(finished, bench, kind, number):
    name = damage(finished, bench, kind, number)
    with suppress(UserError):
        read, whole = (read_table(each / name, "a table") for each in (bench, finished))
        assert read.equals(whole, check_metadata=True)
    shutil.copy2(finished / name, bench / name)


@pytest.mark.parametrize(("kind", "rule"), READERS.items())
@pytest.mark.parametrize("number", attempts(1, 20))
def test_a_job_refuses_damage_by_name_or_makes_what_it_made(finished, bench, kind, rule, number):
    name = damage(finished, bench, kind, number)
    done = bench.snakemake("--forcerun", rule, "--until", rule, config=SMALL)
    try:
        assert "Traceback" not in done.text, done.text[-1500:]
        assert rule in done.text
        if done.code:
            assert name in done.text
        else:
            assert tables(bench) | {name: ""} == tables(finished) | {name: ""}
    finally:
        shutil.rmtree(bench / "results")
        shutil.copytree(finished / "results", bench / "results", copy_function=shutil.copy2)
