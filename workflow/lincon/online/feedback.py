"""Feedback: decisions that wait for it, what it changes, and how an operator undoes it."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from io import FileIO
from itertools import takewhile
from typing import Any

import numpy as np

from lincon.errors import UserError
from lincon.online.arms import BILLED, BILLS, ArmTable, Name, is_id
from lincon.online.checks import checked, is_number
from lincon.online.counts import Counts

# Settled decisions that are remembered, for `void` and repeated feedback.
SETTLED = 10_000
# The fates of a decision: no feedback counts (yet), it has counted, it counts as no event.
OPEN, COUNTED, EXPIRED = "open", "counted", "expired"


class Outcome(Enum):
    """The result of reporting feedback."""

    COUNTED = "counted"
    REPEATED = "repeated"  # counted before; nothing changes
    EXPIRED = "expired"  # it came after the timeout and has counted as no event
    UNKNOWN = "unknown"  # of another worker, no id, or settled too long ago (10,000)


@dataclass(frozen=True)
class Decision:
    """One choice; its id is WORKER.INCARNATION.NUMBER, so that feedback finds its worker.

    `mixture` is what it was drawn from, None where no mixture was feasible and arms were drawn
    uniformly. `propensity` is the probability of the arm given the past, a valid weight for logged
    data; None where it is not known (`propensity_draws`).
    """

    id: str
    arm: Name
    kind: str | None
    round: int
    time: float
    mixture: Mapping[Name, float] | None
    propensity: float | None


@dataclass
class Play:
    """A decision with its arm's amounts and cost at that time, and what its feedback has added."""

    kind: str | None
    name: Name
    generation: int
    time: float
    cost: float
    per_event: list[float]
    per_play: list[float]
    fate: str = OPEN
    trial: float = 0.0
    bill: float | None = None
    count: int = 0
    growth: list[list[float]] = field(default_factory=list)


class Feedback:
    """Decisions by id, the oldest first, and their feedback into arms and counts."""

    arms: ArmTable
    counts: Counts
    rng: np.random.Generator
    clock: Callable[[], float]
    log: FileIO | None
    waiting: dict[str, Play]
    settled: dict[str, Play]

    def update(
        self, ref: Name, event: float, *, cost: float | None = None, kind: str | None = None
    ) -> Outcome:
        """Count the feedback on a play. Only the first feedback on an id counts.

        Parameters
        ----------
        ref : str or int
            The id of a decision, or the arm of `choose` (then also its `kind`).
        event : bool or float
            True or False, or a score between 0 and 1: a belief counts it as an event with that
            probability (Agrawal, Goyal, COLT 2012), the accounts count the score.
        cost : float
            The play's cost, if known only afterwards: beliefs then use the mean of an arm's costs
            instead of its column `cost`, and the accounts use this cost.
        """
        if not (isinstance(event, bool | np.bool_) or is_number(event, 0.0, 1.0)):
            raise UserError(f"the event of {ref!r} is {event!r}; allowed: True, False, 0 to 1")
        if cost is not None and not is_number(cost):
            raise UserError(f"the cost of {ref!r} is {cost!r}; allowed: a number")
        if is_id(ref):
            return self._settle(str(ref), float(event), cost, COUNTED)
        self._count(self._play(self.arms.position(ref, kind)), float(event), cost)
        return Outcome.COUNTED

    def _play(self, at: int) -> Play:
        arms, arm = self.arms, self.arms.arms[at]
        amounts = arms.per_event[:, at].tolist(), arms.per_play[:, at].tolist()
        generation = arms.generation[arm.kind, arm.name]
        return Play(arm.kind, arm.name, generation, self.clock(), arms.cost(at), *amounts)

    def _settle(self, id: str, event: float, cost: float | None, fate: str) -> Outcome:
        play = self.waiting.pop(id, None) or self.settled.get(id)
        if play is None:
            return Outcome.UNKNOWN
        if play.fate in (COUNTED, EXPIRED):
            return Outcome.EXPIRED if play.fate == EXPIRED else Outcome.REPEATED
        self._count(play, event, cost)
        self._remember(id, play, fate, event=event, cost=cost)
        return Outcome.COUNTED

    def _remember(self, id: str, play: Play, fate: str, **feedback: Any) -> None:
        play.fate = fate
        self.settled[id] = play
        if len(self.settled) > SETTLED:
            del self.settled[next(iter(self.settled))]
        self._note(id=id, fate=fate, time=self.clock(), **feedback)

    def _count(self, play: Play, event: float, bill: float | None) -> None:
        """Add to counts and accounts, and note in `play` what was added."""
        arms, counts = self.arms, self.counts
        at = arms.current(play.kind, play.name, play.generation)
        concerned = arms.concerns[:, arms.kind_number(play.kind)]
        play.trial = event if event in (0.0, 1.0) else float(self.rng.random() < event)
        counts.play(at, play.trial)
        play.count = counts.plays
        amounts = np.array(play.per_event) * event + play.per_play
        at_event = concerned * ~arms.at_choice
        play.growth = counts.add(at_event, at_event * amounts).tolist()
        if bill is not None and play.bill is None:
            play.bill = float(bill)
            billed = [one.sign * (one.per_play == "cost") for one in arms.goal.constraints]
            counts.add(0.0 * concerned, concerned * billed * (play.bill - play.cost))
            if at is not None:
                arms.own[[BILLS, BILLED], at] += 1.0, play.bill
                arms.refresh(at)

    def expire(self, older_than: float) -> int:
        """Count decisions older than so many seconds as no event; returns their number."""
        since = self.clock() - checked("older_than", older_than, 0.0)
        late = list(takewhile(lambda id: self.waiting[id].time <= since, self.waiting))
        for id in late:
            self._settle(id, 0.0, None, EXPIRED)
        return len(late)

    def discard(self, id: str) -> bool:
        """Stop waiting for feedback on a decision; if some arrives later, it still counts.

        The cost and amounts of its play stay in the accounts.
        """
        play = self.waiting.pop(id, None)
        if play is not None:
            self._remember(id, play, OPEN)
        return play is not None

    def void(self, ids: Iterable[str]) -> int:
        """Undo the feedback on these decisions, such as a broken grader's; returns their number.

        They may be graded again. The latest 10,000 are remembered. Bills stay.
        """
        done = 0
        for id in ids:
            play = self.settled.get(id)
            if play is not None and play.fate != OPEN:
                at = self.arms.current(play.kind, play.name, play.generation)
                self.counts.take_back(at, play.trial, play.count, play.growth)
                self._remember(id, play, OPEN)
                done += 1
        return done

    def _note(self, **entry: Any) -> None:
        """A line of the log: one write at its end, so that workers may share the file."""
        if self.log is not None:
            self.log.write(json.dumps(entry, default=np.generic.item).encode() + b"\n")
