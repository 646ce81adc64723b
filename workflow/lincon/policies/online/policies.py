"""LinConTS, LinCon-KL-UCB and the two ledger policies as classes for a running service.

Each is also a user-defined policy to the bench (lincon.policies.own): `python:
lincon.online:LinConTS`. The bench gives the round, `choose(t)`, and is answered with the mixture
from which it draws; without a round the answer is an arm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from lincon.policies.online.formulas import Mixture, kl_budget, kl_upper
from lincon.policies.online.given import numbers, proper
from lincon.policies.online.learned import fit_prior
from lincon.policies.online.service import OnlinePolicy
from lincon.policies.parts import ESTIMATORS, PRIORS, STEERINGS, Part

REFIT = 1.3


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
    sampled = False

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

    def steer(self, mixture: Mixture, amount: np.ndarray, gain: np.ndarray) -> Mixture:
        arms, t = list(mixture), self.counted + self.others.counted + 1
        account = self.amounts + self.others.amounts + self.settled
        behind = self.bound * t + self.parameters["reserve"] * math.log(t) - account
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
            arms = float(len(plays))
            self.divisor = numbers["explore"] * (t / (t + numbers["ramp"] * arms * arms))
            self.next_fit = max(t + 1.0, REFIT * t)
        return super().believe(t, plays, events)

    def state(self) -> dict[str, Any]:
        return super().state() | {"prior": [*self.shapes, self.divisor, self.next_fit]}

    @classmethod
    def _restored(cls, state: Mapping[str, Any]) -> Self:
        made = super()._restored(state)
        a, b, made.divisor, made.next_fit = numbers(state["prior"], (4,), least=0.0).tolist()
        if a == 0.0 or b == 0.0 or not all(map(proper, (a, b, made.divisor))):
            raise ValueError("the prior must be numbers above 0")
        made.shapes = (a, b)
        return made
