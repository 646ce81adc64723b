"""How a round goes: beliefs, the linear program, a draw; and the accounts of the constraints."""

import json
import math
import secrets
import time
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from lincon.errors import UserError
from lincon.online.arms import CHOICES, EVENTS, ID, PLAYS, ArmTable, Key, Name, as_arms, is_number
from lincon.online.checks import checked, checked_goal, checked_kinds, checked_numbers
from lincon.online.linear import Mixture, closest, solve
from lincon.problem.goal import Goal

Beliefs = tuple[np.ndarray, np.ndarray]
# An arm's position, shares by position, or None for arms drawn uniformly.
Picked = int | Mixture | None
# The policies of this process, which a forked process has to know.
LIVE: "weakref.WeakSet[Rounds]" = weakref.WeakSet()


@dataclass
class Play:
    """A decision, and once it is settled what it gave and what that added to the accounts."""

    kind: str | None
    name: Name
    generation: int
    time: float
    cost: float
    fate: str = "waiting"
    event: float = 0.0
    trial: float = 0.0
    bill: float | None = None
    count: int = 0
    amounts: list[float] = field(default_factory=list)


class Rounds:
    """The arm that a linear program chooses, round by round, by what is believed.

    Parameters
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
        In how many rounds a count fades to 1/e, for means that drift.
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
        Of the policy, such as `explore`.
    """

    # The numbers of a policy with their defaults; whether beliefs are drawn at random; whether each
    # arm is played once first; whether the closest arm is played where no mixture is feasible.
    NUMBERS: ClassVar[Mapping[str, float]] = {}
    SAMPLED: ClassVar[bool] = True
    FORCED: ClassVar[bool] = True
    GREEDY: ClassVar[bool] = False
    FIRST_FIT: ClassVar[float] = 0.0

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
        self.numbers = checked_numbers(type(self).__name__, self.NUMBERS, numbers)
        self.options: dict[str, Any] = {
            "memory": checked("memory", memory, 1.0, 1e15, optional=True),
            "explore_share": checked("explore_share", explore_share, 0.0, 1.0),
            "propensity_draws": int(checked("propensity_draws", propensity_draws, 0, 10_000)),
            "timeout": checked("timeout", timeout, 0.0, 1e15, optional=True),
            "debt_limit": checked("debt_limit", debt_limit, 0.0, 1e15, optional=True),
            "waiting_limit": int(checked("waiting_limit", waiting_limit, 1, 1e9)),
        }
        listed = as_arms(arms)
        self.kinds = checked_kinds(kinds, listed)
        self.share = np.array(list(self.kinds.values()))
        self.arms = ArmTable(checked_goal(floor, goal, self.kinds), self.kinds, listed)
        self._set_goal(self.arms.goal)
        self.rng = np.random.default_rng(seed)
        self.clock = clock
        self.prior = [1.0, 1.0, self.numbers.get("explore", 1.0), self.FIRST_FIT]
        self.shifted, self.waived = np.zeros((2, len(self.bound)))
        self.others: dict[str, dict[str, Any]] = {}
        self.history = self._checked_history(history or {})
        self._start(worker or secrets.token_hex(4))
        self._add_up()
        self._seen_infeasible, self.log = 0, None if log is None else FileIO(log, "a")
        self._note(goal=self.goal.to_dict(), arms=[vars(one) for one in self.arms.arms])
        LIVE.add(self)

    def _set_goal(self, goal: Goal) -> None:
        self.goal = self.arms.goal = goal
        rules, kinds = goal.constraints, list(self.kinds)
        self.bound = np.array([one.sign * one.bound for one in rules])
        # Whether a constraint concerns a kind, and which part of all requests it concerns.
        self.concerns = np.array([[float(one.kind in (None, k)) for k in kinds] for one in rules])
        self.weight = self.concerns @ self.share
        # What a play costs or uses is booked when it is chosen, what an event gives with the event.
        self.at_choice = np.array([one.per_event == 0.0 for one in rules])

    def _start(self, worker: str) -> None:
        """Begin to count under this name."""
        if not isinstance(worker, str) or not ID.fullmatch(f"{worker}.00000000.0"):
            raise UserError(f"worker is {worker!r}; allowed: letters, digits, - and _, at most 64")
        self.worker, self.incarnation = worker, secrets.token_hex(4)
        self.lineage: list[str] = []
        self.chosen = self.counted = self.changes = self.infeasible = 0
        # `changes` at the start of this incarnation.
        self._from = 0
        self.amounts, self.rounds, self.forgiven = np.zeros((3, len(self.bound)))
        self.arms.own[:] = 0.0
        # By id, the oldest first.
        self.waiting: dict[str, Play] = {}
        self.settled: dict[str, Play] = {}

    def _checked_history(self, history: Mapping[Any, tuple[float, float]]) -> list[list[Any]]:
        rows = []
        for name, pair in history.items():
            key: Key = name if isinstance(name, tuple) else (None, name)
            self.arms.key(key[1], key[0])
            if len(pair) != 2 or not all(is_number(one, 0.0) for one in pair) or pair[0] > pair[1]:
                raise UserError(
                    f"the history of arm {name!r} is {pair!r}; allowed: (events, plays) with "
                    "0 <= events <= plays"
                )
            events, plays = map(float, pair)
            rows.append([*key, 1, plays, plays, events, 0.0, 0.0])
        return rows

    def _add_up(self) -> None:
        """What the others and the history have counted."""
        totals, zero = list(self.others.values()), np.zeros(len(self.bound))
        self.their_chosen = sum(one["chosen"] for one in totals)
        self.their_counted = sum(one["counted"] for one in totals)
        self.their_amounts = sum((np.array(one["amounts"]) for one in totals), zero)
        self.their_rounds = sum((np.array(one["rounds"]) for one in totals), zero)
        self.their_forgiven = sum((np.array(one["forgiven"]) for one in totals), zero)
        known, memory = self.arms.known, self.options["memory"]
        known[:] = 0.0
        now = self.counted + self.their_counted
        for seen, rows in [(0, self.history), *((one["seen"], one["arms"]) for one in totals)]:
            faded = math.exp(-max(now - seen, 0) / memory) if memory else 1.0
            for kind, name, generation, *counts in rows:
                if self.arms.generation.get((kind, name)) == generation:
                    weights = np.array([1.0, faded, faded, 1.0, 1.0])
                    known[:, self.arms.at[kind, name]] += weights * counts
        self.arms.refresh()

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
        return self.weight * self.bound

    # --- choices

    @property
    def round(self) -> int:
        """The round that is chosen for now, counted from 1 over all workers."""
        return max(self.chosen, self.counted) + max(self.their_chosen, self.their_counted) + 1

    def _choices(self, kind: int, at: np.ndarray, draws: int) -> list[Picked]:
        """What to play of the arms at these positions, all of this kind, in so many draws of the
        beliefs, or in one where nothing is drawn."""
        arms, counts = self.arms, self.arms.own + self.arms.known
        self.feasible = True
        if self.FORCED:
            fresh = at[np.maximum(counts[CHOICES], counts[PLAYS])[at] == 0.0]
            if fresh.size:
                return [int(fresh[0])]
        shape = (draws if self.SAMPLED else 1, len(arms.kind))
        upper, lower = self.believe(self.round, counts[PLAYS], counts[EVENTS], shape)
        gain = np.where(arms.value >= 0.0, upper, lower) * arms.value - arms.play_cost
        theta = upper[:, None]
        if arms.falls:
            theta = np.where(arms.per_event >= 0.0, theta, lower[:, None])
        amount = arms.per_event * theta + arms.per_play
        if len(at) == len(arms.of_kind[kind]):
            rows = np.arange(len(arms.kind))
        else:  # the program has the other kinds' arms too
            others = [held for k, held in enumerate(arms.of_kind) if k != kind]
            rows = np.sort(np.concatenate([*others, at]))
            gain, amount = gain[:, rows], amount[:, :, rows]
        kinds, bound = arms.kind[rows], self.targets()
        mixtures = solve(gain, amount, bound, kinds, self.share)
        self.feasible = mixtures[0] is not None
        choices: list[Picked] = []
        for mixture, g, h in zip(mixtures, gain, amount, strict=True):
            if mixture is not None:
                if len(self.share) > 1:
                    mixture = {i: x for i, x in mixture.items() if kinds[i] == kind}
                mixture = self.steer(mixture, h, g, kind)
            elif self.GREEDY:
                place = (kinds == kind).nonzero()[0]
                best = closest(g[place], h[:, place], bound, arms.extent)
                mixture = {int(place[best]): 1.0}
            choices.append(mixture and {int(rows[i]): x for i, x in mixture.items()})
        return choices

    def _explored(self, choice: Picked) -> Picked:
        self.infeasible += not self.feasible
        share = self.options["explore_share"]
        return None if share > 0.0 and self.rng.random() < share else choice

    def _draw(self, choice: Picked, at: np.ndarray) -> int:
        if isinstance(choice, int):
            return choice
        uniform = self.rng.random()
        if choice is None:
            return int(at[min(int(uniform * len(at)), len(at) - 1)])
        total = 0.0
        for arm, share in choice.items():
            total += share
            if uniform < total:
                return arm
        return arm

    def _propensity(self, choices: list[Picked], place: int, at: np.ndarray) -> float | None:
        """Given the beliefs that were drawn, of which one at random has decided, it is the arm's
        mean share. The share in the one mixture would be no weight: other arms have none there."""
        if self.SAMPLED and not isinstance(choices[0], int) and len(choices) == 1:
            return None
        uniform = self.options["explore_share"]
        return uniform / len(at) + (1.0 - uniform) * mean_share(choices, place, len(at))

    def _book(self, place: int, kind: int) -> None:
        """A choice, with what its play costs and uses."""
        self.chosen += 1
        self.changes += 1
        self.arms.own[CHOICES, place] += 1.0
        concerned = self.concerns[:, kind] * self.at_choice
        self.rounds += concerned
        self.amounts += concerned * self.arms.per_play[:, place]
        self._limit_debts()

    def _note(self, **entry: Any) -> None:
        """A line of the log: one write at its end, so that workers may share the file."""
        if self.log is not None:
            self.log.write(json.dumps(entry, default=np.generic.item).encode() + b"\n")

    def _fade(self, rounds: float) -> None:
        if self.options["memory"] is not None and rounds > 0.0:
            weight = math.exp(-rounds / self.options["memory"])
            self.arms.own[[PLAYS, EVENTS]] *= weight
            self.arms.known[[PLAYS, EVENTS]] *= weight

    # --- accounts

    @property
    def account(self) -> np.ndarray:
        """What each constraint has been given so far, forgiven debts included."""
        given = self.amounts + self.their_amounts + self.shifted
        return given + self.forgiven + self.their_forgiven + self.waived

    @property
    def debts(self) -> np.ndarray:
        """What each constraint is short of; a surplus is negative."""
        return self.bound * (self.rounds + self.their_rounds) - self.account

    def _limit_debts(self) -> None:
        if self.options["debt_limit"] is not None:
            self.waived += np.maximum(self.debts - self.options["debt_limit"], 0.0)


def mean_share(choices: Iterable[Picked], place: int, size: int) -> float:
    """The probability of an arm, averaged over what might have been decided."""
    shares = []
    for choice in choices:
        if choice is None:
            shares.append(1.0 / size)
        else:
            shares.append(
                {choice: 1.0}.get(place, 0.0) if isinstance(choice, int) else choice.get(place, 0.0)
            )
    return math.fsum(shares) / len(shares)
