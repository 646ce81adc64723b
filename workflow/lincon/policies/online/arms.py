"""The arms of a running service: each has a name, a value and counts, and they come and go."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from lincon.errors import UserError

Name = int | str
COLUMNS = ("value", "choices", "plays", "events")


class ArmTable:
    """Names and, in the same order, values, choices, plays and events as arrays.

    A choice becomes a play when its event comes back. An arm that has gone is remembered by name,
    for events that are still on their way.
    """

    value: np.ndarray
    choices: np.ndarray
    plays: np.ndarray
    events: np.ndarray

    def __init__(self, values: Mapping[Name, float] | Iterable[float]) -> None:
        entries = dict(values) if isinstance(values, Mapping) else dict(enumerate(values))
        for name, value in entries.items():
            _check(name, value)
        self.names: list[Name] = list(entries)
        self.gone: set[Name] = set()
        self._at = {name: at for at, name in enumerate(self.names)}
        self.value = np.array(list(entries.values()), dtype=float)
        self.choices, self.plays, self.events = np.zeros((3, len(entries)))

    def __len__(self) -> int:
        return len(self.names)

    def add(self, name: Name, value: float) -> None:
        """A new arm; one of a name that has gone starts afresh."""
        _check(name, value)
        if name in self._at:
            raise UserError(f"arm {name!r} is there already")
        self._at[name] = len(self.names)
        self.names.append(name)
        self.gone.discard(name)
        for column in COLUMNS:
            new = float(value) if column == "value" else 0.0
            setattr(self, column, np.append(getattr(self, column), new))

    def remove(self, name: Name) -> None:
        at = self.position(name)
        self.gone.add(name)
        del self.names[at]
        self._at = {name: at for at, name in enumerate(self.names)}
        for column in COLUMNS:
            setattr(self, column, np.delete(getattr(self, column), at))

    def position(self, name: Name) -> int:
        if name not in self._at:
            raise UserError(f"there is no arm {name!r}")
        return self._at[name]

    def count(self, name: Name, event: bool) -> None:
        """What playing the arm gave; of an arm that has gone it is not counted here."""
        if name in self.gone:
            return
        at = self.position(name)
        self.plays[at] += 1.0
        self.events[at] += event
        self.choices[at] = max(self.choices[at], self.plays[at])

    def state(self) -> dict[str, Any]:
        """All of it as JSON can hold it; names in lists keep their type, as keys they would not."""
        columns = {column: getattr(self, column).tolist() for column in COLUMNS}
        return {"names": self.names, "gone": sorted(self.gone, key=str), **columns}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ArmTable:
        arms = cls(dict(zip(state["names"], state["value"], strict=True)))
        arms.gone = set(state["gone"])
        for column in COLUMNS:
            setattr(arms, column, np.array(state[column], dtype=float))
        return arms


def _check(name: object, value: float) -> None:
    if isinstance(name, bool) or not isinstance(name, int | str):
        raise UserError(f"arm {name!r}: a name must be a whole number or text")
    if not 0.0 <= value < math.inf:
        raise UserError(f"arm {name!r} has the value {value!r}; it must be a number of at least 0")
