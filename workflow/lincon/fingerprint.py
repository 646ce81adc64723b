"""A fingerprint of the code behind a stage's numbers.

Snakemake does not see imports. A rule that has the fingerprint of its stage among its params runs
again when that code changes, and only then. What counts are the tokens of the source: comments,
docstrings, layout and the texts of errors cannot change a number, and neither can the modules in
`NEUTRAL`. Tokens are the same on every release of Python; where numbers depend on NumPy's or
Numba's own code, their versions count too.
"""

from __future__ import annotations

import ast
import hashlib
import io
import token
import tokenize
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGE = Path(__file__).parent
# Reading, writing and refusing: what comes through them is as it was. `data.arms` checks the arms
# of a table and hands them on.
NEUTRAL = frozenset(
    {
        *("", "errors", "files", "fingerprint", "kernel_cache", "kernel_files", "shared"),
        *("command_line.phases", "data.arms", "engine.progress", "study.paths"),
    }
)
# A stage depends on the release of these if any module behind it imports them.
RELEASES = ("numpy", "numba", "scipy")


def closure(*modules: str) -> list[str]:
    """The named modules, as in `problem.lp`, and all that they import from the package."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in found and module not in NEUTRAL:
            found.add(module)
            waiting.extend(_imports(module))
    return sorted(found)


@cache
def fingerprint(*modules: str) -> str:
    """A short hash of the code behind the named modules."""
    digest = hashlib.sha256()
    foreign: set[str] = set()
    for module in closure(*modules):
        digest.update(f"{module}\0{_meaning(module)}\0".encode())
        for template in _templates(module):
            digest.update(f"{template.name}\0".encode() + template.read_bytes())
        foreign |= _foreign(module)
    for package in RELEASES:
        if package in foreign:
            digest.update(f"{package} {metadata.version(package)}\0".encode())
    return digest.hexdigest()[:12]


@cache
def _path(module: str) -> Path | None:
    """The file of a module or package; None if there is no such module."""
    base = PACKAGE.joinpath(*module.split(".")) if module else PACKAGE
    candidates = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


def _templates(module: str) -> list[Path]:
    """What a package fills in besides its code: the files in its folder `templates`."""
    folder = PACKAGE.joinpath(*module.split("."), "templates")
    return sorted(folder.iterdir()) if folder.is_dir() else []


@cache
def _source(module: str) -> str:
    path = _path(module)
    assert path is not None, f"lincon has no module {module}"
    return path.read_text(encoding="utf-8")


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_source(module))


@cache
def _imports(module: str) -> set[str]:
    """What a module imports from the package; a package in a dotted name counts as well."""
    names: set[str] = set()
    for name in _imported(module):
        parts = name.split(".")
        # `from lincon.data import arms` may name a module or something in `lincon.data`.
        for end in range(1, len(parts) + 1):
            candidate = ".".join(parts[1:end])
            if parts[0] == "lincon" and _path(candidate):
                names.add(candidate)
    return names - {""}


def _foreign(module: str) -> set[str]:
    return {name.split(".")[0] for name in _imported(module)} - {"lincon"}


@cache
def _imported(module: str) -> tuple[str, ...]:
    """The dotted name of everything that a module imports, relative imports resolved."""
    return tuple(_walk_imports(module))


def _walk_imports(module: str) -> Iterator[str]:
    path = _path(module)
    here = ["lincon", *(module.split(".") if module else [])]
    if path is not None and path.name != "__init__.py":
        here = here[:-1]
    for node in _statements(_tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = here[: len(here) + 1 - node.level] if node.level else []
            base = ".".join([*start, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements inside a node; ast.walk would go through every expression as well."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, field, ()):
            yield child
            yield from _statements(child)


@cache
def _meaning(module: str) -> str:
    """The tokens that can change a number, one a line."""
    docstrings = _docstring_lines(_tree(module))
    lines: list[str] = []
    raising = False
    for kind, text, line in _tokens(_source(module)):
        if kind in ("NEWLINE", "INDENT", "DEDENT"):
            raising = False
            lines.append(kind)
        elif not raising and not (kind == "STRING" and line in docstrings):
            lines.append(text)
            raising = text == "raise" and kind == "NAME"
    return "\n".join(lines)


def _docstring_lines(tree: ast.Module) -> set[int]:
    """The lines on which docstrings begin."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        node.body[0].lineno
        for node in (tree, *_statements(tree))
        if isinstance(node, kinds) and ast.get_docstring(node, clean=False) is not None
    }


def _tokens(source: str) -> Iterator[tuple[str, str, int]]:
    """(kind, text, line) of each token but comments and blank lines.

    From Python 3.12 on an f-string is many tokens; it is put together again, as 3.11 has it.
    """
    lines = source.splitlines(keepends=True)
    start_kinds = {getattr(token, f"{letter}STRING_START", -1) for letter in "FT"}
    end_kinds = {getattr(token, f"{letter}STRING_END", -1) for letter in "FT"}
    depth, begin = 0, (0, 0)
    for item in tokenize.generate_tokens(io.StringIO(source).readline):
        if item.type in start_kinds:
            begin = begin if depth else item.start
            depth += 1
        elif item.type in end_kinds:
            depth -= 1
            if not depth:
                yield "STRING", _between(lines, begin, item.end), begin[0]
        elif not depth and item.type not in (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER):
            yield token.tok_name[item.type], item.string, item.start[0]


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    middle = lines[start[0] : end[0] - 1]
    return "".join([lines[start[0] - 1][start[1] :], *middle, lines[end[0] - 1][: end[1]]])
