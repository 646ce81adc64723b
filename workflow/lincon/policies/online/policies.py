"""LinConTS, LinCon-KL-UCB and the two ledger policies as classes for a running service.

Each is also a user-defined policy to the bench (lincon.policies.own): `python:
lincon.online:LinConTS`. The bench gives the round, `choose(t)`, and is answered with the mixture
from which it draws; without a round the answer is an arm.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, overload

import numpy as np

from lincon.errors import UserError
from lincon.files import write_text
from lincon.policies.declaration import Choice, Part
from lincon.policies.online.arms import ArmTable, Given, Name
from lincon.policies.online.formulas import closest, kl_budget, kl_upper, solve
from lincon.policies.online.given import (
    checked_goal,
    checked_parameters,
    from_task,
    generator,
    plain,
    whole,
)
from lincon.policies.online.learned import fit_prior
from lincon.policies.own import Task
from lincon.policies.parts import ESTIMATORS, PRIORS, STEERINGS
from lincon.problem.goal import Goal

VERSION = 2
REFIT = 1.3


class OnlinePolicy:
    """Each arm once, then the mixture that solves LP(theta).

    `problem` holds the arms, in order or by name: what an event of each pays, or its columns, e.g.
    {"value": 1, "cost": 0.2}. `eta` is the event rate to keep; any other goal is a `Goal` or its
    dict. `prior` has counts of before, (events, plays) by name: they are believed, but they are not
    rounds. Events may come back late, in any order and in batches: an arm counts as chosen at once
    and as played when its event is known. `rng` is a NumPy generator, a seed, or None for a stream
    that nobody can repeat.
    """

    parts: ClassVar[tuple[Part, ...]]
    greedy: ClassVar[bool] = False
    # An index is the upper end of what is believed: right for amounts that grow with events alone.
    optimistic: ClassVar[bool] = False

    def __init__(
        self,
        problem: Task | Mapping[Name, Given] | Iterable[Given],
        rng: np.random.Generator | int | None = None,
        *,
        eta: float | None = None,
        goal: Goal | Mapping[str, Any] | None = None,
        prior: Mapping[Name, tuple[float, float]] | None = None,
        **parameters: float,
    ) -> None:
        self.parameters = checked_parameters(self.parts, parameters, type(self).__name__)
        arms, stated = from_task(problem) if isinstance(problem, Task) else (problem, None)
        self.goal: Goal = stated or checked_goal(eta, goal)
        if self.optimistic and any(one.sense == "at_most" for one in self.goal.constraints):
            name = type(self).__name__
            raise UserError(f"{name} takes at_least constraints alone; for at_most use LinConTS")
        self.arms = ArmTable(self.goal, arms)
        self.arms.start_from(prior or {})
        self.rng = np.random.default_rng(rng)
        self.bound = np.array([one.sign * one.bound for one in self.goal.constraints])
        self.amounts = np.zeros(len(self.bound))
        self.chosen = 0
        self.counted = 0

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

        The event of an arm that has gone meanwhile counts towards the constraints alone.
        """
        arm, event = play[-2:]
        self.arms.check(arm, event)
        self.amounts += self.arms.count(arm, bool(event))
        self.counted += 1

    def update_many(self, arms: Iterable[Name], events: Iterable[bool]) -> None:
        """A batch of events that came back together; with a mistake in it, none is counted."""
        batch = list(zip(arms, events, strict=True))
        for arm, event in batch:
            self.arms.check(arm, event)
        for arm, times in Counter(arm for arm, _ in batch if arm in self.arms.gone).items():
            if times > self.arms.gone[arm][0]:
                raise UserError(f"there is no arm {arm!r}")
        for arm, event in batch:
            self.update(arm, event)

    def add_arm(self, name: Name, value: Given) -> None:
        """A new arm, its value or its columns; it is chosen once before any other is again."""
        self.arms.add(name, value)

    def remove_arm(self, name: Name) -> None:
        self.arms.remove(name)

    # --- what each policy says for itself

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def steer(self, mixture: dict[int, float], amount: np.ndarray, gain: np.ndarray) -> Choice:
        return mixture

    # --- the state

    def state(self) -> dict[str, Any]:
        """Everything, as JSON can hold it; `from_state` goes on exactly where it was."""
        return {
            "version": VERSION,
            "policy": type(self).__name__,
            "goal": self.goal.to_dict(),
            "parameters": self.parameters,
            "chosen": self.chosen,
            "counted": self.counted,
            "amounts": self.amounts.tolist(),
            "arms": self.arms.state(),
            "rng": plain(self.rng.bit_generator.state),
        }

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], rng: np.random.Generator | int | None = None
    ) -> Self:
        """The policy of a state; with `rng` it draws from that, as each of several workers must."""
        try:
            version, policy = state["version"], state["policy"]
            if version != VERSION:
                raise UserError(f"the state has version {version!r}; this release reads {VERSION}")
            if policy != cls.__name__:
                raise UserError(f"the state is one of {policy}, not of {cls.__name__}")
            return cls._restored(state, rng)
        except UserError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise UserError(
                f"the state of {cls.__name__} is damaged ({type(error).__name__}: {error})"
            ) from None

    @classmethod
    def _restored(cls, state: Mapping[str, Any], rng: Any) -> Self:
        made = cls({}, rng, goal=state["goal"], **state["parameters"])
        made.arms = ArmTable.from_state(made.goal, state["arms"])
        made.chosen, made.counted = whole(state["chosen"]), whole(state["counted"])
        amounts = np.array(state["amounts"], dtype=float)
        if amounts.shape != made.bound.shape or not np.isfinite(amounts).all():
            raise ValueError("amounts must be one number per constraint")
        made.amounts = amounts
        if rng is None:
            made.rng = generator(state["rng"])
        return made

    def save(self, path: str | Path) -> None:
        write_text(path, json.dumps(self.state()) + "\n")

    @classmethod
    def load(cls, path: str | Path, rng: np.random.Generator | int | None = None) -> Self:
        try:
            state = json.loads(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise UserError(f"{path} is not the state of a policy: {error}") from None
        return cls.from_state(state, rng)

    # --- how a round goes

    @property
    def round(self) -> int:
        """The round that is chosen for now, counted from 1; plays that were never chosen count."""
        return max(self.chosen, self.counted) + 1

    def _choice(self) -> Choice:
        arms = self.arms
        fresh = np.flatnonzero((arms.choices == 0.0) & (arms.past_plays == 0.0))
        if fresh.size:
            return int(fresh[0])
        m = len(self.bound)
        value, cost = arms.terms[:, 0], arms.terms[:, 1]
        a, b = arms.terms[:, 2 : 2 + m].T, arms.terms[:, 2 + m :].T
        plays, events = arms.plays + arms.past_plays, arms.events + arms.past_events
        theta = self.believe(self.round, plays, events)
        amount, gain = a * theta + b, value * theta - cost
        mixture = solve(amount, gain, self.bound)
        if mixture is None and self.greedy:
            return {closest(amount, gain, self.bound, self._extent()): 1.0}
        return None if mixture is None else self.steer(mixture, amount, gain)

    def _extent(self) -> np.ndarray:
        """The range of each amount over all arms and events, for adding up what is missing."""
        m = len(self.bound)
        a, b = self.arms.terms[:, 2 : 2 + m].T, self.arms.terms[:, 2 + m :].T
        width = np.maximum(b, a + b).max(axis=1) - np.minimum(b, a + b).min(axis=1)
        return np.maximum(width, 1e-300)

    def _draw(self, choice: Choice) -> int:
        if isinstance(choice, int):
            return choice
        uniform = self.rng.random()
        if choice is None:
            return min(int(uniform * len(self.arms)), len(self.arms) - 1)
        assert isinstance(choice, dict)
        ends = np.cumsum(list(choice.values()))
        return list(choice)[min(int(np.searchsorted(ends, uniform, side="right")), len(choice) - 1)]


class LinConTS(OnlinePolicy):
    """theta_i ~ Beta(1 + s_i, 1 + n_i - s_i), LP(theta) (Saxena, Gonzalez, Jaldén, 2020)."""

    parts: ClassVar[tuple[Part, ...]] = (ESTIMATORS["beta_sample"],)
    shapes = (1.0, 1.0)
    divisor = 0.0

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray) -> np.ndarray:
        (a, b), divisor = self.shapes, self.divisor or self.parameters["explore"]
        return self.rng.beta(a + events / divisor, b + (plays - events) / divisor)


class LinConKLUCB(OnlinePolicy):
    """theta_i = max{q : n_i d(m_i, q) <= log t + c log log t}, LP(theta); 1 before any event."""

    parts = (ESTIMATORS["kl_ucb"],)

    optimistic = True

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray) -> np.ndarray:
        theta, known = np.ones(len(plays)), plays > 0.0
        budget = kl_budget(t, self.parameters["explore"], self.parameters["c"])
        theta[known] = kl_upper(events[known] / plays[known], budget / plays[known])
        return theta


class Ledger(LinConTS):
    """LinConTS that keeps accounts: short of e t + reserve log t it plays the mixture's arm that
    repays most, otherwise the one that earns most. Where no mixture is feasible it plays the arm
    that comes closest. `ts_ledger` of the bench.
    """

    parts: ClassVar[tuple[Part, ...]] = (ESTIMATORS["beta_sample"], STEERINGS["ledger"])
    greedy = True

    def steer(self, mixture: dict[int, float], amount: np.ndarray, gain: np.ndarray) -> Choice:
        arms, t = list(mixture), self.counted + 1
        behind = self.bound * t + self.parameters["reserve"] * math.log(t) - self.amounts
        if len(arms) < 2:
            return mixture
        worth = gain[arms]
        if (behind > 0.0).any():
            extent = self._extent()
            worth = (np.maximum(behind, 0.0) / extent) @ (amount[:, arms] / extent[:, None])
        return {arms[int(np.argmax(worth))]: 1.0}


class LearnedLedger(Ledger):
    """Ledger with a prior that is learned from all arms, and with less exploration at first.

    `ts_ledger_learned` of the bench, the default recommendation.
    """

    parts = (*Ledger.parts, PRIORS["learned"])
    next_fit = 0.0

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray) -> np.ndarray:
        if t >= self.next_fit:
            numbers = self.parameters
            self.shapes = fit_prior(*self.shapes, plays, events, numbers["spread"])
            self.divisor = numbers["explore"] * (t / (t + numbers["ramp"] * len(plays)))
            self.next_fit = max(t + 1.0, REFIT * t)
        return super().believe(t, plays, events)

    def state(self) -> dict[str, Any]:
        return super().state() | {"prior": [*self.shapes, self.divisor, self.next_fit]}

    @classmethod
    def _restored(cls, state: Mapping[str, Any], rng: Any) -> Self:
        made = super()._restored(state, rng)
        a, b, made.divisor, made.next_fit = (float(one) for one in state["prior"])
        if not (0.0 < a < math.inf and 0.0 < b < math.inf and 0.0 <= made.divisor < math.inf):
            raise ValueError("the prior must be numbers above 0")
        if not 0.0 <= made.next_fit < math.inf:
            raise ValueError("the round of the next fit must be a number")
        made.shapes = (a, b)
        return made
