"""What is installed: requirements*.txt and the conda environment hold the same versions."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from tools.lock import LOCKS, header

REPOSITORY = Path(__file__).parents[2]
# What a module is called on PyPI, and what comes with the packages that are asked for.
PACKAGES = {"yaml": "pyyaml", "vl_convert": "vl-convert-python"}
BROUGHT = {"urllib3", "cycler", "fontTools"}


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


def conda() -> dict[str, str]:
    dependencies = yaml.safe_load(text("workflow/envs/lincon.yaml"))["dependencies"]
    exact = [entry for entry in dependencies if "python>" not in entry]
    # The plain package of conda-forge brings a whole GUI toolkit along.
    return dict(entry.replace("matplotlib-base", "matplotlib").split("=") for entry in exact)


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


def test_the_conda_environment_of_jobs_has_what_the_library_imports_at_the_pinned_versions():
    pins = pinned("requirements.txt")
    assert conda() == {name: pins[name] for name in conda()}
    sources = (REPOSITORY / "workflow/lincon").rglob("*.py")
    nodes = [node for path in sources for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    imported = {alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names}
    imported |= {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom) and not n.level}
    foreign = {name.split(".")[0] for name in imported} - set(sys.stdlib_module_names) - {"lincon"}
    assert foreign and not {PACKAGES.get(n, n) for n in foreign} - set(conda()) - BROUGHT
