"""What a service needs around the rounds: decisions, late events, several workers, the state."""

from __future__ import annotations

import json
import secrets
import time
import warnings
from collections.abc import Iterable, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any, Self, overload

import numpy as np

from lincon.errors import UserError
from lincon.files import write_text
from lincon.policies.online.arms import ArmTable, Counts, Given, Name
from lincon.policies.online.decisions import Decision, DecisionLog, is_id, read_waiting
from lincon.policies.online.given import checked_time, generator, numbers, plain, whole
from lincon.policies.online.rounds import Picked, Rng, Rounds
from lincon.policies.online.workers import HISTORY, Others, Total, checked_worker
from lincon.policies.own import Task
from lincon.problem.goal import Goal

VERSION = 3
DAMAGE = (KeyError, TypeError, ValueError, AttributeError, OverflowError, IndexError)


class OnlinePolicy(Rounds):
    """Each arm once, then the mixture that solves LP(theta).

    `problem` holds the arms, in order or by name: what an event of each pays, or its columns, e.g.
    {"value": 1, "cost": 0.2}. `eta` is the event rate to keep; any other goal is a `Goal` or its
    dict. `prior` has counts of before, (events, plays) by name: they are believed, but they are not
    rounds. Events may come back late, in any order and in batches: an arm counts as chosen at once
    and as played when its event is known. A decision that has waited for `timeout` seconds counts
    as no event. `rng` is a NumPy generator, a seed, or None for a stream that nobody can repeat.
    `worker` names this one of several (`merge`), `log` a file to which decisions are appended.
    """

    def __init__(
        self,
        problem: Task | Mapping[Name, Given] | Iterable[Given],
        rng: Rng = None,
        *,
        eta: float | None = None,
        goal: Goal | Mapping[str, Any] | None = None,
        prior: Counts | None = None,
        timeout: float | None = None,
        worker: str | None = None,
        log: str | Path | None = None,
        **parameters: float,
    ) -> None:
        super().__init__(problem, rng, eta, goal, parameters)
        self.timeout = None if timeout is None else checked_time(timeout, "timeout")
        self.worker = secrets.token_hex(4) if worker is None else checked_worker(worker)
        # Decisions without an event yet, the oldest first: (arm, since when) by id. What is not
        # here any more is not counted again, so an event may be delivered as often as it likes.
        self.waiting: dict[str, tuple[Name, float]] = {}
        # Ids stay unique when a policy is loaded twice or goes back to an older state.
        self._session, self._issued = secrets.token_hex(6), 0
        self._start_from(prior or {})
        if log is not None:
            self.log_to(log)

    # --- choices

    @overload
    def choose(self, *, among: Iterable[Name] | None = None) -> Name: ...
    @overload
    def choose(self, t: int) -> Picked: ...

    def choose(self, t: int | None = None, *, among: Iterable[Name] | None = None) -> Name | Picked:
        """The arm to play now, one of `among` if given.

        The bench gives the round instead, and gets a position or the mixture to draw from.
        """
        at = self._begin(among)
        choice = self._choice(at)
        self.chosen += 1
        if t is not None:
            return choice
        return self._take(self._draw(choice, at))

    def decide(
        self,
        *,
        among: Iterable[Name] | None = None,
        resamples: int = 0,
        uniform: float = 0.0,
        remember: bool = True,
    ) -> Decision:
        """A choice with an id, for `update(id, event)`; without `remember` somebody else, such as a
        database, sees to it that its event is counted once.

        With `resamples` = K the beliefs are drawn K times more, and `propensity` is the mean share
        of the arm in the K + 1 mixtures. That is its exact probability given these K + 1 beliefs,
        of which one at random has decided, and so a valid weight. The share in the one mixture
        would not be: that has one or two arms, and all others could not have been chosen. A share
        `uniform` of the decisions is drawn uniformly, so that every arm has some propensity.
        """
        if not 0.0 <= uniform <= 1.0:
            raise UserError(f"uniform is {uniform!r}; it must be a share in [0, 1]")
        among = None if among is None else list(among)
        at, round, now = self._begin(among), self.round, time.time()
        choice = self._choice(at)
        explored = uniform > 0.0 and self.rng.random() < uniform
        place = self._draw(None if explored else choice, at)
        propensity = self._propensity(choice, place, at, resamples)
        if propensity is not None:
            propensity = uniform / len(at) + (1.0 - uniform) * propensity
        self.chosen += 1
        shares = {choice: 1.0} if isinstance(choice, int) else choice
        names, mixture = self.arms.names, None
        if shares is not None:
            mixture = {names[one]: share for one, share in shares.items()}
        self._issued += 1
        id = f"{self._session}-{self._issued}"
        made = Decision(id, self._take(place), round, now, mixture, propensity)
        if remember:
            self.waiting[id] = (made.arm, now)
        if self.log is not None:
            self.log.decision(made, among)
        return made

    # --- events

    @overload
    def update(self, which: Name, event: bool, /) -> bool: ...
    @overload
    def update(self, t: int, arm: Name, event: bool, /) -> bool: ...

    def update(self, *play: Any) -> bool:
        """update(arm, event) or update(id, event): what the play gave.

        Of one id the first event counts; True if it did, False for one that was counted before, has
        expired or is not from here. An arm that has gone meanwhile counts towards the constraints.
        The bench puts the round first.
        """
        which, event = play[-2:]
        if not is_id(which):
            self.arms.check(which, event)
            self._count(which, bool(event))
            return True
        if event not in (0, 1):
            raise UserError(f"the event of decision {which} is {event!r}; it must be 0 or 1")
        arm, _ = self.waiting.pop(which, (None, 0.0))
        if arm is None or not self.arms.counts(arm):
            return False
        self._count(arm, bool(event))
        if self.log is not None:
            self.log.event(which, bool(event))
        return True

    def update_many(self, which: Iterable[Name], events: Iterable[bool]) -> int:
        """A batch of events that came back together, and how many counted; with a mistake in it,
        none does."""
        batch = list(zip(which, events, strict=True))
        for one, event in batch:
            if is_id(one) and event in (0, 1):
                continue
            self.arms.check(one, event)
        return sum(self.update(one, event) for one, event in batch)

    def expire(self, older_than: float) -> int:
        """Decisions that have waited longer than so many seconds count as no event; how many."""
        since = time.time() - checked_time(older_than, "older_than")
        late = list(takewhile(lambda id: self.waiting[id][1] <= since, self.waiting))
        return self.update_many(late, [False] * len(late))

    # --- several workers

    def delta(self) -> dict[str, Any]:
        """All that this worker has counted, for the others' `merge`."""
        return self._total().to_dict(self.worker)

    def merge(self, delta: Mapping[str, Any]) -> None:
        """Another worker's counts so far; the same ones again, or older ones, change nothing.

        A worker's own are taken back: so it goes on after a restart.
        """
        try:
            worker, total = Total.from_dict(delta, self.arms)
        except DAMAGE as error:
            raise UserError(
                f"the counts to merge are damaged ({type(error).__name__}: {_clipped(error)})"
            ) from None
        if checked_worker(worker) != self.worker:
            self.others.put(worker, total, self.arms)
        elif total.counted > self.counted:
            self._take_back(total)

    # --- the state

    def state(self) -> dict[str, Any]:
        """Everything, as JSON can hold it; `from_state` goes on exactly where it was."""
        return {
            "version": VERSION,
            "policy": type(self).__name__,
            "goal": self.goal.to_dict(),
            "parameters": self.parameters,
            "timeout": self.timeout,
            "worker": self.worker,
            "chosen": self.chosen,
            "counted": self.counted,
            "amounts": self.amounts.tolist(),
            "settled": self.settled.tolist(),
            "arms": self.arms.state(),
            "waiting": [[id, *held] for id, held in self.waiting.items()],
            "others": self.others.state(),
            "rng": plain(self.rng.bit_generator.state),
        }

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], rng: Rng = None, *, worker: str | None = None
    ) -> Self:
        """The policy of a state, which goes on with its random stream and under its worker's name.

        With `rng` or `worker` it is one of several that start from this state: it knows its counts,
        and whatever waits is left to the worker that goes on.
        """
        try:
            version, policy = state["version"], state["policy"]
            if version != VERSION:
                raise UserError(f"the state has version {version!r}; this release reads {VERSION}")
            if policy != cls.__name__:
                raise UserError(f"the state is one of {policy}, not of {cls.__name__}")
            made = cls._restored(state)
        except UserError as error:
            raise UserError(_clipped(error)) from None
        except DAMAGE as error:
            kind = type(error).__name__
            raise UserError(
                f"the state of {cls.__name__} is damaged ({kind}: {_clipped(error)})"
            ) from None
        if rng is not None:
            made.rng = np.random.default_rng(rng)
        if rng is not None or worker not in (None, made.worker):
            made._begin_as(secrets.token_hex(4) if worker is None else checked_worker(worker))
        return made

    @classmethod
    def _restored(cls, state: Mapping[str, Any]) -> Self:
        own = {key: state[key] for key in ("goal", "timeout", "worker")}
        made = cls({}, **own, **state["parameters"])
        made.arms = ArmTable.from_state(made.goal, state["arms"])
        made.chosen, made.counted = whole(state["chosen"]), whole(state["counted"])
        made.amounts = numbers(state["amounts"], made.bound.shape)
        made.settled = numbers(state["settled"], made.bound.shape)
        made.waiting = read_waiting(state["waiting"])
        made.others = Others.from_state(state["others"], made.arms)
        made.rng = generator(state["rng"])
        return made

    def save(self, path: str | Path) -> None:
        write_text(path, json.dumps(self.state()) + "\n")

    @classmethod
    def load(
        cls,
        path: str | Path,
        rng: Rng = None,
        *,
        worker: str | None = None,
        log: str | Path | None = None,
    ) -> Self:
        try:
            state = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, RecursionError, OSError) as error:
            raise UserError(f"{path} is not the state of a policy: {error}") from None
        made = cls.from_state(state, rng, worker=worker)
        if log is not None:
            made.log_to(log)
        return made

    def log_to(self, path: str | Path) -> None:
        self.log = DecisionLog(path)
        self.log.start(self.goal, dict(zip(self.arms.names, self.arms.given, strict=True)))

    def _begin(self, among: Iterable[Name] | None) -> np.ndarray:
        if self.timeout is not None:
            self.expire(self.timeout)
        if self.chosen % 1000 == 999:
            self._notice_silence()
        return self.arms.positions(among)

    def _notice_silence(self) -> None:
        """Clicks that are reported and misses that are not make every arm look perfect."""
        plays, events = self.arms.plays.sum(), self.arms.events.sum()
        if 10 <= plays == events and plays < 0.5 * self.arms.choices.sum():
            warnings.warn(
                f"{plays:.0f} events and not one miss were reported in {self.chosen + 1} choices; "
                "report misses too, or use decide() with a timeout",
                stacklevel=4,
            )

    # --- whose counts they are

    def _start_from(self, prior: Counts) -> None:
        for name in prior:
            self.arms.position(name)
        if prior:
            history = Total(0, 0, np.zeros(len(self.bound)), self.arms.checked(prior, "the prior"))
            self.others.put(HISTORY, history, self.arms)

    def _total(self) -> Total:
        arms = self.arms
        counts = zip(arms.names, arms.events, arms.plays, strict=True)
        played = {name: (events, plays) for name, events, plays in counts if plays}
        return Total(self.chosen, self.counted, self.amounts.copy(), played)

    def _take_back(self, total: Total) -> None:
        self.chosen, self.counted = max(self.chosen, total.chosen), total.counted
        self.amounts = total.amounts
        for name, (events, plays) in total.arms.items():
            at = self.arms.position(name)
            self.arms.events[at], self.arms.plays[at] = events, plays
        self.arms.choices = np.maximum(self.arms.choices, self.arms.plays)

    def _begin_as(self, worker: str) -> None:
        """A new worker: what was counted so far is another's."""
        before, total = self.worker, self._total()
        self.worker, self.waiting = worker, {}
        self.chosen = self.counted = 0
        self.amounts = np.zeros(len(self.bound))
        for column in (self.arms.choices, self.arms.plays, self.arms.events):
            column[:] = 0.0
        self.others.put(before, total, self.arms)


def _clipped(error: Exception) -> str:
    """One line of it: what is damaged may be long."""
    return " ".join(str(error)[:200].split())
