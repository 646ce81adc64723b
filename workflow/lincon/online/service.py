"""A policy in a service: decisions with ids, late and lost feedback, changes, status and state."""

import logging
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import takewhile
from typing import Any

import numpy as np

from lincon.errors import UserError
from lincon.online.arms import (
    BILLED,
    BILLS,
    CHOICES,
    EVENTS,
    ID,
    PLAYS,
    Columns,
    Name,
    is_number,
    new_arm,
)
from lincon.online.checks import checked, checked_goal
from lincon.online.rounds import Play, Rounds
from lincon.online.saved import Saved

# Of decisions that no longer wait, so many are remembered, for `void` and for repeated feedback.
SETTLED = 10_000
LOG = logging.getLogger("lincon.online")


class Outcome(Enum):
    """What became of feedback."""

    COUNTED = "counted"
    REPEATED = "repeated"  # counted before; nothing changes
    EXPIRED = "expired"  # it came after the timeout and has counted as no event
    UNKNOWN = "unknown"  # a decision of another worker (`worker_of`), or of nobody


@dataclass(frozen=True)
class Decision:
    """One choice.

    `mixture` is what it was drawn from, None where arms were drawn uniformly. `propensity` is the
    probability of the arm given the past, a valid weight for logged data; None where it is not
    known (`propensity_draws`).
    """

    id: str
    arm: Name
    kind: str | None
    round: int
    time: float
    mixture: Mapping[Name, float] | None
    propensity: float | None


def worker_of(id: str) -> str:
    """The worker whose decision this is; empty if it is no id."""
    match = ID.fullmatch(id)
    return match[1] if match else ""


class Policy(Saved):
    __doc__ = Rounds.__doc__

    # --- choices

    def choose(self, *, kind: str | None = None, available: Iterable[Name] | None = None) -> Name:
        """The arm to play now, for `update(arm, event)`.

        Parameters
        ----------
        kind : str
            The kind of the request, where requests come in kinds.
        available : iterable of names
            The arms that this request may be given; by default all of its kind.
        """
        number, at = self._begin(kind, available)
        place = self._draw(self._explored(self._choices(number, at, 1)[0]), at)
        self._book(place, number)
        return self.arms.arms[place].name

    def _begin(self, kind: str | None, available: Iterable[Name] | None) -> tuple[int, np.ndarray]:
        number = self.arms.kind_number(kind)
        if self.options["timeout"] is not None:
            self.expire(self.options["timeout"])
        if self.chosen % 1000 == 999:
            self._warn()
        if not all(map(len, self.arms.of_kind)):
            raise UserError("there is no arm to choose" + " for every kind" * (len(self.kinds) > 1))
        return number, self.arms.positions(number, available)

    def decide(
        self, *, kind: str | None = None, available: Iterable[Name] | None = None
    ) -> Decision:
        """A choice with an id, for `update(id, event)`; parameters as of `choose`."""
        available = None if available is None else list(available)
        number, at = self._begin(kind, available)
        round, now = self.round, self.clock()
        choices = self._choices(number, at, 1 + self.options["propensity_draws"])
        choice = choices[0]
        place = self._draw(self._explored(choice), at)
        propensity = self._propensity(choices, place, at)
        arms = self.arms.arms
        id = f"{self.worker}.{self.incarnation}.{self.chosen + 1}"
        shares = {choice: 1.0} if isinstance(choice, int) else choice
        mixture = None if shares is None else {arms[i].name: x for i, x in shares.items()}
        made = Decision(id, arms[place].name, kind, round, now, mixture, propensity)
        generation = self.arms.generation[kind, made.arm]
        self.waiting[id] = Play(kind, made.arm, generation, now, self.arms.cost(place))
        self._book(place, number)
        if len(self.waiting) > self.options["waiting_limit"]:
            self.discard(next(iter(self.waiting)))
        if self.log is not None:
            pairs = None if mixture is None else list(mixture.items())
            self._note(**vars(made) | {"mixture": pairs, "available": available})
        return made

    # --- feedback

    def update(
        self, ref: Name, event: float, *, cost: float | None = None, kind: str | None = None
    ) -> Outcome:
        """Count what a play gave. Of one id the first feedback counts.

        Parameters
        ----------
        ref : str or int
            The id of a decision, or the arm of `choose` (then also its `kind`).
        event : bool or float
            True or False, or a score between 0 and 1: a belief counts it as an event with that
            probability (Agrawal, Goyal, COLT 2012), the accounts count the score.
        cost : float
            The bill of this play, where it is known only afterwards: instead of the column `cost`
            the mean of an arm's bills is believed, and the accounts use the bill.
        """
        if not (isinstance(event, bool | np.bool_) or is_number(event, 0.0, 1.0)):
            raise UserError(f"the event of {ref!r} is {event!r}; allowed: True, False, 0 to 1")
        if cost is not None and not is_number(cost):
            raise UserError(f"the cost of {ref!r} is {cost!r}; allowed: a number")
        if not (isinstance(ref, str) and ID.fullmatch(ref)):
            key = self.arms.key(ref, kind, gone=True)
            here = key in self.arms.at
            generation = self.arms.generation[key] if here else int(self.arms.gone[key][0])
            known = self.arms.cost(self.arms.at[key]) if here else self.arms.gone[key][1]
            self._count(Play(*key, generation, self.clock(), known), float(event), cost)
            return Outcome.COUNTED
        return self._settle(ref, float(event), cost, "counted")

    def _settle(self, id: str, event: float, cost: float | None, fate: str) -> Outcome:
        play = self.waiting.pop(id, None)
        before = self.settled.get(id)
        if play is None and before is not None and before.fate == "open":
            play = self.settled.pop(id)
        if play is None:
            if before is not None:
                return Outcome.EXPIRED if before.fate == "expired" else Outcome.REPEATED
            match = ID.fullmatch(id)
            if match and match.groups()[:2] == (self.worker, self.incarnation):
                return Outcome.REPEATED if int(match[3]) <= self.chosen else Outcome.UNKNOWN
            return Outcome.UNKNOWN
        play.fate = fate
        self._count(play, event, cost)
        self._remember(id, play)
        self._note(id=id, event=event, cost=cost, fate=fate, time=self.clock())
        return Outcome.COUNTED

    def _remember(self, id: str, play: Play) -> None:
        self.settled[id] = play
        if len(self.settled) > SETTLED:
            del self.settled[next(iter(self.settled))]

    def _count(self, play: Play, event: float, bill: float | None) -> None:
        """Add to counts and accounts, and note in `play` what was added."""
        key, arms, m = (play.kind, play.name), self.arms, len(self.bound)
        at = arms.at.get(key) if arms.generation.get(key) == play.generation else None
        gone = arms.gone.get(key)
        terms = arms.terms[:, at] if at is not None else np.array(gone[2:]) if gone else None
        concerned = self.concerns[:, arms.kind_number(play.kind)]
        at_event = concerned * ~self.at_choice
        self._fade(1)
        self.counted += 1
        self.changes += 1
        self.rounds += at_event
        play.event, play.count = event, self.counted
        play.trial = event if event in (0.0, 1.0) else float(self.rng.random() < event)
        amounts = np.zeros(m)
        if terms is not None:
            amounts = at_event * (terms[2 : 2 + m] * event + terms[2 + m :])
        first_bill = bill is not None and play.bill is None
        if first_bill:
            play.bill = float(bill)  # type: ignore[arg-type]
            billed = np.array(
                [one.sign * (one.per_play == "cost") for one in self.goal.constraints]
            )
            now = play.cost if at is None else arms.cost(at)
            booked = np.where(self.at_choice, play.cost, now)
            amounts += concerned * billed * (play.bill - booked)
        play.amounts = (amounts * ~self.at_choice).tolist()
        self.amounts += amounts
        if at is not None:
            arms.own[PLAYS, at] += 1.0
            arms.own[EVENTS, at] += play.trial
            if first_bill:
                arms.own[BILLS, at] += 1.0
                arms.own[BILLED, at] += play.bill
                arms.refresh(at)
        self._limit_debts()

    def expire(self, older_than: float) -> int:
        """Decisions that have waited for so many seconds count as no event; how many."""
        since = self.clock() - checked("older_than", older_than, 0.0, 1e15)
        late = list(takewhile(lambda id: self.waiting[id].time <= since, self.waiting))
        for id in late:
            self._settle(id, 0.0, None, "expired")
        return len(late)

    def discard(self, id: str) -> bool:
        """A decision that will not be graded stops waiting; feedback that comes after all counts.

        What its play costs and uses stays in the accounts.
        """
        play = self.waiting.pop(id, None)
        if play is not None:
            play.fate = "open"
            self._remember(id, play)
            self._note(id=id, fate="discarded", time=self.clock())
        return play is not None

    def void(self, ids: Iterable[str]) -> int:
        """Take back the feedback of these decisions, such as a broken grader's; how many had any.

        They may be graded again. The latest 10,000 are remembered. Bills stay.
        """
        done = 0
        for id in ids:
            play = self.settled.get(id)
            if play is None or play.fate == "open":
                continue
            key, done = (play.kind, play.name), done + 1
            memory = self.options["memory"]
            weight = math.exp((play.count - self.counted) / memory) if memory else 1.0
            if self.arms.generation.get(key) == play.generation:
                own = self.arms.own[:, self.arms.at[key]]
                own[EVENTS] = max(own[EVENTS] - weight * play.trial, 0.0)
                own[PLAYS] = max(own[PLAYS] - weight, own[EVENTS])
            self.counted -= 1
            self.changes += 1
            number = self.arms.kind_number(play.kind)
            self.rounds -= self.concerns[:, number] * ~self.at_choice
            self.amounts -= np.array(play.amounts)
            play.fate = "open"
            self._note(id=id, fate="void", time=self.clock())
        return done

    def forgive(self, constraint: str) -> float:
        """Forget what a constraint is short of, in all workers once they have merged; how much."""
        j = self._constraint(constraint)
        self.waived[j] = 0.0
        debt = max(float(self.debts[j]), 0.0)
        self.forgiven[j] += debt
        self.changes += 1
        self._note(forgiven=constraint, debt=debt, time=self.clock())
        return debt

    def _constraint(self, name: str) -> int:
        names = [one.name for one in self.goal.constraints]
        if name not in names:
            raise UserError(f"there is no constraint {name!r}; allowed: {', '.join(names)}")
        return names.index(name)

    def status(self) -> dict[str, Any]:
        """Plain numbers for a metrics exporter.

        Of all workers: `rounds`; by constraint the `rate`, its `bound` and the `debt` (negative: a
        surplus); by arm its choices, plays, events (history included) and mean cost. Of this worker
        what waits, and the share of its rounds in which no mixture was feasible.
        """
        rounds, now = self.rounds + self.their_rounds, self.clock()
        total = self.amounts + self.their_amounts
        counts = (self.arms.own + self.arms.known)[[CHOICES, PLAYS, EVENTS]]
        return {
            "rounds": self.round - 1,
            "chosen": self.chosen,
            "counted": self.counted,
            "waiting": len(self.waiting),
            "oldest_seconds": max((now - one.time for one in self.waiting.values()), default=0.0),
            "infeasible_share": self.infeasible / max(self.chosen, 1),
            "constraints": {
                one.name: {
                    "rate": float(one.sign * total[j] / max(rounds[j], 1.0)),
                    "bound": one.bound,
                    "debt": float(self.debts[j]),
                }
                for j, one in enumerate(self.goal.constraints)
            },
            "arms": {
                str(one.name) if one.kind is None else f"{one.kind}/{one.name}": {
                    **dict(zip(("choices", "plays", "events"), counts[:, i].tolist(), strict=True)),
                    "cost": self.arms.cost(i),
                }
                for i, one in enumerate(self.arms.arms)
            },
        }

    def _warn(self) -> None:
        """Once in 1,000 choices: what an operator should know."""
        plays, events = self.arms.own[[PLAYS, EVENTS]].sum(axis=1)
        if 10 <= events == plays < 0.5 * self.chosen:
            LOG.warning(
                "%d events and not one miss in %d choices: report misses too, or set a timeout",
                events,
                self.chosen + 1,
            )
        if self.infeasible - self._seen_infeasible > 900:
            LOG.warning(
                "no mixture was feasible in %d of the last 1000 rounds: see status()",
                self.infeasible - self._seen_infeasible,
            )
        self._seen_infeasible = self.infeasible

    # --- what may change while it runs

    def add_arm(self, name: Name, columns: Columns | float, kind: str | None = None) -> None:
        """A new arm with its value or its columns."""
        self.arms.add([new_arm(name, columns, kind)])
        self._add_up()
        self._note(arms=[vars(self.arms.arms[-1])])

    def change_arm(self, name: Name, columns: Columns | float, kind: str | None = None) -> None:
        """New columns of an arm; its counts stay."""
        self.arms.change(new_arm(name, columns, kind))
        self._note(arms=[vars(new_arm(name, columns, kind))])

    def remove_arm(self, name: Name, kind: str | None = None) -> None:
        """Its late events still count towards the constraints."""
        self.arms.remove(self.arms.key(name, kind))
        self._note(gone=name, kind=kind)

    def change_bound(self, constraint: str, bound: float) -> None:
        """A new bound from now on; the rounds so far are held to the old one."""
        j, rules = self._constraint(constraint), list(self.goal.constraints)
        rules[j] = replace(rules[j], bound=bound)
        before = self.bound
        goal = replace(self.goal, constraints=tuple(rules))
        self._set_goal(checked_goal(None, goal.to_dict(), self.kinds))
        self.shifted += (self.bound - before) * (self.rounds + self.their_rounds)
        self._note(goal=self.goal.to_dict())
