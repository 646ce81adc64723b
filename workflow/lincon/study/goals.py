"""The goal of an experiment: what its `eta`, or its `objective` and `constraints`, ask of the arms.

Every bound may be swept, on an axis of the constraint's name; the short form's is `eta`.
"""

from collections.abc import Mapping
from typing import Any

from lincon.data.supported import LARGEST, SMALLEST, supported
from lincon.errors import UserError
from lincon.problem.goal import FLOOR, SENSES, Constraint, Goal
from lincon.typed import did_you_mean

# Folders are named after a goal, beside a dataset and a policy.
LONGEST = 150


def bounds_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Each bound as the config has it, a number, a list or a range, by the name of its axis."""
    if "eta" in entry:
        return {"eta": entry["eta"]}
    return {one["name"]: one[_sense(one)] for one in entry["constraints"]}


def goal_of(where: str, entry: Mapping[str, Any], bounds: Mapping[str, float]) -> Goal:
    """The goal with one value for each bound; `UserError` where no arms could ever suit it."""
    if "eta" in entry:
        constraints = [{"name": FLOOR, "per_event": 1, "at_least": bounds["eta"]}]
    else:
        constraints = [{**one, _sense(one): bounds[one["name"]]} for one in entry["constraints"]]
    goal = Goal.from_dict({"constraints": constraints, "objective": entry.get("objective")})
    for one in goal.constraints:
        _check_bound(f"{where}.eta" if "eta" in entry else f"{where}.constraints.{one.name}", one)
    if len(goal.text) > LONGEST:
        raise UserError(
            f"config: {where}.constraints: {goal.text[:60]}... is too long for the name of a "
            "folder; give the constraints shorter names"
        )
    return goal


def check_columns(where: str, goal: Goal, columns: tuple[str, ...] | None) -> None:
    """Refuse a column that the arms do not have; None: only their file knows which they have."""
    if columns is None:
        return
    known = ("mean", "value", *columns)
    used = {"objective.value": goal.value, "objective.cost": goal.cost}
    for one in goal.constraints:
        used[f"constraints.{one.name}.per_event"] = one.per_event
        used[f"constraints.{one.name}.per_play"] = one.per_play
    for key, given in used.items():
        if isinstance(given, str) and given not in known:
            raise UserError(
                f"config: {where}.{key} is {given!r}, which is not a column of the arms"
                f"{did_you_mean(given, known)}; allowed: a number, or {', '.join(known)}"
            )


def tolerances_of(entry: Mapping[str, Any]) -> tuple[float | None, ...]:
    """By how much each bound may be missed per round; None is one standard deviation's worth."""
    if "eta" in entry:
        return (entry.get("tolerance"),)
    return tuple(one.get("tolerance") for one in entry["constraints"])


def _sense(constraint: Mapping[str, Any]) -> str:
    return next(sense for sense in SENSES if sense in constraint)


def _check_bound(where: str, one: Constraint) -> None:
    if not supported(one.bound):
        raise UserError(
            f"config: {where} goes to {one.bound:g}; allowed: 0, or from {SMALLEST:g} to "
            f"{LARGEST:g} in size"
        )
    if isinstance(one.per_event, str) or isinstance(one.per_play, str):
        return
    ends = sorted((one.per_play, one.per_play + one.per_event))
    if not (ends[0] <= one.bound <= ends[1]):
        raise UserError(
            f"config: {where} goes to {one.bound:g}; allowed: in [{ends[0]:g}, {ends[1]:g}], the "
            "amounts that a play can have on average"
        )
