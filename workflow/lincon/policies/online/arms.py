"""The arms of a running service: each has a name, known numbers and counts; they come and go."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lincon.errors import UserError
from lincon.policies.online.given import numbers, proper
from lincon.problem.goal import Goal

Name = int | str
# What is given for an arm: its value, or its columns by name.
Given = float | Mapping[str, float]
# (events, plays) by name.
Counts = Mapping[Name, tuple[float, float]]
# The id of a decision; no arm may be called like one.
ID = re.compile(r"[0-9a-f]{12}-[0-9]+")
OWN = ("choices", "plays", "events")
# Of arms that have gone, the latest so many are remembered.
REMEMBERED = 1000


class ArmTable:
    """Names and, in the same order, what a play gives, and counts.

    A row of `terms` holds value, cost and, for each constraint in its at_least form, the amount per
    event and per play. A choice becomes a play when its event comes back. `known_plays` and
    `known_events` are what others have counted: a history, other workers. An arm that has gone
    while events of it are on their way is remembered, so that they count towards the constraints.
    """

    choices: np.ndarray
    plays: np.ndarray
    events: np.ndarray

    def __init__(self, goal: Goal, arms: Mapping[Name, Given] | Iterable[Given] = ()) -> None:
        self.goal = goal
        self.names: list[Name] = []
        self.given: list[Given] = []
        self.gone: dict[Name, list[float]] = {}
        self._at: dict[Name, int] = {}
        entries = dict(arms) if isinstance(arms, Mapping) else dict(enumerate(arms))
        rows = [self._row(name, given) for name, given in entries.items()]
        self.terms = np.array(rows).reshape(len(rows), 2 + 2 * len(goal.constraints))
        self.names, self.given = list(entries), list(entries.values())
        self._at = {name: at for at, name in enumerate(self.names)}
        for column in OWN:
            setattr(self, column, np.zeros(len(entries)))
        self.know(())

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._at

    def position(self, name: Name) -> int:
        if name not in self._at:
            raise UserError(f"there is no arm {name!r}")
        return self._at[name]

    def positions(self, among: Iterable[Name] | None) -> np.ndarray:
        """Those that may be chosen now, in the table's order: all, or only `among`."""
        if not self.names:
            raise UserError("there is no arm to choose; add one first")
        if among is None:
            return np.arange(len(self.names))
        at = sorted({self.position(name) for name in among})
        if not at:
            raise UserError("there is no arm to choose: among is empty")
        return np.array(at)

    # --- they come and go

    def add(self, name: Name, given: Given) -> None:
        """A new arm; one of a name that has gone starts afresh."""
        if name in self:
            raise UserError(f"arm {name!r} already exists")
        row = self._row(name, given)
        self._at[name] = len(self.names)
        self.names.append(name)
        self.given.append(given)
        self.terms = np.vstack([self.terms, row])
        for column in OWN:
            setattr(self, column, np.append(getattr(self, column), 0.0))

    def change(self, name: Name, given: Given) -> None:
        at = self.position(name)
        self.terms[at], self.given[at] = self._row(name, given), given

    def remove(self, name: Name) -> None:
        at = self.position(name)
        if self.choices[at] > self.plays[at] or name in self.gone:
            self.gone[name] = self.terms[at].tolist()
            for oldest in list(self.gone)[:-REMEMBERED]:
                del self.gone[oldest]
        del self.names[at], self.given[at]
        self._at = {name: at for at, name in enumerate(self.names)}
        self.terms = np.delete(self.terms, at, axis=0)
        for column in OWN:
            setattr(self, column, np.delete(getattr(self, column), at))

    # --- counts

    def check(self, name: Name, event: object) -> None:
        if event not in (0, 1):
            raise UserError(f"the event of arm {name!r} is {event!r}; it must be 0 or 1")
        if not self.counts(name):
            self.position(name)

    def counts(self, name: Name) -> bool:
        """Whether an event of it is still of use."""
        return name in self or name in self.gone

    def count(self, name: Name, event: bool) -> np.ndarray:
        """Count a play; what it gives to each constraint, which is all if the arm has gone."""
        row: Any = self.gone.get(name)
        if name in self:
            at = self.position(name)
            self.plays[at] += 1.0
            self.events[at] += event
            self.choices[at] = max(self.choices[at], self.plays[at])
            row = self.terms[at]
        m = len(self.goal.constraints)
        return np.array(row[2 : 2 + m]) * event + np.array(row[2 + m :])

    def know(self, others: Iterable[Counts]) -> None:
        """What others have counted, instead of what was known of it before."""
        self.known_plays, self.known_events = np.zeros(len(self)), np.zeros(len(self))
        for counts in others:
            for name, (events, plays) in counts.items():
                if name in self:
                    self.known_events[self._at[name]] += events
                    self.known_plays[self._at[name]] += plays

    def checked(self, counts: Counts, what: str) -> dict[Name, tuple[float, float]]:
        """Those counts that are of arms here."""
        for name, pair in counts.items():
            if len(pair) != 2 or not all(map(proper, pair)) or not 0 <= pair[0] <= pair[1]:
                raise UserError(
                    f"{what} of arm {name!r} is {pair!r}; it must be (events, plays) with "
                    "0 <= events <= plays"
                )
        return {name: (pair[0], pair[1]) for name, pair in counts.items() if name in self}

    # --- the state

    def state(self) -> dict[str, Any]:
        """All of it as JSON can hold it; names in lists keep their type, as keys they would not."""
        given = [dict(one) if isinstance(one, Mapping) else float(one) for one in self.given]
        counts = {column: getattr(self, column).tolist() for column in OWN}
        gone = [[name, row] for name, row in self.gone.items()]
        return {"names": list(self.names), "given": given, "gone": gone, **counts}

    @classmethod
    def from_state(cls, goal: Goal, state: Mapping[str, Any]) -> ArmTable:
        arms = cls(goal, dict(zip(state["names"], state["given"], strict=True)))
        if len(arms) != len(state["names"]):
            raise ValueError("two arms of one name")
        for column in OWN:
            setattr(arms, column, numbers(state[column], (len(arms),), least=0.0))
        if (arms.events > arms.plays).any() or (arms.plays > arms.choices).any():
            raise ValueError("more events than plays")
        for name, row in state["gone"]:
            arms.gone[_checked_name(name)] = numbers(row, (arms.terms.shape[1],)).tolist()
        return arms

    def _row(self, name: Name, given: Given) -> np.ndarray:
        _checked_name(name)
        columns = dict(given) if isinstance(given, Mapping) else {"value": given}
        for column, held in columns.items():
            if not proper(held) or (column == "value" and held < 0):
                least = " of at least 0" if column == "value" else ""
                raise UserError(
                    f"arm {name!r} has the {column} {held!r}; it must be a number{least}"
                )

        def number(wanted: float | str) -> float:
            if isinstance(wanted, str) and wanted not in columns:
                raise UserError(f"arm {name!r} has no {wanted}, which the goal needs")
            return float(columns[wanted] if isinstance(wanted, str) else wanted)

        goal = self.goal
        cost = columns.get("cost", 0.0) if goal.cost is None else number(goal.cost)
        per_event = [one.sign * number(one.per_event) for one in goal.constraints]
        per_play = [one.sign * number(one.per_play) for one in goal.constraints]
        return np.array([number(goal.value), cost, *per_event, *per_play])


def read_arms(path: str | Path) -> tuple[dict[Name, Given], dict[Name, tuple[float, float]]]:
    """Arms and their history from a CSV file, as the bench reads it: `label` and numbers.

    Without labels arms are called 0, 1, 2. `successes` and `trials` are the history, for `prior=`;
    `mean` is left to be learned; all other numbers, such as value and cost, are the arms' columns.
    """
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    arms: dict[Name, Given] = {}
    history: dict[Name, tuple[float, float]] = {}
    for at, row in enumerate(rows):
        name = row.get("label", at)
        if name in ("", None) or name in arms:
            raise UserError(f"{path}, row {at + 1}: each arm needs its own label, not {name!r}")
        columns = {key: _parsed(text) for key, text in row.items() if key != "label"}
        found = {key: held for key, held in columns.items() if held is not None}
        trials, events = found.pop("trials", 0.0), found.pop("successes", 0.0)
        if trials:
            history[name] = (events, trials)
        found.pop("mean", None)
        arms[name] = found
    return arms, history


def _checked_name(name: Any) -> Name:
    if isinstance(name, bool) or not isinstance(name, int | str):
        raise UserError(f"arm {name!r}: a name must be a whole number or text")
    if isinstance(name, str) and ID.fullmatch(name):
        raise UserError(f"arm {name!r}: ids of decisions look like this; give it another name")
    return name


def _parsed(text: Any) -> float | None:
    try:
        return float(text)
    except (TypeError, ValueError):
        return None
