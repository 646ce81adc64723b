"""The records in which policy parts are declared, and the check of a parameter's value.

A part's integer code is its position in its table (lincon.policies.registry).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from lincon.data.supported import LARGEST, SMALLEST, supported
from lincon.errors import UserError

# Who can play a part: `lazy` computes what can change a decision, `dense` every arm every round.
LAZY_AND_DENSE = ("lazy", "dense")
DENSE = ("dense",)

# What a policy answers: an arm, a mixture (low, high, share of low), or None for every arm alike.
Choice = int | tuple[int, int, float] | None


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
    """An estimator, a selector or a target: what it computes, after whom, and who can play it."""

    name: str
    description: str
    reference: str
    parameters: tuple[Parameter, ...] = ()
    engines: tuple[str, ...] = LAZY_AND_DENSE

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
