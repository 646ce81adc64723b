"""How a round goes: beliefs, the linear program, a draw; and what may change between rounds."""

import math
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from lincon.data.supported import proper
from lincon.errors import UserError
from lincon.policies.online.arms import ArmTable, Counts, Given, Name
from lincon.policies.online.decisions import DecisionLog
from lincon.policies.online.formulas import Mixture, closest, solve
from lincon.policies.own import Task
from lincon.policies.parts import Part, checked_parameters
from lincon.problem.goal import Goal

# An arm's position, shares by position, or None for arms drawn uniformly.
Picked = int | Mixture | None
Rng = np.random.Generator | int | None


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
    log: DecisionLog | None = None

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
        arms, stated = _from_task(problem) if isinstance(problem, Task) else (problem, None)
        self.goal: Goal = stated or checked_goal(eta, goal)
        if not self.sampled and any(one.sense == "at_most" for one in self.goal.constraints):
            raise UserError(f"{name} takes at_least constraints alone; for at_most use LinConTS")
        self.arms = ArmTable(self.goal, arms)
        self.rng = np.random.default_rng(rng)
        self.bound = np.array([one.sign * one.bound for one in self.goal.constraints])
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
        self.timeout = None if timeout is None else seconds(timeout, "timeout")
        self.worker = str(worker or secrets.token_hex(4))
        # Decisions without an event yet, the oldest first: (arm, since when) by id. What is not
        # here any more is not counted again, so an event may be delivered as often as it likes.
        self.waiting: dict[str, tuple[Name, float]] = {}
        # Ids stay unique when a policy is loaded twice or goes back to an older state.
        self._session, self._issued = secrets.token_hex(6), 0
        if log is not None:
            self.log_to(log)

    # --- what each policy says for itself

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def steer(self, mixture: Mixture, amount: np.ndarray, gain: np.ndarray) -> Mixture:
        return mixture

    # --- what may change while it runs

    def log_to(self, path: str | Path) -> None:
        self.log = DecisionLog(path)
        arms = [list(pair) for pair in zip(self.arms.names, self.arms.given, strict=True)]
        self.log.write(goal=self.goal.to_dict(), arms=arms)

    def add_arm(self, name: Name, value: Given) -> None:
        """A new arm, its value or its columns; it is chosen once before any other is again."""
        self.arms.add(name, value)
        self._log_arm(name)

    def change_arm(self, name: Name, value: Given) -> None:
        """New numbers of an arm; its counts stay."""
        self.arms.change(name, value)
        self._log_arm(name)

    def _log_arm(self, name: Name) -> None:
        if self.log is not None:
            self.log.write(arms=[[name, self.arms.given[self.arms.position(name)]]])

    def remove_arm(self, name: Name) -> None:
        self.arms.remove(name)
        for worker, total in self.totals.items():
            rows = [row for row in total["arms"] if row[0] != name]
            self.totals[worker] = total | {"arms": rows}
        if self.log is not None:
            self.log.write(gone=name)

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
        self.settled[at] += (self.bound[at] - before) * (self.counted + self.their_counted)

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


def seconds(given: Any, where: str) -> float:
    if not proper(given) or given < 0.0:
        raise UserError(f"{where} is {given!r}; it must be a number of seconds")
    return float(given)


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


def _from_task(task: Task) -> tuple[list[dict[str, float]], Goal]:
    """The bench's problem: its arrays as columns, and a goal that names them."""
    columns: dict[str, Any] = {"value": task.values, "cost": task.costs}
    constraints = []
    for j, one in enumerate(task.constraints):
        event, play = f"per_event_{j}", f"per_play_{j}"
        columns |= {event: one.per_event, play: one.per_play}
        constraints.append(replace(one, per_event=event, per_play=play))
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows], Goal(tuple(constraints))
