"""What several tests share."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests import real_data
from tests.server import Server

# A busy machine is not a failure: examples are judged by what they give, not by the clock.
settings.register_profile("lincon", deadline=None)
settings.load_profile("lincon")

REPOSITORY = Path(__file__).parent.parent
# What tests start uses the library of this checkout, whatever is installed.
os.environ["PYTHONPATH"] = str(REPOSITORY / "workflow")
# Kernels that only kernels call have no wrapper for Python otherwise.
os.environ["LINCON_CALLABLE_KERNELS"] = "1"


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
