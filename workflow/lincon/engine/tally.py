"""What a run counts, round by round; shared by the engines. It counts and decides nothing.

Counts are exact. Sums of numbers lose a little in every round: what they lose is summed as well,
beside them (Neumaier 1974), and `corrected` puts it back, so that 10^9 rounds are as right as ten.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincon.engine.randomness import luck
from lincon.jit import entry, kernel, lean
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
# What a sum has lost is left out while it is less of it than this: short runs keep their numbers
# of before it was known, to the last bit.
NEGLIGIBLE = 5e-13


class Tally(NamedTuple):
    """Sums since the first round. The shares of uniform rounds are in totals[UNIFORM] alone.

    `lost_shares`, `lost_totals`: what rounding took from the sums of that name.
    `uniform`: expected reward and events of a uniform round; `chosen`: the arm of every round, of
    size 0 where that is not recorded.
    """

    plays: np.ndarray
    events: np.ndarray
    shares: np.ndarray
    totals: np.ndarray
    lost_shares: np.ndarray
    lost_totals: np.ndarray
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
            lost_shares=np.zeros(n),
            lost_totals=np.zeros(len(SERIES) + 1),
            uniform=np.array([np.mean(mean * value), np.mean(mean)]),
            chosen=np.zeros(recorded, np.int32),
            floor=np.array([eta]),
        )

    def series(self) -> np.ndarray:
        """The totals in the order of SERIES."""
        return corrected(self.totals, self.lost_totals)[: len(SERIES)]

    def expected_plays(self) -> np.ndarray:
        shares = corrected(self.shares, self.lost_shares)
        return shares + self.totals[UNIFORM] / self.plays.size


def corrected(sums: np.ndarray, lost: np.ndarray) -> np.ndarray:
    return np.where(np.abs(lost) > NEGLIGIBLE * np.abs(sums), sums + lost, sums)


@lean
def add(sums, lost, i, x):
    """sums[i] += x, and what that loses to rounding, which is a float itself (Knuth's TwoSum)."""
    old = sums[i]
    new = old + x
    added = new - old
    sums[i] = new
    lost[i] += (old - (new - added)) + (x - added)


@kernel
def count_deficit(totals, t, eta):
    """Note by how much the events of t rounds fall short of the floor, if they do."""
    floor = t * eta
    deficit = floor - totals[EVENTS]
    if deficit > ROUNDING * floor:
        totals[WORST_DEFICIT] = max(totals[WORST_DEFICIT], deficit)
        totals[LAST_DEFICIT] = t


@entry
def count(tally, t, arm, low, high, share, mean, value, key, run):
    """Play `arm`, drawn from the mixture (low, high, share), in round t; whether it paid."""
    totals, lost = tally.totals, tally.lost_totals
    tally.plays[arm] += 1
    if tally.chosen.size > 0:
        tally.chosen[t - 1] = arm
    event = luck(key, run, t, arm) < mean[arm]
    if event:
        tally.events[arm] += 1
        add(totals, lost, REWARD, value[arm])
        totals[EVENTS] += 1.0
    count_deficit(totals, t, tally.floor[0])
    if low < 0:
        totals[INFEASIBLE] += low == INFEASIBLE_ROUND
        totals[UNIFORM] += 1.0
        add(totals, lost, EXPECTED_REWARD, tally.uniform[0])
        add(totals, lost, EXPECTED_EVENTS, tally.uniform[1])
        return event
    add(tally.shares, tally.lost_shares, low, share)
    add(tally.shares, tally.lost_shares, high, 1.0 - share)
    reward = share * mean[low] * value[low] + (1.0 - share) * mean[high] * value[high]
    add(totals, lost, EXPECTED_REWARD, reward)
    add(totals, lost, EXPECTED_EVENTS, share * mean[low] + (1.0 - share) * mean[high])
    return event
