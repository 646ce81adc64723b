"""A named policy: its parts and their parameters, or a user-defined class.

`make_policy` turns a config entry into a checked record, `engine_of` says who plays it. The parts
are declared in lincon.policies.parts. Loads without NumPy and Numba.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lincon.errors import UserError
from lincon.policies.parts import (
    GOES_WITH,
    GONE,
    NEEDS,
    ORIGINS,
    TABLES,
    Parameters,
    checked_parameters,
)
from lincon.problem.goal import Goal

INDICES = ("kl_ucb", "ucb1", "gittins")


@dataclass(frozen=True)
class PythonPolicy:
    """The location of a user-defined policy, or the class itself, and its arguments."""

    source: str | type
    name: str
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Policy:
    """A policy as the engine needs it, without label and colour.

    `parameters` has those of all parts, defaults filled in. Where `python` is given, the policy is
    that class and the parts are empty.
    """

    name: str
    estimator: str = ""
    prior: str = "uniform"
    target: str = "fixed"
    steering: str = "draw"
    fallback: str = "uniform"
    parameters: dict[str, float] = field(default_factory=dict)
    python: PythonPolicy | None = None

    @property
    def forces_plays(self) -> bool:
        """Whether it plays every arm once before it decides.

        The Gittins index values an arm that was never played; without a belief, nothing is learnt.
        """
        return not self.python and self.estimator not in ("gittins", "none")

    @property
    def numbers(self) -> Any:
        """Its parameters for kernels."""
        fields: tuple[str, ...] = Parameters._fields
        return Parameters(*(self.parameters.get(name, 0.0) for name in fields))


def make_policy(name: str, spec: Mapping[str, Any]) -> Policy:
    """A policy from its config entry, e.g. {"estimator": "kl_ucb", "c": 3}."""
    where = f"policies.{name}"
    if "python" in spec:
        return _python_policy(name, spec, where)
    if sentence := refusal_of_gone(spec):
        raise UserError(where + sentence)
    names: dict[str, Any] = {}
    for kind, table in TABLES.items():
        names[kind] = spec.get(kind, "" if kind == "estimator" else next(iter(table)))
        if names[kind] not in list(table):
            mistake = f": {names[kind]!r} is not" if kind in spec else " is missing; it must be"
            raise UserError(f"{where}.{kind}{mistake} one of {', '.join(table)}")
    for kind, other, parts_of_other in GOES_WITH:
        if kind in spec and names[other] not in parts_of_other:
            allowed = " and ".join(parts_of_other)
            raise UserError(
                f"{where}.{kind}: the {other} {names[other]} has none; it goes with {allowed}"
            )
    parts = [TABLES[kind][part] for kind, part in names.items()]
    numbers = {key: spec[key] for key in spec if key not in TABLES}
    return Policy(name=name, parameters=checked_parameters(parts, numbers, where), **names)


def refusal_of_gone(spec: Mapping[str, Any]) -> str:
    """What to write instead of a choice of an earlier version; '' if the entry has none."""
    for (kind, name), instead in GONE.items():
        if spec.get(kind) == name:
            return f".{kind}: there is no {name} any more; {instead}"
    return ""


def _python_policy(name: str, spec: Mapping[str, Any], where: str) -> Policy:
    for key in spec:
        if key in TABLES:
            raise UserError(f"{where}.{key}: a policy with python has no {key}; give one of both")
        # A name of Python's, and part of a folder's where it is swept.
        if not (key.isascii() and key.isidentifier()):
            raise UserError(
                f"{where}: {key[:200]!r} names no parameter of a class; allowed: letters, digits "
                "and _"
            )
    python, parameters = spec["python"], {key: spec[key] for key in spec if key != "python"}
    source, _, cls = (
        (python, "", python.__name__) if isinstance(python, type) else (str(python).rpartition(":"))
    )
    return Policy(name, target="", python=PythonPolicy(source, cls, parameters))


def standing(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    """(How a policy relates to what was published, what it must know, what differs).

    As the config entry states, otherwise by the part farthest from its reference; for a
    user-defined policy only the entry.
    """
    parts = [TABLES[kind][entry[kind]] for kind in TABLES if kind in entry]
    origin = max((part.origin for part in parts), key=ORIGINS.index, default="")
    # An allowance is repaid by T.
    known = [part.needs for part in parts] + ["needs T"] * bool(entry.get("allowance"))
    needs = max(known, key=NEEDS.index, default="")
    return entry.get("origin", origin), entry.get("needs", needs), entry.get("differs", "")


def engines_of(policy: Policy, goal: Goal | None = None, special: object = "") -> tuple[str, ...]:
    """The engines that play a policy.

    Parameters
    ----------
    policy
        Any policy.
    goal
        None is the paper's.
    special
        True of delay, drift, a warm start or kinds of request, which the dense engine alone plays.
    """
    if policy.python:
        return ("python",)
    parts = [table[getattr(policy, kind)] for kind, table in TABLES.items()]
    lazy = not special and (goal is None or goal.lazy) and all(part.lazy for part in parts)
    return ("lazy", "dense") if lazy else ("dense",)


def engine_of(policy: Policy, asked: str, goal: Goal | None = None, special: object = "") -> str:
    """The engine that plays the policy: `asked`, or dense where lazy cannot."""
    able = engines_of(policy, goal, special)
    return asked if asked in able else able[0]
