"""The arms of a running service: names, known columns and counts; they come and go."""

import re
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lincon.errors import UserError
from lincon.online.checks import is_number
from lincon.problem.goal import Goal

Name = int | str
Columns = Mapping[str, float | str]
# A kind of request, None without kinds, and a name.
Key = tuple[str | None, Name]
# The id of a decision: worker, incarnation, number.
ID = re.compile(r"([A-Za-z0-9_-]{1,64})\.([0-9a-f]{8})\.([0-9]{1,15})")
# The rows of the counts.
CHOICES, PLAYS, EVENTS, BILLS, BILLED = range(5)
# Of arms that have gone, the latest so many are remembered.
REMEMBERED = 1000


def is_id(ref: object) -> bool:
    return isinstance(ref, str) and ID.fullmatch(ref) is not None


def checked_worker(name: str | None) -> str:
    """A worker's name, one that nobody else has if none is given."""
    name = secrets.token_hex(4) if name is None else name
    if not isinstance(name, str) or not is_id(f"{name}.00000000.0"):
        raise UserError(f"worker is {name!r}; allowed: letters, digits, - and _, at most 64")
    return name


@dataclass(frozen=True)
class Arm:
    """Something to choose.

    Attributes
    ----------
    name : int or str
    columns : mapping of str to number or text
        What is known of it, such as ``{"value": 1, "cost": 0.2, "supplier": "DeepSeek"}``. A goal
        names the columns it needs; of a text, ``supplier=DeepSeek`` is 1 or 0.
    kind : str or None
        The kind of request that it serves, where requests come in kinds.
    """

    name: Name
    columns: Columns
    kind: str | None = None


def as_arms(arms: Any) -> list[Arm]:
    """Arms from what a constructor takes: `Arm`s, values, or values or columns by name."""
    entries = arms.items() if isinstance(arms, Mapping) else enumerate(arms)
    return [one if isinstance(one, Arm) else new_arm(name, one) for name, one in entries]


def new_arm(name: Name, columns: Columns | float, kind: str | None = None) -> Arm:
    return Arm(name, columns if isinstance(columns, Mapping) else {"value": columns}, kind)


class ArmTable:
    """The arms in their order: their numbers in the linear program, and their counts.

    `value` and `play_cost` float[N]; per constraint, in its at_least form, `per_event` and
    `per_play` float[m, N] and its `bound` float[m]. A constraint on one kind of request is met
    exactly by those of other kinds; `concerns`, float[m, K], is 1 where it concerns a kind.
    `lowest` and `highest`, float[m], are what a request can have of it, whatever the means. `own`
    and `known`, float[5, N], count what this worker and others (history included) have seen. A name
    that comes back is of a new generation.
    """

    def __init__(self, goal: Goal, shares: Mapping[str | None, float], arms: list[Arm]) -> None:
        self.kinds, self.shares = list(shares), np.array(list(shares.values()))
        self.generation: dict[Key, int] = {}
        self.at: dict[Key, int] = {}
        self.own, self.known = np.zeros((2, 5, 0))
        self.set(goal, arms)

    def set(self, goal: Goal, arms: list[Arm]) -> None:
        """Have this goal and these arms from now on; arms that were here keep their counts."""
        rules, keys = goal.constraints, [(arm.kind, arm.name) for arm in arms]
        for key, times in Counter(keys).items():
            if times > 1:
                raise UserError(f"arm {key[1]!r} already exists; each needs a name of its own")
        rows = [self.row(goal, arm) for arm in arms]
        for key in keys:
            if key not in self.at:
                self.generation[key] = self.generation.pop(key, 0) + 1
        before = [self.at.get(key, -1) for key in keys]
        nothing = np.zeros((5, 1))
        self.own, self.known = (np.hstack([n, nothing])[:, before] for n in (self.own, self.known))
        self.goal, self.arms, self.at = goal, arms, {key: i for i, key in enumerate(keys)}
        self.bound = np.array([one.sign * one.bound for one in rules])
        concerns = [[float(one.kind in (None, kind)) for kind in self.kinds] for one in rules]
        self.concerns = np.array(concerns)
        # What a play costs or uses is booked when it is chosen, what an event gives with the event.
        self.at_choice = np.array([one.per_event == 0.0 for one in rules])
        self.kind = np.array([self.kinds.index(arm.kind) for arm in arms], np.int64)
        self.of_kind = [(self.kind == k).nonzero()[0] for k in range(len(self.kinds))]
        self.terms = np.array(rows).reshape(len(arms), 2 + 2 * len(rules)).T
        self.value, self.play_cost = self.terms[:2]
        self.per_event, self.per_play = np.split(self.terms[2:], 2)
        self.refresh()

    def row(self, goal: Goal, arm: Arm) -> list[float]:
        """Its value, its cost, and its amounts per event and per play of each constraint."""
        name, columns = arm.name, arm.columns
        if isinstance(name, bool) or not isinstance(name, Name) or name == "" or is_id(name):
            raise UserError(f"arm {name!r}: allowed: a whole number, a text unlike decisions' ids")
        self.kind_number(arm.kind)
        for column, cell in columns.items():
            if not isinstance(column, str) or not (isinstance(cell, str) or is_number(cell)):
                raise UserError(
                    f"arm {name!r} has the {column} {cell!r}; allowed: a number, a text"
                )

        def number(wanted: float | str) -> float:
            if not isinstance(wanted, str):
                return wanted
            column, _, group = wanted.partition("=")
            cell = columns.get(wanted)
            if cell is None and group and column in columns:
                cell = str(columns[column]) == group
            if cell is None or isinstance(cell, str):
                raise UserError(f"arm {name!r} has no number {wanted}, which the goal needs")
            return float(cell)

        known = "cost" if "cost" in columns else 0.0
        amounts = [
            [one.sign * number(one.per_event), one.sign * number(one.per_play)]
            if one.kind in (None, arm.kind)
            else [0.0, one.sign * one.bound]
            for one in goal.constraints
        ]
        cost = number(known if goal.cost is None else goal.cost)
        return [number(goal.value), cost, *np.array(amounts).T.ravel().tolist()]

    def refresh(self, at: int | None = None) -> None:
        """Count with the mean bills of an arm, or of all arms that have bills."""
        billed = (self.own[BILLS] + self.known[BILLS] > 0.0).nonzero()[0].tolist()
        for i in billed if at is None else [at]:
            columns = {**self.arms[i].columns, "cost": self.cost(i)}
            self.terms[:, i] = self.row(self.goal, replace(self.arms[i], columns=columns))
        # Where something falls with the event, an index needs two ends.
        self.falls = bool((self.value < 0.0).any() or (self.per_event < 0.0).any())
        ends = np.stack([self.per_play, self.per_play + self.per_event])
        kinds = [(k, rows) for k, rows in enumerate(self.of_kind) if rows.size]
        self.lowest = sum(self.shares[k] * ends[..., rows].min(axis=(0, 2)) for k, rows in kinds)
        self.highest = sum(self.shares[k] * ends[..., rows].max(axis=(0, 2)) for k, rows in kinds)
        self.extent = np.maximum(self.highest - self.lowest, 1e-300)

    def cost(self, at: int) -> float:
        """The cost of a play: the mean bill, or before any bill the column."""
        bills, billed = (self.own + self.known)[[BILLS, BILLED], at]
        listed = self.arms[at].columns.get("cost", 0.0)
        return float(billed / bills if bills > 0.0 else listed if is_number(listed) else 0.0)

    # --- where an arm is

    def position(self, name: Any, kind: str | None) -> int:
        self.kind_number(kind)
        if isinstance(name, bool) or not isinstance(name, Name) or (kind, name) not in self.at:
            raise UserError(f"there is no arm {name!r}" + (f" of kind {kind!r}" if kind else ""))
        return self.at[kind, name]

    def kind_number(self, kind: str | None) -> int:
        if kind not in self.kinds:
            allowed = ", ".join(map(str, self.kinds)) if self.kinds != [None] else "no kind at all"
            raise UserError(f"there is no kind of request {kind!r}; allowed: {allowed}")
        return self.kinds.index(kind)

    def positions(self, kind: str | None, available: Iterable[Name] | None) -> np.ndarray:
        """The arms of a kind that may be chosen now, in the table's order."""
        at = self.of_kind[self.kind_number(kind)]
        if available is not None:
            at = np.array(sorted({self.position(name, kind) for name in available}), np.int64)
        if not (at.size and all(map(len, self.of_kind))):
            raise UserError(
                "there is no arm to choose: a kind of request has none, or available is empty"
            )
        return at

    def current(self, kind: str | None, name: Name, generation: int) -> int | None:
        """The position of an arm, None if it has gone or is of another generation."""
        same = self.generation.get((kind, name)) == generation
        return self.at.get((kind, name)) if same else None

    def remove(self, name: Name, kind: str | None) -> None:
        at = self.position(name, kind)
        self.set(self.goal, [*self.arms[:at], *self.arms[at + 1 :]])
        self.generation[kind, name] = self.generation.pop((kind, name))
        if len(self.generation) > len(self.arms) + REMEMBERED:
            del self.generation[next(key for key in self.generation if key not in self.at)]
