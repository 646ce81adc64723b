"""Which library files a stage really uses, and a fingerprint of what they do.

Snakemake does not see imports. A rule that has the fingerprint of its stage among its params runs
again when that code changes, and only then: comments, docstrings and layout do not count.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent


def closure(*modules: str) -> list[str]:
    """The named modules of the package and all that they import from it, directly or not."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting.extend(_imports(module))
    return sorted(found)


@cache
def fingerprint(*modules: str) -> str:
    """A short hash of the code behind the named modules."""
    digest = hashlib.sha256()
    for module in closure(*modules):
        digest.update(f"{module}\0{_meaning(module)}\0".encode())
    return digest.hexdigest()[:12]


def hash_of_bytes() -> str:
    """A short hash of the package's files as they are: cheap, and new after any change at all."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.glob("*.py")):
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))


def _imports(module: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            names |= {a.name.split(".")[1] for a in node.names if a.name.startswith("lincon.")}
        elif isinstance(node, ast.ImportFrom) and node.module == "lincon":
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lincon."):
            names.add(node.module.split(".")[1])
    return {name for name in names if (PACKAGE / f"{name}.py").exists()}


@cache
def _meaning(module: str) -> str:
    """The module's source without comments, layout and docstrings."""
    tree = _tree(module)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)
