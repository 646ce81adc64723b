"""What a service gives to a policy, checked: goals, parameters, the state of a generator."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lincon.errors import UserError
from lincon.policies.declaration import Part
from lincon.policies.own import Task
from lincon.problem.goal import Constraint, Goal

BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


def checked_goal(eta: float | None, goal: Goal | Mapping[str, Any] | None) -> Goal:
    if (eta is None) == (goal is None):
        raise UserError("give either eta, the event rate to keep, or a goal")
    if eta is not None:
        if not 0.0 <= eta <= 1.0:
            raise UserError(f"eta is {eta!r}; it must be a number in [0, 1]")
        return Goal.floor(eta)
    made = goal if isinstance(goal, Goal) else Goal.from_dict(goal or {})
    if not made.constraints or not all(math.isfinite(one.bound) for one in made.constraints):
        raise UserError("the goal needs at least one constraint, and bounds that are numbers")
    return made


def from_task(task: Task) -> tuple[list[dict[str, float]], Goal]:
    """The bench's problem: its arrays as columns, and a goal that names them."""
    columns = {"value": task.values, "cost": task.costs}
    constraints = []
    for j, one in enumerate(task.constraints):
        event, play = f"per_event_{j}", f"per_play_{j}"
        columns |= {event: one.per_event, play: one.per_play}
        constraints.append(Constraint(one.name, event, play, one.sense, one.bound))
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows], Goal(tuple(constraints))


def checked_parameters(
    parts: tuple[Part, ...], given: Mapping[str, float], where: str
) -> dict[str, float]:
    declared = {parameter.name: parameter for part in parts for parameter in part.parameters}
    for name in given:
        if name not in declared:
            raise UserError(f"{where} has no parameter {name}; it has: {', '.join(declared)}")
    return {
        name: parameter.check(given.get(name, parameter.default), f"{where}.{name}")
        for name, parameter in declared.items()
    }


def whole(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise ValueError(f"{given!r} is not a count")
    return given


def plain(state: Any) -> Any:
    """A generator's state as JSON can hold it: some have arrays."""
    if isinstance(state, Mapping):
        return {key: plain(value) for key, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray | np.generic) else state


def generator(state: Mapping[str, Any]) -> np.random.Generator:
    name = state["bit_generator"]
    if name not in BIT_GENERATORS:
        raise UserError(
            f"the state names the bit generator {name!r}; allowed: {', '.join(BIT_GENERATORS)}"
        )
    bits = getattr(np.random, name)()
    bits.state = state
    return np.random.Generator(bits)
