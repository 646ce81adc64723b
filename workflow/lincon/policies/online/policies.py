"""LinConTS, LinCon-KL-UCB and safe-paced Thompson sampling as classes for a running service.

Each is also a user-defined policy to the bench (lincon.policies.own): `python:
lincon.online:LinConTS`. The bench gives the round, `choose(t)`, and is answered with the mixture
from which it draws; without a round the answer is an arm.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, overload

import numpy as np

from lincon.errors import UserError
from lincon.files import write_text
from lincon.policies.declaration import Choice, Part
from lincon.policies.online.arms import ArmTable, Name
from lincon.policies.online.formulas import (
    best_lower_bound,
    kl_budget,
    kl_upper,
    largest,
    solve_lp,
)
from lincon.policies.parts import ESTIMATORS, TARGETS


class OnlinePolicy:
    """Each arm once, then the mixture that solves LP(theta) at the target.

    Where no mixture meets it arms are drawn uniformly, or, if `greedy`, that of the largest theta.

    `values` are what an event of each arm pays, in order or by name; `eta` is the event rate to
    keep. Events may come back late, in any order and in batches: an arm counts as chosen at once
    and as played when its event is known. `rng` is a NumPy generator, a seed, or None for a stream
    that nobody can repeat.
    """

    part: ClassVar[Part]
    greedy: ClassVar[bool] = False

    def __init__(
        self,
        values: Mapping[Name, float] | Iterable[float],
        eta: float,
        horizon: int | None = None,
        rng: np.random.Generator | int | None = None,
        **parameters: float,
    ) -> None:
        if not 0.0 <= eta <= 1.0:
            raise UserError(f"eta is {eta!r}; it must be a number in [0, 1]")
        if horizon is not None and horizon < 1:
            raise UserError(f"horizon is {horizon!r}; it must be at least 1")
        self.arms, self.eta, self.horizon = ArmTable(values), float(eta), horizon
        self.rng = np.random.default_rng(rng)
        self.parameters = _checked(self.part, parameters, type(self).__name__)
        self.chosen = 0
        self.events = 0

    # --- what a service calls

    @overload
    def choose(self) -> Name: ...
    @overload
    def choose(self, t: int) -> Choice: ...

    def choose(self, t: int | None = None) -> Name | Choice:
        """The arm to play now. With the round given: its position, or the mixture to draw from."""
        if not len(self.arms):
            raise UserError("there is no arm to choose; add one first")
        choice = self._choice()
        self.chosen += 1
        if t is not None:
            return choice
        at = self._draw(choice)
        self.arms.choices[at] += 1.0
        return self.arms.names[at]

    @overload
    def update(self, arm: Name, event: bool, /) -> None: ...
    @overload
    def update(self, t: int, arm: Name, event: bool, /) -> None: ...

    def update(self, *play: Any) -> None:
        """update(arm, event): what playing the arm gave. The bench puts the round first.

        The event of an arm that has gone meanwhile counts towards the rate alone.
        """
        arm, event = play[-2:]
        if event not in (0, 1):
            raise UserError(f"the event of arm {arm!r} is {event!r}; it must be 0 or 1")
        self.arms.count(arm, bool(event))
        self.events += int(event)

    def update_many(self, arms: Iterable[Name], events: Iterable[bool]) -> None:
        """A batch of events that came back together."""
        for arm, event in zip(arms, events, strict=True):
            self.update(arm, event)

    def add_arm(self, name: Name, value: float) -> None:
        """A new arm; it is chosen once before any other is chosen again."""
        self.arms.add(name, value)

    def remove_arm(self, name: Name) -> None:
        self.arms.remove(name)

    # --- what each policy says for itself

    def believe(self, t: int) -> np.ndarray:
        raise NotImplementedError

    def target(self, t: int) -> float:
        return self.eta

    # --- the state

    def state(self) -> dict[str, Any]:
        """Everything, as JSON can hold it; `from_state` goes on exactly where it was."""
        return {
            "policy": type(self).__name__,
            "eta": self.eta,
            "horizon": self.horizon,
            "parameters": self.parameters,
            "chosen": self.chosen,
            "events": self.events,
            "arms": self.arms.state(),
            "rng": self.rng.bit_generator.state,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        if state["policy"] != cls.__name__:
            raise UserError(f"the state is one of {state['policy']}, not of {cls.__name__}")
        made = cls({}, state["eta"], state["horizon"], **state["parameters"])
        made.arms = ArmTable.from_state(state["arms"])
        made.chosen, made.events = state["chosen"], state["events"]
        bits = getattr(np.random, state["rng"]["bit_generator"])()
        bits.state = state["rng"]
        made.rng = np.random.Generator(bits)
        return made

    def save(self, path: str | Path) -> None:
        write_text(path, json.dumps(self.state()) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        return cls.from_state(json.loads(Path(path).read_text(encoding="utf-8")))

    # --- how a round goes

    @property
    def round(self) -> int:
        """The round that is chosen for now, counted from 1; plays that were never chosen count."""
        return max(self.chosen, int(self.arms.plays.sum())) + 1

    def _choice(self) -> Choice:
        fresh = np.flatnonzero(self.arms.choices == 0.0)
        if fresh.size:
            return int(fresh[0])
        t = self.round
        theta, value = self.believe(t), self.arms.value
        found = solve_lp(theta, value, self.target(t))
        if found is None and self.greedy:
            top = largest(theta, theta * value)
            return top, top, 1.0
        return found

    def _draw(self, choice: Choice) -> int:
        if isinstance(choice, int):
            return choice
        uniform = self.rng.random()
        if choice is None:
            return min(int(uniform * len(self.arms)), len(self.arms) - 1)
        assert isinstance(choice, tuple)
        low, high, share = choice
        return low if uniform < share else high


class LinConTS(OnlinePolicy):
    """theta_i ~ Beta(1 + s_i, 1 + n_i - s_i), LP at eta (Saxena, Gonzalez, Jaldén, 2020)."""

    part = ESTIMATORS["beta_sample"]

    def believe(self, t: int) -> np.ndarray:
        explore = self.parameters.get("explore", 1.0)
        events, misses = self.arms.events / explore, (self.arms.plays - self.arms.events) / explore
        return self.rng.beta(1.0 + events, 1.0 + misses)


class LinConKLUCB(OnlinePolicy):
    """theta_i = max{q : n_i d(m_i, q) <= log t + c log log t}, LP at eta; 1 before any event."""

    part = ESTIMATORS["kl_ucb"]

    def believe(self, t: int) -> np.ndarray:
        theta = np.ones(len(self.arms))
        known = self.arms.plays > 0.0
        plays = self.arms.plays[known]
        budget = self.parameters["explore"] * kl_budget(t, self.parameters["c"])
        theta[known] = kl_upper(self.arms.events[known] / plays, budget / plays)
        return theta


class SafePacedTS(LinConTS):
    """LinConTS at the rate that still has to be made good, as far as an arm is known that can.

    The target is min(paced, max(eta, L)): paced = (eta T + surplus log T - S) / (T - t + 1) in
    [0, 1], L the best lower confidence bound. The floor is kept over `horizon` rounds, then over
    the next as many.
    """

    part = TARGETS["safe_paced"]

    def __init__(
        self, values: Any, eta: float, horizon: int | None = None, *rest: Any, **more: Any
    ):
        if horizon is None:
            raise UserError(
                f"{type(self).__name__} needs a horizon: over how many rounds the floor is kept"
            )
        super().__init__(values, eta, horizon, *rest, **more)
        self._period = (0, 0)

    def target(self, t: int) -> float:
        assert self.horizon is not None
        limits = dict(self.parameters)
        aim = self.eta * self.horizon + limits.pop("surplus") * math.log(self.horizon)
        left = self.horizon - (t - 1) % self.horizon
        missing = aim - (self.events - self._events_before(t))
        paced = min(max(missing / left, 0.0), 1.0)
        bound = best_lower_bound(self.arms.plays, self.arms.events, t, **limits)
        return min(paced, max(self.eta, bound))

    def _events_before(self, t: int) -> int:
        """The events of earlier periods: noted when the first round of a period is met."""
        assert self.horizon is not None
        period = (t - 1) // self.horizon
        if period != self._period[0]:
            self._period = (period, self.events)
        return self._period[1]

    def state(self) -> dict[str, Any]:
        return super().state() | {"period": list(self._period)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        made = super().from_state(state)
        made._period = tuple(state["period"])
        return made


class SafeGreedyTS(SafePacedTS):
    """SafePacedTS that plays for events alone where no mixture seems to meet the target.

    SafePacedTS and LinConTS play uniformly there, which is most rounds if the floor is only just
    within reach.
    """

    greedy = True


def _checked(part: Part, given: Mapping[str, float], where: str) -> dict[str, float]:
    for name in given:
        if name not in part.defaults:
            allowed = ", ".join(part.defaults) or "none"
            raise UserError(f"{where} has no parameter {name}; it has: {allowed}")
    return part.check(given, where)
