"""One config, one set of bytes: whatever the cores, the order of jobs, the processor."""

from collections.abc import Mapping, Sequence

import pytest

from tests.torture.chance import attempts, tables
from tests.workflow.bench import OTHER_PROCESSOR, SMALL, Bench, changed, new_bench
from tests.workflow.golden import rows_of

STUDY = changed(
    SMALL, {"only": ["own"], "experiments": {"own": {"policies": ["lincon_ts", "lincon_kl_ucb"]}}}
)
COMPILED = {"NUMBA_DISABLE_JIT": "0"}
# Options of Snakemake and environment; for folder, umask, time zone and language see test_kills.
VARIATIONS: dict[str, tuple[Sequence[str], Mapping[str, str]]] = {
    "1 core": (["--cores", "1"], {}),
    "8 cores": (["--cores", "8"], {}),
    "another order of jobs": (["--scheduler", "ilp", "--prioritize", "tables"], {}),
    "compiled": ([], COMPILED),
    "another processor": ([], OTHER_PROCESSOR),
    "compiled for another": ([], OTHER_PROCESSOR | COMPILED | {"NUMBA_CPU_NAME": "haswell"}),
}


@pytest.fixture(scope="module")
def first(tmp_path_factory) -> Bench:
    bench = new_bench(tmp_path_factory.mktemp("first") / "project")
    bench.run(config=STUDY)
    return bench


@pytest.mark.parametrize("name", list(VARIATIONS)[: len(attempts(0, 99))])
def test_one_config_gives_the_same_bytes(first: Bench, tmp_path, name):
    options, environment = VARIATIONS[name]
    bench = new_bench(tmp_path / "project")
    bench.run(*options, config=STUDY, **environment)
    assert tables(bench) == tables(first)


@pytest.mark.parametrize("block", [16][: len(attempts(0, 1))])
def test_runs_in_one_file_have_the_same_rows(first: Bench, tmp_path, block):
    bench = new_bench(tmp_path / "project")
    bench.run(config=STUDY | {"runs_per_job": block})
    assert rows_of(bench / "results") == rows_of(first / "results")
