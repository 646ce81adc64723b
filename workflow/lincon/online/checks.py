"""What a constructor is given, checked: one sentence for each mistake."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from lincon.errors import UserError, did_you_mean
from lincon.online.arms import Arm, is_number
from lincon.problem.goal import Goal


def checked(name: str, given: Any, low: float, high: float, *, optional: bool = False) -> Any:
    if optional and given is None:
        return None
    if not is_number(given, low, high):
        raise UserError(f"{name} is {given!r}; allowed: a number from {low:g} to {high:g}")
    return float(given)


def checked_numbers(
    policy: str, defaults: Mapping[str, float], given: Mapping[str, Any]
) -> dict[str, float]:
    for name in given:
        if name not in defaults:
            hint = did_you_mean(name, defaults)
            raise UserError(
                f"{policy} has no parameter {name}{hint}; allowed: {', '.join(defaults)}"
            )
    low = {"reserve": 0.0, "c": 0.0, "ramp": 0.0}
    return {
        name: checked(name, given.get(name, default), low.get(name, 1e-12), 1e12)
        for name, default in defaults.items()
    }


def checked_kinds(
    kinds: Mapping[str, float] | None, arms: Iterable[Arm]
) -> dict[str | None, float]:
    """The share of each kind of request; one kind without a name if there are none."""
    named = dict.fromkeys(arm.kind for arm in arms)
    if kinds is None:
        if None in named and len(named) > 1:
            raise UserError("some arms have a kind and some have none; give all a kind or none")
        return {kind: 1.0 / len(named) for kind in named} or {None: 1.0}
    if not kinds or not all(isinstance(kind, str) and kind for kind in kinds):
        raise UserError(f"kinds is {kinds!r}; allowed: shares by name, such as {{'code': 0.3}}")
    shares = {kind: checked(f"kinds.{kind}", share, 1e-9, 1.0) for kind, share in kinds.items()}
    if abs(math.fsum(shares.values()) - 1.0) > 1e-9:
        raise UserError(f"kinds has shares that sum to {math.fsum(shares.values()):g}, not to 1")
    if named and (missing := [kind for kind in shares if kind not in named]):
        raise UserError(f"kinds.{missing[0]}: no arm has this kind")
    return shares  # type: ignore[return-value]


def checked_goal(
    floor: float | None, goal: Goal | Mapping[str, Any] | None, kinds: Iterable[str | None]
) -> Goal:
    if (floor is None) == (goal is None):
        raise UserError("give either floor, the event rate to keep, or goal")
    if floor is not None:
        return Goal.floor(checked("floor", floor, 0.0, 1.0))
    stated = goal.to_dict() if isinstance(goal, Goal) else goal
    made = Goal.from_dict(stated or {})
    if not made.constraints:
        raise UserError("goal.constraints is empty; at least one constraint is needed")
    for one in made.constraints:
        if one.kind is not None and one.kind not in set(kinds):
            allowed = ", ".join(map(str, kinds))
            raise UserError(f"constraint {one.name}: no kind {one.kind!r}; allowed: {allowed}")
    return made
