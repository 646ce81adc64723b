"""LinConTS, LinCon-KL-UCB and the two ledgers, as classes for a running service."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from lincon.errors import UserError
from lincon.online.arms import is_number
from lincon.online.formulas import GittinsIndices, fit_prior, kl_budget, kl_upper, rounds_ahead
from lincon.online.linear import Mixture
from lincon.online.rounds import Beliefs
from lincon.online.service import Policy

REFIT = 1.3
Shape = tuple[int, int]


class LinConTS(Policy):
    """theta_i ~ Beta(1 + s_i, 1 + n_i - s_i), an arm drawn from LP(theta) (Saxena, Gonzalez,
    Jaldén, 2020). `explore`: by what counts are divided."""

    NUMBERS: ClassVar[Mapping[str, float]] = {"explore": 1.0}

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray, shape: Shape) -> Beliefs:
        a, b, divisor, _ = self.prior
        theta = self.rng.beta(a + events / divisor, b + (plays - events) / divisor, shape)
        return theta, theta


class LinConKLUCB(Policy):
    """theta_i = max{q : n_i d(m_i, q) <= explore (log t + c log log t)}, an arm drawn from
    LP(theta); the smallest such q where an amount or a value falls with the event."""

    NUMBERS: ClassVar[Mapping[str, float]] = {"explore": 1.0, "c": 0.0}
    SAMPLED = False

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray, shape: Shape) -> Beliefs:
        known = plays > 0.0
        budget = kl_budget(t, self.numbers["explore"], self.numbers["c"]) / plays[known]
        mean = events[known] / plays[known]
        upper, lower = np.ones(len(plays)), np.zeros(len(plays))
        upper[known] = kl_upper(mean, budget)
        if self.arms.falls:
            lower[known] = 1.0 - kl_upper(1.0 - mean, budget)
        return upper[None], lower[None]


class TSLedger(LinConTS):
    """LinConTS with a prior that is learnt from all arms, and with accounts: short of
    e t + reserve log t it plays the mixture's arm that repays most, otherwise the one that earns
    most. Where no mixture is feasible it plays the arm that comes closest.

    `spread` and `ramp` are those of the learned prior, as in a config.
    """

    NUMBERS: ClassVar[Mapping[str, float]] = {
        "explore": 1.0,
        "reserve": 1.0,
        "spread": 2.0,
        "ramp": 3.0,
    }
    GREEDY = True

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray, shape: Shape) -> Beliefs:
        self.learn(t, plays, events)
        return super().believe(t, plays, events, shape)

    def learn(self, t: int, plays: np.ndarray, events: np.ndarray) -> None:
        """Fit the prior to all counts, whenever t has grown by 30%."""
        a, b, _, next_fit = self.prior
        if t >= next_fit:
            numbers, arms = self.numbers, float(len(plays))
            a, b = fit_prior(a, b, plays, events, numbers["spread"])
            divisor = numbers["explore"] * (t / (t + numbers["ramp"] * arms * arms))
            self.prior = [a, b, divisor, max(t + 1.0, REFIT * t)]

    def steer(self, mixture: Mixture, amount: np.ndarray, gain: np.ndarray, kind: int) -> Mixture:
        arms = list(mixture)
        if len(arms) < 2:
            return mixture
        behind, worth = self.behind(kind), gain[arms]
        if (behind > 0.0).any():
            extent = self.arms.extent
            worth = (np.maximum(behind, 0.0) / extent) @ (amount[:, arms] / extent[:, None])
        return {arms[int(np.argmax(worth))]: 1.0}

    def behind(self, kind: int) -> np.ndarray:
        """What each constraint is short of after a round of this kind, with the reserve."""
        t = self.rounds + self.their_rounds + self.concerns[:, kind]
        return self.bound * t + self.numbers["reserve"] * np.log(np.maximum(t, 1.0)) - self.account


class GittinsLedger(TSLedger):
    """TSLedger whose belief is the optimistic Gittins index: what an arm is worth if after one more
    play its mean were known, and the better were played for `reach` times the rounds that are left
    of `horizon`. Plays no arm merely to initialise it.

    With `target="paced"` the program asks for what the rest of the horizon must give.
    """

    NUMBERS: ClassVar[Mapping[str, float]] = {**TSLedger.NUMBERS, "reach": 0.3}
    SAMPLED, FORCED = False, False
    FIRST_FIT = 20.0

    def __init__(self, arms: Any, *, horizon: int, target: str = "fixed", **others: Any) -> None:
        if not is_number(horizon, 1, 1e15):
            raise UserError(f"horizon is {horizon!r}; allowed: a number of rounds, at least 1")
        if target not in ("fixed", "paced"):
            raise UserError(f"target is {target!r}; allowed: fixed, paced")
        super().__init__(arms, **others)
        self.options |= {"horizon": float(horizon), "target": target}
        self.upper_index, self.lower_index = GittinsIndices(), GittinsIndices()

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray, shape: Shape) -> Beliefs:
        self.learn(t, plays, events)
        a, b, divisor, _ = self.prior
        ahead = rounds_ahead(self.numbers["reach"] * max(self.options["horizon"] - t + 1.0, 1.0))
        first, second = a + events / divisor, b + (plays - events) / divisor
        upper = self.upper_index(first, second, ahead)[None]
        if not self.arms.falls:
            return upper, upper
        return upper, 1.0 - self.lower_index(second, first, ahead)[None]

    def targets(self) -> np.ndarray:
        if self.options["target"] == "fixed":
            return super().targets()
        rounds = self.rounds + self.their_rounds
        left = np.maximum(self.options["horizon"] - rounds, 1.0)
        rate = (self.bound * self.options["horizon"] - self.account) / left
        return self.weight * np.clip(rate, self.arms.lowest, self.arms.highest)
