"""What a service needs around the rounds: decisions, late events, several workers, the state."""

import json
import secrets
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, Self

import numpy as np

from lincon.errors import UserError
from lincon.files import sealed, unsealed, write_text
from lincon.online.arms import Name, is_id
from lincon.online.rounds import WAIT, Rng, Rounds, mean_share

VERSION = 4
# What a state has as it is.
KEPT = ("parameters", "timeout", "worker", "chosen", "counted", "amounts", "settled", "prior")


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


class OnlinePolicy(Rounds):
    __doc__ = Rounds.__doc__

    # --- choices

    def choose(self, t: int | None = None, *, among: Iterable[Name] | None = None) -> Any:
        """The arm to play now, one of `among` if given.

        The bench gives the round instead, and gets a position or the mixture to draw from.
        """
        at = self._begin(among)
        choice = self._choice(at)
        self.chosen += 1
        if t is not None and not isinstance(choice, int):
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
        place, propensity = self._draw(None if explored else choice, at), None
        drawn = self.sampled and not isinstance(choice, int)
        if resamples > 0 or not drawn:
            more = [self._choice(at) for _ in range(resamples if drawn else 0)]
            propensity = uniform / len(at) + (1 - uniform) * mean_share([choice, *more], place, at)
        self.chosen += 1
        # Ids stay unique when a policy is loaded twice or goes back to an older state.
        id = f"{secrets.token_hex(6)}-{self.chosen}"
        shares = {choice: 1.0} if isinstance(choice, int) else choice
        names = self.arms.names
        mixture = None if shares is None else {names[one]: shares[one] for one in shares}
        made = Decision(id, self._take(place), round, now, mixture, propensity)
        if remember:
            self.waiting[id] = (made.arm, now)
        if self.log is not None:
            available = {} if among is None else {"among": among}
            self.note(**vars(made) | {"mixture": mixture and list(mixture.items())} | available)
        return made

    def _begin(self, among: Iterable[Name] | None) -> np.ndarray:
        if self.timeout is not None:
            self.expire(self.timeout)
        plays, events = self.arms.plays, self.arms.events
        if self.chosen % 1000 == 999 and 10 <= events.sum() == plays.sum() < 0.5 * self.chosen:
            # Clicks that are reported and misses that are not make every arm look perfect.
            warnings.warn(
                f"{plays.sum():.0f} events and not one miss were reported in {self.chosen + 1} "
                "choices; report misses too, or use decide() with a timeout",
                stacklevel=3,
            )
        return self.arms.positions(among)

    def _take(self, place: int) -> Name:
        self.arms.choices[place] += 1.0
        return self.arms.names[place]

    # --- events

    def update(self, *play: Any) -> bool:
        """update(arm, event) or update(id, event): what the play gave.

        Of one id the first event counts; True if it did, False for one that was counted before, has
        expired or is not from here. An arm that has gone meanwhile counts towards the constraints.
        The bench puts the round first.
        """
        return self.update_many(play[-2:-1], play[-1:]) > 0

    def update_many(self, which: Iterable[Name], events: Iterable[bool]) -> int:
        """A batch of events that came back together, and how many counted; with a mistake in it,
        none does."""
        batch = list(zip(which, events, strict=True))
        for one, event in batch:
            if event not in (0, 1):
                raise UserError(f"the event of {one!r} is {event!r}; it must be 0 or 1")
            if not is_id(one) and not self.arms.knows(one):
                raise UserError(f"there is no arm {one!r}")
        return sum(self._count(one, bool(event)) for one, event in batch)

    def _count(self, which: Name, event: bool) -> bool:
        arm: Any = which
        by_id = is_id(which)
        if by_id:
            arm, _ = self.waiting.pop(str(which), (None, 0.0))
            if not self.arms.knows(arm):
                return False
        self.amounts += self.arms.count(arm, event)
        self.counted += 1
        if by_id:
            self.note(id=which, event=int(event))
        return True

    def expire(self, older_than: float) -> int:
        """Decisions that have waited longer than so many seconds count as no event; how many."""
        since = time.time() - WAIT.check(older_than, "older_than")
        late = list(takewhile(lambda id: self.waiting[id][1] <= since, self.waiting))
        return self.update_many(late, [False] * len(late))

    # --- several workers: each one's total is sent whole, so that a total which arrives twice, late
    # or out of order changes nothing (a grow-only counter)

    def delta(self) -> dict[str, Any]:
        """All that this worker has counted, for the others' `merge`."""
        return sealed({"worker": self.worker, **self._total()})

    def _total(self) -> dict[str, Any]:
        counts = zip(self.arms.names, *self.arms.counts[[2, 1]].tolist(), strict=True)
        rounds = {"chosen": self.chosen, "counted": self.counted, "amounts": self.amounts.tolist()}
        return rounds | {"arms": [list(row) for row in counts if row[2]]}

    def merge(self, delta: Mapping[str, Any]) -> None:
        """Another worker's counts so far; the same ones again, or older ones, change nothing.

        A worker's own are taken back: so it goes on after a restart. Arms that are not here are
        left out.
        """
        total = _undamaged(delta, "what there is to merge")
        if len(total["amounts"]) != len(self.bound):
            raise UserError("what there is to merge was counted for other constraints")
        total["arms"] = [row for row in total["arms"] if row[0] in self.arms]
        if total["worker"] != self.worker:
            self.put(**total)
        elif total["counted"] > self.counted:
            self.chosen, self.counted = max(self.chosen, total["chosen"]), total["counted"]
            self.amounts = np.array(total["amounts"])
            for name, events, plays in total["arms"]:
                at = self.arms.position(name)
                self.arms.events[at], self.arms.plays[at] = events, plays
            self.arms.choices[:] = np.maximum(self.arms.choices, self.arms.plays)

    # --- the state

    def state(self) -> dict[str, Any]:
        """Everything, as JSON can hold it; `from_state` goes on exactly where it was."""
        arms = self.arms
        held = {key: getattr(self, key) for key in KEPT} | {
            "version": VERSION,
            "policy": type(self).__name__,
            "goal": self.goal.to_dict(),
            # Names in lists keep their type, as keys they would not.
            "arms": {
                "names": arms.names,
                "given": list(arms.given.values()),
                "gone": list(arms.gone.items()),
                "counts": arms.counts[:3],
            },
            "totals": self.totals,
            "waiting": list(self.waiting.items()),
            "rng": self.rng.bit_generator.state,
        }
        # Arrays, which the state of some generators has as well, become lists.
        return sealed(json.loads(json.dumps(held, default=np.ndarray.tolist)))

    @classmethod
    def from_state(cls, state: Any, rng: Rng = None, *, worker: str | None = None) -> Self:
        """The policy of a state, which goes on with its random stream and under its worker's name.

        With `rng` or `worker` it is one of several that start from this state: it knows its counts,
        and whatever waits is left to the worker that goes on.
        """
        for key, own in (("version", VERSION), ("policy", cls.__name__)):
            found = state.get(key) if isinstance(state, dict) else None
            if found != own:
                raise UserError(f"the state has the {key} {str(found)[:60]!r}; needed is {own!r}")
        held = _undamaged(state, f"the state of {cls.__name__}")
        arms = held["arms"]
        given = dict(zip(arms["names"], arms["given"], strict=True))
        made = cls(given, goal=held["goal"], **held["parameters"])
        made.arms.counts[:3], made.arms.gone = arms["counts"], dict(arms["gone"])
        for key in KEPT:
            setattr(made, key, held[key])
        made.amounts, made.settled = np.array(made.amounts), np.array(made.settled)
        made.waiting, made.totals = dict(held["waiting"]), dict(held["totals"])
        made.add_up()
        kinds = {kind.__name__: kind for kind in np.random.BitGenerator.__subclasses__()}
        bits = held["rng"]["bit_generator"]
        if bits not in kinds:
            raise UserError(f"the state's bit generator is {bits!r}; there is: {', '.join(kinds)}")
        made.rng = np.random.Generator(kinds[bits]())
        made.rng.bit_generator.state = held["rng"]
        if rng is not None:
            made.rng = np.random.default_rng(rng)
        if rng is not None or worker not in (None, made.worker):
            # A new worker: what was counted so far is another's.
            before, total = made.worker, made._total()
            made.worker, made.waiting = str(worker or secrets.token_hex(4)), {}
            made.chosen = made.counted = 0
            made.amounts = np.zeros(len(made.bound))
            made.arms.counts[:3] = 0.0
            made.put(before, **total)
        return made

    def save(self, path: str | Path) -> None:
        write_text(path, json.dumps(self.state()) + "\n")

    @classmethod
    def load(cls, path: str | Path, rng: Rng = None, *, worker: str | None = None) -> Self:
        try:
            state = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, RecursionError, OSError) as error:
            raise UserError(f"{path} is not the state of a policy: {error}") from None
        return cls.from_state(state, rng, worker=worker)


def _undamaged(given: Any, what: str) -> dict[str, Any]:
    """What was sealed; whatever was changed since then, by whomever, is damage."""
    try:
        return unsealed(given)
    except ValueError:
        raise UserError(f"{what} is damaged: the checksum does not match") from None
