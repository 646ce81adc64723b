"""The config's records: what is generated from them is current, and every key is documented."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from lincon.study.config import read_config, validate
from lincon.study.plan import plan
from lincon.study.records import Config
from tests.workflow.bench import REPOSITORY, changed
from tools import config_readme as tool

SCHEMA = tool.schema(Config)
SHIPPED = sorted((REPOSITORY / "config").glob("*.yaml"))


def read_yaml(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def whole(path: Path) -> dict[str, Any]:
    """A shipped config as Snakemake merges it."""
    return changed(read_yaml(REPOSITORY / "config/config.yaml"), read_yaml(path))


def rows(rules: Any, where: str = "config") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every row of the schema that stands for a key, with where it is."""
    for name, below in rules.get("properties", {}).items():
        yield f"{where}.{name}", below
        yield from rows(below, f"{where}.{name}")


def test_what_is_generated_is_current():
    assert tool.README.read_text(encoding="utf-8") == tool.text(), "make docs is due"


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.name)
def test_every_shipped_config_is_valid_to_us_and_to_an_editor(path: Path):
    read_config(path)
    valid = validate(whole(path))
    assert len(plan(valid).table)
    assert [e.message for e in Draft202012Validator(SCHEMA).iter_errors(whole(path))] == []


def test_every_key_is_described_and_every_mapping_closed():
    Draft202012Validator.check_schema(SCHEMA)
    below = dict(rows({"properties": SCHEMA["properties"]})) | {
        name: row for key, rules in SCHEMA["$defs"].items() for name, row in rows(rules, key)
    }
    assert len(below) > 80
    assert [n for n, row in below.items() if not ({"$ref", "description"} & set(row))] == []
    for name, rules in SCHEMA["$defs"].items():
        if "properties" in rules:
            assert bool(rules["additionalProperties"]) is (name == "PythonPolicy"), name


def test_the_shipped_config_spells_out_every_default():
    """config.yaml is the place where people look for a key."""
    shipped = read_yaml(REPOSITORY / "config/config.yaml")
    for key, row in SCHEMA["properties"].items():
        if row.get("default"):
            assert shipped[key] == row["default"], key
