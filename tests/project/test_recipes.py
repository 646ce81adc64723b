"""The recipes of CONTRIBUTING.md, followed literally in a copy."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]
TEXT = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
INSERTED = re.compile(
    r"In `(?P<file>[\w/]+\.py)`, (?P<side>after|before) `(?P<line>[^`]+)`:\n\n"
    r"```python\n(?P<block>.*?)```",
    re.DOTALL,
)
NEW = re.compile(
    r"[Ii]n a new file `(?P<file>[\w/]+\.\w+)`:\n\n```\w+\n(?P<block>.*?)```", re.DOTALL
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The package and the recipes' files, with every block where the text says."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(
        REPOSITORY / "workflow", root / "workflow", ignore=shutil.ignore_patterns("__pycache__")
    )
    (root / "config").mkdir()
    shutil.copy(REPOSITORY / "config" / "config.yaml", root / "config")
    for name in ("policies", "engine"):
        shutil.copytree(REPOSITORY / "tests" / "unit" / name, root / "tests" / "unit" / name)
    for found in INSERTED.finditer(TEXT):
        path = root / "workflow" / "lincon" / found["file"]
        text, line = path.read_text(encoding="utf-8"), found["line"] + "\n"
        assert text.count(line) == 1, f"{found['file']} has no single line {found['line']!r}"
        parts = (line, found["block"]) if found["side"] == "after" else (found["block"], line)
        path.write_text(text.replace(line, "".join(parts)), encoding="utf-8")
    for found in NEW.finditer(TEXT):
        path = root / found["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found["block"], encoding="utf-8")
    return root


def run(copy: Path, *command: str) -> str:
    """Run Python on the copy; kernels as plain Python, which needs no compiling."""
    environment = os.environ | {"PYTHONPATH": str(copy / "workflow"), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_block_of_the_recipes_is_followed():
    blocks = len(re.findall(r"^```(python|yaml)$", TEXT, re.MULTILINE))
    assert len(INSERTED.findall(TEXT)) + len(NEW.findall(TEXT)) == blocks >= 10


def test_the_tests_of_the_recipes_pass(copy):
    made = sorted(found["file"] for found in NEW.finditer(TEXT) if "test_" in found["file"])
    assert len(made) == 4
    text = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", *made)
    assert re.search(r"^9 passed", text, re.MULTILINE), text


MAKE = """
import json, sys
from lincon.policies.registry import engine_of, make_policy
for name, spec in json.loads(sys.argv[1]).items():
    print(name, engine_of(make_policy(name, spec), "lazy"))
"""


def test_the_policies_of_the_recipes_are_played_by_the_dense_engine(copy):
    entries = yaml.safe_load((copy / "config" / "laplace.yaml").read_text())["policies"]
    for entry in entries.values():
        del entry["label"]
    lines = run(copy, "-c", MAKE, json.dumps(entries)).splitlines()
    assert entries and lines == [f"{name} dense" for name in entries]


PLAN = """
from snakemake.utils import update_config
from lincon.study.config import read_config, validate
from lincon.study.plan import plan
given = read_config("config/config.yaml")
update_config(given, read_config("config/ladder.yaml"))
print(*sorted(plan(validate(given)).datasets))
"""


def test_every_number_of_the_new_kind_can_be_swept(copy):
    names = [f"ladder@steps_{n},lowest_{low}" for n in (10, 5) for low in (0.1, 0.2)]
    assert run(copy, "-c", PLAN).split() == names
