"""What is counted, by this worker and by others: arms, rounds, and the accounts of constraints.

Each worker's total is sent whole, so that one which arrives twice, late or out of order changes
nothing (a grow-only counter).
"""

import hashlib
import json
import math
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lincon.errors import UserError
from lincon.online.arms import CHOICES, EVENTS, PLAYS, ArmTable, is_id
from lincon.online.checks import is_number
from lincon.online.state import checked_total
from lincon.problem.goal import Goal

# The rows of an account: rounds that a constraint concerns, their amounts, and what is missing.
ROUNDS, AMOUNTS, DEBTS = range(3)
# Whose total is what was counted before.
HISTORY = "history"
# A total names the latest so many of its worker's incarnations.
REMEMBERED = 100


class Counts:
    """Counts and accounts; `account` and `their_account` are float[3, m] (ROUNDS, AMOUNTS, DEBTS).

    A process that starts again, or is forked, is a new incarnation. `lineage` says from which ones
    this one goes on, and how many changes each had counted.
    """

    def __init__(
        self,
        arms: ArmTable,
        shares: Mapping[str | None, float],
        history: Mapping[Any, tuple[float, float]],
        memory: float | None,
        debt_limit: float | None,
        worker: str,
    ) -> None:
        self.arms, self.shares, self.memory, self.debt_limit = arms, shares, memory, debt_limit
        self.set_goal(arms.goal)
        self.others: dict[str, dict[str, Any]] = {}
        self.start(HISTORY)
        for name, pair in history.items():
            kind, arm = name if isinstance(name, tuple) else (None, name)
            at = arms.position(arm, kind)
            if (
                len(pair) != 2
                or not is_number(pair[1], 0.0)
                or not is_number(pair[0], 0.0, pair[1])
            ):
                raise UserError(
                    f"the history of arm {arm!r} is {pair!r}; allowed: (events, plays) with "
                    "0 <= events <= plays"
                )
            arms.own[[CHOICES, PLAYS, EVENTS], at] = pair[1], pair[1], pair[0]
        self.others = {HISTORY: self.totals()} if history else {}
        self.start(worker)

    def set_goal(self, goal: Goal) -> None:
        self.goal = self.arms.goal = goal
        rules = goal.constraints
        self.bound = np.array([one.sign * one.bound for one in rules])
        # Whether a constraint concerns a kind, and which part of all requests it concerns.
        concerns = [[float(one.kind in (None, kind)) for kind in self.shares] for one in rules]
        self.concerns = np.array(concerns)
        self.weight = self.concerns @ list(self.shares.values())
        # What a play costs or uses is booked when it is chosen, what an event gives with the event.
        self.at_choice = np.array([one.per_event == 0.0 for one in rules])

    def start(self, worker: str) -> None:
        """Begin to count under this name."""
        if not isinstance(worker, str) or not is_id(f"{worker}.00000000.0"):
            raise UserError(f"worker is {worker!r}; allowed: letters, digits, - and _, at most 64")
        self.worker, self.incarnation = worker, secrets.token_hex(4)
        self.lineage: list[list[Any]] = []
        self.chosen = self.counted = self.changes = 0
        # Plays ever counted, by which older ones fade; what is taken back is not subtracted.
        self.plays = 0
        self.account = np.zeros((3, len(self.bound)))
        self.arms.own[:] = 0.0
        self.add_up()

    def add_up(self) -> None:
        """What the others and the history have counted."""
        totals = list(self.others.values())
        self.their_chosen = sum(one["chosen"] for one in totals)
        self.their_counted = sum(one["counted"] for one in totals)
        self.their_account = sum(
            (np.array(one["account"]) for one in totals), np.zeros_like(self.account)
        )
        self.their_plays = sum(one["plays"] for one in totals)
        known, now = self.arms.known, self.plays + self.their_plays
        known[:] = 0.0
        for one in totals:
            faded = self._faded(max(now - one["seen"], 0))
            weights = np.array([1.0, faded, faded, 1.0, 1.0])
            for kind, name, generation, *counts in one["arms"]:
                if (at := self.current(kind, name, generation)) is not None:
                    known[:, at] += weights * counts
        self.arms.refresh()

    def current(self, kind: str | None, name: int | str, generation: int) -> int | None:
        """The position of an arm, None if it has gone or is of another generation."""
        same = self.arms.generation.get((kind, name)) == generation
        return self.arms.at.get((kind, name)) if same else None

    # --- this worker counts

    @property
    def round(self) -> int:
        """The round that is chosen for now, counted from 1 over all workers."""
        chosen, counted = self.chosen + self.their_chosen, self.counted + self.their_counted
        return max(chosen, counted) + 1

    @property
    def rounds(self) -> np.ndarray:
        """The rounds in each account."""
        return self.account[ROUNDS] + self.their_account[ROUNDS]

    @property
    def debts(self) -> np.ndarray:
        """What each constraint is short of; a surplus is negative."""
        return self.account[DEBTS] + self.their_account[DEBTS]

    def book(self, place: int, kind: int) -> None:
        """A choice, with what its play costs and uses."""
        self.chosen += 1
        self.arms.own[CHOICES, place] += 1.0
        concerned = self.concerns[:, kind] * self.at_choice
        self.add(concerned, concerned * self.arms.per_play[:, place])

    def add(self, rounds: np.ndarray, amounts: np.ndarray) -> np.ndarray:
        """Book rounds and amounts, at the bounds of now; returns what the account has grown by."""
        growth = np.array([rounds, amounts, self.bound * rounds - amounts])
        self.account += growth
        self.changes += 1
        if self.debt_limit is not None:
            # A worker waives its own debts alone, so that several do not waive the same.
            excess = np.minimum(self.debts - self.debt_limit, self.account[DEBTS])
            self.account[DEBTS] -= np.maximum(excess, 0.0)
        return growth

    def play(self, at: int | None, trial: float) -> None:
        """One more play of an arm, if it is still here; `trial` is its event, 0 or 1."""
        self.counted += 1
        self.plays += 1
        if self.memory is not None:
            for counts in (self.arms.own, self.arms.known):
                counts[[PLAYS, EVENTS]] *= self._faded(1)
        if at is not None:
            self.arms.own[PLAYS, at] += 1.0
            self.arms.own[EVENTS, at] += trial

    def take_back(self, at: int | None, trial: float, play: int, growth: Any) -> None:
        """Undo `play` and `add`; it was this worker's play number `play`."""
        if at is not None:
            weight, own = self._faded(max(self.plays - play, 0)), self.arms.own[:, at]
            own[EVENTS] = max(own[EVENTS] - weight * trial, 0.0)
            own[PLAYS] = max(own[PLAYS] - weight, own[EVENTS])
        self.counted -= 1
        self.changes += 1
        debts = self.account[DEBTS].copy()
        self.account -= np.array(growth)
        if self.debt_limit is not None:  # what was waived is not taken back a second time
            self.account[DEBTS] = np.maximum(self.account[DEBTS], np.minimum(debts, 0.0))

    def forgive(self, constraint: int, debt: float) -> None:
        self.account[DEBTS, constraint] -= debt
        self.changes += 1

    def _faded(self, rounds: float) -> float:
        return math.exp(-rounds / self.memory) if self.memory else 1.0

    # --- others count

    def goal_hash(self) -> str:
        """Of kinds and goal without the bounds, which a worker may change before another."""
        rules = tuple(replace(one, bound=0.0) for one in self.goal.constraints)
        stated = replace(self.goal, constraints=rules).to_dict()
        text = json.dumps([stated, sorted(map(str, self.shares))], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def totals(self) -> dict[str, Any]:
        arms, own = self.arms, self.arms.own
        return {
            "worker": self.worker,
            "incarnation": self.incarnation,
            "lineage": self.lineage,
            "goal": self.goal_hash(),
            "changes": self.changes,
            "chosen": self.chosen,
            "counted": self.counted,
            "plays": self.plays,
            "seen": self.plays + self.their_plays,
            "account": self.account.tolist(),
            "arms": [
                [one.kind, one.name, arms.generation[one.kind, one.name], *own[:, i].tolist()]
                for i, one in enumerate(arms.arms)
                if own[:, i].any()
            ],
        }

    def merge(self, total: Mapping[str, Any]) -> bool:
        new = checked_total(total, len(self.bound))
        worker, own = new["worker"], new["worker"] == self.worker
        if new["goal"] != self.goal_hash():
            raise UserError(f"the total of worker {worker!r} was counted for another goal")
        known = self.totals() if own else self.others.get(worker)
        if known and includes(known, new):
            return False
        if known and not includes(new, known):
            raise UserError(
                f"worker {worker!r} was started again and has counted without its total of before; "
                "merge that first, or give it another name"
            )
        if own:
            self.take(new)
        else:
            before = self.their_plays
            self.others[worker] = new
            self.add_up()
            faded = self._faded(max(self.their_plays - before, 0))
            self.arms.own[[PLAYS, EVENTS]] *= faded
        return True

    def take(self, total: dict[str, Any]) -> None:
        """Go on from this worker's total of before."""
        past = [*total["lineage"], [total["incarnation"], total["changes"]]]
        self.lineage = past[-REMEMBERED:]
        self.changes = total["changes"]
        self.chosen, self.counted, self.plays = (
            total[name] for name in ("chosen", "counted", "plays")
        )
        self.account = np.array(total["account"])
        self.arms.own[:] = 0.0
        for kind, name, generation, *counts in total["arms"]:
            if (at := self.current(kind, name, generation)) is not None:
                self.arms.own[:, at] = counts
        self.add_up()


def includes(total: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a worker's total goes on from another one of the same worker."""
    past = [*other["lineage"], [other["incarnation"], other["changes"]]]
    while len(past) > 1 and past[-1][1] == past[-2][1]:  # it has counted nothing since it started
        past.pop()
    incarnation, changes = past[-1]
    reached = dict(total["lineage"]) | {total["incarnation"]: total["changes"]}
    return bool(changes == 0 or reached.get(incarnation, -1) >= changes)
