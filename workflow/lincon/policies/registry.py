"""A named policy: an estimator, a selector, a target and their parameters; or a class of one's own.

`make_policy` turns a config entry into a checked record, `engine_of` says who plays it. The parts
are declared in lincon.policies.parts. Loads without Numba.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from lincon.errors import UserError
from lincon.policies.declaration import Part
from lincon.policies.parts import ESTIMATORS, SELECTORS, TARGETS

ENGINES = ("lazy", "dense")
# The selectors that ask for a rate; every other ignores the target.
TARGETED = ("lp", "lp_greedy")
TABLES: dict[str, dict[str, Part]] = {
    "estimator": ESTIMATORS,
    "selector": SELECTORS,
    "target": TARGETS,
}
PYTHON: dict[str, Any] = {
    "type": "string",
    "pattern": r"^.+:[A-Za-z_]\w*$(?!\n)",
    "description": "a class of your own, FILE.py:CLASS or MODULE:CLASS",
}


@dataclass(frozen=True)
class PythonPolicy:
    """Where a policy of one's own is, and what its class is built with."""

    source: str
    name: str
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Policy:
    """What the engine needs to know of a policy; its label and colour are the figures' business.

    `parameters` has those of all three parts, defaults filled in. Where `python` is given, the
    policy is that class and the parts are empty.
    """

    name: str
    estimator: str = ""
    selector: str = ""
    target: str = "fixed"
    parameters: dict[str, float] = field(default_factory=dict)
    python: PythonPolicy | None = None

    def of_part(self, kind: str) -> tuple[float, ...]:
        """The parameters of its estimator, selector or target, in the order declared."""
        part = TABLES[kind][getattr(self, kind)]
        return tuple(self.parameters[parameter.name] for parameter in part.parameters)

    @property
    def parameter(self) -> float:
        """The estimator's one parameter, 0 if it has none."""
        return next(iter(self.of_part("estimator")), 0.0)


def make_policy(name: str, spec: Mapping[str, Any]) -> Policy:
    """A policy from its config entry, e.g. {"estimator": "kl_ucb", "selector": "lp", "c": 3}."""
    where = f"policies.{name}"
    if "python" in spec:
        return _python_policy(name, spec, where)
    names = {kind: _known(kind, spec, where) for kind in TABLES}
    if "target" in spec and names["selector"] not in TARGETED:
        raise UserError(
            f"{where}.target: {names['selector']} asks for no rate; a target goes with "
            f"{', '.join(TARGETED)}"
        )
    parts = [TABLES[kind][part] for kind, part in names.items()]
    given = {key: spec[key] for key in spec if key not in TABLES}
    _refuse_others(given, parts, where)
    parameters: dict[str, float] = {}
    for part in parts:
        parameters |= part.check(given, where)
    return Policy(name, names["estimator"], names["selector"], names["target"], parameters)


def engine_of(policy: Policy, asked: str) -> str:
    """Who plays the policy where the config asks for `asked`: lazy gives way to dense."""
    if asked not in ENGINES:
        raise UserError(f"engine: {asked!r} is not one of {', '.join(ENGINES)}")
    if policy.python:
        return "python"
    for engine in ENGINES[ENGINES.index(asked) :]:
        if plays(engine, policy):
            return engine
    kind = next(k for k in TABLES if not TABLES[k][getattr(policy, k)].engines)
    raise UserError(f"policies.{policy.name}.{kind}: no engine plays {getattr(policy, kind)!r} yet")


def plays(engine: str, policy: Policy) -> bool:
    """Whether all parts of the policy are declared to be played by the engine."""
    if policy.python or engine == "python":
        return bool(policy.python) and engine == "python"
    return all(engine in table[getattr(policy, kind)].engines for kind, table in TABLES.items())


def schema_properties() -> dict[str, dict[str, Any]]:
    """The JSON-schema rows of a policy, without label and colour."""
    meanings = {
        "estimator": "what the policy believes about the means",
        "selector": "what it does with its belief",
        "target": "which event rate the lp selector asks for; fixed where not given",
    }
    rows: dict[str, dict[str, Any]] = {
        kind: {"description": meanings[kind], "enum": list(table)} for kind, table in TABLES.items()
    }
    for table in TABLES.values():
        for part in table.values():
            rows |= {one.name: one.schema(part.name) for one in part.parameters}
    return rows | {"python": PYTHON}


def _known(kind: str, spec: Mapping[str, Any], where: str) -> str:
    given = spec.get(kind, "fixed" if kind == "target" else None)
    names = ", ".join(TABLES[kind])
    if given is None:
        raise UserError(f"{where}.{kind} is missing; it must be one of {names}")
    if not isinstance(given, str) or given not in TABLES[kind]:
        raise UserError(f"{where}.{kind}: {given!r} is not one of {names}")
    return given


def _refuse_others(given: Collection[str], parts: list[Part], where: str) -> None:
    allowed = [parameter.name for part in parts for parameter in part.parameters]
    for key in given:
        if key not in allowed:
            what = " with ".join(part.name for part in parts if part is not TARGETS["fixed"])
            names = ", ".join(allowed) or "none"
            raise UserError(f"{where}.{key}: {what} has no such parameter (it has: {names})")


def _python_policy(name: str, spec: Mapping[str, Any], where: str) -> Policy:
    for kind in TABLES:
        if kind in spec:
            raise UserError(f"{where}.{kind}: a policy with python has no {kind}; give one of both")
    source, colon, cls = str(spec["python"]).rpartition(":")
    if not (source and colon and cls.isidentifier()):
        raise UserError(
            f"{where}.python: {spec['python']!r} names no class; allowed: FILE.py:CLASS or "
            "MODULE:CLASS"
        )
    parameters = {key: spec[key] for key in spec if key != "python"}
    for key in parameters:
        # A name of Python's, and part of a folder's where it is swept.
        if not (key.isascii() and key.isidentifier()):
            raise UserError(
                f"{where}: {key[:200]!r} names no parameter of a class; allowed: letters, digits "
                "and _"
            )
    return Policy(name, target="", python=PythonPolicy(source, cls, parameters))
