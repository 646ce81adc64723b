"""What several tests share."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests import real_data
from tests.server import Server
from tests.workflow.bench import SMALL, Bench, Done, new_bench

# No deadlines: a busy machine is not a failure.
settings.register_profile("lincon", deadline=None)
settings.load_profile("lincon")

REPOSITORY = Path(__file__).parent.parent
# What tests start uses the library of this checkout, whatever is installed.
os.environ["PYTHONPATH"] = str(REPOSITORY / "workflow")


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests of the cluster wait for Slurm most of the time."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def mirror() -> Path:
    """A folder with the real data files; tests against them are skipped without it."""
    folder = real_data.folder()
    missing = real_data.missing(folder)
    if missing:
        pytest.skip(
            f"no {' and no '.join(missing)} with the pinned bytes in {folder}; "
            "set LINCON_MIRROR to a folder that has them"
        )
    return folder


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A local HTTP server, asked directly even where a proxy is set up."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server().running() as running:
        yield running


@pytest.fixture(scope="session")
def complete(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, Done]:
    """The small bench after one complete run: a copy for each process of pytest-xdist.

    Jobs use the interpreter that runs Snakemake, whatever python3 comes first on the path.
    """
    folder = tmp_path_factory.getbasetemp()
    common = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    bench, printed = Bench(common / "complete" / "project"), common / "complete.txt"
    with (common / "complete.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not printed.exists():
            python = new_bench(bench.folder).folder.parent / "python3"
            python.write_text("#!/bin/sh\necho the wrong python >&2\nexit 99\n")
            python.chmod(0o755)
            path = os.pathsep.join([str(python.parent), bench.environment()["PATH"]])
            printed.write_text(bench.run(config=SMALL, PATH=path).text)
    return bench.copy(tmp_path_factory.mktemp("complete") / "project"), Done(0, printed.read_text())


@pytest.fixture(scope="session")
def finished(complete: tuple[Bench, Done]) -> Bench:
    """For tests that read files and plans, and change nothing but the config."""
    return complete[0]


@pytest.fixture
def mine(finished: Bench, tmp_path) -> Bench:
    """A copy of the finished bench to do anything to."""
    return finished.copy(tmp_path / "project")
