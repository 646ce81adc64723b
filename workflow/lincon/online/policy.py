"""A policy in a service: decisions, feedback, and what an operator does."""

import json
import logging
import math
import os
import secrets
import time
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, field, replace
from enum import Enum
from io import FileIO
from itertools import takewhile
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from lincon.errors import UserError
from lincon.online.arms import (
    BILLED,
    BILLS,
    CHOICES,
    EVENTS,
    ID,
    PLAYS,
    Arm,
    ArmTable,
    Columns,
    Name,
    as_arms,
    is_id,
    new_arm,
)
from lincon.online.checks import checked, checked_goal, checked_kinds, is_number
from lincon.online.counts import AMOUNTS, Counts
from lincon.online.linear import Mixture, closest, solve
from lincon.online.state import VERSION, checked_state, read_state, sealed_state, write_state
from lincon.policies.parts import TABLES, checked_parameters
from lincon.policies.standard import STANDARD
from lincon.problem.goal import Goal

Beliefs = tuple[np.ndarray, np.ndarray]
# By option: the default, the least and the largest number.
OPTIONS: dict[str, tuple[float | None, float, float]] = {
    "memory": (None, 1.0, 1e15),
    "explore_share": (0.0, 0.0, 1.0),
    "propensity_draws": (0, 0, 10_000),
    "timeout": (None, 0.0, 1e15),
    "debt_limit": (None, 0.0, 1e15),
    "waiting_limit": (100_000, 1, 1e9),
}
# The first fit of a learned prior where no arm is forced.
EARLY = 20.0
# Of decisions that no longer wait, so many are remembered, for `void` and for repeated feedback.
SETTLED = 10_000
LOG = logging.getLogger("lincon.online")
# The policies of this process, which a forked process has to know.
LIVE: "weakref.WeakSet[Policy]" = weakref.WeakSet()


class Outcome(Enum):
    """What became of feedback."""

    COUNTED = "counted"
    REPEATED = "repeated"  # counted before; nothing changes
    EXPIRED = "expired"  # it came after the timeout and has counted as no event
    UNKNOWN = "unknown"  # of another worker (`worker_of`), of nobody, or 10,000 settled ones ago


@dataclass(frozen=True)
class Decision:
    """One choice.

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
    """A decision with its arm's `terms` and cost at that time, and what its feedback has added."""

    kind: str | None
    name: Name
    generation: int
    time: float
    cost: float
    terms: list[float]
    fate: str = "waiting"
    trial: float = 0.0
    bill: float | None = None
    count: int = 0
    growth: list[list[float]] = field(default_factory=list)


def worker_of(id: str) -> str:
    """The worker whose decision this is; empty if it is no id."""
    match = ID.fullmatch(id)
    return match[1] if match else ""


class Policy:
    """What all policies share: choices, feedback, workers, state."""

    # Its name in `lincon.policies.standard`, where its parts and their numbers are.
    STANDARD: ClassVar[str]
    # Whether beliefs are drawn at random; whether each arm is played once before any belief.
    SAMPLED: ClassVar[bool] = True
    FORCED: ClassVar[bool] = True

    def __init__(
        self,
        arms: Any,
        *,
        floor: float | None = None,
        goal: Goal | Mapping[str, Any] | None = None,
        kinds: Mapping[str, float] | None = None,
        history: Mapping[Any, tuple[float, float]] | None = None,
        seed: int | np.random.Generator | None = None,
        memory: float | None = None,
        explore_share: float = 0.0,
        propensity_draws: int = 0,
        timeout: float | None = None,
        debt_limit: float | None = None,
        waiting_limit: int = 100_000,
        worker: str | None = None,
        log: str | Path | None = None,
        clock: Callable[[], float] = time.time,
        **numbers: float,
    ) -> None:
        """Parameters
        ----------
        arms : list of Arm, mapping of name to value or columns, or list of values
        floor : float
            The event rate to keep; or instead
        goal : Goal or mapping
            An objective and constraints, as in a config.
        kinds : mapping of str to float
            Where requests come in kinds, the share of each; by default equal.
        history : mapping of name (or (kind, name)) to (events, plays)
            Counts of before. They are believed, but they are not rounds.
        seed : int or numpy Generator
            By default a stream that nobody can repeat.
        memory : float
            Number of later rounds after which a count has weight 1/e, for means that drift.
        explore_share : float
            This share of the decisions is drawn uniformly.
        propensity_draws : int
            For logged propensities: the mean of the arm's share in so many more beliefs.
        timeout : float
            Seconds after which a decision without feedback counts as no event.
        debt_limit : float
            What any constraint may be short of at most; more is forgiven.
        waiting_limit : int
            So many decisions wait for feedback; older ones are discarded.
        worker : str
            The name of this one of several workers; ids begin with it.
        log : path
            Append decisions and feedback to this file as JSON lines.
        clock : callable
            Seconds since 1970.
        **numbers
            Parameters of the policy, such as `explore` (docs/policies.md).

        Examples
        --------
        >>> from lincon.online import TSLedger
        >>> policy = TSLedger({"basic": 0.2, "premium": 1.0}, floor=0.25, seed=1)
        >>> decision = policy.decide()
        >>> policy.update(decision.id, True)
        <Outcome.COUNTED: 'counted'>
        """
        given = locals()
        self.numbers = self._checked_numbers(numbers)
        self.options: dict[str, Any] = {
            name: None if given[name] is default is None else checked(name, given[name], low, high)
            for name, (default, low, high) in OPTIONS.items()
        }
        listed = as_arms(arms)
        self.shares = checked_kinds(kinds, [arm.kind for arm in listed])
        self.arms = ArmTable(checked_goal(floor, goal, self.shares), self.shares, listed)
        self.rng, self.clock = np.random.default_rng(seed), clock
        self.prior = [1.0, 1.0, self.numbers["explore"], 0.0 if self.FORCED else EARLY]
        limits = self.options["memory"], self.options["debt_limit"]
        name = worker or secrets.token_hex(4)
        self.counts = Counts(self.arms, self.shares, history or {}, *limits, name)
        self.infeasible = self._seen_infeasible = 0
        # By id, the oldest first.
        self.waiting: dict[str, Play] = {}
        self.settled: dict[str, Play] = {}
        self.log = None if log is None else FileIO(log, "a")
        self._note(goal=self.goal.to_dict(), arms=[vars(one) for one in self.arms.arms])
        LIVE.add(self)

    @classmethod
    def _checked_numbers(cls, given: Mapping[str, Any]) -> dict[str, float]:
        """Its parameters: as given, otherwise those of the standard policy."""
        entry = STANDARD[cls.STANDARD]
        parts = [table[entry[kind]] for kind, table in TABLES.items() if kind in entry]
        known = {name: entry[name] for part in parts for name in part.defaults if name in entry}
        return checked_parameters(parts, known | dict(given), cls.__name__)

    @property
    def goal(self) -> Goal:
        return self.counts.goal

    @property
    def worker(self) -> str:
        return self.counts.worker

    # --- what each policy says for itself

    def believe(
        self, t: int, plays: np.ndarray, events: np.ndarray, shape: tuple[int, int]
    ) -> Beliefs:
        """The upper and the lower end of what is believed of each mean, of this shape (draws,
        arms); a sample is both."""
        raise NotImplementedError

    def steer(self, mixture: Mixture, amount: np.ndarray, gain: np.ndarray, kind: int) -> Mixture:
        return mixture

    def targets(self) -> np.ndarray:
        """What the linear program asks of the average request."""
        return self.counts.weight * self.counts.bound

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
        number, place, _, _ = self._pick(kind, available, 1)
        self.counts.book(place, number)
        return self.arms.arms[place].name

    def decide(
        self, *, kind: str | None = None, available: Iterable[Name] | None = None
    ) -> Decision:
        """A choice with an id, for `update(id, event)`; parameters as of `choose`."""
        available = None if available is None else list(available)
        counts, now = self.counts, self.clock()
        draws = 1 + int(self.options["propensity_draws"])
        number, place, shares, propensity = self._pick(kind, available, draws)
        named = [(self.arms.arms[i].name, x) for i, x in (shares or {}).items()]
        mixture = dict(named) if shares else None
        id, arm = f"{self.worker}.{counts.incarnation}.{counts.chosen + 1}", self.arms.arms[place]
        decision = Decision(id, arm.name, kind, counts.round, now, mixture, propensity)
        self.waiting[id] = self._play(place)
        counts.book(place, number)
        if len(self.waiting) > self.options["waiting_limit"]:
            self.discard(next(iter(self.waiting)))
        if self.log is not None:
            self._note(**vars(decision) | {"mixture": named, "available": available})
        return decision

    def _pick(
        self, kind: str | None, available: Iterable[Name] | None, draws: int
    ) -> tuple[int, int, Mixture | None, float | None]:
        """The number of the kind, an arm's position, what it is drawn from, and its propensity."""
        if self.options["timeout"] is not None:
            self.expire(self.options["timeout"])
        if self.counts.chosen % 1000 == 999:
            self._warn()
        number = self.arms.kind_number(kind)
        at = self.arms.positions(number, available)
        if (first := self._fresh(at)) is not None:
            return number, first, {first: 1.0}, 1.0
        choices = self._mixtures(number, at, draws)
        self.infeasible += not self.feasible
        share = self.options["explore_share"]
        explores = share > 0.0 and self.rng.random() < share
        place = self._draw(None if explores else choices[0], at)
        # Given the beliefs that were drawn, of which one at random has decided, it is the arm's
        # mean share; the share in one mixture would be no weight, as other arms have none there.
        exact = draws > 1 or not self.SAMPLED
        return number, place, choices[0], self._probability(choices, place, at) if exact else None

    def _fresh(self, at: np.ndarray) -> int | None:
        """An arm that is to be played before any belief, as it never was."""
        if not self.FORCED:
            return None
        counts = self.arms.own[:EVENTS, at] + self.arms.known[:EVENTS, at]
        fresh = at[counts.max(axis=0) == 0.0]
        return int(fresh[0]) if fresh.size else None

    def _mixtures(self, kind: int, at: np.ndarray, draws: int) -> list[Mixture | None]:
        """What to play of the arms at these positions, all of this kind, in so many draws of the
        beliefs, or in one where nothing is drawn; None is any arm."""
        arms, shares = self.arms, np.array(list(self.shares.values()))
        shape = (draws if self.SAMPLED else 1, len(arms.kind))
        plays, events = arms.own[PLAYS] + arms.known[PLAYS], arms.own[EVENTS] + arms.known[EVENTS]
        upper, lower = self.believe(self.counts.round, plays, events, shape)
        gain = np.where(arms.value >= 0.0, upper, lower) * arms.value - arms.play_cost
        theta = upper[:, None]
        if arms.falls:
            theta = np.where(arms.per_event >= 0.0, theta, lower[:, None])
        amount = arms.per_event * theta + arms.per_play
        rows = np.arange(len(arms.kind))
        if len(at) < len(arms.of_kind[kind]):  # the program has the other kinds' arms too
            rows = rows[(arms.kind != kind) | np.isin(rows, at)]
            gain, amount = gain[:, rows], amount[:, :, rows]
        kinds, bound = arms.kind[rows], self.targets()
        mixtures = solve(gain, amount, bound, kinds, shares)
        self.feasible = mixtures[0] is not None
        choices: list[Mixture | None] = []
        for mixture, g, h in zip(mixtures, gain, amount, strict=True):
            if mixture is not None:
                mixture = {i: x for i, x in mixture.items() if kinds[i] == kind}
                mixture = self.steer(mixture, h, g, kind)
            elif STANDARD[self.STANDARD].get("fallback") == "greedy":
                place = (kinds == kind).nonzero()[0]
                mixture = {int(place[closest(g[place], h[:, place], bound, arms.extent)]): 1.0}
            choices.append(mixture and {int(rows[i]): x for i, x in mixture.items()})
        return choices

    def _draw(self, mixture: Mixture | None, at: np.ndarray) -> int:
        uniform, total = self.rng.random(), 0.0
        if mixture is None:
            return int(at[min(int(uniform * len(at)), len(at) - 1)])
        for arm, share in mixture.items():  # noqa: B007
            total += share
            if uniform < total:
                break
        return arm

    def _probability(self, choices: list[Mixture | None], place: int, at: np.ndarray) -> float:
        """The probability of an arm, averaged over what might have been decided."""
        uniform, share = 1.0 / len(at), self.options["explore_share"]
        each = [uniform if one is None else one.get(place, 0.0) for one in choices]
        return float(share * uniform + (1.0 - share) * math.fsum(each) / len(each))

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
        if is_id(ref):
            return self._settle(str(ref), float(event), cost, "counted")
        self._count(self._play(self.arms.position(ref, kind)), float(event), cost)
        return Outcome.COUNTED

    def _play(self, place: int) -> Play:
        arm, terms = self.arms.arms[place], self.arms.terms[:, place].tolist()
        generation = self.arms.generation[arm.kind, arm.name]
        return Play(arm.kind, arm.name, generation, self.clock(), self.arms.cost(place), terms)

    def _settle(self, id: str, event: float, cost: float | None, fate: str) -> Outcome:
        play = self.waiting.pop(id, None) or self.settled.get(id)
        if play is None:
            return Outcome.UNKNOWN
        if play.fate in ("counted", "expired"):
            return Outcome.EXPIRED if play.fate == "expired" else Outcome.REPEATED
        self._count(play, event, cost)
        self._remember(id, play, fate)
        self._note(id=id, event=event, cost=cost, fate=fate, time=self.clock())
        return Outcome.COUNTED

    def _remember(self, id: str, play: Play, fate: str) -> None:
        play.fate = fate
        self.settled[id] = play
        if len(self.settled) > SETTLED:
            del self.settled[next(iter(self.settled))]

    def _count(self, play: Play, event: float, bill: float | None) -> None:
        """Add to counts and accounts, and note in `play` what was added."""
        counts, m = self.counts, len(self.counts.bound)
        at = counts.current(play.kind, play.name, play.generation)
        concerned = counts.concerns[:, self.arms.kind_number(play.kind)]
        at_event, terms = concerned * ~counts.at_choice, np.array(play.terms)
        play.trial = event if event in (0.0, 1.0) else float(self.rng.random() < event)
        counts.play(at, play.trial)
        play.count = counts.plays
        amounts = at_event * (terms[2 : 2 + m] * event + terms[2 + m :])
        play.growth = counts.add(at_event, amounts).tolist()
        if bill is not None and play.bill is None:
            play.bill = float(bill)
            billed = [one.sign * (one.per_play == "cost") for one in self.goal.constraints]
            counts.add(np.zeros(m), concerned * billed * (play.bill - play.cost))
            if at is not None:
                self.arms.own[[BILLS, BILLED], at] += 1.0, play.bill
                self.arms.refresh(at)

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
            self._remember(id, play, "open")
            self._note(id=id, fate="discarded", time=self.clock())
        return play is not None

    def void(self, ids: Iterable[str]) -> int:
        """Take back the feedback of these decisions, such as a broken grader's; how many had any.

        They may be graded again. The latest 10,000 are remembered. Bills stay.
        """
        done = 0
        for id in ids:
            play = self.settled.get(id)
            if play is not None and play.fate != "open":
                at = self.counts.current(play.kind, play.name, play.generation)
                self.counts.take_back(at, play.trial, play.count, play.growth)
                play.fate, done = "open", done + 1
                self._note(id=id, fate="void", time=self.clock())
        return done

    def forgive(self, constraint: str) -> float:
        """Forget what a constraint is short of, in all workers once they have merged; how much."""
        j = self._constraint(constraint)
        debt = max(float(self.counts.debts[j]), 0.0)
        self.counts.forgive(j, debt)
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
        counts, now = self.counts, self.clock()
        amounts = (counts.account + counts.their_account)[AMOUNTS]
        rates = amounts / np.maximum(counts.rounds, 1.0)
        table = (self.arms.own + self.arms.known)[[CHOICES, PLAYS, EVENTS]].T.tolist()
        return {
            "rounds": counts.round - 1,
            "chosen": counts.chosen,
            "counted": counts.counted,
            "waiting": len(self.waiting),
            "oldest_seconds": max((now - one.time for one in self.waiting.values()), default=0.0),
            "infeasible_share": self.infeasible / max(counts.chosen, 1),
            "constraints": {
                one.name: {
                    "rate": float(one.sign * rates[j]),
                    "bound": one.bound,
                    "debt": float(counts.debts[j]),
                }
                for j, one in enumerate(self.goal.constraints)
            },
            "arms": {
                str(one.name) if one.kind is None else f"{one.kind}/{one.name}": {
                    **dict(zip(("choices", "plays", "events"), table[i], strict=True)),
                    "cost": self.arms.cost(i),
                }
                for i, one in enumerate(self.arms.arms)
            },
        }

    def _warn(self) -> None:
        """Once in 1,000 choices: what an operator should know."""
        plays, events = self.arms.own[[PLAYS, EVENTS]].sum(axis=1)
        if 10 <= events == plays < 0.5 * self.counts.chosen:
            LOG.warning("%d events and not one miss: report misses too, or set a timeout", events)
        if (recent := self.infeasible - self._seen_infeasible) > 900:
            LOG.warning("no mixture was feasible in %d of 1000 rounds: see status()", recent)
        self._seen_infeasible = self.infeasible

    def _note(self, **entry: Any) -> None:
        """A line of the log: one write at its end, so that workers may share the file."""
        if self.log is not None:
            self.log.write(json.dumps(entry, default=np.generic.item).encode() + b"\n")

    # --- what may change while it runs

    def add_arm(self, name: Name, columns: Columns | float, kind: str | None = None) -> None:
        """A new arm with its value or its columns."""
        self.arms.set([*self.arms.arms, new_arm(name, columns, kind)])
        self.counts.add_up()
        self._note(arms=[vars(self.arms.arms[-1])])

    def change_arm(self, name: Name, columns: Columns | float, kind: str | None = None) -> None:
        """New columns of an arm; its counts stay."""
        self.arms.change(new_arm(name, columns, kind))
        self._note(arms=[vars(new_arm(name, columns, kind))])

    def remove_arm(self, name: Name, kind: str | None = None) -> None:
        """Late events of its decisions still count towards the constraints."""
        self.arms.remove(name, kind)
        self._note(gone=name, kind=kind)

    def change_bound(self, constraint: str, bound: float) -> None:
        """A new bound from now on; the rounds so far are held to the old one."""
        j, rules = self._constraint(constraint), list(self.goal.constraints)
        rules[j] = replace(rules[j], bound=bound)
        goal = replace(self.goal, constraints=tuple(rules))
        self.counts.set_goal(checked_goal(None, goal, self.shares))
        self._note(goal=self.goal.to_dict())

    # --- several workers

    def totals(self) -> dict[str, Any]:
        """All that this worker has counted, as JSON can hold it, for the others' `merge`."""
        return self.counts.totals()

    def merge(self, total: Mapping[str, Any]) -> bool:
        """Take another worker's total, or after a restart this worker's; whether it was news.

        Raises
        ------
        UserError
            If it is damaged or of another goal, or if a worker was started again and has counted
            without its total of before.
        """
        return self.counts.merge(total)

    def _fork(self) -> None:
        """In a forked process: another worker, with a stream of its own, that knows the parent's
        counts; what waits is left to the parent."""
        total = self.totals()
        self.counts.start(f"{self.worker[:55]}-{secrets.token_hex(4)}")
        self.counts.merge(total)
        self.rng, self.waiting, self.settled = np.random.default_rng(), {}, {}

    # --- its state

    def state(self) -> dict[str, Any]:
        """Everything, as JSON can hold it; `from_state` goes on exactly where it was."""
        arms, kinds = self.arms, None if None in self.shares else self.shares
        record = {
            "version": VERSION,
            "policy": type(self).__name__,
            "given": {"goal": self.goal.to_dict(), "kinds": kinds, **self.options, **self.numbers},
            "arms": [[one.kind, one.name, dict(one.columns)] for one in arms.arms],
            "generations": [[*key, number] for key, number in arms.generation.items()],
            "total": self.totals(),
            "others": list(self.counts.others.values()),
            "infeasible": self.infeasible,
            "prior": self.prior,
            "waiting": [[id, astuple(play)] for id, play in self.waiting.items()],
            "settled": [[id, astuple(play)] for id, play in self.settled.items()],
            "rng": self.rng.bit_generator.state,
        }
        return sealed_state(record)

    @classmethod
    def from_state(
        cls,
        state: Any,
        *,
        seed: int | np.random.Generator | None = None,
        worker: str | None = None,
        **options: Any,
    ) -> Self:
        """The policy of a state, which goes on with its random stream and under its worker's name.

        Parameters
        ----------
        state
            What `state` gave, of this class or another (then the prior is learnt anew).
        seed, worker
            With either it is one of several that start from this state: it knows the counts, and
            what waits is left to the worker that goes on.
        **options
            Options and numbers that replace those of the state.
        """
        record = checked_state(state)
        try:
            return cls._restored(record, seed, worker, options)
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise UserError(f"the state cannot be used: {str(error)[:200]}") from None

    @classmethod
    def _restored(cls, record: dict[str, Any], seed: Any, worker: str | None, given: Any) -> Self:
        accepted = {"goal", "kinds", *OPTIONS, *cls._checked_numbers({})}
        kept, same = dict(record["given"]), record["policy"] == cls.__name__
        if not same:
            kept = {name: one for name, one in kept.items() if name in accepted}
        arms = [Arm(name, columns, kind) for kind, name, columns in record["arms"]]
        policy = cls(arms, **(kept | given))
        counts, total, stream = policy.counts, record["total"], record["rng"]
        policy.arms.generation = {(kind, name): one for kind, name, one in record["generations"]}
        if missing := policy.arms.at.keys() - policy.arms.generation.keys():
            raise UserError(f"generations has no arm {missing.pop()[1]!r}")
        counts.others = {one["worker"]: one for one in record["others"]}
        policy.prior = record["prior"] if same else policy.prior
        if seed is not None or worker not in (None, total["worker"]):
            counts.start(worker or secrets.token_hex(4))
            counts.merge(total)
            policy.rng = np.random.default_rng(seed)
            return policy
        counts.start(total["worker"])
        counts.take(total)
        policy.infeasible = record["infeasible"]
        for name in ("waiting", "settled"):
            setattr(policy, name, {id: Play(*play) for id, play in record[name]})
        streams = {one.__name__: one for one in np.random.BitGenerator.__subclasses__()}
        policy.rng = np.random.Generator(streams[stream["bit_generator"]]())
        policy.rng.bit_generator.state = stream
        return policy

    def save(self, path: str | Path) -> None:
        """Write the state, atomically."""
        write_state(path, self.state())

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> Self:
        """The policy of a saved state; options as of `from_state`."""
        return cls.from_state(read_state(path), **options)


def _fork_all() -> None:
    for policy in list(LIVE):
        policy._fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_fork_all)
