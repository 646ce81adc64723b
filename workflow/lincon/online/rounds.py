"""How a round goes: beliefs, the linear program, a draw; and what may change between rounds."""

import json
import math
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from lincon.data.supported import proper
from lincon.errors import UserError
from lincon.online.arms import ArmTable, Counts, Given, Name
from lincon.online.formulas import Mixture, closest, solve
from lincon.policies.own import Task
from lincon.policies.parts import Parameter, Part, checked_parameters
from lincon.problem.goal import Goal

# An arm's position, shares by position, or None for arms drawn uniformly.
Picked = int | Mixture | None
Rng = np.random.Generator | int | None
WAIT = Parameter("timeout", 0.0, "seconds that a decision waits for its event")


class Rounds:
    """Each arm once, then the mixture that solves LP(theta).

    `problem` holds the arms, in order or by name: what an event of each pays, or its columns, e.g.
    {"value": 1, "cost": 0.2}. `eta` is the event rate to keep; any other goal is a `Goal` or its
    dict. `prior` has counts of before, (events, plays) by name: they are believed, but they are not
    rounds. Events may come back late, in any order and in batches: an arm counts as chosen at once
    and as played when its event is known. A decision that has waited for `timeout` seconds counts
    as no event. `rng` is a NumPy generator, a seed, or None for a stream that nobody can repeat.
    `worker` names this one of several (`merge`), `log` a file to which decisions are appended.
    """

    parts: ClassVar[tuple[Part, ...]]
    greedy: ClassVar[bool] = False
    # Whether a belief is drawn at random; otherwise it is an index, the upper end of what is
    # believed, which is right for amounts that grow with events alone.
    sampled: ClassVar[bool] = True
    log: FileIO | None = None

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
        name = type(self).__name__
        self.parameters = checked_parameters(self.parts, parameters, name)
        arms: Any = problem
        if isinstance(problem, Task):
            columns = zip(problem.values.tolist(), problem.costs.tolist(), strict=True)
            arms = [{"value": value, "cost": cost} for value, cost in columns]
            self.goal = Goal(problem.constraints)
            if problem.history is not None:
                prior = dict(enumerate(zip(*problem.history.tolist(), strict=True)))
        else:
            self.goal = checked_goal(eta, goal)
        if not self.sampled and any(one.sense == "at_most" for one in self.goal.constraints):
            raise UserError(f"{name} takes at_least constraints alone; for at_most use LinConTS")
        self.arms = ArmTable(self.goal, arms)
        self.rng = np.random.default_rng(rng)
        self.bound = bounds(self.goal)
        # Shapes, by what counts are divided, and in which round both are fitted again.
        self.prior = [1.0, 1.0, self.parameters["explore"], 0.0]
        self.chosen = self.counted = 0
        self.amounts = np.zeros(len(self.bound))
        # What a change of the bounds takes off the account, so that the past keeps its own bounds.
        self.settled = np.zeros(len(self.bound))
        # What each other worker has counted, the latest by its name; the history is kept like that.
        self.totals: dict[str, dict[str, Any]] = {}
        rows = self.arms.checked(prior or {})
        self.put("", chosen=0, counted=0, amounts=[0.0] * len(self.bound), arms=rows)
        self.timeout = None if timeout is None else WAIT.check(timeout, "timeout")
        self.worker = str(worker or secrets.token_hex(4))
        # Decisions without an event yet, the oldest first: (arm, since when) by id. What is not
        # here any more is not counted again, so an event may be delivered as often as it likes.
        self.waiting: dict[str, tuple[Name, float]] = {}
        if log is not None:
            self.log_to(log)

    # --- what each policy says for itself

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def steer(self, mixture: Mixture, amount: np.ndarray, gain: np.ndarray) -> Mixture:
        return mixture

    # --- what may change while it runs

    def log_to(self, path: str | Path) -> None:
        """Append JSON lines, from which `lincon replay` can tell what other policies would have
        done. A line is one write to a file that is open for appending, so workers may share it, and
        a kill leaves no line half-written."""
        self.log = FileIO(path, "a")
        self.note(goal=self.goal.to_dict(), arms=list(self.arms.given.items()))

    def note(self, **entry: Any) -> None:
        """A line of the log, if there is one."""
        if self.log is not None:
            self.log.write(json.dumps(entry).encode() + b"\n")

    def add_arm(self, name: Name, value: Given) -> None:
        """A new arm, its value or its columns; it is chosen once before any other is again."""
        self.arms.add(name, value)
        self.note(arms=[[name, self.arms.given[name]]])

    def change_arm(self, name: Name, value: Given) -> None:
        """New numbers of an arm; its counts stay."""
        self.arms.change(name, value)
        self.note(arms=[[name, self.arms.given[name]]])

    def remove_arm(self, name: Name) -> None:
        self.arms.remove(name)
        for worker, total in self.totals.items():
            rows = [row for row in total["arms"] if row[0] != name]
            self.totals[worker] = total | {"arms": rows}
        self.note(gone=name)

    def change_bound(self, constraint: str, bound: float) -> None:
        """A new bound from now on; the rounds so far are held to the old one."""
        names, before = [one.name for one in self.goal.constraints], self.bound
        if constraint not in names:
            raise UserError(f"there is no constraint {constraint!r}; there is: {', '.join(names)}")
        constraints = list(self.goal.constraints)
        at = names.index(constraint)
        constraints[at] = replace(constraints[at], bound=bound)
        self.goal = checked_goal(None, replace(self.goal, constraints=tuple(constraints)))
        self.bound = bounds(self.goal)
        self.settled += (self.bound - before) * (self.counted + self.their_counted)

    def put(self, worker: str, **total: Any) -> None:
        """What another has counted, [name, events, plays] of each arm, unless it is older than what
        is known."""
        known = self.totals.get(worker, total)
        if (total["counted"], total["chosen"]) >= (known["counted"], known["chosen"]):
            self.totals[worker] = total
        self.add_up()

    def add_up(self) -> None:
        totals = self.totals.values()
        self.their_chosen = sum(one["chosen"] for one in totals)
        self.their_counted = sum(one["counted"] for one in totals)
        self.their_amounts = np.sum([one["amounts"] for one in totals], axis=0)
        self.arms.know(row for one in totals for row in one["arms"])

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
        return mean_share(choices, place, at)

    # --- how a round goes

    @property
    def round(self) -> int:
        """The round that is chosen for now, counted from 1; plays that were never chosen count."""
        return max(self.chosen, self.counted) + max(self.their_chosen, self.their_counted) + 1

    def _choice(self, at: np.ndarray) -> Picked:
        """What to play of the arms at these positions."""
        arms = self.arms
        fresh = at[(arms.choices[at] == 0.0) & (arms.known_plays[at] == 0.0)]
        if fresh.size:
            return int(fresh[0])
        plays, events = arms.plays + arms.known_plays, arms.events + arms.known_events
        theta = self.believe(self.round, plays, events)[at]
        value, cost, per_event, per_play = arms.terms_of(at)
        amount, gain = per_event * theta + per_play, value * theta - cost
        mixture = solve(amount, gain, self.bound)
        if mixture is not None:
            mixture = self.steer(mixture, amount, gain)
        elif self.greedy:
            mixture = {closest(amount, gain, self.bound, self._extent()): 1.0}
        return mixture and {int(at[one]): share for one, share in mixture.items()}

    def _extent(self) -> np.ndarray:
        """The range of each amount over all arms and events, for adding up what is missing."""
        _, _, a, b = self.arms.terms_of(slice(None))
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


def mean_share(choices: Sequence[Picked], place: int, at: np.ndarray) -> float:
    """The probability of an arm, averaged over what might have been decided."""

    def share(one: Picked) -> float:
        if isinstance(one, int):
            return float(one == place)
        return 1.0 / len(at) if one is None else one.get(place, 0.0)

    return math.fsum(map(share, choices)) / len(choices)


def bounds(goal: Goal) -> np.ndarray:
    return np.array([one.sign * one.bound for one in goal.constraints])


def checked_goal(eta: float | None, goal: Goal | Mapping[str, Any] | None) -> Goal:
    if (eta is None) == (goal is None):
        raise UserError("give either eta, the event rate to keep, or a goal")
    if eta is not None:
        if not 0.0 <= eta <= 1.0:
            raise UserError(f"eta is {eta!r}; it must be a number in [0, 1]")
        return Goal.floor(eta)
    made = goal if isinstance(goal, Goal) else Goal.from_dict(goal or {})
    stated: list[Any] = [made.value, made.cost or 0.0]
    for one in made.constraints:
        stated += [one.per_event, one.per_play, one.bound]
    if not made.constraints or not all(isinstance(one, str) or proper(one) for one in stated):
        raise UserError("the goal needs at least one constraint, and bounds that are numbers")
    return made
