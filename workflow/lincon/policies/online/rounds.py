"""How a round goes: beliefs, the linear program, a draw; and what may change between rounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from lincon.errors import UserError
from lincon.policies.online.arms import ArmTable, Given, Name
from lincon.policies.online.decisions import DecisionLog
from lincon.policies.online.formulas import Mixture, closest, solve
from lincon.policies.online.given import checked_goal, checked_parameters, from_task
from lincon.policies.online.workers import Others
from lincon.policies.own import Task
from lincon.policies.parts import Part
from lincon.problem.goal import Goal

# An arm's position, shares by position, or None for arms drawn uniformly.
Picked = int | Mixture | None
Rng = np.random.Generator | int | None


class Rounds:
    """Each arm once, then the mixture that solves LP(theta)."""

    parts: ClassVar[tuple[Part, ...]]
    greedy: ClassVar[bool] = False
    # Whether a belief is drawn at random; otherwise it is an index, the upper end of what is
    # believed, which is right for amounts that grow with events alone.
    sampled: ClassVar[bool] = True
    log: DecisionLog | None = None

    def __init__(
        self,
        problem: Task | Mapping[Name, Given] | Iterable[Given],
        rng: Rng,
        eta: float | None,
        goal: Goal | Mapping[str, Any] | None,
        parameters: Mapping[str, float],
    ) -> None:
        name = type(self).__name__
        self.parameters = checked_parameters(self.parts, parameters, name)
        arms, stated = from_task(problem) if isinstance(problem, Task) else (problem, None)
        self.goal: Goal = stated or checked_goal(eta, goal)
        if not self.sampled and any(one.sense == "at_most" for one in self.goal.constraints):
            raise UserError(f"{name} takes at_least constraints alone; for at_most use LinConTS")
        self.arms = ArmTable(self.goal, arms)
        self.rng = np.random.default_rng(rng)
        self.bound = np.array([one.sign * one.bound for one in self.goal.constraints])
        self.chosen = self.counted = 0
        self.amounts = np.zeros(len(self.bound))
        # What a change of the bounds takes off the account, so that the past keeps its own bounds.
        self.settled = np.zeros(len(self.bound))
        self.others = Others(len(self.bound))

    # --- what each policy says for itself

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def steer(self, mixture: Mixture, amount: np.ndarray, gain: np.ndarray) -> Mixture:
        return mixture

    # --- what may change while it runs

    def add_arm(self, name: Name, value: Given) -> None:
        """A new arm, its value or its columns; it is chosen once before any other is again."""
        self.arms.add(name, value)
        self._arm_changed(name, value)

    def change_arm(self, name: Name, value: Given) -> None:
        """New numbers of an arm; its counts stay."""
        self.arms.change(name, value)
        self._arm_changed(name, value)

    def remove_arm(self, name: Name) -> None:
        self.arms.remove(name)
        self.others.forget(name)
        self._arm_changed(name, None)

    def change_bound(self, constraint: str, bound: float) -> None:
        """A new bound from now on; the rounds so far are held to the old one."""
        names = [one.name for one in self.goal.constraints]
        if constraint not in names:
            raise UserError(f"there is no constraint {constraint!r}; there is: {', '.join(names)}")
        at = names.index(constraint)
        constraints = list(self.goal.constraints)
        constraints[at] = replace(constraints[at], bound=bound)
        goal = checked_goal(None, replace(self.goal, constraints=tuple(constraints)))
        before = self.bound[at]
        self.goal = self.arms.goal = goal
        self.bound[at] = constraints[at].sign * bound
        self.settled[at] += (self.bound[at] - before) * (self.counted + self.others.counted)

    # --- questions that change nothing

    def would_choose(self, *, among: Iterable[Name] | None = None) -> Name:
        """What `choose` might answer now."""
        at = self.arms.positions(among)
        return self.arms.names[self._draw(self._choice(at), at)]

    def probability(
        self, arm: Name, *, among: Iterable[Name] | None = None, resamples: int = 100
    ) -> float:
        """Of choosing this arm now; over so many beliefs, if beliefs are drawn at random."""
        at, place = self.arms.positions(among), self.arms.position(arm)
        choices = [self._choice(at) for _ in range(resamples if self.sampled else 1)]
        return math.fsum(_share(one, place, at) for one in choices) / len(choices)

    def _arm_changed(self, name: Name, given: Given | None) -> None:
        self.others.add_up(self.arms)
        if self.log is not None:
            self.log.arm(name, given)

    # --- how a round goes

    @property
    def round(self) -> int:
        """The round that is chosen for now, counted from 1; plays that were never chosen count."""
        mine, theirs = max(self.chosen, self.counted), max(self.others.chosen, self.others.counted)
        return mine + theirs + 1

    def _choice(self, at: np.ndarray) -> Picked:
        """What to play of the arms at these positions."""
        arms = self.arms
        fresh = at[(arms.choices[at] == 0.0) & (arms.known_plays[at] == 0.0)]
        if fresh.size:
            return int(fresh[0])
        plays, events = arms.plays + arms.known_plays, arms.events + arms.known_events
        theta, terms = self.believe(self.round, plays, events)[at], arms.terms[at]
        m = len(self.bound)
        amount = terms[:, 2 : 2 + m].T * theta + terms[:, 2 + m :].T
        gain = terms[:, 0] * theta - terms[:, 1]
        mixture = solve(amount, gain, self.bound)
        if mixture is not None:
            mixture = self.steer(mixture, amount, gain)
        elif self.greedy:
            mixture = {closest(amount, gain, self.bound, self._extent()): 1.0}
        return mixture and {int(at[one]): share for one, share in mixture.items()}

    def _extent(self) -> np.ndarray:
        """The range of each amount over all arms and events, for adding up what is missing."""
        m = len(self.bound)
        a, b = self.arms.terms[:, 2 : 2 + m].T, self.arms.terms[:, 2 + m :].T
        width = np.maximum(b, a + b).max(axis=1) - np.minimum(b, a + b).min(axis=1)
        return np.maximum(width, 1e-300)

    def _draw(self, choice: Picked, at: np.ndarray) -> int:
        if isinstance(choice, int):
            return choice
        uniform = self.rng.random()
        if choice is None:
            return int(at[min(int(uniform * len(at)), len(at) - 1)])
        ends = np.cumsum(list(choice.values()))
        return list(choice)[min(int(np.searchsorted(ends, uniform, side="right")), len(ends) - 1)]

    def _propensity(
        self, choice: Picked, place: int, at: np.ndarray, resamples: int
    ) -> float | None:
        """The mean share of an arm in what was decided and in so many decisions more."""
        if self.sampled and resamples < 1 and not isinstance(choice, int):
            return None
        more = 0 if isinstance(choice, int) or not self.sampled else resamples
        choices = [choice, *(self._choice(at) for _ in range(more))]
        return math.fsum(_share(one, place, at) for one in choices) / len(choices)

    def _take(self, place: int) -> Name:
        self.arms.choices[place] += 1.0
        return self.arms.names[place]

    def _count(self, arm: Name, event: bool) -> None:
        self.amounts += self.arms.count(arm, event)
        self.counted += 1


def _share(choice: Picked, place: int, at: np.ndarray) -> float:
    if isinstance(choice, int):
        return float(choice == place)
    return 1.0 / len(at) if choice is None else choice.get(place, 0.0)
