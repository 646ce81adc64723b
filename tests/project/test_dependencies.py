"""What is installed: requirements*.txt hold the same versions."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from tools.lock import LOCKS, header

REPOSITORY = Path(__file__).parents[2]


def text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def entries(name: str) -> list[str]:
    """Each requirement of a lock file on one line, with its hashes."""
    joined = text(name).replace("\\\n", " ")
    return [line for line in joined.splitlines() if line and not line.startswith("#")]


def pinned(name: str) -> dict[str, str]:
    """The version of each package that this Python on this machine would install."""
    found = [Requirement(entry.split(" --hash")[0]) for entry in entries(name)]
    return {
        one.name: str(one.specifier).removeprefix("==")
        for one in found
        if one.marker is None or one.marker.evaluate()
    }


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_has_a_version_and_hashes_and_no_address(name):
    assert text(name).startswith(header(name)), f"{name} is due: make lock"
    for entry in entries(name):
        shape = r"[a-z0-9-]+==\d[\w.]*( ; [^:@]*?)?( +--hash=sha256:[0-9a-f]{64})+ *"
        assert re.fullmatch(shape, entry), entry
    assert pinned(name).items() <= pinned("requirements-test.txt").items()


def test_pinned_versions_are_what_was_asked_for():
    project = tomllib.loads(text("pyproject.toml"))["project"]
    pins = pinned("requirements-test.txt")
    for lines in (project["dependencies"], *project["optional-dependencies"].values()):
        for requirement in map(Requirement, lines):
            assert requirement.specifier.contains(pins[requirement.name.lower()]), requirement


def test_the_conda_environments_have_what_the_library_needs():
    project = tomllib.loads(text("pyproject.toml"))["project"]
    python, *_, pip = yaml.safe_load(text("environment.yaml"))["dependencies"]
    assert python.startswith("python" + project["requires-python"])
    assert (REPOSITORY / pip["pip"][0].removeprefix("-r ")).exists()
    wanted = {*project["dependencies"], *project["optional-dependencies"]["workflow"]}
    listed = yaml.safe_load(text("workflow/envs/lincon.yaml"))["dependencies"]
    assert {one for one in wanted if not one.startswith("snakemake")} == {*listed[1:]}
    assert listed[0].startswith("python" + project["requires-python"])
