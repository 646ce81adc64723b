"""The recipe of CONTRIBUTING.md for a kind of dataset, followed to the letter in a copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lincon.data.kinds import KINDS

REPOSITORY = Path(__file__).parents[4]
PLAN = """
from pathlib import Path
from lincon.study.config import load
from lincon.study.plan import plan
print(*sorted(plan(load([Path("config/config.yaml"), Path("ladder.yaml")])).datasets))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """The library and the config, with the files that CONTRIBUTING.md shows added."""
    folder = tmp_path_factory.mktemp("project")
    for part in ("workflow", "config"):
        shutil.copytree(
            REPOSITORY / part, folder / part, ignore=shutil.ignore_patterns("__pycache__")
        )
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## To add a kind of dataset\n")[1].split("\n## ")[0]
    for file, content in re.findall(r"```\w+\n# (\S+)\n(.*?)```", section, re.DOTALL):
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


def run(project: Path, *command: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(project / "workflow")}
    done = subprocess.run(
        [sys.executable, *command], cwd=project, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_tests_of_the_example_pass(project):
    file = "tests/unit/data/kinds/test_ladder.py"
    assert "2 passed" in run(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", file)


def test_the_new_kind_is_in_the_config_at_once_and_every_number_can_be_swept(project):
    names = [f"ladder@steps_{n},lowest_{low}" for n in (10, 5) for low in (0.1, 0.2)]
    assert run(project, "-c", PLAN).split() == names


def test_the_page_on_raw_data_says_how_each_kind_makes_its_arms():
    text = (REPOSITORY / "resources/README.md").read_text(encoding="utf-8")
    for name, kind in KINDS.items():
        assert f"| `{name}` | {kind.mean_is} | {kind.value_is} |\n" in text
