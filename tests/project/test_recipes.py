"""Recipes of the documents, followed literally."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from snakemake.utils import update_config

import lincon
from lincon.study.config import read_config, validate
from lincon.study.plan import plan, require_tables

REPOSITORY = Path(__file__).parents[2]
BLOCK = re.compile(r"^ *```(\w+)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
NEW = re.compile(r"in a new file `([\w/]+\.\w+)`:\n\n```\w+\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The library with the files of the recipe."""
    root = tmp_path_factory.mktemp("copy")
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "workflow", root / "workflow", ignore=without)
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert text.count("```python") + text.count("```yaml") == len(NEW.findall(text)) == 2
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


EXTRACTED = """
from lincon.data.sources import extract
arms = extract({"kind": "ladder", "steps": 3}, [], "ladder")
print(arms.mean.round(12).tolist(), arms.value.tolist())
"""


def test_the_new_kind_makes_arms(copy):
    assert python(copy, "-c", EXTRACTED).strip() == "[0.9, 0.495, 0.09] [0.5, 0.75, 1.0]"


PLANNED = """
from lincon.study.config import read_config, validate
from lincon.study.plan import plan
rows = plan(validate(read_config("config/ladder.yaml"))).table
print(*sorted(tuple(sorted(one.items())) for one in rows["coordinates"]), sep="\\n")
"""


def test_every_number_of_the_new_kind_can_be_swept(copy):
    assert python(copy, "-c", PLANNED).splitlines() == [
        f"(('highest', {highest}), ('steps', {steps}))"
        for highest in (0.8, 0.9)
        for steps in (5, 10)
    ]


def test_the_template_of_a_study_is_feasible_as_it_stands():
    config = yaml.safe_load((REPOSITORY / "config/my_arms.yaml").read_text(encoding="utf-8"))
    experiment = config["experiments"]["mine"]
    dataset = config["datasets"][experiment["dataset"]]
    arms = lincon.Arms.from_csv(REPOSITORY / dataset["path"])
    assert lincon.solve(arms, floor=experiment["eta"]).shares


PAGES = ["tutorial", "your_policy", "language_models", "figures", "module"]


@pytest.mark.parametrize("page", PAGES)
def test_configs_of_the_pages_can_be_planned(page, tmp_path, monkeypatch):
    """With the files that the page says to write."""
    text = (REPOSITORY / f"docs/{page}.md").read_text(encoding="utf-8")
    blocks = [(kind, dedent(block)) for kind, block in BLOCK.findall(text)]
    shutil.copytree(REPOSITORY / "config", tmp_path / "config")
    shutil.copy(REPOSITORY / "config/examples/links.csv", tmp_path)
    for name, kind in (("my_policy.py", "python"), ("models.csv", "text")):
        written = [block for one, block in blocks if one == kind]
        (tmp_path / name).write_text(written[0] if written else "", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    configs = [yaml.safe_load(block) for kind, block in blocks if kind == "yaml"]
    for own in configs:
        config = read_config("config/config.yaml")
        update_config(config, own.get("bandits", own))
        planned = plan(validate(config))
        require_tables(planned)
        assert len(planned.table) > 0
    assert configs
