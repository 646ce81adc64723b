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
from lincon.online.arms import CHOICES, EVENTS, PLAYS, ArmTable
from lincon.online.checks import is_number

# The rows of an account: rounds that a constraint concerns, their amounts, and what is missing.
ROUNDS, AMOUNTS, DEBTS = range(3)
# Whose total is what was counted before; no worker has this name.
HISTORY = ""
# A total names the latest so many of its worker's incarnations.
REMEMBERED = 100


class Counts:
    """Counts and accounts; `account` and `their_account` are float[3, m] (ROUNDS, AMOUNTS, DEBTS).

    A process that starts again, or is forked, is a new incarnation. `lineage` has those from which
    this one goes on and, once it has counted, itself; and how many changes each had counted. `seen`
    is how many plays the counts of this worker have faded by.
    """

    def __init__(
        self,
        arms: ArmTable,
        history: Mapping[Any, tuple[float, float]],
        memory: float | None,
        debt_limit: float | None,
    ) -> None:
        self.arms, self.memory, self.debt_limit = arms, memory, debt_limit
        self.others: dict[str, dict[str, Any]] = {}
        self.start(HISTORY)
        for name, pair in history.items():
            kind, arm = name if isinstance(name, tuple) else (None, name)
            at = arms.position(arm, kind)
            events, plays = pair if len(pair) == 2 else (None, None)
            if not is_number(plays, 0.0) or not is_number(events, 0.0, plays):
                raise UserError(
                    f"the history of arm {arm!r} is {pair!r}; allowed: (events, plays) with "
                    "0 <= events <= plays"
                )
            arms.own[[CHOICES, PLAYS, EVENTS], at] = plays, plays, events
        self.others = {HISTORY: self.total()} if history else {}

    def start(self, worker: str) -> None:
        """Begin to count under this name."""
        self.worker, self.incarnation = worker, secrets.token_hex(4)
        self.lineage: dict[str, int] = {}
        # Plays ever counted, by which older ones fade; what is taken back is not subtracted.
        self.chosen = self.counted = self.changes = self.plays = self.seen = 0
        self.account = np.zeros((3, len(self.arms.bound)))
        self.arms.own[:] = 0.0
        self.add_up()

    def add_up(self) -> None:
        """What the others and the history have counted, with what has faded since."""
        totals, arms = self.others.values(), self.arms
        self.their_chosen, self.their_counted, self.their_plays = (
            sum(one[name] for one in totals) for name in ("chosen", "counted", "plays")
        )
        none = np.zeros_like(self.account)
        self.their_account = sum((np.array(one["account"]) for one in totals), none)
        now = self.plays + self.their_plays
        arms.own[[PLAYS, EVENTS]] *= self._faded(now - self.seen)
        self.seen = now
        arms.known[:] = 0.0
        for one in totals:
            counts = self._counts_of(one)
            counts[[PLAYS, EVENTS]] *= self._faded(now - one["seen"])
            arms.known += counts
        arms.refresh()

    def _counts_of(self, total: dict[str, Any]) -> np.ndarray:
        """What a total has counted of the arms that are here, float[5, N]."""
        held = [(self.arms.current(*key), counts) for *key, counts in total["arms"]]
        known = np.zeros_like(self.arms.known)
        if here := [(at, counts) for at, counts in held if at is not None]:
            known[:, [at for at, _ in here]] = np.array([counts for _, counts in here]).T
        return known

    def _faded(self, plays: int) -> float:
        return math.exp(-max(plays, 0) / self.memory) if self.memory else 1.0

    # --- this worker counts

    @property
    def round(self) -> int:
        """The round that is chosen for now, counted from 1 over all workers."""
        return max(self.chosen + self.their_chosen, self.counted + self.their_counted) + 1

    @property
    def rounds(self) -> np.ndarray:
        """Of how many rounds each constraint's amounts are known."""
        chosen, counted = self.chosen + self.their_chosen, self.counted + self.their_counted
        return np.where(self.arms.at_choice, chosen, counted)

    @property
    def debts(self) -> np.ndarray:
        """What each constraint is short of; a surplus is negative."""
        return self.account[DEBTS] + self.their_account[DEBTS]

    def book(self, place: int) -> None:
        """A choice, with what its play costs and uses."""
        self.chosen += 1
        self.arms.own[CHOICES, place] += 1.0
        concerned = self.arms.concerns[:, self.arms.kind[place]] * self.arms.at_choice
        self.add(concerned, concerned * self.arms.per_play[:, place])

    def add(self, rounds: np.ndarray, amounts: np.ndarray) -> np.ndarray:
        """Book rounds and amounts, at the bounds of now; returns what the account has grown by."""
        growth = np.array([rounds, amounts, self.arms.bound * rounds - amounts])
        self.account += growth
        self.changed()
        if self.debt_limit is not None:
            # A worker waives its own debts alone, so that several do not waive the same.
            excess = np.minimum(self.debts - self.debt_limit, self.account[DEBTS])
            self.account[DEBTS] -= np.maximum(excess, 0.0)
        return growth

    def play(self, at: int | None, trial: float) -> None:
        """One more play of an arm, if it is still here; `trial` is its event, 0 or 1."""
        self.counted += 1
        self.plays += 1
        self.seen += 1
        if self.memory is not None:
            for counts in (self.arms.own, self.arms.known):
                counts[[PLAYS, EVENTS]] *= self._faded(1)
        if at is not None:
            self.arms.own[[PLAYS, EVENTS], at] += 1.0, trial

    def take_back(self, at: int | None, trial: float, play: int, growth: Any) -> None:
        """Undo `play` and `add`; it was this worker's play number `play`."""
        if at is not None:
            weight, own = self._faded(self.plays - play), self.arms.own[:, at]
            own[EVENTS] = max(own[EVENTS] - weight * trial, 0.0)
            own[PLAYS] = max(own[PLAYS] - weight, own[EVENTS])
        self.counted -= 1
        debts = self.account[DEBTS].copy()
        self.account -= np.array(growth)
        if self.debt_limit is not None:  # what was waived is not taken back a second time
            self.account[DEBTS] = np.maximum(self.account[DEBTS], np.minimum(debts, 0.0))
        self.changed()

    def forgive(self, constraint: int) -> float:
        debt = max(float(self.debts[constraint]), 0.0)
        self.account[DEBTS, constraint] -= debt
        self.changed()
        return debt

    def changed(self) -> None:
        self.changes += 1
        self.lineage[self.incarnation] = self.changes

    # --- others count

    def goal_hash(self) -> str:
        """Of kinds and goal without the bounds, which a worker may change before another."""
        goal = self.arms.goal
        rules = tuple(replace(one, bound=0.0) for one in goal.constraints)
        stated = replace(goal, constraints=rules).to_dict()
        text = json.dumps([stated, sorted(map(str, self.arms.kinds))], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def total(self) -> dict[str, Any]:
        arms, own = self.arms, self.arms.own
        return {
            "worker": self.worker,
            "lineage": [list(one) for one in self.lineage.items()][-REMEMBERED:],
            "goal": self.goal_hash(),
            "changes": self.changes,
            "chosen": self.chosen,
            "counted": self.counted,
            "plays": self.plays,
            "seen": self.seen,
            "account": self.account.tolist(),
            "arms": [
                [one.kind, one.name, arms.generation[one.kind, one.name], own[:, i].tolist()]
                for i, one in enumerate(arms.arms)
                if own[:, i].any()
            ],
        }

    def merge(self, total: dict[str, Any]) -> bool:
        worker, own = total["worker"], total["worker"] == self.worker
        if total["goal"] != self.goal_hash():
            raise UserError(f"the total of worker {worker!r} was counted for another goal")
        known = self.total() if own else self.others.get(worker)
        if known and includes(known, total):
            return False
        if known and not includes(total, known):
            raise UserError(
                f"worker {worker!r} was started again and has counted without its total of before; "
                "merge that first, or give it another name"
            )
        if own:
            self.take(total)
        else:
            self.others[worker] = total
            self.add_up()
        return True

    def take(self, total: dict[str, Any]) -> None:
        """Go on from this worker's total of before."""
        for name in ("changes", "chosen", "counted", "plays", "seen"):
            setattr(self, name, total[name])
        self.lineage, self.account = dict(total["lineage"]), np.array(total["account"])
        self.arms.own[:] = self._counts_of(total)
        self.add_up()


def includes(total: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a worker's total goes on from another one of the same worker."""
    if not other["lineage"]:
        return True
    incarnation, changes = other["lineage"][-1]
    return bool(dict(total["lineage"]).get(incarnation, -1) >= changes)
