"""The hash of the code behind a rule covers every byte that the rule's job imports."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lincon import fingerprint as code
from lincon.cli.simulate import as_options
from lincon.data import arms
from lincon.fingerprint import PACKAGE, SCRIPTS, behind, fingerprint
from lincon.policies.standard import STANDARD
from lincon.problem.solve import solve_problem

RULES = "".join(path.read_text() for path in sorted(PACKAGE.parent.glob("rules/*.smk")))
# (name, script) as the rules call it.
CALLS = re.findall(r'fingerprint\("(\w+)", script="(\w+\.py)"\)', RULES)
# What they write holds no numbers: raw files, marks.
UNCOUNTED = {"check.py", "compile_kernel.py", "fetch.py"}


def covered(name: str) -> set[Path]:
    return {path for part in behind(name) for path in code._files(part)}


def imported(path: Path) -> set[Path]:
    """The files of lincon that a file imports, at its top or in a function."""
    tree, found = ast.parse(path.read_text()), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = []
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("lincon."):
            base = PACKAGE.joinpath(*node.module.split(".")[1:])
            names = [base / alias.name for alias in node.names]
            found |= {base.with_suffix(".py"), base / "__init__.py"}
            found |= {n.with_suffix(".py") for n in names} | {n / "__init__.py" for n in names}
    return {path for path in found if path.is_file() and path.stat().st_size}


@pytest.mark.parametrize("name", ["data", "problem", "online", "engine", "analysis", "report"])
def test_all_that_its_files_import_counts(name):
    files = covered(name)
    assert len(files) > 5
    for path in files - {PACKAGE / "__init__.py"}:  # it imports the API for who asks for it
        if path.suffix == ".py":
            assert imported(path) <= files, f"{path} imports what IMPORTS lacks below {name}"


def test_every_script_counts():
    assert {script for _, script in CALLS} | UNCOUNTED == {p.name for p in SCRIPTS.glob("*.py")}


@pytest.mark.parametrize(("name", "script"), CALLS)
def test_all_that_a_script_imports_counts(name, script):
    assert imported(SCRIPTS / script) <= covered(name)


LOADED = """
import sys
from lincon.__main__ import start
start(sys.argv[1:])
print(*(getattr(m, "__file__", "") for name, m in sys.modules.items() if name[:6] == "lincon"))
"""


@pytest.mark.parametrize("engine", ["lazy", "dense"])
def test_all_that_a_simulation_loads_counts(tmp_path, engine):
    made = arms.make([0.4, 0.6], [0.5, 0.25], dataset="small")
    arms.write(made, tmp_path / "arms.parquet")
    (tmp_path / "problem.json").write_text(solve_problem(made, 0.5).to_json())
    words = ["simulate", "--arms", "arms.parquet", "--problem", "problem.json", "--horizon", "4"]
    words += ["--points", "2", "--out", "runs.parquet", "--engine", engine]
    entry = {key: value for key, value in STANDARD["lincon_ts"].items() if key != "label"}
    words += ["--policy", "lincon_ts", *as_options(entry)]
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", LOADED, *words]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    loaded = {Path(path) for path in done.stdout.split()}
    assert PACKAGE / "engine" / "simulate.py" in loaded, done.stderr
    assert {path for path in loaded if path.stat().st_size} <= covered("engine")


def test_every_compiled_function_is_behind_the_kernel_cache():
    """Machine code is kept in a folder named by the engine's fingerprint."""
    compiled = {p for p in PACKAGE.rglob("*.py") if "from lincon.jit import" in p.read_text()}
    assert compiled and compiled <= covered("engine")


def test_every_byte_of_every_file_counts_and_nothing_else(tmp_path, monkeypatch):
    folder, scripts = tmp_path / "lincon", tmp_path / "scripts"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    scripts.mkdir()
    (scripts / "page.py").write_text("one = 1\n")
    monkeypatch.setattr(code, "PACKAGE", folder)
    monkeypatch.setattr(code, "SCRIPTS", scripts)

    def of_the_engine() -> str:
        fingerprint.cache_clear()
        return fingerprint("engine.simulate", script="page.py")

    found = [of_the_engine()]
    (folder / "report" / "text.py").write_text("another = 1")
    assert of_the_engine() == found[0] and len(found[0]) == 12
    for path in (folder / "jit.py", folder / "problem" / "page.html", scripts / "page.py"):
        with path.open("a") as file:
            file.write("# a comment\n")
        found.append(of_the_engine())
    monkeypatch.setattr(code, "_version", lambda name: "another release")
    found.append(of_the_engine())
    assert len(set(found)) == 5
    monkeypatch.undo()
    fingerprint.cache_clear()
