"""User-defined policies: a Python class in a file or an installed module.

    class MyPolicy:
        def __init__(self, problem, rng, **parameters): ...
        def choose(self, t): ...              # an arm, {arm: share}, or None
        def update(self, t, arm, event): ...  # what playing the arm gave

`problem` is a `Task`. Rounds count from 1, arms from 0; None draws an arm uniformly. Where requests
come in kinds it is `choose(t, kind)`, kinds counted from 0, and the answer is of arms of that kind.
Nothing is registered, and Numba is not needed. This module loads without NumPy.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lincon.errors import UserError
from lincon.fingerprint import fingerprint
from lincon.policies.registry import Policy, PythonPolicy
from lincon.problem.goal import Constraint, Goal

if TYPE_CHECKING:
    import numpy as np

    from lincon.problem.program import Program

METHODS = {"choose": "choose(t)", "update": "update(t, arm, event)"}


@dataclass(frozen=True)
class Task:
    """The problem as a policy may know it.

    Attributes
    ----------
    values, costs : arrays of shape (N,)
        A play of arm i pays ``values[i] * event - costs[i]``.
    constraints : tuple of Constraint
        Each with `name`, `sense` ("at_least" or "at_most"), `bound`, and the arrays `per_event` and
        `per_play` of shape (N,): the amount of a play is ``per_event[i] * event + per_play[i]``.
    horizon : int
        The number of rounds.
    history : array of shape (2, N) or None
        Events and plays of each arm before round 1, where the experiment starts warm.
    arms : tuple of arrays
        The arms of each kind of request; one array of all arms where there are no kinds.
    shares : array of shape (K,)
        The share of each kind in all requests.
    """

    values: np.ndarray
    costs: np.ndarray
    constraints: tuple[Constraint, ...]
    horizon: int
    history: np.ndarray | None
    arms: tuple[np.ndarray, ...]
    shares: np.ndarray


# --- the source, checked without running it


def own_source(entry: Mapping[str, Any]) -> str:
    """FILE.py or MODULE of a policy's config entry; empty for a policy made of parts."""
    return str(entry.get("python", "")).rpartition(":")[0]


def own_sources(entries: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, str]:
    """The hash of each FILE.py or MODULE, from the names and config entries of policies.

    A missing class or method is refused; the source is parsed, not run.
    """
    hashes: dict[str, str] = {}
    for name, entry in entries:
        if source := own_source(entry):
            where = f"config: policies.{name}.python"
            content = _read(source, where)[1]
            _check_class(content, entry["python"].rpartition(":")[2], f"{where}: {source}")
            hashes[source] = _sha256(source, content)
    return hashes


def _check_class(content: bytes, name: str, where: str) -> None:
    """Refuse a missing class or method; imported and inherited ones cannot be checked."""
    try:
        body = ast.parse(content).body
    except (SyntaxError, ValueError) as error:
        raise UserError(f"{where} is not Python: {error}") from None
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    if name not in classes:
        if not re.search(rf"\b{name}\b|import \*", content.decode("utf-8", "replace")):
            raise UserError(f"{where} has no class {name}; it has: {', '.join(classes) or 'none'}")
        return
    methods: set[str] = set()
    bases = [name]
    for base in bases:
        if base not in classes:
            return
        methods |= {getattr(node, "name", "") for node in classes[base].body}
        bases += [getattr(node, "id", "") for node in classes[base].bases]
    _require_methods(methods, f"{where}: {name}")


def _require_methods(present: Iterable[str], where: str) -> None:
    for method in METHODS:
        if method not in present:
            wanted = " and ".join(METHODS.values())
            raise UserError(f"{where} has no method {method}; it must have {wanted}")


def _sha256(source: str, content: bytes) -> str:
    """The hash that stands for a policy's code: of its file; of all of lincon for a class in it."""
    if source.startswith("lincon.") and not source.endswith(".py"):
        return fingerprint(source.partition(".")[2])
    return hashlib.sha256(content).hexdigest()


def check_unchanged(policy: Policy, sha256: str) -> None:
    """Refuse code edited since the run was planned: its results would get the old hash."""
    if policy.python and sha256:
        source, where = str(policy.python.source), f"policies.{policy.name}.python"
        if _sha256(source, _read(source, where)[1]) != sha256:
            raise UserError(
                f"{where}: {source} was changed since this run was planned; run again, which plays "
                "the new code"
            )


def _read(source: str, where: str) -> tuple[Path, bytes]:
    path = source if source.endswith(".py") else ""
    if not path:
        with suppress(ImportError, ValueError):
            spec = importlib.util.find_spec(source)
            path = (spec and spec.origin) or ""
    try:
        return Path(path), Path(path).read_bytes()
    except OSError:  # built-in modules have no file
        raise UserError(
            f"{where}: there is no {source} in {Path.cwd()}; allowed: FILE.py:CLASS or MODULE:CLASS"
        ) from None


# --- the instance that plays


def build(
    policy: Policy,
    goal: Goal,
    program: Program,
    horizon: int,
    rng: np.random.Generator,
    history: np.ndarray | None = None,
) -> Any:
    """An instance of the policy's class; a wrong name or parameter is one sentence."""
    assert policy.python is not None
    where, parameters = f"policies.{policy.name}.python", policy.python.parameters
    cls, name = _load(policy.python, where), policy.python.name
    # Copies, which a class may change.
    constraints = tuple(
        replace(one, per_event=one.sign * a, per_play=one.sign * b)
        for one, a, b in zip(goal.constraints, program.a, program.b, strict=True)
    )
    columns = program.value.copy(), program.cost.copy(), constraints
    task = Task(*columns, horizon, history, tuple(program.rows), program.share.copy())
    try:
        inspect.signature(cls).bind(task, rng, **parameters)
    except TypeError as error:
        arguments = ", ".join(["problem", "rng", *parameters])
        raise UserError(f"{where}: {name} cannot be built with ({arguments}): {error}") from None
    instance = cls(task, rng, **parameters)
    methods = [method for method in METHODS if callable(getattr(instance, method, None))]
    _require_methods(methods, f"{where}: {name}")
    if len(task.arms) > 1:
        try:
            inspect.signature(instance.choose).bind(1, 0)
        except TypeError:
            raise UserError(
                f"{where}: requests come in kinds, so {name}.choose must be choose(t, kind)"
            ) from None
    return instance


def _load(python: PythonPolicy, where: str) -> Any:
    """The class. A file is compiled afresh: Python's cache goes by time and size, and would miss an
    edit within a second."""
    if not isinstance(python.source, str):
        return python.source
    path, content = _read(python.source, where)
    if python.source.endswith(".py"):
        module = ModuleType(f"policy_file_{path.stem}")
        module.__file__ = str(path)
        sys.modules[module.__name__] = module  # where dataclasses look up their annotations
        # The one place that runs a user's code: a policy that the user named (SECURITY.md).
        exec(compile(content, str(path), "exec"), module.__dict__)  # nosec B102
    else:
        module = importlib.import_module(python.source)
    cls = getattr(module, python.name, None)
    if not callable(cls):
        raise UserError(f"{where}: {python.source} has no class {python.name}")
    return cls
