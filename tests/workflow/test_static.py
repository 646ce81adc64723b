"""Linters, and facts that are written down in two places and must stay the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from lincon.data import kinds
from lincon.policies import registry as policies
from lincon.study import config
from lincon.study import plan as experiments
from lincon.study.atlas import atlases
from lincon.study.yaml_text import check_text
from tests.workflow.bench import REPOSITORY, SMALL, clean_environment, new_bench

SCHEMA = config.schema()
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


def test_snakemake_lint_is_clean(tmp_path):
    done = new_bench(tmp_path / "project").snakemake("--lint", config=SMALL)
    assert done.code == 0, done.text
    assert "Congratulations, your workflow is in a good condition!" in done.text


def walk(rules: Any, where: str = "schema"):
    """Every subschema that stands for a key of the config, with where it is."""
    if not isinstance(rules, dict):
        return
    for name, below in rules.get("properties", {}).items():
        yield f"{where}.{name}", below
        yield from walk(below, f"{where}.{name}")
    for name, below in rules.get("$defs", {}).items():
        yield f"{where}.$defs.{name}", below
        yield from walk(below, f"{where}.$defs.{name}")
    if isinstance(rules.get("additionalProperties"), dict):
        yield from walk(rules["additionalProperties"], f"{where}.*")


def resolved(rules: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in rules:
        return SCHEMA["$defs"][rules["$ref"].rpartition("/")[2]] | rules
    return rules


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


def test_every_key_is_described():
    keys = dict(walk(SCHEMA))
    assert len(keys) > 40
    assert [where for where, rules in keys.items() if not resolved(rules).get("description")] == []


def test_every_mapping_is_closed():
    """Either its keys are listed and no others admitted, or what its entries are is said."""
    entries = [("schema", SCHEMA), *walk(SCHEMA)]
    mappings = [(w, r) for w, r in entries if r.get("type") == "object" or "properties" in r]
    assert len(mappings) > 8
    for where, rules in mappings:
        further = rules.get("additionalProperties", True)
        closed = further is False if "properties" in rules else isinstance(further, dict)
        assert closed, where


def test_every_number_has_bounds():
    """A bare number is allowed only where the code that uses it knows its own bounds."""
    for where, rules in walk(SCHEMA):
        if rules.get("type") in ("integer", "number") and "$defs.range" not in where:
            assert {"minimum", "exclusiveMinimum"} & set(rules), where


def test_the_schema_names_what_the_library_has():
    definitions = SCHEMA["$defs"]
    policy = definitions["policy"]["properties"]
    looks = {key: policy[key] for key in ("label", "colour")}
    assert policy == looks | policies.schema_properties()
    assert definitions["dataset"]["properties"] == kinds.schema_properties()
    assert set(kinds.swept_properties()) <= set(definitions["experiment"]["properties"])
    assert set(SCHEMA["properties"]["engine"]["enum"]) == set(policies.ENGINES)


@pytest.mark.parametrize(
    "path", sorted((REPOSITORY / "config").glob("*.yaml")), ids=lambda p: p.name
)
def test_every_shipped_config_is_valid(path: Path):
    check_text(path)
    base = read_yaml(REPOSITORY / "config/config.yaml")
    if path.name == "my_arms.yaml":  # goes on top of the field's policies
        base = merged(base, read_yaml(REPOSITORY / "config/bench.yaml"))
    valid = config.validate(merged(base, read_yaml(path)))
    assert experiments.plan(valid).experiments or atlases(valid)


def test_a_policy_is_the_same_in_all_shipped_configs():
    seen: dict[str, dict[str, Any]] = {}
    for path in sorted((REPOSITORY / "config").glob("*.yaml")):
        for name, entry in read_yaml(path).get("policies", {}).items():
            assert seen.setdefault(name, entry) == entry, f"{name} in {path.name}"
    assert len(seen) > 15


def read_yaml(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    from snakemake.utils import update_config

    update_config(base, over)
    return base


def test_the_shipped_config_spells_out_every_default():
    """config.yaml is the place where people look for a key."""
    shipped = read_yaml(REPOSITORY / "config/config.yaml")
    for key, rules in SCHEMA["properties"].items():
        if "default" in rules:
            assert shipped[key] == rules["default"], key


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
    assert [path for path in tracked() if path.suffix in data] == []
