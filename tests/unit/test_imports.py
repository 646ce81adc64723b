"""What a room may load: tables and figures do not wait for the compiler."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lincon.fingerprint import PACKAGE

IMPORT_ALL = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
print(*sorted(sys.modules))
"""


@pytest.mark.parametrize(
    ("package", "loads"),
    [
        ("lincon.analysis", False),
        ("lincon.report", False),
        ("lincon.study", False),
        ("lincon.data", False),
        ("lincon.engine", True),
    ],
)
def test_only_the_engine_loads_the_compiler(package, loads):
    command = [sys.executable, "-c", IMPORT_ALL, package]
    paths = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=os.environ | paths
    )
    modules = done.stdout.split()
    assert package in modules
    assert ("numba" in modules) == loads
    assert loads or not any(name.startswith("lincon.engine.") for name in modules)
