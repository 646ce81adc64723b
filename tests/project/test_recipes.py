"""The recipe of CONTRIBUTING.md for a kind of dataset, followed literally in a copy."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import lincon

REPOSITORY = Path(__file__).parents[2]
NEW = re.compile(r"in a new file `([\w/]+\.\w+)`:\n\n```\w+\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The library with the files of the recipe."""
    root = tmp_path_factory.mktemp("copy")
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "workflow", root / "workflow", ignore=without)
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert text.count("```python") + text.count("```yaml") == len(NEW.findall(text)) == 3
    for name, block in NEW.findall(text):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(block, encoding="utf-8")
    return root


def python(copy: Path, *arguments: str) -> str:
    """What Python prints on the copy; kernels as plain Python, which needs no compiling."""
    environment = os.environ | {"PYTHONPATH": str(copy / "workflow"), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=copy, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_tests_pass(copy):
    printed = python(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "tests")
    assert re.search(r"^2 passed", printed, re.MULTILINE), printed


SWEPT = """
import yaml
from lincon.data.kinds import all_swept
config = yaml.safe_load(open("config/ladder.yaml"))
assert {"steps", "lowest"} <= set(all_swept())
print(config["experiments"]["ladder"]["steps"])
"""


def test_every_number_of_the_new_kind_can_be_swept(copy):
    assert python(copy, "-c", SWEPT).strip() == "[5, 10]"


def test_the_template_of_a_study_is_feasible_as_it_stands():
    config = yaml.safe_load((REPOSITORY / "config/my_arms.yaml").read_text(encoding="utf-8"))
    experiment = config["experiments"]["mine"]
    dataset = config["datasets"][experiment["dataset"]]
    arms = lincon.Arms.from_csv(REPOSITORY / dataset["path"])
    assert lincon.solve(arms, floor=experiment["eta"]).shares
