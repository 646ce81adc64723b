"""One complete run of the small bench, which the tests copy and then change."""

from __future__ import annotations

import pytest

from tests.workflow.bench import SMALL, Bench, Done, new_bench


@pytest.fixture(scope="session")
def complete(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, Done]:
    bench = new_bench(tmp_path_factory.mktemp("complete") / "project")
    return bench, bench.run(config=SMALL)


@pytest.fixture(scope="session")
def finished(complete: tuple[Bench, Done]) -> Bench:
    """For tests that read files and plans, and change nothing but the config."""
    return complete[0]


@pytest.fixture
def mine(finished: Bench, tmp_path) -> Bench:
    """A copy of the finished bench to do anything to."""
    return finished.copy(tmp_path / "project")
