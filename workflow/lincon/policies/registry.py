"""A named policy: its parts and their parameters, or a user-defined class.

`make_policy` turns a config entry into a checked record, `engine_of` says who plays it. The parts
are declared in lincon.policies.parts. Loads without NumPy and Numba.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lincon.errors import UserError
from lincon.policies.declaration import NEEDS, ORIGINS, Part
from lincon.policies.parts import OPTIONAL, TABLES, Parameters
from lincon.problem.goal import Goal

ENGINES = ("lazy", "dense")
MEANINGS = {
    "estimator": "what the policy believes about the means",
    "selector": "what it does with its belief",
    "prior": "what beta_sample believes before any play; uniform where not given",
    "target": "which amounts the lp selector asks for; fixed where not given",
    "steering": "how the lp selector's mixture becomes an arm; draw where not given",
    "fallback": "what the lp selector plays where no mixture is feasible; uniform where not given",
    "constraint_belief": "what the lp selector believes about the constraints; same where not "
    "given",
}
INDICES = ("kl_ucb", "ucb1")


@dataclass(frozen=True)
class PythonPolicy:
    """Where a user-defined policy is, and what its class is built with."""

    source: str
    name: str
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Policy:
    """What the engine needs to know of a policy; its label and colour are the figures' business.

    `parameters` has those of all parts, defaults filled in. Where `python` is given, the policy is
    that class and the parts are empty.
    """

    name: str
    estimator: str = ""
    selector: str = ""
    prior: str = "uniform"
    target: str = "fixed"
    steering: str = "draw"
    fallback: str = "uniform"
    constraint_belief: str = "same"
    parameters: dict[str, float] = field(default_factory=dict)
    python: PythonPolicy | None = None

    @property
    def parts(self) -> dict[str, Part]:
        return {kind: table[getattr(self, kind)] for kind, table in TABLES.items()}

    @property
    def numbers(self) -> Any:
        """Its parameters for kernels."""
        fields: tuple[str, ...] = Parameters._fields
        return Parameters(*(self.parameters.get(name, 0.0) for name in fields))


def make_policy(name: str, spec: Mapping[str, Any]) -> Policy:
    """A policy from its config entry, e.g. {"estimator": "kl_ucb", "selector": "lp", "c": 3}."""
    where = f"policies.{name}"
    if "python" in spec:
        return _python_policy(name, spec, where)
    refuse_old(spec, where)
    names = {kind: _known(kind, spec, where) for kind in TABLES}
    for kind, (owner, goes_with) in OPTIONAL.items():
        if kind in spec and names[owner] != goes_with:
            raise UserError(f"{where}.{kind}: {names[owner]} has none; it goes with {goes_with}")
    if names["constraint_belief"] == "lower" and names["estimator"] not in INDICES:
        raise UserError(
            f"{where}.constraint_belief: {names['estimator']} has no lower end; lower goes with "
            f"{', '.join(INDICES)}"
        )
    parts = [TABLES[kind][part] for kind, part in names.items()]
    declared = {parameter.name: parameter for part in parts for parameter in part.parameters}
    for key in spec:
        if key not in TABLES and key not in declared:
            what, has = f"{parts[0].name} with {parts[1].name}", ", ".join(declared) or "none"
            raise UserError(f"{where}.{key}: {what} has no such parameter (it has: {has})")
    parameters = {
        key: parameter.check(spec.get(key, parameter.default), f"{where}.{key}")
        for key, parameter in declared.items()
    }
    return Policy(name=name, parameters=parameters, **names)  # type: ignore[arg-type]


class Standing(NamedTuple):
    """How a policy relates to what was published, what it must know, and what differs."""

    origin: str
    needs: str
    differs: str


def standing(entry: Mapping[str, Any]) -> Standing:
    """As the config entry says, otherwise that of the part that is farthest from its reference.

    Of a user-defined policy only the entry can say it; what it does not say is empty.
    """
    parts = [TABLES[kind][entry[kind]] for kind in TABLES if kind in entry]
    origin = max((part.origin for part in parts), key=ORIGINS.index, default="")
    needs = max((part.needs for part in parts), key=NEEDS.index, default="")
    return Standing(
        entry.get("origin", origin), entry.get("needs", needs), entry.get("differs", "")
    )


def engines_of(policy: Policy, goal: Goal | None = None, world: object = "") -> tuple[str, ...]:
    """The engines that play the policy; no goal is the paper's, no world is without surprises."""
    if policy.python:
        return ("python",)
    lazy = not world and (goal is None or goal.lazy)
    lazy = lazy and all(part.lazy for part in policy.parts.values())
    return ENGINES if lazy else ("dense",)


def engine_of(policy: Policy, asked: str, goal: Goal | None = None, world: object = "") -> str:
    """Who plays the policy where the config asks for `asked`: lazy gives way to dense."""
    if asked not in ENGINES:
        raise UserError(f"engine: {asked!r} is not one of {', '.join(ENGINES)}")
    able = engines_of(policy, goal, world)
    return asked if asked in able else able[0]


def schema_properties() -> dict[str, dict[str, Any]]:
    """The JSON-schema rows of a policy made of parts, without label and colour."""
    rows: dict[str, dict[str, Any]] = {
        kind: {"description": MEANINGS[kind], "enum": list(table)} for kind, table in TABLES.items()
    }
    for table in TABLES.values():
        for part in table.values():
            for one in part.parameters:
                rows[one.name] = one.schema("estimators" if one.name in rows else part.name)
    return rows


def _known(kind: str, spec: Mapping[str, Any], where: str) -> str:
    given = spec.get(kind, next(iter(TABLES[kind])) if kind in OPTIONAL else None)
    names = ", ".join(TABLES[kind])
    if given is None:
        raise UserError(f"{where}.{kind} is missing; it must be one of {names}")
    if not isinstance(given, str) or given not in TABLES[kind]:
        raise UserError(f"{where}.{kind}: {given!r} is not one of {names}")
    return given


def refuse_old(spec: Mapping[str, Any], where: str) -> None:
    """Entries of earlier versions: each gets one sentence that says what to write now."""
    if spec.get("selector") == "lp_greedy":
        raise UserError(f"{where}.selector: write `selector: lp, fallback: greedy` for lp_greedy")
    if spec.get("target") == "paced" and "fallback" not in spec:
        raise UserError(
            f"{where}.target: paced needs a fallback for rounds in which no mixture is feasible; "
            "write `fallback: greedy` for what it was before, or `fallback: uniform`"
        )
    if "alpha" in spec and spec.get("estimator") == "ucb1":
        raise UserError(f"{where}.alpha: write `explore`, which is alpha / 2")


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
