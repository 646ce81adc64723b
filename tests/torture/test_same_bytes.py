"""One config, one set of bytes: whatever the cores, the order, the folder, the environment."""

import os
from typing import Any

import pytest

from tests.torture.chance import attempts, tables
from tests.workflow.bench import OTHER_PROCESSOR, SMALL, Bench, changed, new_bench
from tests.workflow.golden import rows_of

STUDY = changed(
    SMALL, {"only": ["own"], "experiments": {"own": {"policies": ["lincon_ts", "lincon_kl_ucb"]}}}
)
COMPILED = {"NUMBA_DISABLE_JIT": "0"}
# What is other than in the first run: options of Snakemake, the environment, the folder, the umask.
VARIATIONS: dict[str, dict[str, Any]] = {
    "1 core": {"options": ("--cores", "1")},
    "8 cores": {"options": ("--cores", "8")},
    "another order of jobs": {"options": ("--scheduler", "ilp", "--prioritize", "tables")},
    "another folder, with a space": {"folder": "another place/my project"},
    "another time zone": {"env": {"TZ": "Pacific/Kiritimati"}},
    "another language": {"env": {"LANG": "de_DE.UTF-8", "LC_ALL": "C"}},
    "another umask": {"umask": 0o077},
    "another hash seed": {"env": {"PYTHONHASHSEED": "4711"}},
    "compiled": {"env": COMPILED},
    "another processor": {"env": OTHER_PROCESSOR},
    "compiled for another": {"env": OTHER_PROCESSOR | COMPILED | {"NUMBA_CPU_NAME": "haswell"}},
    "all at once": {
        "options": ("--cores", "5", "--scheduler", "ilp"),
        "env": {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "99"},
        "folder": "all/at once",
        "umask": 0o027,
    },
}


@pytest.fixture(scope="module")
def first(tmp_path_factory) -> Bench:
    bench = new_bench(tmp_path_factory.mktemp("first") / "project")
    bench.run(config=STUDY)
    return bench


@pytest.mark.parametrize("name", list(VARIATIONS)[: len(attempts(0, 99))])
def test_one_config_gives_the_same_bytes(first: Bench, tmp_path, name):
    other = VARIATIONS[name]
    before = os.umask(other.get("umask", 0o022))
    try:
        bench = new_bench(tmp_path / other.get("folder", "project"))
        bench.run(*other.get("options", ()), config=STUDY, **other.get("env", {}))
    finally:
        os.umask(before)
    assert tables(bench) == tables(first)


@pytest.mark.parametrize("block", [16][: len(attempts(0, 1))])
def test_runs_in_one_file_have_the_same_rows(first: Bench, tmp_path, block):
    bench = new_bench(tmp_path / "project")
    bench.run(config=STUDY | {"runs_per_job": block})
    assert rows_of(bench / "results") == rows_of(first / "results")
