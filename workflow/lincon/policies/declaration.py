"""The records in which policy parts are declared, and the check of a parameter's value."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from numbers import Real
from typing import Any, Literal, get_args

from lincon.data.supported import LARGEST, SMALLEST, supported
from lincon.errors import UserError

# What a policy answers: an arm, (low, high, share of low), the shares by arm, or None for uniform.
Choice = int | tuple[int, int, float] | Mapping[int, float] | Sequence[tuple[int, float]] | None

# Each in the order in which a part outweighs the others of its policy.
Origin = Literal["as published", "adapted", "ours"]
Needs = Literal["anytime", "needs T", "needs a gap", "knows the means"]
ORIGINS, NEEDS = get_args(Origin), get_args(Needs)

# A bound of a parameter: in words, in the JSON schema, and what it means.
BOUNDS: dict[str, tuple[str, str, Any]] = {
    "at_least": ("of at least", "minimum", operator.ge),
    "above": ("above", "exclusiveMinimum", operator.gt),
    "at_most": ("of at most", "maximum", operator.le),
}


@dataclass(frozen=True)
class Parameter:
    """A number of a policy part: where it is not given it has its default."""

    name: str
    default: float
    description: str
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None

    @property
    def bounds(self) -> dict[str, float]:
        bounds = {name: getattr(self, name) for name in BOUNDS}
        return {name: bound for name, bound in bounds.items() if bound is not None}

    @property
    def allowed(self) -> str:
        """What may be given, in words, e.g. `a number above 0`."""
        words = [f"{BOUNDS[name][0]} {bound:g}" for name, bound in self.bounds.items()]
        return f"a number {' and '.join(words)}".rstrip()

    def check(self, given: object, where: str) -> float:
        """The number that was given, or a `UserError` that says what is allowed."""
        is_number = isinstance(given, Real) and not isinstance(given, bool)
        number = float(given) if is_number else math.nan  # type: ignore[arg-type]
        within = (BOUNDS[name][2](number, bound) for name, bound in self.bounds.items())
        if supported(number) and all(within):
            return number
        hint = ""
        if math.isfinite(number) and not supported(number):
            hint = f"; numbers from {SMALLEST:g} to {LARGEST:g}, and 0, are supported"
        raise UserError(f"{where}: {given!r} is not {self.allowed}{hint}")

    def schema(self, owner: str) -> dict[str, Any]:
        """Its row in the config's JSON schema."""
        bounds = {BOUNDS[name][1]: bound for name, bound in self.bounds.items()}
        return {"type": "number", **bounds, "description": f"{owner}: {self.description}"}


@dataclass(frozen=True)
class Part:
    """One choice of a policy: what it computes and its source.

    `origin` says how far it is from what its reference published, `needs` whether it must know the
    horizon T or a gap of the problem. The dense engine plays every part, the lazy one those that
    are `lazy`.
    """

    name: str
    description: str
    reference: str
    parameters: tuple[Parameter, ...] = ()
    lazy: bool = True
    origin: Origin = "as published"
    needs: Needs = "anytime"

    @property
    def defaults(self) -> dict[str, float]:
        return {parameter.name: parameter.default for parameter in self.parameters}


def table(*parts: Part) -> dict[str, Part]:
    return {part.name: part for part in parts}


def codes(name: str, parts: Mapping[str, Part]) -> Any:
    """The parts as an IntEnum, for kernels: `beta_sample` is BETA_SAMPLE."""
    return IntEnum(name, [part.upper() for part in parts], start=0)
