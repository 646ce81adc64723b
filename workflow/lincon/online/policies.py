"""LinConTS, LinCon-KL-UCB and the two ledger policies as classes for a running service.

Each is also a user-defined policy to the bench (lincon.policies.own): `python:
lincon.online:LinConTS`. The bench gives the round, `choose(t)`, and is answered with the mixture
from which it draws; without a round the answer is an arm.
"""

import math
from typing import ClassVar

import numpy as np

from lincon.online.formulas import Mixture, fit_prior, kl_budget, kl_upper
from lincon.online.service import OnlinePolicy
from lincon.policies.parts import ESTIMATORS, PRIORS, STEERINGS, Part

REFIT = 1.3


class LinConTS(OnlinePolicy):
    """theta_i ~ Beta(1 + s_i, 1 + n_i - s_i), LP(theta) (Saxena, Gonzalez, Jaldén, 2020)."""

    parts: ClassVar[tuple[Part, ...]] = (ESTIMATORS["beta_sample"],)

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray) -> np.ndarray:
        a, b, divisor, _ = self.prior
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
        arms, t = list(mixture), self.counted + self.their_counted + 1
        account = self.amounts + self.their_amounts + self.settled
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

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray) -> np.ndarray:
        a, b, _, next_fit = self.prior
        if t >= next_fit:
            numbers, arms = self.parameters, float(len(plays))
            a, b = fit_prior(a, b, plays, events, numbers["spread"])
            divisor = numbers["explore"] * (t / (t + numbers["ramp"] * arms * arms))
            self.prior = [a, b, divisor, max(t + 1.0, REFIT * t)]
        return super().believe(t, plays, events)
