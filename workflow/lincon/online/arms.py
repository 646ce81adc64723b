"""The arms of a running service: each has a name, known numbers and counts; they come and go."""

import csv
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from lincon.data.supported import proper
from lincon.errors import UserError
from lincon.problem.goal import Goal

Name = int | str
# What is given for an arm: its value, or its columns by name.
Given = float | Mapping[str, float]
# (events, plays) by name.
Counts = Mapping[Name, tuple[float, float]]
ID = re.compile(r"[0-9a-f]{12}-[0-9]+")
# Of arms that have gone, the latest so many are remembered.
REMEMBERED = 1000


def is_id(name: object) -> bool:
    """Whether it is the id of a decision; no arm may be called like one."""
    return isinstance(name, str) and ID.fullmatch(name) is not None


class ArmTable:
    """Names and, in the same order, what a play gives (`terms_of`), and counts.

    A choice becomes a play when its event comes back. `known_plays` and
    `known_events` are what others have counted: a history, other workers. An arm that has gone
    while events of it are on their way is remembered, so that they count towards the constraints.
    """

    def __init__(self, goal: Goal, arms: Mapping[Name, Given] | Iterable[Given] = ()) -> None:
        self.goal = goal
        self.gone: dict[Name, list[float]] = {}
        # As JSON can hold it.
        self.given: dict[Name, Given] = {}
        entries = arms.items() if isinstance(arms, Mapping) else enumerate(arms)
        rows = np.array([self._row(name, given) for name, given in entries])
        self._set(rows.reshape(-1, 2 + 2 * len(goal.constraints)).T, np.zeros((5, len(rows))))

    def _set(self, terms: np.ndarray, counts: np.ndarray) -> None:
        self.terms, self.counts = terms, counts
        self.choices, self.plays, self.events, self.known_plays, self.known_events = counts
        self.names = list(self.given)
        self._at = {name: at for at, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._at

    def knows(self, name: object) -> bool:
        """Whether an event of it can be counted."""
        return name in self._at or name in self.gone

    def position(self, name: Name) -> int:
        if name not in self._at:
            raise UserError(f"there is no arm {name!r}")
        return self._at[name]

    def positions(self, among: Iterable[Name] | None) -> np.ndarray:
        """Those that may be chosen now, in the table's order: all, or only `among`."""
        if among is None:
            at = np.arange(len(self.names))
        else:
            at = np.array(sorted({self.position(name) for name in among}))
        if not at.size:
            raise UserError("there is no arm to choose: none was added, or among is empty")
        return at

    def terms_of(self, at: Any) -> tuple[np.ndarray, ...]:
        """Of the arms at a place or places: value, cost and, with one row per constraint in its
        at_least form, the amounts per event and per play."""
        terms, m = self.terms[:, at], len(self.goal.constraints)
        return terms[0], terms[1], terms[2 : 2 + m], terms[2 + m :]

    # --- they come and go

    def add(self, name: Name, given: Given) -> None:
        """A new arm; one of a name that has gone starts afresh."""
        if name in self:
            raise UserError(f"arm {name!r} already exists")
        terms = np.column_stack([self.terms, self._row(name, given)])
        self._set(terms, np.column_stack([self.counts, np.zeros(5)]))

    def change(self, name: Name, given: Given) -> None:
        self.terms[:, self.position(name)] = self._row(name, given)

    def remove(self, name: Name) -> None:
        at = self.position(name)
        if self.choices[at] > self.plays[at] or name in self.gone:
            self.gone[name] = self.terms[:, at].tolist()
            for oldest in list(self.gone)[:-REMEMBERED]:
                del self.gone[oldest]
        del self.given[name]
        self._set(np.delete(self.terms, at, axis=1), np.delete(self.counts, at, axis=1))

    def _row(self, name: Any, given: Given) -> np.ndarray:
        """Keep what was given; the arm's column of `terms`."""
        if isinstance(name, bool) or not isinstance(name, int | str):
            raise UserError(f"arm {name!r}: a name must be a whole number or text")
        if is_id(name):
            raise UserError(f"arm {name!r}: ids of decisions look like this; give it another name")
        columns = dict(given) if isinstance(given, Mapping) else {"value": given}
        for column, held in columns.items():
            if not proper(held) or (column == "value" and held < 0):
                raise UserError(
                    f"arm {name!r} has the {column} {held!r}; it must be a number, and a value at "
                    "least 0"
                )
        columns = {column: float(held) for column, held in columns.items()}

        def number(wanted: Any) -> float:
            if isinstance(wanted, str) and wanted not in columns:
                raise UserError(f"arm {name!r} has no {wanted}, which the goal needs")
            if isinstance(wanted, np.ndarray):  # the bench's arms have positions for names
                return float(wanted[name])
            return columns[wanted] if isinstance(wanted, str) else wanted

        goal = self.goal
        cost = columns.get("cost", 0.0) if goal.cost is None else number(goal.cost)
        per_event = [one.sign * number(one.per_event) for one in goal.constraints]
        per_play = [one.sign * number(one.per_play) for one in goal.constraints]
        row = np.array([number(goal.value), cost, *per_event, *per_play])
        self.given[name] = columns if isinstance(given, Mapping) else columns["value"]
        return row

    # --- counts

    def count(self, name: Name, event: bool) -> np.ndarray:
        """Count a play; what it gives to each constraint, which is all if the arm has gone."""
        at, m = self._at.get(name), len(self.goal.constraints)
        if at is None:
            row = np.array(self.gone[name])
        else:
            self.plays[at] += 1.0
            self.events[at] += event
            self.choices[at] = max(self.choices[at], self.plays[at])
            row = self.terms[:, at]
        return row[2 : 2 + m] * event + row[2 + m :]

    def checked(self, counts: Counts) -> list[list[Any]]:
        """A history as [name, events, plays] of each arm."""
        for name, pair in counts.items():
            self.position(name)
            if len(pair) != 2 or not all(map(proper, pair)) or not 0 <= pair[0] <= pair[1]:
                raise UserError(
                    f"the prior of arm {name!r} is {pair!r}; it must be (events, plays) with "
                    "0 <= events <= plays"
                )
        return [[name, float(events), float(plays)] for name, (events, plays) in counts.items()]

    def know(self, rows: Iterable[tuple[Name, float, float]]) -> None:
        """What others have counted, instead of what was known of it before."""
        self.counts[3:] = 0.0
        for name, events, plays in rows:
            self.known_events[self._at[name]] += events
            self.known_plays[self._at[name]] += plays


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
        name = row.pop("label", at)
        if name in ("", None) or name in arms:
            raise UserError(f"{path}, row {at + 1}: each arm needs its own label, not {name!r}")
        found: dict[str, float] = {}
        for column, text in row.items():
            with suppress(TypeError, ValueError):  # a note, or an empty cell
                found[column] = float(text)
        trials, events = found.pop("trials", 0.0), found.pop("successes", 0.0)
        if trials:
            history[name] = (events, trials)
        arms[name] = {column: found[column] for column in found if column != "mean"}
    return arms, history
