"""The fingerprint of a stage: what changes it, what does not, and which files are behind it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lincon import fingerprint as code

pytestmark = pytest.mark.slow

ENGINE = {
    *("engine.dense", "engine.simulate", "engine.tally", "engine.randomness", "problem.lp"),
    *("policies.estimators", "policies.selectors", "policies.registry"),
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the library that may be edited; `code` looks at it as if it were its own."""
    folder = tmp_path / "lincon"
    shutil.copytree(code.PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(code, "PACKAGE", folder)
    forget()
    yield folder
    forget()


def forget() -> None:
    """A process that runs a stage reads each file once; the tests edit them in between."""
    for function in vars(code).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


def edit(package: Path, module: str, old: str, new: str) -> None:
    path = package / f"{module.replace('.', '/')}.py"
    source = path.read_text()
    assert old in source
    path.write_text(source.replace(old, new, 1))
    forget()


def test_the_engine_is_behind_simulate_and_the_rest_is_not():
    found = code.closure("engine.simulate")
    assert set(found) >= ENGINE
    assert found == sorted(set(found))
    rooms = {module.split(".")[0] for module in found}
    assert not rooms & {"analysis", "figures", "study", "command_line", "page"}
    assert not code.NEUTRAL & set(found)


def test_several_modules_are_the_union():
    both = {*code.closure("problem.lp"), *code.closure("engine.randomness")}
    assert code.closure("problem.lp", "engine.randomness") == sorted(both)


def test_all_compiled_code_is_behind_the_kernel_cache():
    """The cache of machine code is named by the fingerprint of COMPILED; else it would go stale."""
    from lincon.kernel_cache import COMPILED

    modules = [
        ".".join(path.relative_to(code.PACKAGE).with_suffix("").parts)
        for path in code.PACKAGE.rglob("*.py")
        if path.name != "__init__.py"
    ]
    compiled = {module for module in modules if "jit" in code._imports(module)}
    assert compiled and compiled <= set(code.closure(*COMPILED))


def test_fingerprints_are_short_and_repeatable(package):
    first = code.fingerprint("engine.simulate")
    forget()
    assert code.fingerprint("engine.simulate") == first
    assert len(first) == 12 and int(first, 16) >= 0
    assert first != code.fingerprint("problem.lp")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@kernel\n", "# a comment\n@kernel  # and another\n"),
        ("@kernel\n", "\n\n\n@kernel\n"),
        ('"""The exact solution of LP(theta), without a solver.', '"""Something else.'),
        ('"""The share of the arm below eta in the mixture that meets eta exactly."""', '"""X."""'),
        (
            "    x = mix(theta[low], theta[high], eta)",
            "    x = mix(\n        theta[low], theta[high], eta)",
        ),
        ("must be finite numbers", "must be finite"),
        ('f"theta {theta.shape} and value', 'f"theta {theta.size} and value'),
    ],
    ids=["comment", "blank lines", "module docstring", "docstring", "line break", "error", "raise"],
)
def test_what_cannot_change_a_number_does_not_count(package, old, new):
    before = code.fingerprint("engine.simulate")
    edit(package, "problem.lp", old, new)
    assert code.fingerprint("engine.simulate") == before


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("problem.lp", "gain > best_gain", "gain >= best_gain"),
        ("engine.randomness", "0xD2511F53", "0xD2511F55"),
        ("policies.estimators", "1e-14", "1e-13"),
        ("engine.tally", "1.0 - share", "1.1 - share"),
    ],
)
def test_a_changed_constant_in_an_imported_helper_counts(package, module, old, new):
    before = code.fingerprint("engine.simulate")
    edit(package, module, old, new)
    assert code.fingerprint("engine.simulate") != before


def test_a_string_that_is_no_docstring_and_no_error_counts(package):
    before = code.fingerprint("engine.simulate")
    edit(package, "engine.tally", '"expected_reward"', '"expected_rewards"')
    assert code.fingerprint("engine.simulate") != before


def test_how_arms_are_checked_changes_no_number(package):
    before = code.fingerprint("engine.simulate")
    edit(package, "data.arms", "there is no arm", "no arm is there")
    assert code.fingerprint("engine.simulate") == before


@pytest.mark.parametrize(
    ("inside", "line"),
    [
        ("problem/lp.py", "from lincon.unrelated import CONSTANT"),
        ("problem/lp.py", "from lincon import unrelated"),
        ("problem/lp.py", "import lincon.unrelated"),
        ("problem/lp.py", "from .. import unrelated"),
        ("problem/lp.py", "from ..unrelated import CONSTANT"),
        ("problem/__init__.py", "from ..unrelated import CONSTANT"),
        ("engine/lazy/index/decision.py", "from ....unrelated import CONSTANT"),
        ("problem/lp.py", "def later():\n    from lincon.unrelated import CONSTANT"),
    ],
)
def test_unrelated_files_count_once_they_are_imported(package, inside, line):
    (package / "unrelated.py").write_text("CONSTANT = 1\n")
    before = code.fingerprint("engine.simulate")
    edit(package, "unrelated", "1", "2")
    assert code.fingerprint("engine.simulate") == before
    original = (package / inside).read_text()
    (package / inside).write_text(f"{original}\n{line}\n")
    forget()
    assert "unrelated" in code.closure("engine.simulate")
    with_two = code.fingerprint("engine.simulate")
    edit(package, "unrelated", "2", "3")
    assert code.fingerprint("engine.simulate") != with_two


def test_the_release_of_numba_counts_where_it_makes_numbers(monkeypatch):
    before = {name: code.fingerprint(name) for name in ("engine.simulate", "data.stand_in")}
    real = code.metadata.version
    monkeypatch.setattr(
        code.metadata, "version", lambda name: "0.0" if name == "numba" else real(name)
    )
    forget()
    assert code.fingerprint("engine.simulate") != before["engine.simulate"]
    assert code.fingerprint("data.stand_in") == before["data.stand_in"]
    forget()


def test_a_circle_of_imports_ends(package):
    (package / "one.py").write_text("import lincon.two\n")
    (package / "two.py").write_text("import lincon.one\n")
    assert code.closure("one") == ["one", "two"]


def python_of(release: str) -> str | None:
    """An interpreter of this release that runs: on the path, or one of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = [shutil.which(f"python{release}"), *sorted(pyenv.glob(f"{release}.*/bin/python"))]
    for path in filter(None, found):
        command = [str(path), "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.stdout.strip() == release:
            return str(path)
    return None


# Only the standard library: the other interpreters have nothing else.
FINGERPRINTS = """
import sys
sys.path.insert(0, sys.argv[1])
import fingerprint as code
code.metadata.version = lambda package: "1.0"
for module in sys.argv[2:]:
    print(module, code.fingerprint(module))
print(chr(10).join(text for kind, text, line in code._tokens('f"{a:{b}}" + x')))
"""


@pytest.mark.parametrize("release", ["3.11", "3.12", "3.13"])
def test_fingerprints_are_the_same_on_every_python(release):
    """f-strings are one token on Python 3.11 and many from 3.12 on."""
    python = python_of(release)
    if python is None:
        pytest.skip(f"there is no Python {release} here")
    modules = [
        ".".join(path.relative_to(code.PACKAGE).with_suffix("").parts)
        for path in sorted(code.PACKAGE.rglob("*.py"))
        if path.name != "__init__.py"
    ]
    command = ["-I", "-c", FINGERPRINTS, str(code.PACKAGE), *modules]
    there, here = (
        subprocess.run([program, *command], capture_output=True, text=True, check=True).stdout
        for program in (python, sys.executable)
    )
    assert there == here
    assert 'f"{a:{b}}"' in here
    assert len(set(here.split())) > len(modules)


def test_a_template_counts_for_the_page_and_for_nothing_else(package):
    page, figures = code.fingerprint("command_line.page"), code.fingerprint("figures.draw")
    style = package / "page" / "templates" / "style.css"
    style.write_text(style.read_text() + "body { color: red; }\n")
    forget()
    assert code.fingerprint("command_line.page") != page
    assert code.fingerprint("figures.draw") == figures
