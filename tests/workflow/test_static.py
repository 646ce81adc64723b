"""Linters, and facts that are written down in two places and must stay the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflow.bench import REPOSITORY, SMALL, clean_environment, new_bench

LINTED = ("Snakefile", "workflow", "tests", "benchmarks", "tools")
BINARY = (".png", ".pdf")


def tool(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=REPOSITORY,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", *LINTED[1:]),
        ("ruff", "format", "--check", *LINTED[1:]),
        ("snakefmt", "--check", *LINTED[:2]),
    ],
    ids=["ruff check", "ruff format", "snakefmt"],
)
def test_linters_are_content(command):
    done = tool(*command)
    assert done.returncode == 0, done.stdout + done.stderr


# Input functions stand beside the rule that they serve. Jobs run in the environment of Snakemake: a
# conda environment that nobody has run would be a claim, not a deployment.
MEANT = {
    "Mixed rules and functions in same snakefile.",
    "Specify a conda environment or container for each rule.",
}


def test_snakemake_lint_finds_only_what_is_meant(tmp_path):
    done = new_bench(tmp_path / "project").snakemake("--lint", config=SMALL)
    found = set(re.findall(r"^    \* (.*):$", done.text, re.MULTILINE))
    assert found and found <= MEANT, done.text


def tracked() -> list[Path]:
    """What is in version control, or would be; without git, the sources."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
        paths = [REPOSITORY / line for line in done.stdout.splitlines()]
    except (OSError, subprocess.CalledProcessError):
        paths = [path for name in ("config", *LINTED) for path in (REPOSITORY / name).rglob("*")]
    return [path for path in paths if path.is_file() and "__pycache__" not in path.parts]


def test_no_file_names_a_place_on_one_machine():
    # Put together here, so that this file does not find itself.
    homes = ["/" + "home/", "/" + "root/", "/" + "Users/", str(REPOSITORY) + os.sep]
    files = [path for path in tracked() if path.suffix not in BINARY]
    assert len(files) > 50
    found = [
        (str(path.relative_to(REPOSITORY)), home)
        for path in files
        for home in homes
        if home in path.read_text(encoding="utf-8")
    ]
    assert found == []


def test_no_data_file_is_in_version_control():
    data = (".csv", ".npy", ".parquet", ".pickle", ".pkl", ".zip")
    found = [path.name for path in tracked() if path.suffix in data]
    assert found == ["llm_routing.csv"]  # public prices and scores, small enough to read
