"""One complete run of the small bench, which the tests copy and then change."""

import os

import pytest

from tests.workflow.bench import SMALL, Bench, Done, new_bench


@pytest.fixture(scope="session")
def complete(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, Done]:
    """Jobs use the interpreter that runs Snakemake, whatever python3 comes first on the path."""
    folder = tmp_path_factory.mktemp("complete")
    (folder / "python3").write_text("#!/bin/sh\necho the wrong python >&2\nexit 99\n")
    (folder / "python3").chmod(0o755)
    bench = new_bench(folder / "project")
    path = os.pathsep.join([str(folder), bench.environment()["PATH"]])
    return bench, bench.run(config=SMALL, PATH=path)


@pytest.fixture(scope="session")
def finished(complete: tuple[Bench, Done]) -> Bench:
    """For tests that read files and plans, and change nothing but the config."""
    return complete[0]


@pytest.fixture
def mine(finished: Bench, tmp_path) -> Bench:
    """A copy of the finished bench to do anything to."""
    return finished.copy(tmp_path / "project")
