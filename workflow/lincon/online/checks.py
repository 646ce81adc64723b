"""What a policy is given, checked: one sentence for each mistake."""

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from lincon.errors import UserError
from lincon.problem.goal import Goal


def is_number(given: object, low: float = -1e300, high: float = 1e300) -> bool:
    """Whether it is a finite number between both, and no truth value."""
    real = isinstance(given, Real) and not isinstance(given, bool)
    return real and low <= given <= high  # type: ignore[operator]


def checked(name: str, given: Any, low: float, high: float = 1e15) -> float:
    if not is_number(given, low, high):
        raise UserError(f"{name} is {given!r}; allowed: a number from {low:g} to {high:g}")
    return float(given)


def checked_shares(
    kinds: Mapping[str, float] | None, of_arms: Iterable[str | None]
) -> dict[str | None, float]:
    """The share of each kind of request; one kind without a name if there are none."""
    named = dict.fromkeys(of_arms)
    if kinds is None:
        if None in named and len(named) > 1:
            raise UserError("some arms have a kind and some have none; give all a kind or none")
        return {kind: 1.0 / len(named) for kind in named} or {None: 1.0}
    if not isinstance(kinds, Mapping) or not kinds or not all(isinstance(k, str) for k in kinds):
        raise UserError(f"kinds is {kinds!r}; allowed: shares by name, such as {{'code': 0.3}}")
    shares: dict[str | None, float] = {
        kind: checked(f"kinds.{kind}", share, 1e-9, 1.0) for kind, share in kinds.items()
    }
    if abs(math.fsum(shares.values()) - 1.0) > 1e-9:
        raise UserError(f"kinds has shares that sum to {math.fsum(shares.values()):g}, not to 1")
    if named and (missing := [kind for kind in shares if kind not in named]):
        raise UserError(f"kinds.{missing[0]}: no arm has this kind")
    return shares


def checked_goal(
    floor: float | None, goal: Goal | Mapping[str, Any] | None, kinds: Iterable[str | None]
) -> Goal:
    if (floor is None) == (goal is None):
        raise UserError("give either floor, the event rate to keep, or goal")
    if floor is not None:
        return Goal.floor(checked("floor", floor, 0.0, 1.0))
    valid = Goal.from_dict(goal.to_dict() if isinstance(goal, Goal) else goal or {})
    if not valid.constraints:
        raise UserError("goal.constraints is empty; at least one constraint is needed")
    for one in valid.constraints:
        if one.kind is not None and one.kind not in set(kinds):
            allowed = ", ".join(map(str, kinds))
            raise UserError(f"constraint {one.name}: no kind {one.kind!r}; allowed: {allowed}")
    return valid
