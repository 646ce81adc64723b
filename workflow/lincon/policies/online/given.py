"""What a service gives to a policy, checked: goals, parameters, the state of a generator."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from lincon.data.supported import LARGEST, supported
from lincon.errors import UserError
from lincon.policies.own import Task
from lincon.policies.parts import Part
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
    stated: list[Any] = [made.value, made.cost or 0.0]
    for one in made.constraints:
        stated += [one.per_event, one.per_play, one.bound]
    if not made.constraints or not all(isinstance(one, str) or proper(one) for one in stated):
        raise UserError("the goal needs at least one constraint, and bounds that are numbers")
    return made


def proper(number: object) -> bool:
    """A number that can be computed with: 0, or one whose products stay in the range of floats."""
    given = isinstance(number, Real) and not isinstance(number, bool)
    return given and supported(number)  # type: ignore[arg-type]


def from_task(task: Task) -> tuple[list[dict[str, float]], Goal]:
    """The bench's problem: its arrays as columns, and a goal that names them."""
    columns: dict[str, Any] = {"value": task.values, "cost": task.costs}
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


def checked_time(given: Any, where: str) -> float:
    if not proper(given) or given < 0.0:
        raise UserError(f"{where} is {given!r}; it must be a number of seconds")
    return float(given)


def whole(given: Any) -> int:
    if not isinstance(given, int) or not proper(given) or given < 0:
        raise ValueError(f"{given!r} is not a count")
    return given


def numbers(given: Any, shape: tuple[int, ...], least: float = -LARGEST) -> np.ndarray:
    """An array out of a state; NaN, infinity, texts and wrong lengths are damage."""
    found = np.array(given)
    if found.size and found.dtype.kind not in "if":
        raise ValueError(f"{str(given)[:40]} are not numbers")
    if found.shape != shape or not ((least <= found) & (found <= LARGEST)).all():
        raise ValueError(f"{str(given)[:40]} should be {shape[0]} numbers")
    return found.astype(float)


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
