"""The fingerprint of a package: what changes it, what does not, and which files are behind it."""

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lincon import fingerprint as code

# Top-level modules that pass numbers on as they are.
NEUTRAL = {"errors", "files", "fingerprint", "kernel_cache", "shared", "typed", "__version__"}
# Of these packages others take names, types and checks alone: their numbers come through files.
THROUGH_FILES = {"data", "study"}
EXAMPLE = '''"""A module."""

from lincon.jit import kernel


@kernel
def share(low, high, bound):
    """A function."""
    if low > bound:
        raise ValueError(f"{low} is above {bound}")
    return "share", (high - bound) / (high - low)
'''
COUNTS = {
    "comment": ("@kernel\n", "# a comment\n@kernel  # and another\n", False),
    "blank lines": ("@kernel\n", "\n\n\n@kernel\n", False),
    "docstring": ("A function.", "Another function.", False),
    "line break": ("(high - low)", "(\n        high - low)", False),
    "error": ("is above", "exceeds", False),
    "operator": ("low > bound", "low >= bound", True),
    "text": ('"share"', '"shares"', True),
    "indent": ("    return", "        return", True),
}


@pytest.mark.parametrize("change", COUNTS)
def test_what_can_change_a_number_counts_and_nothing_else(change):
    old, new, counts = COUNTS[change]
    assert old in EXAMPLE
    changed = code.meaning(EXAMPLE.replace(old, new, 1)) != code.meaning(EXAMPLE)
    assert changed is counts


def test_an_f_string_is_the_same_text_in_every_release_of_python():
    assert code.meaning('x = f"a {b:.2f} c" + d\n') == 'x=f"a {b:.2f} c"+d NEWLINE '


def imported(path: Path) -> set[str]:
    """The packages of lincon that a file imports from, as the keys of RESTS_ON name them."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "lincon":
            for alias in node.names:
                name = f"{node.module}.{alias.name}".partition(".")[2]
                keys = [key for key in code.RESTS_ON if f"{name}.".startswith(f"{key}.")]
                found.add(max(keys, key=len, default=name.split(".")[0]))
    return found


@pytest.mark.parametrize("name", code.RESTS_ON)
def test_a_package_rests_on_all_that_it_imports(name):
    counted = {name, *code.RESTS_ON[name], *NEUTRAL, *THROUGH_FILES}
    for path in code._files(name):
        if path.suffix == ".py" and path.exists():
            assert imported(path) <= counted, f"{path} imports what RESTS_ON[{name!r}] lacks"


def test_a_module_counts_as_its_package():
    assert code._behind("online.service")[0] == "online"
    assert code._behind("policies.parts")[0] == "policies"


def test_every_compiled_function_is_behind_the_kernel_cache():
    """Machine code is kept in a folder named by the engine's fingerprint."""
    behind = {path for name in code._behind("engine") for path in code._files(name)}
    compiled = {p for p in code.PACKAGE.rglob("*.py") if "from lincon.jit import" in p.read_text()}
    assert compiled and compiled <= behind


@pytest.fixture
def package(tmp_path, monkeypatch) -> Iterator[Path]:
    """A copy of the library that may be edited; `code` looks at it as if it were its own."""
    folder = tmp_path / "lincon"
    shutil.copytree(code.PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(code, "PACKAGE", folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield folder
    code.fingerprint.cache_clear()


def of_the_engine() -> str:
    code.fingerprint.cache_clear()
    return code.fingerprint("engine.simulate")


def test_all_that_a_package_rests_on_counts_and_nothing_else(package, monkeypatch):
    found = [of_the_engine()]
    (package / "files.py").write_text("another = 1")
    assert of_the_engine() == found[0] and len(found[0]) == 12
    for name in ("problem/example.py", "jit.py", "problem/page.html"):
        (package / name).write_text("another = 1")
        found.append(of_the_engine())
    monkeypatch.setattr(code, "_version", lambda name: "another release")
    found.append(of_the_engine())
    assert len(set(found)) == 5


def test_tokens_are_made_once_for_a_content_and_again_of_a_damaged_cache(
    package, tmp_path, monkeypatch
):
    before = of_the_engine()
    (kept,) = (tmp_path / "cache" / "lincon").glob("code-*.json")
    kept.write_text("{")
    assert of_the_engine() == before
    monkeypatch.setattr(code, "meaning", lambda source: pytest.fail("tokenised again"))
    assert of_the_engine() == before
