"""`make audit`: bandit finds nothing, and pip-audit's answer is not taken for more than it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.audit import EVERYTHING, judged

REPOSITORY = Path(__file__).parents[2]


def bandit(*places: object) -> tuple[int, str]:
    command = [sys.executable, "-m", "bandit", "-c", "pyproject.toml", "-q", "-r"]
    done = subprocess.run(
        [*command, *map(str, places)], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def test_bandit_finds_nothing():
    code, text = bandit("workflow", "tools")
    assert code == 0, text


DANGEROUS = {
    "B602": "import subprocess\nsubprocess.run('ls *', shell=True)\n",
    "B301": "import pickle\npickle.loads(b'')\n",
    "B501": "import requests\nrequests.get('https://x', timeout=1, verify=False)\n",
    "B506": "import yaml\nyaml.load('x', Loader=yaml.Loader)\n",
    "B307": "eval(input())\n",
}


def test_what_is_dangerous_is_found(tmp_path):
    for test, text in DANGEROUS.items():
        (tmp_path / f"{test}.py").write_text(text)
    code, text = bandit(tmp_path)
    assert code == 1 and [test for test in DANGEROUS if test not in text] == []


def package(name: str, *weaknesses: str, **more: str) -> dict:
    vulns = [{"id": one, "fix_versions": ["2.0"]} for one in weaknesses]
    return {"name": name, "version": "1.0", "vulns": vulns} | more


def test_all_looked_up_and_none_weak():
    assert judged([package("a"), package("b")], "") == (
        0,
        ["pip-audit: 2 packages, no known weakness"],
    )


def test_a_weak_package_is_named():
    code, lines = judged([package("a"), package("b", "CVE-1", "CVE-2")], "")
    assert code == 1
    assert lines == ["b 1.0: CVE-1, mended in 2.0", "b 1.0: CVE-2, mended in 2.0"]


@pytest.mark.parametrize(
    ("found", "reason", "said"),
    [
        ([], "no route to host", "NOT CHECKED, the service gave no answer (no route to host)"),
        ([], "", "NOT CHECKED, the service gave no answer (empty)"),
        ([package("a"), package("b", skip_reason="?")], "", "knows nothing of 1 of 2 packages (b)"),
    ],
)
def test_no_answer_is_no_success(found, reason, said):
    code, (line,) = judged(found, reason)
    assert code == 1 and said in line


def test_the_file_that_is_looked_up_is_there():
    assert (REPOSITORY / EVERYTHING).is_file()
