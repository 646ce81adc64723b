"""What all policies share: choices from beliefs and the linear program."""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from io import FileIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from lincon.online.arms import EVENTS, PLAYS, ArmTable, Name, as_arms, checked_worker
from lincon.online.checks import checked, checked_goal, checked_shares
from lincon.online.counts import Counts
from lincon.online.feedback import Decision
from lincon.online.linear import Mixture, closest, solve
from lincon.online.service import LIVE, Service
from lincon.policies.standard import STANDARD
from lincon.problem.goal import Goal

Beliefs = tuple[np.ndarray, np.ndarray]
# The first fit of a learned prior where no arm is forced.
EARLY = 20.0


class Policy(Service):
    """What all policies share."""

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
            The lowest average event rate allowed.
        goal : Goal or mapping
            Instead of `floor`: an objective and constraints, as in a config.
        kinds : mapping of str to float
            Where requests come in kinds, the share of each; by default equal.
        history : mapping of name (or (kind, name)) to (events, plays)
            Counts from the past. They inform beliefs but are not rounds.
        seed : int or numpy Generator
            By default from the operating system, so not reproducible.
        memory : float
            Number of later rounds after which a count has weight 1/e, for means that drift.
        explore_share : float
            Share of the decisions that are drawn uniformly.
        propensity_draws : int
            Number of further beliefs over which a logged propensity is averaged; 0 logs none.
        timeout : float
            Seconds after which a decision without feedback counts as no event.
        debt_limit : float
            The largest shortfall of a constraint; what exceeds it is forgiven.
        waiting_limit : int
            Number of decisions that may wait for feedback; older ones are discarded.
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
        self.numbers = self._checked_numbers(numbers)
        self.options = {
            "memory": None if memory is None else checked("memory", memory, 1.0),
            "explore_share": checked("explore_share", explore_share, 0.0, 1.0),
            "propensity_draws": int(checked("propensity_draws", propensity_draws, 0, 10_000)),
            "timeout": None if timeout is None else checked("timeout", timeout, 0.0),
            "debt_limit": None if debt_limit is None else checked("debt_limit", debt_limit, 0.0),
            "waiting_limit": int(checked("waiting_limit", waiting_limit, 1)),
        }
        listed = as_arms(arms)
        shares = checked_shares(kinds, [arm.kind for arm in listed])
        table = ArmTable(checked_goal(floor, goal, shares), shares, listed)
        counts = Counts(table, history or {}, self.options["memory"], self.options["debt_limit"])
        counts.start(checked_worker(worker))
        self.arms, self.counts, self.clock = table, counts, clock
        self.rng = np.random.default_rng(seed)
        self.log = None if log is None else FileIO(log, "a")
        self.waiting, self.settled = {}, {}
        self.prior = [1.0, 1.0, self.numbers["explore"], 0.0 if self.FORCED else EARLY]
        self.infeasible = self._seen_infeasible = 0
        LIVE.add(self)
        self._note(goal=self.goal.to_dict(), arms=[vars(one) for one in table.arms])

    # --- what each policy says for itself

    def believe(
        self, t: int, plays: np.ndarray, events: np.ndarray, shape: tuple[int, int]
    ) -> Beliefs:
        """The upper and the lower end of what is believed of each mean, of this shape (draws,
        arms); a sample is both."""
        raise NotImplementedError

    def steer(self, mixture: Mixture, amount: np.ndarray, gain: np.ndarray) -> Mixture:
        return mixture

    def targets(self) -> np.ndarray:
        """What the linear program asks of the average request."""
        return self.arms.bound

    # --- choices

    def choose(self, *, kind: str | None = None, available: Iterable[Name] | None = None) -> Name:
        """The arm to play now, for `update(arm, event)`.

        Parameters
        ----------
        kind : str
            The kind of the request, where requests come in kinds.
        available : iterable of names
            The arms available for this request; by default all of its kind.
        """
        place, _, _ = self._pick(kind, available, 1)
        self.counts.book(place)
        return self.arms.arms[place].name

    def decide(
        self, *, kind: str | None = None, available: Iterable[Name] | None = None
    ) -> Decision:
        """A choice with an id, for `update(id, event)`; parameters as of `choose`."""
        available = None if available is None else list(available)
        counts, now, draws = self.counts, self.clock(), 1 + self.options["propensity_draws"]
        place, shares, propensity = self._pick(kind, available, draws)
        named = [(self.arms.arms[i].name, x) for i, x in (shares or {}).items()]
        mixture = dict(named) if shares else None
        id, arm = f"{self.worker}.{counts.incarnation}.{counts.chosen + 1}", self.arms.arms[place]
        decision = Decision(id, arm.name, kind, counts.round, now, mixture, propensity)
        self.waiting[id] = self._play(place)
        counts.book(place)
        if len(self.waiting) > self.options["waiting_limit"]:
            self.discard(next(iter(self.waiting)))
        self._note(**vars(decision) | {"mixture": named, "available": available})
        return decision

    def _pick(
        self, kind: str | None, available: Iterable[Name] | None, draws: int
    ) -> tuple[int, Mixture | None, float | None]:
        """An arm's position, what it is drawn from (None: uniformly), and its propensity."""
        if self.options["timeout"] is not None:
            self.expire(self.options["timeout"])
        if self.counts.chosen % 1000 == 999:
            self._warn()
        at = self.arms.positions(kind, available)
        if self.FORCED:
            known = (self.arms.own[:EVENTS, at] + self.arms.known[:EVENTS, at]).max(axis=0)
            if (fresh := at[known == 0.0]).size:
                return int(fresh[0]), {int(fresh[0]): 1.0}, 1.0
        choices = self._mixtures(self.arms.kind_number(kind), at, draws)
        share = self.options["explore_share"]
        explores = share > 0.0 and self.rng.random() < share
        place = self._draw(None if explores else choices[0], at)
        if draws == 1 and self.SAMPLED:
            return place, choices[0], None
        # Given the beliefs that were drawn, of which one at random has decided, it is the arm's
        # mean share; the share in one mixture would be no weight, as other arms have none there.
        uniform = 1.0 / len(at)
        each = [uniform if one is None else one.get(place, 0.0) for one in choices]
        return place, choices[0], share * uniform + (1.0 - share) * math.fsum(each) / len(each)

    def _mixtures(self, kind: int, at: np.ndarray, draws: int) -> list[Mixture | None]:
        """What to play of the arms at these positions, all of this kind, in so many draws of the
        beliefs, or in one where nothing is drawn; None is any arm."""
        arms, bound = self.arms, self.targets()
        shape = (draws if self.SAMPLED else 1, len(arms.arms))
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
        kinds = arms.kind[rows]
        mixtures = solve(gain, amount, bound, kinds, arms.shares)
        self.infeasible += mixtures[0] is None
        choices: list[Mixture | None] = []
        for mixture, g, h in zip(mixtures, gain, amount, strict=True):
            if mixture is not None:
                mixture = self.steer({i: x for i, x in mixture.items() if kinds[i] == kind}, h, g)
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
