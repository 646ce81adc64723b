"""The fingerprint of a stage: what changes it, what does not, and which files are behind it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lincon import code

ENGINE = {
    *("arms", "dense", "errors", "estimators", "files", "jit", "lp", "machine_code", "policies"),
    *("selectors", "simulate", "streams", "tally"),
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
    path = package / f"{module}.py"
    source = path.read_text()
    assert old in source
    path.write_text(source.replace(old, new, 1))
    forget()


def test_the_engine_is_behind_simulate_and_the_rest_is_not():
    found = code.closure("simulate")
    assert set(found) >= ENGINE
    assert found == sorted(set(found))
    assert not {"plotting", "sources", "fetch", "metrics", "__main__"} & set(found)


def test_a_module_without_imports_stands_alone():
    assert code.closure("errors") == ["errors"]


def test_several_modules_are_the_union():
    assert code.closure("lp", "streams") == sorted({*code.closure("lp"), *code.closure("streams")})


def test_all_compiled_code_is_behind_simulate():
    """The cache of machine code is named by simulate's fingerprint; elsewhere it would go stale."""
    modules = [path.stem for path in code.PACKAGE.glob("*.py")]
    compiled = {module for module in modules if "jit" in code._imports(module)}
    assert compiled and compiled <= set(code.closure("simulate"))


def test_fingerprints_are_short_and_repeatable(package):
    first = code.fingerprint("simulate")
    forget()
    assert code.fingerprint("simulate") == first
    assert len(first) == 12 and int(first, 16) >= 0
    assert first != code.fingerprint("lp")


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
        ("= climb(theta, value, eta, best, top)", "= (climb(theta, value, eta, best, top))"),
    ],
    ids=["comment", "blank lines", "module docstring", "docstring", "line break", "parentheses"],
)
def test_comments_docstrings_and_layout_do_not_count(package, old, new):
    before = code.fingerprint("simulate")
    edit(package, "lp", old, new)
    assert code.fingerprint("simulate") == before


def test_a_class_of_a_docstring_alone_is_an_empty_class(package):
    before = code.fingerprint("errors")
    source = (package / "errors.py").read_text()
    start = source.index('    """', source.index("class UserError"))
    (package / "errors.py").write_text(source[:start] + "    pass\n")
    forget()
    assert code.fingerprint("errors") == before


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("lp", "gain > best_gain", "gain >= best_gain"),
        ("streams", "0xD2511F53", "0xD2511F55"),
        ("estimators", "1e-14", "1e-13"),
        ("tally", "1.0 - share", "1.1 - share"),
        ("errors", "Exception", "ValueError"),
    ],
)
def test_a_changed_constant_in_an_imported_helper_counts(package, module, old, new):
    before = code.fingerprint("simulate")
    edit(package, module, old, new)
    assert code.fingerprint("simulate") != before


def test_a_string_that_is_no_docstring_counts(package):
    before = code.fingerprint("simulate")
    edit(package, "lp", "must be finite numbers", "must be finite")
    assert code.fingerprint("simulate") != before


def test_unrelated_files_count_once_they_are_imported(package):
    (package / "unrelated.py").write_text("CONSTANT = 1\n")
    before = code.fingerprint("simulate")
    edit(package, "unrelated", "1", "2")
    assert code.fingerprint("simulate") == before
    for line in (
        "from lincon.unrelated import CONSTANT",
        "from lincon import unrelated",
        "import lincon.unrelated",
        "def later():\n    from lincon.unrelated import CONSTANT",
    ):
        original = (package / "errors.py").read_text()
        (package / "errors.py").write_text(f"{original}\n{line}\n")
        forget()
        assert "unrelated" in code.closure("simulate")
        with_two = code.fingerprint("simulate")
        edit(package, "unrelated", "2", "3")
        assert code.fingerprint("simulate") != with_two
        edit(package, "unrelated", "3", "2")
        (package / "errors.py").write_text(original)
        forget()
    assert code.fingerprint("simulate") == before


def test_any_change_at_all_changes_the_hash_of_bytes(package):
    before = code.hash_of_bytes()
    assert code.hash_of_bytes() == before
    edit(package, "plotting", '"""', '"""A remark. ')
    assert code.hash_of_bytes() != before
    edit(package, "plotting", '"""A remark. ', '"""')
    assert code.hash_of_bytes() == before
    (package / "plotting.py").rename(package / "drawing.py")
    assert code.hash_of_bytes() != before


def test_a_circle_of_imports_ends(package):
    (package / "one.py").write_text("import lincon.two\n")
    (package / "two.py").write_text("import lincon.one\n")
    assert code.closure("one") == ["one", "two"]
