"""What a run counts, round by round; shared by the engines. It counts and decides nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincon.engine.randomness import luck
from lincon.jit import kernel
from lincon.policies.selectors import INFEASIBLE_ROUND

SERIES = (
    "reward",
    "events",
    "expected_reward",
    "expected_events",
    "infeasible",
    "worst_deficit",
    "last_deficit",
)
REWARD, EVENTS, EXPECTED_REWARD, EXPECTED_EVENTS, INFEASIBLE, WORST_DEFICIT, LAST_DEFICIT = range(7)
# Rounds in which every arm was as likely: the infeasible ones, and those of exploration.
UNIFORM = len(SERIES)
# By how much of itself t * eta may be off: a floor met exactly is not missed by a rounding error.
ROUNDING = 1e-12


class Tally(NamedTuple):
    """Sums since the first round. The shares of uniform rounds are in totals[UNIFORM] alone.

    `uniform`: expected reward and events of a uniform round; `chosen`: the arm of every round, of
    size 0 where that is not recorded.
    """

    plays: np.ndarray
    events: np.ndarray
    shares: np.ndarray
    totals: np.ndarray
    uniform: np.ndarray
    chosen: np.ndarray
    floor: np.ndarray

    @classmethod
    def new(cls, mean: np.ndarray, value: np.ndarray, eta: float, recorded: int = 0) -> Tally:
        """Nothing counted yet; the arms of the first `recorded` rounds will be kept."""
        n = mean.size
        plays, events = np.zeros((2, n), np.int64)
        return cls(
            plays,
            events,
            shares=np.zeros(n),
            totals=np.zeros(len(SERIES) + 1),
            uniform=np.array([np.mean(mean * value), np.mean(mean)]),
            chosen=np.zeros(recorded, np.int32),
            floor=np.array([eta]),
        )

    def expected_plays(self) -> np.ndarray:
        return self.shares + self.totals[UNIFORM] / self.plays.size


@kernel
def count_deficit(totals, t, eta):
    """Note by how much the events of t rounds fall short of the floor, if they do."""
    floor = t * eta
    deficit = floor - totals[EVENTS]
    if deficit > ROUNDING * floor:
        totals[WORST_DEFICIT] = max(totals[WORST_DEFICIT], deficit)
        totals[LAST_DEFICIT] = t


@kernel
def count(tally, t, arm, low, high, share, mean, value, key, run):
    """Play `arm`, drawn from the mixture (low, high, share), in round t; whether it paid."""
    totals = tally.totals
    tally.plays[arm] += 1
    if tally.chosen.size > 0:
        tally.chosen[t - 1] = arm
    event = luck(key, run, t, arm) < mean[arm]
    if event:
        tally.events[arm] += 1
        totals[REWARD] += value[arm]
        totals[EVENTS] += 1.0
    count_deficit(totals, t, tally.floor[0])
    if low < 0:
        totals[INFEASIBLE] += low == INFEASIBLE_ROUND
        totals[UNIFORM] += 1.0
        totals[EXPECTED_REWARD] += tally.uniform[0]
        totals[EXPECTED_EVENTS] += tally.uniform[1]
        return event
    tally.shares[low] += share
    tally.shares[high] += 1.0 - share
    totals[EXPECTED_REWARD] += (
        share * mean[low] * value[low] + (1.0 - share) * mean[high] * value[high]
    )
    totals[EXPECTED_EVENTS] += share * mean[low] + (1.0 - share) * mean[high]
    return event
