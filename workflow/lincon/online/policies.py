"""LinConTS, LinCon-KL-UCB and the two ledgers, as classes for a running service."""

from typing import Any

import numpy as np

from lincon.online.checks import checked
from lincon.online.formulas import fit_prior, gittins_indices, kl_budget, kl_upper, rounds_ahead
from lincon.online.linear import Mixture
from lincon.online.policy import Beliefs, Policy
from lincon.policies.parts import REPAY

REFIT = 1.3
Shape = tuple[int, int]


class LinConTS(Policy):
    """theta_i ~ Beta(1 + s_i, 1 + n_i - s_i), an arm drawn from LP(theta).

    Saxena, Gonzalez, Jaldén, AISTATS 2020.
    """

    STANDARD = "lincon_ts"

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray, shape: Shape) -> Beliefs:
        a, b, divisor, _ = self.prior
        theta = self.rng.beta(a + events / divisor, b + (plays - events) / divisor, shape)
        return theta, theta


class LinConKLUCB(Policy):
    """theta_i = max{q : n_i d(m_i, q) <= explore (log t + c log log t)}, an arm drawn
    from LP(theta); the smallest such q where an amount or a value falls with the event.
    """

    STANDARD, SAMPLED = "lincon_kl_ucb", False

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
    """LinConTS with a prior learnt from all arms, and with a ledger.

    While an amount is below e t + reserve log t, it plays the mixture's arm that repays most,
    otherwise the one that earns most. If no mixture is feasible, it plays the closest arm.
    """

    STANDARD = "ts_ledger"

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

    def steer(self, mixture: Mixture, amount: np.ndarray, gain: np.ndarray) -> Mixture:
        arms = list(mixture)
        if len(arms) < 2:
            return mixture
        margin = self.margin(self.counts.rounds + 1.0)
        short, worth = self.counts.debts + self.arms.bound + margin, gain[arms]
        if (short > 0.0).any():
            extent = self.arms.extent
            worth = (np.maximum(short, 0.0) / extent) @ (amount[:, arms] / extent[:, None])
        return {arms[int(np.argmax(worth))]: 1.0}

    def targets(self) -> np.ndarray:
        """With kinds of request a shortfall raises the bound, as the ledger steers only requests
        of the kinds that the mixture splits."""
        counts, arms = self.counts, self.arms
        if len(arms.shares) == 1:
            return super().targets()
        short = np.maximum(counts.debts + arms.bound, 0.0) / (counts.rounds + 1.0)
        return np.clip(arms.bound + REPAY * short, arms.lowest, arms.highest)

    def margin(self, t: np.ndarray) -> np.ndarray:
        """How far ahead of its threshold each constraint is kept in round t."""
        return self.numbers["reserve"] * np.log(t)


class GittinsLedger(TSLedger):
    """TSLedger whose belief is the optimistic Gittins index: what an arm is worth if after one more
    play its mean were known, and the better were played for `reach` times the rounds that are left
    of `horizon`, which it needs. Plays no arm merely to initialise it.
    """

    STANDARD, SAMPLED, FORCED = "gittins_ledger", False, False

    def __init__(self, arms: Any, *, horizon: int, **others: Any) -> None:
        super().__init__(arms, **others)
        self.numbers["horizon"] = checked("horizon", horizon, 1.0)

    def believe(self, t: int, plays: np.ndarray, events: np.ndarray, shape: Shape) -> Beliefs:
        self.learn(t, plays, events)
        a, b, divisor, _ = self.prior
        left = self.numbers["reach"] * max(self.numbers["horizon"] - t + 1.0, 1.0)
        ahead = [rounds_ahead(one * left) for one in self.arms.shares[self.arms.kind].tolist()]
        first, second = a + events / divisor, b + (plays - events) / divisor
        upper = gittins_indices(first, second, ahead)[None]
        if not self.arms.falls:
            return upper, upper
        return upper, 1.0 - gittins_indices(second, first, ahead)[None]

    def targets(self) -> np.ndarray:
        """Paced: what the rest of the horizon must give, within what arms can give."""
        counts, arms = self.counts, self.arms
        left = np.maximum(self.numbers["horizon"] - counts.rounds, 1.0)
        return np.clip(arms.bound + counts.debts / left, arms.lowest, arms.highest)

    def margin(self, t: np.ndarray) -> np.ndarray:
        """Less than the reserve, as far as a shortfall may be chance and can be repaid by T."""
        low, high, e = self.arms.lowest, self.arms.highest, self.arms.bound
        spread = np.sqrt(np.maximum((e - low) * (high - e), 0.0) * t)
        left = np.maximum(1.0 - t / self.numbers["horizon"], 0.0)
        return super().margin(t) - self.numbers["allowance"] * spread * left
