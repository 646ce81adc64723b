"""Counts of several workers, added up: each worker's own total is sent whole, so that a total which
arrives twice, late or out of order changes nothing (a grow-only counter)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lincon.errors import UserError
from lincon.policies.online.arms import ArmTable, Name
from lincon.policies.online.given import numbers, whole

# The history that a policy was given is kept like a worker's total, without any rounds.
HISTORY = ""


@dataclass
class Total:
    """What one worker has chosen and counted: rounds, amounts, and (events, plays) by arm."""

    chosen: int
    counted: int
    amounts: np.ndarray
    arms: dict[Name, tuple[float, float]] = field(default_factory=dict)

    def to_dict(self, worker: str) -> dict[str, Any]:
        arms = [[name, float(events), float(plays)] for name, (events, plays) in self.arms.items()]
        rounds = {"worker": worker, "chosen": self.chosen, "counted": self.counted}
        return {**rounds, "amounts": self.amounts.tolist(), "arms": arms}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], arms: ArmTable) -> tuple[str, Total]:
        """(worker, total); what it says of arms that are not here is left out."""
        worker = given["worker"]
        if not isinstance(worker, str):
            raise ValueError(f"{worker!r} is not the name of a worker")
        counts = {name: (events, plays) for name, events, plays in given["arms"]}
        made = cls(
            whole(given["chosen"]),
            whole(given["counted"]),
            numbers(given["amounts"], (len(arms.goal.constraints),)),
            arms.checked(counts, f"what {worker} has counted"),
        )
        return worker, made


class Others:
    """The latest total of each other worker, and their sums."""

    def __init__(self, constraints: int) -> None:
        self.totals: dict[str, Total] = {}
        self.chosen = self.counted = 0
        self.amounts = np.zeros(constraints)

    def put(self, worker: str, total: Total, arms: ArmTable) -> None:
        """A total that is older than the one known is not looked at."""
        known = self.totals.get(worker)
        if known is None or (total.counted, total.chosen) >= (known.counted, known.chosen):
            self.totals[worker] = total
            self.add_up(arms)

    def add_up(self, arms: ArmTable) -> None:
        """Again after every change, also of the arms."""
        totals = self.totals.values()
        self.chosen = sum(one.chosen for one in totals)
        self.counted = sum(one.counted for one in totals)
        self.amounts = sum((one.amounts for one in totals), np.zeros(len(self.amounts)))
        arms.know(one.arms for one in totals)

    def forget(self, arm: Name) -> None:
        for one in self.totals.values():
            one.arms.pop(arm, None)

    def state(self) -> list[dict[str, Any]]:
        return [total.to_dict(worker) for worker, total in self.totals.items()]

    @classmethod
    def from_state(cls, state: Iterable[Mapping[str, Any]], arms: ArmTable) -> Others:
        made = cls(len(arms.goal.constraints))
        made.totals = dict(Total.from_dict(one, arms) for one in state)
        made.add_up(arms)
        return made


def checked_worker(name: object) -> str:
    if not isinstance(name, str) or name == HISTORY:
        raise UserError(f"the worker's name is {name!r}; it must be a text")
    return name
