"""What the documents say exists, exists: links, files, packages, make targets, commands."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from lincon.cli.main import COMMANDS

REPOSITORY = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "config/*.md", "resources/*.md")
    for path in REPOSITORY.glob(pattern)
)
MAKEFILE = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def name_of(document: Path) -> str:
    return str(document.relative_to(REPOSITORY))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document):
    content = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", content):
        if not target.startswith(("http://", "https://", "#")):
            assert (document.parent / target.split("#")[0]).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_make_targets_exist(document):
    content = document.read_text(encoding="utf-8")
    named = re.findall(r"`make ([a-z-]+)", content)
    named += re.findall(r"^make ([a-z-]+)", "\n".join(blocks(content)), re.MULTILINE)
    assert set(named) <= TARGETS


def blocks(content: str) -> list[str]:
    return [
        line.split(" #")[0].strip()
        for block in re.findall(r"```sh\n(.*?)```", content, re.DOTALL)
        for line in block.splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]


def known(program: str) -> bool:
    if program.startswith(".venv/bin/"):
        return (BIN / Path(program).name).exists() or program.endswith("/lincon")
    return program in {"make", "cd", "git", "podman", "pip", "pipx", "lincon", "conda"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_commands_work_as_typed_without_an_activated_environment(document):
    for line in blocks(document.read_text(encoding="utf-8")):
        for command in line.split("&&"):
            words = [word for word in shlex.split(command) if "=" not in word.split("/")[0]]
            assert known(words[0]), line
            if words[0].endswith("lincon"):
                assert words[1] in {*COMMANDS, "--help", "--version"}, line
            for word in words[1:]:
                if word.startswith("config/"):
                    assert (REPOSITORY / word).exists(), line


def test_commands_in_comments_of_configs_work_as_typed_too():
    for path in (REPOSITORY / "config").rglob("*.yaml"):
        for line in re.findall(r"^#   (\S+) --", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert known(line), f"{path}: {line}"


def test_the_map_names_every_package_and_every_file_it_names_exists():
    map_of_code = text("docs/architecture.md")
    library = REPOSITORY / "workflow" / "lincon"
    packages = {path.parent.name for path in library.glob("*/__init__.py")}
    modules = {path.stem for path in library.glob("[a-z]*.py")}
    named = set(re.findall(r"`([a-z_]+)`", map_of_code))
    assert packages | modules <= named
    for path in re.findall(
        r"`((?:workflow|config|tests|profiles|docs|tools)/[\w./-]*)`", map_of_code
    ):
        assert (REPOSITORY / path).exists(), path


def test_the_readme_is_short_and_has_what_a_newcomer_needs():
    readme = text("README.md")
    assert len(readme.splitlines()) < 120
    for link in ("config/README.md", "docs/architecture.md", "CONTRIBUTING.md", "CITATION.cff"):
        assert f"({link})" in readme, link
    assert re.search(r"!\[[^\]]{20,}\]\(docs/", readme)
