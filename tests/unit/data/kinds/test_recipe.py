"""The recipe of CONTRIBUTING.md for a kind of dataset, followed to the letter in a copy."""

import os
import re
import shutil
import subprocess
import sys

from tests.real_data import REPOSITORY

PLAN = """
from lincon.study.config import read_config, validate
from lincon.study.plan import plan
config, ladder = (read_config(file) for file in ("config/config.yaml", "ladder.yaml"))
print(*sorted(plan(validate(config | ladder | {"policies": config["policies"]})).datasets))
"""


def test_the_new_kind_passes_its_tests_and_every_number_of_it_can_be_swept(tmp_path):
    for part in ("workflow", "config"):
        shutil.copytree(
            REPOSITORY / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__")
        )
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## To add a kind of dataset\n")[1].split("\n## ")[0]
    for file, content in re.findall(r"```\w+\n# (\S+)\n(.*?)```", section, re.DOTALL):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "workflow")}

    def run(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, *command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    file = "tests/unit/data/kinds/test_ladder.py"
    assert "2 passed" in run("-m", "pytest", "-q", "-p", "no:cacheprovider", file)
    names = [f"ladder@steps_{n},lowest_{low}" for n in (10, 5) for low in (0.1, 0.2)]
    assert run("-c", PLAN).split() == names
