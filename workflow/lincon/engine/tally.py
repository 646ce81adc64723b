"""What a run counts, round by round; shared by the engines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincon.engine.randomness import luck
from lincon.jit import kernel
from lincon.policies.virtual_queue import wait

REWARD, EVENTS, EXPECTED_REWARD, EXPECTED_EVENTS, INFEASIBLE = range(5)
SERIES = ("reward", "events", "expected_reward", "expected_events", "infeasible")


class Tally(NamedTuple):
    """Sums since the first round. The shares of uniform rounds are in totals[INFEASIBLE] alone."""

    plays: np.ndarray
    events: np.ndarray
    shares: np.ndarray
    totals: np.ndarray
    uniform: np.ndarray
    backlog: np.ndarray

    @classmethod
    def new(cls, mean: np.ndarray, value: np.ndarray, backlog: np.ndarray) -> Tally:
        n = mean.size
        uniform = np.array([np.mean(mean * value), np.mean(mean)])
        plays, events = np.zeros((2, n), np.int64)
        return cls(plays, events, np.zeros(n), np.zeros(5), uniform, backlog)

    def expected_plays(self) -> np.ndarray:
        return self.shares + self.totals[INFEASIBLE] / self.plays.size


@kernel
def count(tally, t, arm, low, high, share, mean, value, key, run):
    """Play `arm`, drawn from the mixture (low, high, share), in round t."""
    totals = tally.totals
    tally.plays[arm] += 1
    event = luck(key, run, t, arm) < mean[arm]
    wait(tally.backlog, t, event)
    if event:
        tally.events[arm] += 1
        totals[REWARD] += value[arm]
        totals[EVENTS] += 1.0
    if low < 0:
        totals[INFEASIBLE] += 1.0
        totals[EXPECTED_REWARD] += tally.uniform[0]
        totals[EXPECTED_EVENTS] += tally.uniform[1]
        return
    tally.shares[low] += share
    tally.shares[high] += 1.0 - share
    totals[EXPECTED_REWARD] += (
        share * mean[low] * value[low] + (1.0 - share) * mean[high] * value[high]
    )
    totals[EXPECTED_EVENTS] += share * mean[low] + (1.0 - share) * mean[high]
