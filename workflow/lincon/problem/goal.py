"""What is asked of the arms: an objective, and linear constraints on the average of a play.

    reward of a play       value_i * event - cost_i
    amount of a play       per_event_i * event + per_play_i     must average at least (most) `bound`

Each number is a constant or the name of an arm column. Loads without NumPy; `program` turns a goal
and arms into the arrays of the linear program.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lincon.errors import UserError

if TYPE_CHECKING:
    import numpy as np

    from lincon.data.arms import Arms

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
    """The average amount of a play must be `at_least` or `at_most` the bound."""

    name: str
    per_event: float | str = 0.0
    per_play: float | str = 0.0
    sense: Sense = "at_least"
    bound: float = 0.0

    @property
    def sign(self) -> float:
        """What turns it into an `at_least` constraint: 1, or -1."""
        return 1.0 if self.sense == "at_least" else -1.0

    def to_dict(self) -> dict[str, Any]:
        amounts = {"per_event": self.per_event, "per_play": self.per_play}
        return {"name": self.name, **amounts, self.sense: self.bound}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Constraint:
        (sense,) = (sense for sense in SENSES if given.get(sense) is not None)
        per_event, per_play = (_number(given.get(key, 0.0)) for key in ("per_event", "per_play"))
        return cls(str(given["name"]), per_event, per_play, sense, float(given[sense]))


@dataclass(frozen=True)
class Goal:
    """`cost` None is the arms' column `cost` where there is one, and 0 otherwise."""

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
        """What names it in paths and keys the random numbers: `eta_0.5`, `rate_0.5+cost_2-1f3a..`.

        The hash is of the whole definition, so goals that differ never share a name.
        """
        if self.eta is not None:
            return f"eta_{number(self.eta)}"
        named = "+".join(f"{one.name}_{number(one.bound)}" for one in self.constraints)
        definition = json.dumps(self.to_dict(), sort_keys=True)
        return f"{named}-{hashlib.sha256(definition.encode()).hexdigest()[:8]}"

    def unused(self, columns: Iterable[str]) -> list[str]:
        """Those of the arms' columns that it does not look at; of a group `a=b`, the name `a`."""
        amounts = [amount for one in self.constraints for amount in (one.per_event, one.per_play)]
        looked = ["cost" if self.cost is None else self.cost, self.value, *amounts]
        used = {given.partition("=")[0] for given in looked if isinstance(given, str)}
        names = dict.fromkeys(name.partition("=")[0] for name in columns)
        return [name for name in names if name not in used]

    @property
    def lazy(self) -> bool:
        """Whether the lazy engine may play it: one constraint, nothing that falls with theta.

        Columns other than `value` may hold negative numbers, so they count as falling.
        """
        rises = all(_rises(one.per_event, one.sign) for one in self.constraints)
        return len(self.constraints) == 1 and rises and _rises(self.value, 1.0)

    def to_dict(self) -> dict[str, Any]:
        return {
            "constraints": [one.to_dict() for one in self.constraints],
            "objective": {"value": self.value, "cost": self.cost},
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Goal:
        """From `to_dict`, or from an experiment: `eta`, or constraints and objective."""
        if given.get("eta") is not None:
            return cls.floor(given["eta"])
        objective = given.get("objective") or {}
        cost = objective.get("cost")
        return cls(
            tuple(Constraint.from_dict(one) for one in given["constraints"]),
            _number(objective.get("value", "value")),
            None if cost is None else _number(cost),
        )


def as_goal(goal: Goal | float) -> Goal:
    """A number is the floor of the paper's goal."""
    return goal if isinstance(goal, Goal) else Goal.floor(goal)


class Program(NamedTuple):
    """The linear program's numbers for kernels; every constraint is in its `at_least` form.

    value[N], cost[N], a[m, N], b[m, N], e[m]: reward value * event - cost, amount a * event + b.
    """

    value: np.ndarray
    cost: np.ndarray
    a: np.ndarray
    b: np.ndarray
    e: np.ndarray


def program(arms: Arms, goal: Goal) -> Program:
    import numpy as np

    def column(given: float | str, where: str) -> np.ndarray:
        if not isinstance(given, str):
            return np.full(len(arms), float(given))
        try:
            return np.array(arms.column(given), dtype=float)
        except KeyError:
            known = ", ".join(("mean", "value", *arms.columns))
            raise UserError(
                f"{where}: {arms.dataset or 'the arms'} has no column {given!r}; allowed: a "
                f"number, or one of {known}"
            ) from None

    def reward(given: float | str, where: str) -> np.ndarray:
        """What a play pays or costs; rewards are counted in units of the arms' scale."""
        return arms.value.copy() if given == "value" else column(given, where) / arms.scale

    shape = (len(goal.constraints), len(arms))
    a, b, e = np.zeros(shape), np.zeros(shape), np.zeros(shape[0])
    for j, one in enumerate(goal.constraints):
        a[j] = one.sign * column(one.per_event, f"constraints.{one.name}.per_event")
        b[j] = one.sign * column(one.per_play, f"constraints.{one.name}.per_play")
        e[j] = one.sign * one.bound
    known = "cost" if "cost" in arms.columns else 0.0
    cost = reward(known if goal.cost is None else goal.cost, "objective.cost")
    # -0.0 is a 0 that prints with a sign.
    return Program(reward(goal.value, "objective.value"), cost, a + 0.0, b + 0.0, e + 0.0)


def _number(given: Any) -> float | str:
    return given if isinstance(given, str) else float(given)


def _rises(given: float | str, sign: float) -> bool:
    if isinstance(given, str):
        return given in ("value", "mean") and sign > 0.0
    return given * sign >= 0.0
