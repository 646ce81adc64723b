"""Rules for the code as a whole: which way imports go, that types fit, no dangerous calls."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def tool(name: str, *arguments: str, folder: Path = REPOSITORY) -> tuple[int, str]:
    done = subprocess.run(
        [str(BIN / name), *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": "workflow"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def copy_of_the_library(folder: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "workflow", folder / "workflow", ignore=ignored)
    shutil.copy2(REPOSITORY / "pyproject.toml", folder)
    return folder / "workflow" / "lincon"


def test_imports_go_one_way():
    code, text = tool("lint-imports", "--no-cache")
    assert code == 0, text


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("problem/record.py", "import lincon.engine.tally", "Imports go downwards BROKEN"),
        ("analysis/results.py", "import lincon.jit", "nor Numba BROKEN"),
        ("analysis/results.py", "import numba", "nor Numba BROKEN"),
        ("files.py", "import snakemake", "nothing of Snakemake BROKEN"),
    ],
)
def test_an_import_upwards_is_found(tmp_path, module, line, contract):
    path = copy_of_the_library(tmp_path) / module
    path.write_text(path.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")
    code, text = tool("lint-imports", "--no-cache", folder=tmp_path)
    assert code == 1, text
    assert contract in " ".join(text.split())


def test_types_fit():
    code, text = tool("mypy", "--no-error-summary", "--cache-dir", os.devnull)
    assert code == 0, text


def test_there_are_no_dangerous_calls():
    """What is allowed, and why, is in pyproject.toml."""
    code, text = tool("bandit", "-c", "pyproject.toml", "-q", "-r", "workflow", "tools")
    assert code == 0, text
