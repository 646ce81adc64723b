"""The records in which policy parts are declared, and the check of a parameter's value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from numbers import Real
from typing import Any, Literal

from lincon.data.supported import LARGEST, SMALLEST, supported
from lincon.errors import UserError

# Who can play a part: `lazy` computes what can change a decision, `dense` every arm every round.
LAZY_AND_DENSE = ("lazy", "dense")
DENSE = ("dense",)

# What a policy answers: an arm, (low, high, share of low), the shares by arm, or None for uniform.
Choice = int | tuple[int, int, float] | Mapping[int, float] | Sequence[tuple[int, float]] | None

Origin = Literal["as published", "adapted", "ours"]
Needs = Literal["anytime", "needs T", "needs a gap"]


@dataclass(frozen=True)
class Parameter:
    """A number of a policy part: where it is not given it has its default."""

    name: str
    default: float
    description: str
    minimum: float | None = None
    exclusive_minimum: float | None = None
    maximum: float | None = None

    @property
    def allowed(self) -> str:
        """What may be given, in words, e.g. `a number above 0`."""
        bounds = [
            f"{word} {bound:g}"
            for word, bound in (
                ("of at least", self.minimum),
                ("above", self.exclusive_minimum),
                ("of at most", self.maximum),
            )
            if bound is not None
        ]
        return f"a number {' and '.join(bounds)}".rstrip()

    def check(self, given: object, where: str) -> float:
        """The number that was given, or a `UserError` that says what is allowed."""
        if isinstance(given, Real) and not isinstance(given, bool) and self._holds(float(given)):
            return float(given)
        range = ""
        if isinstance(given, float | int) and math.isfinite(given) and not supported(given):
            range = f"; numbers from {SMALLEST:g} to {LARGEST:g}, and 0, are supported"
        raise UserError(f"{where}: {given!r} is not {self.allowed}{range}")

    def _holds(self, number: float) -> bool:
        return (
            math.isfinite(number)
            and supported(number)
            and (self.minimum is None or number >= self.minimum)
            and (self.exclusive_minimum is None or number > self.exclusive_minimum)
            and (self.maximum is None or number <= self.maximum)
        )

    def schema(self, owner: str) -> dict[str, Any]:
        """Its row in the config's JSON schema."""
        bounds = {
            "minimum": self.minimum,
            "exclusiveMinimum": self.exclusive_minimum,
            "maximum": self.maximum,
        }
        given = {key: bound for key, bound in bounds.items() if bound is not None}
        return {"type": "number", **given, "description": f"{owner}: {self.description}"}


@dataclass(frozen=True)
class Part:
    """One choice of a policy: what it computes, its source, and which engines play it.

    `origin` says how far it is from what its reference published, `needs` whether it must know the
    horizon T or a gap of the problem.
    """

    name: str
    description: str
    reference: str
    parameters: tuple[Parameter, ...] = ()
    engines: tuple[str, ...] = LAZY_AND_DENSE
    origin: Origin = "as published"
    needs: Needs = "anytime"

    @property
    def lazy(self) -> bool:
        return "lazy" in self.engines

    @property
    def defaults(self) -> dict[str, float]:
        return {parameter.name: parameter.default for parameter in self.parameters}

    def check(self, given: Mapping[str, object], where: str) -> dict[str, float]:
        """All its parameters: those given, checked, and the defaults of the others."""
        return {
            parameter.name: parameter.check(
                given.get(parameter.name, parameter.default), f"{where}.{parameter.name}"
            )
            for parameter in self.parameters
        }


def table(*parts: Part) -> dict[str, Part]:
    return {part.name: part for part in parts}


def codes(name: str, parts: Mapping[str, Part]) -> Any:
    """The parts as an IntEnum, for kernels: `beta_sample` is BETA_SAMPLE."""
    return IntEnum(name, [part.upper() for part in parts], start=0)
