"""The arms of a running service: names, known columns and counts; they come and go."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
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
    """The arms in their order, with what a play gives (`terms`) and counts.

    `terms` has one column per arm: value, cost, then per constraint, in its at_least form, the
    amounts per event and the amounts per play; `lowest` and `highest` are the least and the largest
    amount of a play per constraint. `own` and `known`, float[5, N], count what this worker and
    others (history included) have seen. A name that comes back is of a new generation.
    """

    def __init__(self, goal: Goal, kinds: Iterable[str | None], arms: Iterable[Arm]) -> None:
        self.goal, self.kinds = goal, list(kinds)
        self.generation: dict[Key, int] = {}
        self.at: dict[Key, int] = {}
        self.own, self.known = np.zeros((2, 5, 0))
        self.set(list(arms))

    def set(self, arms: list[Arm]) -> None:
        """Have these arms from now on; those that were here before keep their counts."""
        m = len(self.goal.constraints)
        terms = np.array([self.row(arm) for arm in arms]).reshape(len(arms), 2 + 2 * m).T
        keys = [(arm.kind, arm.name) for arm in arms]
        for key, times in Counter(keys).items():
            if times > 1:
                raise UserError(f"arm {key[1]!r} already exists; each needs a name of its own")
        for key in keys:
            if key not in self.at:
                self.generation[key] = self.generation.pop(key, 0) + 1
        before = [self.at.get(key, -1) for key in keys]
        nothing = np.zeros((5, 1))
        self.own, self.known = (np.hstack([n, nothing])[:, before] for n in (self.own, self.known))
        self.arms, self.terms = arms, terms
        self.at = {key: i for i, key in enumerate(keys)}
        self.value, self.play_cost = terms[:2]
        self.per_event, self.per_play = terms[2 : 2 + m], terms[2 + m :]
        self.kind = np.array([self.kinds.index(arm.kind) for arm in arms], np.int64)
        self.of_kind = [(self.kind == k).nonzero()[0] for k in range(len(self.kinds))]
        self.refresh()

    def position(self, name: Any, kind: str | None) -> int:
        self.kind_number(kind)
        here = isinstance(name, Name) and not isinstance(name, bool) and (kind, name) in self.at
        if not here:
            raise UserError(f"there is no arm {name!r}" + (f" of kind {kind!r}" if kind else ""))
        return self.at[kind, name]

    def kind_number(self, kind: str | None) -> int:
        if kind not in self.kinds:
            allowed = ", ".join(map(str, self.kinds)) if self.kinds != [None] else "no kind at all"
            raise UserError(f"there is no kind of request {kind!r}; allowed: {allowed}")
        return self.kinds.index(kind)

    def positions(self, kind: int, available: Iterable[Name] | None) -> np.ndarray:
        """The arms of a kind that may be chosen now, in the table's order."""
        at = self.of_kind[kind]
        if available is not None:
            places = {self.position(name, self.kinds[kind]) for name in available}
            at = np.array(sorted(places), np.int64)
        if not (at.size and all(map(len, self.of_kind))):
            raise UserError(
                "there is no arm to choose: a kind of request has none, or available is empty"
            )
        return at

    # --- they come and go

    def change(self, arm: Arm) -> None:
        at = self.position(arm.name, arm.kind)
        self.set([*self.arms[:at], arm, *self.arms[at + 1 :]])

    def remove(self, name: Name, kind: str | None) -> None:
        at = self.position(name, kind)
        self.set([*self.arms[:at], *self.arms[at + 1 :]])
        self.generation[kind, name] = self.generation.pop((kind, name))
        if len(self.generation) > len(self.arms) + REMEMBERED:
            del self.generation[next(key for key in self.generation if key not in self.at)]

    def row(self, arm: Arm) -> list[float]:
        """The arm's column of `terms`; one sentence where the goal needs what it does not have."""
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
            cell = columns.get(wanted)
            column, _, group = wanted.partition("=")
            if cell is None and group and column in columns:
                cell = float(str(columns[column]) == group)
            if cell is None or isinstance(cell, str):
                raise UserError(f"arm {name!r} has no number {wanted}, which the goal needs")
            return float(cell)

        goal = self.goal
        cost = columns.get("cost", 0.0) if goal.cost is None else goal.cost
        signs = [one.sign * (one.kind in (None, arm.kind)) for one in goal.constraints]
        pairs = list(zip(signs, goal.constraints, strict=True))
        per_event = [sign and sign * number(one.per_event) for sign, one in pairs]
        per_play = [sign and sign * number(one.per_play) for sign, one in pairs]
        return [number(goal.value), number(cost), *per_event, *per_play]

    def cost(self, at: int) -> float:
        """The cost of a play: the mean bill, or before any bill the column."""
        bills, billed = (self.own + self.known)[[BILLS, BILLED], at]
        given = self.arms[at].columns.get("cost", 0.0)
        return float(billed / bills) if bills > 0.0 else float(given) if is_number(given) else 0.0

    def refresh(self, at: int | None = None) -> None:
        """Count with the mean bills of an arm, or of all arms that have bills."""
        billed = (self.own[BILLS] + self.known[BILLS] > 0.0).nonzero()[0].tolist()
        for i in billed if at is None else {at} & set(billed):
            columns = {**self.arms[i].columns, "cost": self.cost(i)}
            self.terms[:, i] = self.row(replace(self.arms[i], columns=columns))
        # Where something falls with the event, an index needs two ends.
        self.falls = bool((self.value < 0.0).any() or (self.per_event < 0.0).any())
        if self.arms:
            ends = np.stack([self.per_play, self.per_play + self.per_event])
            self.lowest, self.highest = ends.min(axis=(0, 2)), ends.max(axis=(0, 2))
            self.extent = np.maximum(self.highest - self.lowest, 1e-300)


def read_arms(
    path: str | Path,
    *,
    where: Mapping[str, Any] | None = None,
    kind_column: str = "kind",
    sep: str = ",",
    decimal: str = ".",
    thousands: str = "",
) -> tuple[list[Arm], dict[Key, tuple[float, float]]]:
    """Arms and their history from a CSV file, as the workflow reads it.

    Parameters
    ----------
    path
        A file with a header. `label` names the arms, otherwise they are 0, 1, 2. `successes` and
        `trials` are the history, `mean` is left to be learnt, every other cell is a column.
    where
        Keep the rows that have these texts in these columns.
    kind_column
        The column with the kinds of request, if there are any.
    sep, decimal, thousands
        The characters between cells and in numbers.

    Returns
    -------
    arms, history
        The history is (events, plays) by (kind, name); the kind is None without kinds.

    Examples
    --------
    >>> from lincon.online import read_arms
    >>> arms, history = read_arms("config/examples/links.csv")
    >>> arms[0].name, history[None, "link-01"][1] > 0
    ('link-01', True)
    """
    chosen = {column: str(text) for column, text in (where or {}).items()}
    arms: list[Arm] = []
    history: dict[Key, tuple[float, float]] = {}
    seen = set()
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(enumerate(csv.DictReader(file, delimiter=sep), 2))
    for line, row in rows:
        texts = {column.strip(): (text or "").strip() for column, text in row.items() if column}
        if not any(texts.values()) or any(texts.get(key) != text for key, text in chosen.items()):
            continue
        key = kind, name = texts.pop(kind_column, None), texts.pop("label", len(arms))
        if "" in key or key in seen:
            raise UserError(f"{path}, row {line}: each arm needs its own label, not {name!r}")
        seen.add(key)
        given = texts.items() - chosen.items()
        cells = {name: _cell(text, decimal, thousands) for name, text in given if text}
        trials, events = (cells.pop(name, 0.0) for name in ("trials", "successes"))
        cells.pop("mean", None)
        if trials:
            history[key] = (events, trials)  # type: ignore[assignment]
        arms.append(Arm(name, cells, kind))
    if not arms:
        raise UserError(f"{path} has no row" + (f" with {chosen}" if chosen else ""))
    return arms, history


def _cell(text: str, decimal: str, thousands: str) -> float | str:
    plain = text.replace(thousands, "") if thousands else text
    try:
        number = float(plain.replace(decimal, "."))
    except ValueError:
        return text
    return number if is_number(number) else text
