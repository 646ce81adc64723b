"""The files by which others find, cite, trust and describe the project: valid, and true.

`cff-1.2.0.schema.json` is the schema of the Citation File Format 1.2.0 by its authors (Druskat et
al.), CC-BY-4.0. cffconvert itself cannot be installed beside a current jsonschema.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator, FormatChecker
from rocrate.rocrate import ROCrate

import lincon

REPOSITORY = Path(__file__).parents[2]


def text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def cff_errors(content: dict) -> list[str]:
    schema = json.loads((Path(__file__).parent / "cff-1.2.0.schema.json").read_text())
    checker = Draft7Validator(schema, format_checker=FormatChecker())
    return [error.message for error in checker.iter_errors(content)]


def cff() -> dict:
    return yaml.safe_load(text("CITATION.cff"))


def test_the_citation_is_valid():
    assert cff_errors(cff()) == []


@pytest.mark.parametrize("change", [{"authors": []}, {"colour": "red"}, {"license": "XYZ"}])
def test_a_wrong_citation_is_found(change):
    assert cff_errors(cff() | change)


def test_everything_names_the_same_version():
    assert cff()["version"] == lincon.__version__
    crate = json.loads(text("ro-crate-metadata.json"))["@graph"]
    versions = {entity["version"] for entity in crate if "version" in entity}
    assert versions == {lincon.__version__}
    assert f"## {lincon.__version__}\n" in text("CHANGELOG.md")


def test_the_crate_describes_files_that_exist_and_the_workflow_among_them():
    crate = ROCrate(REPOSITORY)
    assert crate.mainEntity is not None
    assert "ComputationalWorkflow" in crate.mainEntity.type
    assert crate.mainEntity["programmingLanguage"]["name"] == "Snakemake"
    for entity in crate.data_entities:
        assert (REPOSITORY / entity.id).exists(), entity.id
    listed = {part.id for part in crate.root_dataset["hasPart"]}
    assert listed == {entity.id for entity in crate.data_entities}
    assert crate.root_dataset["license"].id == "LICENSE"


def test_every_reference_in_the_crate_leads_somewhere():
    graph = json.loads(text("ro-crate-metadata.json"))["@graph"]
    known = {entity["@id"] for entity in graph}
    referred = set(re.findall(r'\{"@id": "([^"]+)"\}', json.dumps(graph)))
    outside = {name for name in referred - known if not name.startswith("https://")}
    assert referred and not outside


def test_the_catalogue_entry_says_what_the_catalogue_asks():
    usage = yaml.safe_load(text(".snakemake-workflow-catalog.yml"))["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert set(usage["mandatory-flags"]) == {"desc", "flags"}
    assert all(isinstance(value, bool) for value in usage["software-stack-deployment"].values())
    assert "Snakemake workflow" in text("README.md")
