"""The cluster that the tests here share, and when they may be skipped."""

import os
from importlib.util import find_spec

import pytest

from tests.cluster.lab import Lab, why_not


@pytest.fixture(scope="session", autouse=True)
def slurm():
    """Skip these tests where no lab can run; fail instead where CLUSTER_TESTS=required says so."""
    plugin = find_spec("snakemake_executor_plugin_slurm")
    missing = None if plugin else "the Slurm executor is missing: run make setup-slurm"
    if reason := missing or why_not():
        refuse = pytest.fail if os.environ.get("CLUSTER_TESTS") == "required" else pytest.skip
        refuse(reason)


@pytest.fixture(scope="module")
def lab(slurm):
    """A cluster for the tests of one file."""
    with Lab() as running:
        yield running
