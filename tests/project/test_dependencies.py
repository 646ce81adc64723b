"""What is installed: requirements*.txt, the conda environments and the container hold the same."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

REPOSITORY = Path(__file__).parents[2]
LOCKS = ("requirements.txt", "requirements-slurm.txt", "requirements-test.txt")
EXTRAS = {
    "requirements.txt": (),
    "requirements-slurm.txt": ("slurm",),
    "requirements-test.txt": ("slurm", "test"),
}


def text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def lock_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lock", REPOSITORY / "tools" / "lock.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def entries(name: str) -> list[str]:
    """Each requirement of a lock file on one line, with its hashes."""
    joined = text(name).replace("\\\n", " ")
    return [line for line in joined.splitlines() if line and not line.startswith("#")]


def pinned(name: str) -> dict[str, str]:
    """The version of each package that this Python on this machine would install."""
    found = {}
    for entry in entries(name):
        requirement = Requirement(entry.split(" --hash")[0])
        if requirement.marker is None or requirement.marker.evaluate():
            assert requirement.name not in found, f"{requirement.name} stands twice in {name}"
            found[requirement.name] = str(requirement.specifier).removeprefix("==")
    return found


def project() -> dict[str, Any]:
    return tomllib.loads(text("pyproject.toml"))["project"]


def conda() -> dict[str, str]:
    dependencies = yaml.safe_load(text("workflow/envs/lincon.yaml"))["dependencies"]
    exact = [entry for entry in dependencies if "python>" not in entry]
    # The plain package of conda-forge brings a whole GUI toolkit along.
    return dict(entry.replace("matplotlib-base", "matplotlib").split("=") for entry in exact)


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_has_a_version_and_hashes_and_no_address(name):
    found = entries(name)
    assert len(found) > 50
    for entry in found:
        shape = r"[a-z0-9-]+==\d[\w.]*( ; [^:@]*?)?( +--hash=sha256:[0-9a-f]{64})+ *"
        assert re.fullmatch(shape, entry), entry
    assert not re.search(r"://|/opt|/tmp|index-url|find-links", text(name))


@pytest.mark.parametrize("name", LOCKS)
def test_the_files_were_made_from_what_pyproject_asks_for(name):
    assert text(name).startswith(lock_script().header(name)), f"{name} is due: make lock"


@pytest.mark.parametrize("name", LOCKS)
def test_pinned_versions_are_what_was_asked_for(name):
    asked = [*project()["dependencies"]]
    for extra in EXTRAS[name]:
        asked += project()["optional-dependencies"][extra]
    pins = pinned(name)
    for requirement in map(Requirement, asked):
        assert requirement.specifier.contains(pins[requirement.name.lower()]), requirement


@pytest.mark.parametrize("name", LOCKS)
def test_what_a_pinned_package_needs_is_pinned_too(name):
    """Extras included: `make report` runs with what requirements.txt holds."""
    pins = pinned(name)
    waiting = [Requirement(line) for line in project()["dependencies"]]
    seen: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        key = re.sub(r"[-_.]+", "-", str(requirement.name)).lower()
        if key + str(requirement.extras) in seen:
            continue
        seen.add(key + str(requirement.extras))
        assert key in pins, f"{key} is needed and not in {name}"
        for line in metadata.requires(key) or ():
            needed = Requirement(line)
            extras = requirement.extras or {""}
            if not needed.marker or any(needed.marker.evaluate({"extra": e}) for e in extras):
                waiting.append(needed)


def test_no_two_files_pin_different_versions():
    pins = pinned("requirements-test.txt")
    for name in LOCKS:
        assert pinned(name).items() <= pins.items()


def test_the_conda_environment_of_jobs_has_the_pinned_versions():
    """Snakemake itself runs outside of it; all else that the library imports is in it."""
    pins = pinned("requirements.txt")
    assert conda() == {name: pins[name] for name in conda()}
    direct = {Requirement(dependency).name for dependency in project()["dependencies"]}
    assert direct - {"snakemake"} <= set(conda())


def test_the_conda_environment_of_jobs_has_all_that_the_library_imports():
    sources = (REPOSITORY / "workflow/lincon").rglob("*.py")
    nodes = [node for path in sources for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    imported = {alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names}
    imported |= {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom) and not n.level}
    foreign = {name.split(".")[0] for name in imported} - set(sys.stdlib_module_names) - {"lincon"}
    packages = {"yaml": "pyyaml", "vl_convert": "vl-convert-python"}
    # These are part of how requests and matplotlib are used, and come with them.
    brought = {"urllib3", "cycler", "fontTools"}
    missing = {packages.get(name, name) for name in foreign} - set(conda()) - brought
    assert foreign and not missing


def test_the_whole_environment_and_the_container_install_the_same_file():
    dependencies = yaml.safe_load(text("environment.yaml"))["dependencies"]
    assert dependencies[-1] == {"pip": ["-r requirements.txt"]}
    container = text("Containerfile")
    assert "--require-hashes -r requirements.txt" in container
    for folder in re.findall(r"^COPY (.*) \S+$", container, re.MULTILINE):
        for name in folder.split():
            assert (REPOSITORY / name).exists(), name
