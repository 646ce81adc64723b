"""Decisions with an id: each waits for its event, and may be logged."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lincon.errors import UserError
from lincon.policies.online.arms import ID, Given, Name
from lincon.policies.online.given import proper
from lincon.problem.goal import Goal


@dataclass(frozen=True)
class Decision:
    """One choice. `mixture` is the one that it was drawn from, None where arms are drawn uniformly.

    `propensity` is the probability of the arm given the past, as a weight for logged data needs it
    (`OnlinePolicy.decide`); None where it was not asked for.
    """

    id: str
    arm: Name
    round: int
    time: float
    mixture: Mapping[Name, float] | None
    propensity: float | None


class DecisionLog:
    """JSON lines, from which `lincon replay` can tell what other policies would have done.

    A line is one write to a file that is open for appending, so workers may share it, and a kill
    leaves no line half-written.
    """

    def __init__(self, path: str | Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        size = os.fstat(self._file).st_size
        # A full disk may have cut the last line short: what follows is a line of its own.
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            os.write(self._file, b"\n")

    def start(self, goal: Goal, arms: Mapping[Name, Given]) -> None:
        self._write({"goal": goal.to_dict(), "arms": list(arms.items())})

    def arm(self, name: Name, given: Given | None) -> None:
        """A new arm, or new numbers of one; None when it has gone."""
        self._write({"gone": name} if given is None else {"arms": [[name, given]]})

    def decision(self, one: Decision, among: Iterable[Name] | None) -> None:
        mixture = None if one.mixture is None else list(one.mixture.items())
        entry = {**vars(one), "mixture": mixture}
        self._write(entry if among is None else entry | {"among": list(among)})

    def event(self, id: str, event: bool) -> None:
        self._write({"id": id, "event": int(event)})

    def _write(self, entry: Mapping[str, Any]) -> None:
        line = json.dumps(entry, default=_plain).encode() + b"\n"
        if os.write(self._file, line) != len(line):
            raise UserError("the decision log could not be written: the disk is full")

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            os.close(self._file)


def read_waiting(state: Iterable[Any]) -> dict[str, tuple[Name, float]]:
    """The decisions of a state that wait for their event: (arm, since when) by id."""
    held = {id: (arm, since) for id, arm, since in state}
    for id, (arm, since) in held.items():
        if not is_id(id) or not isinstance(arm, int | str) or not proper(since):
            raise ValueError(f"{str(id)[:40]!r} is not a decision that waits")
    return held


def is_id(name: object) -> bool:
    return isinstance(name, str) and ID.fullmatch(name) is not None


def _plain(given: Any) -> Any:
    """NumPy's numbers and mappings of other kinds as JSON can hold them."""
    return dict(given) if isinstance(given, Mapping) else given.item()
