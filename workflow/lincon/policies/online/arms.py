"""The arms of a running service: each has a name, known numbers and counts; they come and go."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from lincon.errors import UserError
from lincon.problem.goal import Goal

Name = int | str
# What is given for an arm: its value, or its columns by name.
Given = float | Mapping[str, float]
COUNTS = ("choices", "plays", "events", "past_plays", "past_events")


class ArmTable:
    """Names and, in the same order, what a play gives, and counts.

    A row of `terms` holds value, cost and, for each constraint in its at_least form, the amount per
    event and per play. A choice becomes a play when its event comes back. `past_plays` and
    `past_events` are counts of before, which are believed but were not rounds. An arm that has gone
    is remembered for as long as events of it are on their way.
    """

    choices: np.ndarray
    plays: np.ndarray
    events: np.ndarray
    past_plays: np.ndarray
    past_events: np.ndarray

    def __init__(self, goal: Goal, arms: Mapping[Name, Given] | Iterable[Given] = ()) -> None:
        self.goal = goal
        self.names: list[Name] = []
        self.given: list[Given] = []
        self.gone: dict[Name, list[Any]] = {}
        self._at: dict[Name, int] = {}
        entries = dict(arms) if isinstance(arms, Mapping) else dict(enumerate(arms))
        rows = [self._row(name, given) for name, given in entries.items()]
        self.terms = np.array(rows).reshape(len(rows), 2 + 2 * len(goal.constraints))
        self.names, self.given = list(entries), list(entries.values())
        self._at = {name: at for at, name in enumerate(self.names)}
        for column in COUNTS:
            setattr(self, column, np.zeros(len(entries)))

    def __len__(self) -> int:
        return len(self.names)

    def amounts(self, row: np.ndarray, event: bool) -> np.ndarray:
        """What one play of an arm gives to each constraint."""
        m = len(self.goal.constraints)
        return row[2 : 2 + m] * event + row[2 + m :]

    def add(self, name: Name, given: Given) -> None:
        """A new arm; one of a name that has gone starts afresh."""
        row = self._row(name, given)
        self._at[name] = len(self.names)
        self.names.append(name)
        self.given.append(given)
        self.gone.pop(name, None)
        self.terms = np.vstack([self.terms, row])
        for column in COUNTS:
            setattr(self, column, np.append(getattr(self, column), 0.0))

    def remove(self, name: Name) -> None:
        at = self.position(name)
        waiting = int(self.choices[at] - self.plays[at])
        if waiting > 0:
            self.gone[name] = [waiting, self.terms[at].tolist()]
        del self.names[at], self.given[at]
        self._at = {name: at for at, name in enumerate(self.names)}
        self.terms = np.delete(self.terms, at, axis=0)
        for column in COUNTS:
            setattr(self, column, np.delete(getattr(self, column), at))

    def position(self, name: Name) -> int:
        if name not in self._at:
            raise UserError(f"there is no arm {name!r}")
        return self._at[name]

    def check(self, name: Name, event: object) -> None:
        if event not in (0, 1):
            raise UserError(f"the event of arm {name!r} is {event!r}; it must be 0 or 1")
        if name not in self.gone:
            self.position(name)

    def count(self, name: Name, event: bool) -> np.ndarray:
        """Count a play; its amounts. Of an arm that has gone they are all that is left."""
        if name in self.gone:
            waiting, row = self.gone[name]
            self.gone[name][0] = waiting - 1
            if waiting <= 1:
                del self.gone[name]
            return self.amounts(np.array(row), event)
        at = self.position(name)
        self.plays[at] += 1.0
        self.events[at] += event
        self.choices[at] = max(self.choices[at], self.plays[at])
        return self.amounts(self.terms[at], event)

    def start_from(self, past: Mapping[Name, tuple[float, float]]) -> None:
        """Counts of before, (events, plays) by name: believed, but no rounds of this policy."""
        for name, (events, plays) in past.items():
            if not (_finite(events) and _finite(plays) and 0 <= events <= plays):
                raise UserError(
                    f"the prior of arm {name!r} is {(events, plays)!r}; it must be (events, plays) "
                    "with 0 <= events <= plays"
                )
            at = self.position(name)
            self.past_events[at], self.past_plays[at] = events, plays

    def state(self) -> dict[str, Any]:
        """All of it as JSON can hold it; names in lists keep their type, as keys they would not."""
        gone = [[name, *rest] for name, rest in self.gone.items()]
        given = [dict(one) if isinstance(one, Mapping) else float(one) for one in self.given]
        counts = {column: getattr(self, column).tolist() for column in COUNTS}
        return {"names": self.names, "given": given, "gone": gone, **counts}

    @classmethod
    def from_state(cls, goal: Goal, state: Mapping[str, Any]) -> ArmTable:
        arms = cls(goal, dict(zip(state["names"], state["given"], strict=True)))
        if len(arms) != len(state["names"]):
            raise ValueError("two arms of one name")
        arms.gone = {name: [int(waiting), row] for name, waiting, row in state["gone"]}
        for column in COUNTS:
            counts = np.array(state[column], dtype=float)
            if counts.shape != (len(arms),) or not (np.isfinite(counts) & (counts >= 0.0)).all():
                raise ValueError(f"{column} must be one count per arm")
            setattr(arms, column, counts)
        if (arms.events > arms.plays).any() or (arms.plays > arms.choices).any():
            raise ValueError("more events than plays")
        return arms

    def _row(self, name: Name, given: Given) -> np.ndarray:
        if isinstance(name, bool) or not isinstance(name, int | str):
            raise UserError(f"arm {name!r}: a name must be a whole number or text")
        if name in self._at:
            raise UserError(f"arm {name!r} already exists")
        columns = dict(given) if isinstance(given, Mapping) else {"value": given}
        for column, held in columns.items():
            if not _finite(held) or (column == "value" and held < 0):
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


def _finite(number: object) -> bool:
    return isinstance(number, Real) and not isinstance(number, bool) and math.isfinite(number)
