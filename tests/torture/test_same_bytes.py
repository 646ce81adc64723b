"""One config, one set of bytes: whatever the cores, the order, the folder, the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.torture.chance import attempts
from tests.workflow.bench import (
    OTHER_PROCESSOR,
    SMALL,
    Bench,
    changed,
    checksums,
    new_bench,
)
from tests.workflow.golden import rows_of

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
    Variation(
        "all at once",
        ("--cores", "5", "--scheduler", "ilp"),
        {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "99"},
        folder="all/at once",
        umask=0o027,
        before=half_of_a_run,
    ),
)


@pytest.mark.parametrize("one", VARIATIONS[: len(attempts(0, 99))], ids=lambda one: one.name)
def test_one_config_gives_the_same_bytes(first: Bench, tmp_path, one: Variation):
    before = os.umask(one.umask)
    try:
        bench = new_bench(tmp_path / one.folder)
        one.before(bench)
        bench.run(*one.arguments, config=changed(STUDY, one.config), **one.env)
    finally:
        os.umask(before)
    if one.rows:
        assert rows_of(bench / "results") == rows_of(first / "results")
    else:
        assert checksums(bench) == checksums(first)


@pytest.fixture(scope="module")
def first(tmp_path_factory) -> Bench:
    bench = new_bench(tmp_path_factory.mktemp("first") / "project")
    bench.run(config=STUDY)
    return bench
