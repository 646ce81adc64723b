"""Rules for the code as a whole: linters, types, which way imports go, no dangerous calls, and
nothing of one machine."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lincon.policies.parts import TABLES
from lincon.policies.standard import STANDARD
from tests.workflow.bench import REPOSITORY, SMALL, call, new_bench

BIN = Path(sys.executable).parent
LINTED = ("Snakefile", "workflow", "tests", "benchmarks", "tools")


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", *LINTED[1:]),
        ("ruff", "format", "--check", *LINTED[1:]),
        ("snakefmt", "--check", *LINTED[:2]),
        ("lint-imports", "--no-cache"),
        ("mypy", "--no-error-summary", "--cache-dir", os.devnull),
        # What is allowed, and why, is in pyproject.toml.
        ("bandit", "-c", "pyproject.toml", "-q", "-r", "workflow", "tools"),
    ],
    ids=" ".join,
)
def test_linters_are_content(command):
    name, *arguments = command
    library = os.environ | {"PYTHONPATH": "workflow"}
    done = call([str(BIN / name), *arguments], REPOSITORY, library)
    assert done.code == 0, done.text


def test_snakemake_lint_is_content(tmp_path):
    done = new_bench(tmp_path / "project").snakemake("--lint", config=SMALL)
    assert done.code == 0 and "good condition" in done.text, done.text


def test_the_config_of_the_workflow_catalogue_is_planned(tmp_path):
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--dry-run"]
    command += ["--configfile", ".test/config/config.yaml", "--directory", str(tmp_path)]
    done = call(command, REPOSITORY, os.environ)
    assert done.code == 0 and re.search(r"^simulate +8$", done.text, re.MULTILINE), done.text


def test_no_policy_and_no_part_of_one_goes_unnoticed():
    """Written out here: tests that go through the tables would not miss what is deleted there."""
    ours, literature = {"ts_ledger", "gittins_ledger"}, {"lincon_ts", "lincon_kl_ucb", "con_ucb"}
    baselines = {"ts_paced", "thompson", "kl_ucb", "oracle", "uniform"}
    assert set(STANDARD) >= ours | literature | baselines
    parts = {
        "estimator": {"beta_sample", "kl_ucb", "ucb1", "gittins", "truth", "none"},
        "target": {"fixed", "paced", "none"},
        "steering": {"draw", "ledger"},
        "fallback": {"uniform", "greedy"},
    }
    assert {kind: set(TABLES[kind]) for kind in parts} == parts
    examples = {"virtual_queue", "primal_dual_bwk", "lagrange_bwk", "pessimistic_lp", "olla"}
    examples |= {"cost_subsidy", "epsilon_first", "weighted_score"}
    assert {path.stem for path in (REPOSITORY / "config/examples").glob("*.py")} >= examples


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
    files = [path for path in tracked() if path.suffix not in (".png", ".pdf")]
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
    files = [path for path in tracked() if path.suffix in data]
    # Made-up links, and public prices and scores, small enough to read; numbers of the documents.
    found = [path.name for path in files if path.parent != REPOSITORY / "docs" / "numbers"]
    assert found == ["links.csv", "service_links.csv", "llm_routing.csv"]
