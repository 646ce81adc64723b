"""The files by which others find, cite and describe the project: valid, and true.

`cff-1.2.0.schema.json` is the schema of the Citation File Format 1.2.0 by its authors (Druskat et
al.), CC-BY-4.0.
"""

import json
from pathlib import Path

import yaml
from jsonschema import Draft7Validator, FormatChecker
from rocrate.rocrate import ROCrate

import lincon

REPOSITORY = Path(__file__).parents[2]


def text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def test_the_citation_is_valid():
    schema = json.loads((Path(__file__).parent / "cff-1.2.0.schema.json").read_text())
    checker = Draft7Validator(schema, format_checker=FormatChecker())
    assert [one.message for one in checker.iter_errors(yaml.safe_load(text("CITATION.cff")))] == []


def test_everything_names_the_same_version():
    crate = json.loads(text("ro-crate-metadata.json"))["@graph"]
    versions = {entity["version"] for entity in crate if "version" in entity}
    assert versions == {lincon.__version__} == {yaml.safe_load(text("CITATION.cff"))["version"]}
    assert f"## {lincon.__version__}\n" in text("CHANGELOG.md")


def test_the_crate_describes_files_that_exist_and_the_workflow_among_them():
    crate = ROCrate(REPOSITORY)
    assert "ComputationalWorkflow" in crate.mainEntity.type
    assert crate.mainEntity["programmingLanguage"]["name"] == "Snakemake"
    for entity in crate.data_entities:
        assert (REPOSITORY / entity.id).exists(), entity.id
    listed = {part.id for part in crate.root_dataset["hasPart"]}
    assert listed == {entity.id for entity in crate.data_entities}


def test_the_catalogue_entry_says_what_the_catalogue_asks():
    usage = yaml.safe_load(text(".snakemake-workflow-catalog.yml"))["usage"]
    assert {"mandatory-flags", "software-stack-deployment"} <= set(usage)
    assert all(isinstance(value, bool) for value in usage["software-stack-deployment"].values())
    assert "Snakemake workflow" in text("README.md")
