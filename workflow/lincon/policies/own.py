"""User-defined policies: a Python class in a file or an installed module, found, hashed and built.

    class MyPolicy:
        def __init__(self, problem, rng, **parameters): ...
        def choose(self, t): ...              # an arm, shares by arm, or None
        def update(self, t, arm, event): ...  # what playing the arm gave

`problem` is a `Task`. For the paper's problem `__init__(self, values, eta, horizon, rng, ...)` does
as well. Rounds are counted from 1, arms from 0. A choice is an arm, (low, high, share of low), a
dict or list of arms with their shares, or None for arms drawn uniformly. Nothing is registered and
Numba is not needed; this module loads without NumPy, too.
"""

from __future__ import annotations

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
from lincon.problem.goal import Constraint, Goal, Program

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Task:
    """All that a policy may know: a play pays `values * event - costs`; what a constraint has
    `per_event` and `per_play` are arrays over the arms."""

    values: np.ndarray
    costs: np.ndarray
    constraints: tuple[Constraint, ...]
    horizon: int
    # Events and plays of each arm before round 1, where the experiment starts warm.
    history: np.ndarray | None = None


# --- found and hashed


def own_source(entry: Mapping[str, Any]) -> str:
    """FILE.py or MODULE of a policy's config entry; empty if it is made of parts."""
    return str(entry.get("python", "")).rpartition(":")[0]


def own_sources(entries: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, str]:
    """The hash of each FILE.py or MODULE, from the names and config entries of policies.

    A class that its source never names is refused before anything runs; the source is not run.
    """
    found: dict[str, str] = {}
    for name, entry in entries:
        if source := own_source(entry):
            where, cls = f"config: policies.{name}.python", entry["python"].rpartition(":")[2]
            path, content = _read(source, where)
            try:
                compile(content, str(path), "exec")
            except (SyntaxError, ValueError) as error:
                raise UserError(f"{where}: {source} is not Python: {error}") from None
            text = content.decode("utf-8", errors="replace")
            if not re.search(rf"\b{cls}\b|import \*", text):
                has = ", ".join(re.findall(r"^class (\w+)", text, re.MULTILINE)) or "none"
                raise UserError(f"{where}: {source} has no class {cls}; it has: {has}")
            found[source] = _sha256(source, content)
    return found


def _sha256(source: str, content: bytes) -> str:
    """A hash of the code of FILE.py or MODULE: what the numbers of its policies depend on.

    Of a file and of a foreign module it is the file itself; of a module of this package also all
    that it imports from the package.
    """
    if source.startswith("lincon.") and not source.endswith(".py"):
        return fingerprint(source.partition(".")[2])
    return hashlib.sha256(content).hexdigest()


def check_unchanged(policy: Policy, sha256: str) -> None:
    """Refuse code that was edited since the run was planned, with whose hash it would go."""
    if policy.python and sha256:
        source, where = policy.python.source, f"policies.{policy.name}.python"
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
    except OSError:  # what is built into Python has none
        raise UserError(
            f"{where}: there is no {source} in {Path.cwd()}; allowed: FILE.py:CLASS or MODULE:CLASS"
        ) from None


# --- built


def build(
    policy: Policy,
    goal: Goal,
    program: Program,
    horizon: int,
    rng: Any,
    history: np.ndarray | None = None,
) -> Any:
    """The policy's class, built; mistakes in how it is named or called are one sentence."""
    assert policy.python is not None
    where, name = f"policies.{policy.name}.python", policy.python.name
    maker = _load(policy.python, where)
    signature, parameters = inspect.signature(maker), policy.python.parameters
    # Copies: a class may do with them what it likes.
    values = program.value.copy()
    constraints = tuple(
        replace(one, per_event=one.sign * a, per_play=one.sign * b)
        for one, a, b in zip(goal.constraints, program.a, program.b, strict=True)
    )
    task = Task(values, program.cost.copy(), constraints, horizon, history)
    arguments: dict[str, Any] = {"problem": task, "rng": rng}
    if "problem" not in signature.parameters:
        if goal.eta is None or history is not None:
            raise UserError(
                f"{where}: {name} is built with (values, eta, horizon, rng), which say nothing of "
                "other goals and of a warm start; let it take (problem, rng)"
            )
        arguments = {"values": values, "eta": goal.eta, "horizon": horizon, "rng": rng}
    try:
        signature.bind(*arguments.values(), **parameters)
    except TypeError as error:
        given = ", ".join([*arguments, *parameters])
        raise UserError(f"{where}: {name} cannot be built with ({given}): {error}") from None
    made = maker(*arguments.values(), **parameters)
    for method in ("choose", "update"):
        if not callable(getattr(made, method, None)):
            raise UserError(
                f"{where}: {name} has no method {method}; it must have choose(t) and "
                "update(t, arm, event)"
            )
    return made


def _load(python: PythonPolicy, where: str) -> Any:
    """The class. A file is compiled from its text each time: a cache goes by time and size alone,
    and would miss an edit within a second."""
    path, content = _read(python.source, where)
    if python.source.endswith(".py"):
        module = ModuleType(f"policy_file_{path.stem}")
        module.__file__ = str(path)
        sys.modules[module.__name__] = module  # where dataclasses look for their annotations
        # The one place where a user's code is run: a policy that the user named (SECURITY.md).
        exec(compile(content, str(path), "exec"), module.__dict__)  # nosec B102
    else:
        module = importlib.import_module(python.source)
    found = getattr(module, python.name, None)
    if not callable(found):
        raise UserError(f"{where}: {python.source} has no class {python.name}")
    return found
