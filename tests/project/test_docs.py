"""Documents: links, commands and files exist; numbers come from files; the site builds."""

import math
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import docs_numbers
from benchmarks.made_results import made_results
from lincon.cli.main import COMMANDS
from lincon.policies.parts import TABLES
from lincon.policies.standard import STANDARD
from lincon.report.table import interval_of
from tools import fill_numbers

REPOSITORY = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "config/*.md", "resources/*.md", "results/*.md")
    for path in REPOSITORY.glob(pattern)
)
TARGETS = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
PROGRAMS = {"make", "cd", "git", "pip", "snakemake", "lincon"}


def text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def commands(content: str) -> list[list[str]]:
    """The words of every command in a block of shell."""
    lines = [
        line.split(" #")[0].strip()
        for block in re.findall(r"```sh\n(.*?)```", content, re.DOTALL)
        for line in block.splitlines()
    ]
    found = [part for line in lines if line and line[0] != "#" for part in line.split("&&")]
    return [[word for word in shlex.split(one) if "=" not in word.split("/")[0]] for one in found]


every_document = pytest.mark.parametrize(
    "document", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY))
)


@every_document
def test_links_lead_somewhere(document):
    content = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", content):
        if not target.startswith(("http://", "https://", "#")):
            assert (document.parent / target.split("#")[0]).exists(), target


@every_document
def test_commands_exist_and_work_without_an_activated_environment(document):
    content = document.read_text(encoding="utf-8")
    assert set(re.findall(r"`make ([a-z-]+)", content)) <= TARGETS
    for program, *words in commands(content):
        program = program.removeprefix("../lincon/")  # from a folder beside the clone
        if program.startswith(".venv/bin/"):
            assert (BIN / Path(program).name).exists(), program
        else:
            assert program in PROGRAMS, program
        if program == "make":
            assert {word for word in words if word[0] != "-"} <= TARGETS, words
        if program.endswith("lincon"):
            assert words[0] in {*COMMANDS, "--help", "--version"}, words
        for word in words:
            if word.startswith(("config/", "benchmarks/")):
                assert (REPOSITORY / word).exists(), word


def test_the_map_of_the_code_names_every_room_and_only_files_that_exist():
    map_of_code = text("CONTRIBUTING.md")
    library = REPOSITORY / "workflow" / "lincon"
    rooms = {path.parent.name for path in library.glob("*/__init__.py")}
    rooms |= {path.stem for path in library.glob("[a-z]*.py")}
    assert rooms <= set(re.findall(r"`([a-z_]+)`", map_of_code))
    paths = re.findall(r"`((?:workflow|config|tests|profiles|docs|tools)/[\w./-]*)`", map_of_code)
    there = [path for path in paths if "ladder" not in path]  # of the recipe, which makes them
    assert [path for path in there if not (REPOSITORY / path).exists()] == []


@every_document
def test_numbers_are_those_of_the_files_that_a_command_wrote(document):
    content = document.read_text(encoding="utf-8")
    assert fill_numbers.filled(content) == content, "run: python tools/fill_numbers.py"


def test_every_policy_and_part_is_described():
    page = text("docs/policies.md")
    standard = next(part for part in page.split("\n\n") if "| `lincon_ts` |" in part)
    assert set(re.findall(r"^\| `(\w+)` \|", standard, re.MULTILINE)) == set(STANDARD)
    parts = [name for table in TABLES.values() for name in table]
    assert [name for name in parts if f"`{name}`" not in page] == []
    defaults = {
        (key, f"{value:g}")
        for table in TABLES.values()
        for part in table.values()
        for key, value in part.defaults.items()
    }
    assert [key for key, value in defaults if f"`{key}`" not in page or value not in page] == []


def test_the_site_builds_without_a_warning(tmp_path):
    pytest.importorskip("material")
    pytest.importorskip("mkdocstrings")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    outside = re.compile(r"<(?:script|link|img)[^>]+(?:src|href)=\"https?://")
    pages = [path for path in tmp_path.rglob("*.html") if outside.search(path.read_text())]
    assert pages == []


def test_tables_of_the_documents_are_made_of_results():
    made = made_results(2, 5, 500, 4)
    league = made.league.set_index("policy")
    head, *rows = docs_numbers.leagues([made, made])
    assert len(rows) == 4 and head[:4] == ["experiment", "policy", "kept", "strictly"]
    assert [row[0] for row in rows] == [made.title, "", made.title, ""]
    lowest, other = league["joint"].sort_values().index
    assert [row[1] for row in rows[:2]] == [made.labels[lowest], made.labels[other]]
    kept, strict = (league.loc[other, f"{word}_runs"] for word in ("kept", "strict"))
    assert rows[1][2:4] == [f"{kept} of 4", f"{strict} of 4"]
    assert rows[1][4] == str(interval_of(league.loc[other], "joint")) and rows[0][5] == ""
    gap = league.loc[other, "joint"] - league.loc[lowest, "joint"]
    assert float(rows[1][5].split(" \u00b1 ")[0]) == pytest.approx(gap, abs=0.5)
    ratio = made.claims.set_index(["quantity", "basis"]).loc[("ratio", "expected")]
    rows = [row for row in docs_numbers.claims([made]) if "ratio" in row[0]]
    assert rows[0][1] == made.title and rows[0][-1] == ratio["verdict"]
    over = docs_numbers.over_bound(made, lowest, made.horizon).split(" \u00b1 ")[0]
    bound = made.lower_bound * math.log(made.horizon)
    assert float(over) == pytest.approx(league.loc[lowest, "joint"] / bound, rel=0.05)
