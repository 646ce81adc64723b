"""The goal: an objective, and linear constraints on the average of a play.

    reward of a play       value_i * event - cost_i
    amount of a play       per_event_i * event + per_play_i     must average at least (most) `bound`

Each number is a constant or the name of an arm column. A constraint may concern one kind of
request alone. Loads without NumPy; lincon.problem.program has the arrays of the linear program.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

from lincon.data.supported import LARGEST, SMALLEST, supported
from lincon.errors import UserError, did_you_mean

Sense = Literal["at_least", "at_most"]
SENSES: tuple[Sense, ...] = ("at_least", "at_most")
FLOOR = "floor"
# Longer numbers than this are written with an exponent: 1e-300 has three hundred zeros.
POSITIONAL = 40


def number(value: float) -> str:
    """A number as paths show it, e.g. 0.5, 3, 0.001: the shortest text that reads back the same."""
    if not isinstance(value, float):
        return str(value)
    text = f"{Decimal(repr(value)):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text if len(text) <= POSITIONAL else repr(value)


@dataclass(frozen=True)
class Constraint:
    """The average amount of a play must be `at_least` or `at_most` the bound.

    With `kind`, the average over the requests of that kind; `kind` None is every request.
    """

    name: str
    per_event: float | str = 0.0
    per_play: float | str = 0.0
    sense: Sense = "at_least"
    bound: float = 0.0
    kind: str | None = None

    @property
    def sign(self) -> float:
        """1 for `at_least`, -1 for `at_most`."""
        return 1.0 if self.sense == "at_least" else -1.0

    def per_concerned(self, average: float, shares: Mapping[str, float]) -> float:
        """The average of the requests that it concerns, from that of all.

        `shares`: of each kind in all requests; one of another kind has exactly the bound.
        """
        share = 1.0 if self.kind is None else shares[self.kind]
        return (average - (1.0 - share) * self.bound) / share

    def to_dict(self) -> dict[str, Any]:
        amounts = {"per_event": self.per_event, "per_play": self.per_play}
        kind = {"kind": self.kind} if self.kind is not None else {}
        return {"name": self.name, **amounts, self.sense: self.bound} | kind

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], where: str = "constraint") -> Constraint:
        """From `to_dict`; `UserError` at the first mistake, `where` being the key it is at."""
        _check_keys(given, ("name", "per_event", "per_play", *SENSES, "kind"), where)
        name, kind = given.get("name"), given.get("kind")
        for key, text in (("name", name), ("kind", "any" if kind is None else kind)):
            if not (isinstance(text, str) and text):
                raise UserError(f"{where}.{key} is {text!r}; allowed: a text")
        senses = [sense for sense in SENSES if given.get(sense) is not None]
        if len(senses) != 1:
            raise UserError(f"{where} needs either at_least or at_most; give one of them")
        per_event = _amount(given.get("per_event", 0.0), f"{where}.per_event")
        per_play = _amount(given.get("per_play", 0.0), f"{where}.per_play")
        low, high = -LARGEST, LARGEST
        if not isinstance(per_event, str) and not isinstance(per_play, str):
            low, high = sorted((per_play, per_play + per_event))
        bound = _bound(given[senses[0]], low, high, f"{where}.{senses[0]}")
        return cls(str(name), per_event, per_play, senses[0], bound, kind)


@dataclass(frozen=True)
class Goal:
    """What is maximised, and subject to which constraints.

    Attributes
    ----------
    constraints : tuple of Constraint
        Each holds for the average over all rounds.
    value : float or str
        What an event earns: a number, or a column of the arms.
    cost : float, str or None
        What a play costs, likewise; None is the column `cost` where there is one, otherwise 0.
    """

    constraints: tuple[Constraint, ...]
    value: float | str = "value"
    cost: float | str | None = None

    @classmethod
    def floor(cls, eta: float) -> Goal:
        """The paper's goal: an event rate of at least eta."""
        return cls((Constraint(FLOOR, per_event=1.0, bound=float(eta)),))

    @property
    def eta(self) -> float | None:
        """The floor of the paper's goal; None for every other."""
        bound = self.constraints[0].bound if self.constraints else 0.0
        return bound if self == Goal.floor(bound) else None

    @property
    def text(self) -> str:
        """Its name in paths and in random keys: `eta_0.5`, `rate_0.5+cost_2-1f3a..`.

        The hash is of the whole definition, so goals that differ never share a name.
        """
        if self.eta is not None:
            return f"eta_{number(self.eta)}"
        named = "+".join(f"{one.name}_{number(one.bound)}" for one in self.constraints)
        definition = json.dumps(self.to_dict(), sort_keys=True)
        return f"{named}-{hashlib.sha256(definition.encode()).hexdigest()[:8]}"

    def unused(self, columns: Iterable[str]) -> list[str]:
        """The arms' columns that it does not use; of a group `a=b`, the name `a`."""
        amounts = [amount for one in self.constraints for amount in (one.per_event, one.per_play)]
        looked = ["cost" if self.cost is None else self.cost, self.value, *amounts]
        used = {amount.partition("=")[0] for amount in looked if isinstance(amount, str)}
        names = dict.fromkeys(name.partition("=")[0] for name in columns)
        return [name for name in names if name not in used]

    @property
    def lazy(self) -> bool:
        """Whether the lazy engine may play it: one constraint on all requests, nothing that falls.

        Columns other than `value` may be negative, so they are treated as decreasing.
        """
        rises = all(_rises(one.per_event, one.sign) for one in self.constraints)
        one = len(self.constraints) == 1 and self.constraints[0].kind is None
        return one and rises and _rises(self.value, 1.0)

    def to_dict(self) -> dict[str, Any]:
        return {
            "constraints": [one.to_dict() for one in self.constraints],
            "objective": {"value": self.value, "cost": self.cost},
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], where: str = "goal") -> Goal:
        """A goal from its keys, as in a config or from `to_dict`.

        Parameters
        ----------
        given
            `eta` or `constraints` (a list, see `Constraint.from_dict`), and optionally `objective`
            with `value` and `cost`.
        where
            The key that an error names.

        Raises
        ------
        UserError
            At the first mistake: an unknown key, a bound that no play can meet.
        """
        _check_keys(given, ("eta", "constraints", "objective"), where)
        eta, constraints = given.get("eta"), given.get("constraints")
        if (eta is None) == (constraints is None):
            raise UserError(f"{where} needs either eta or constraints; give one of them")
        if constraints is None:
            made = cls.floor(_bound(eta, 0.0, 1.0, f"{where}.eta")).constraints
        elif isinstance(constraints, list | tuple):
            places = [f"{where}.constraints.{_place(one, k)}" for k, one in enumerate(constraints)]
            made = tuple(map(Constraint.from_dict, constraints, places))
        else:
            raise UserError(f"{where}.constraints is {constraints!r}; allowed: a list")
        objective = {} if given.get("objective") is None else given["objective"]
        _check_keys(objective, ("value", "cost"), f"{where}.objective")
        cost = objective.get("cost")
        return cls(
            made,
            _amount(objective.get("value", "value"), f"{where}.objective.value"),
            None if cost is None else _amount(cost, f"{where}.objective.cost"),
        )


def as_goal(goal: Goal | float) -> Goal:
    """A number is the floor of the paper's goal."""
    return goal if isinstance(goal, Goal) else Goal.floor(goal)


def _check_keys(entry: Any, allowed: Iterable[str], where: str) -> None:
    if not isinstance(entry, Mapping):
        raise UserError(f"{where} is {entry!r}; allowed: a mapping of keys to values")
    for key in entry:
        if key not in allowed:
            guess = did_you_mean(str(key), allowed)
            raise UserError(
                f"{where}.{key} is not a known key{guess}; allowed here: "
                f"{', '.join(sorted(allowed))}"
            )


def _place(constraint: Any, index: int) -> str:
    """How errors name a constraint: by its name, or by its place where it has none."""
    name = constraint.get("name") if isinstance(constraint, Mapping) else None
    return name if isinstance(name, str) and name else str(index)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _amount(amount: Any, where: str) -> float | str:
    if isinstance(amount, str) and amount:
        return amount
    if not _is_number(amount):
        raise UserError(f"{where} is {amount!r}; allowed: a number, or the name of a column")
    return float(amount)


def _bound(bound: Any, low: float, high: float, where: str) -> float:
    """A bound within the range of a play's amount."""
    if not (_is_number(bound) and low <= bound <= high and supported(bound)):
        shown = number(float(bound)) if _is_number(bound) else repr(bound)
        raise UserError(
            f"{where} is {shown}; allowed: a number in [{low:g}, {high:g}], what a play can have "
            f"on average, but nothing between 0 and {SMALLEST:g} in size"
        )
    return float(bound)


def _rises(amount: float | str, sign: float) -> bool:
    if isinstance(amount, str):
        return amount in ("value", "mean") and sign > 0.0
    return amount * sign >= 0.0
