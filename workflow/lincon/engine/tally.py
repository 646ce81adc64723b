"""What a run counts, round by round; shared by the engines. It counts and decides nothing.

Counts are exact. Sums of numbers lose a little in every round: what they lose is summed as well,
beside them (Neumaier 1974), and `corrected` puts it back, so that 10^9 rounds are as right as ten.
"""

from typing import NamedTuple, Self

import numpy as np

from lincon.engine.randomness import luck
from lincon.jit import lean
from lincon.policies.selectors import INFEASIBLE_ROUND
from lincon.problem.goal import Program

SERIES = ("reward", "events", "expected_reward", "expected_events", "infeasible")
REWARD, EVENTS, EXPECTED_REWARD, EXPECTED_EVENTS, INFEASIBLE = range(5)
# Rounds in which arms were drawn uniformly: the infeasible ones, and those of exploration.
UNIFORM = len(SERIES)
# Per constraint, in its `at_least` form.
AMOUNTS = ("amount", "expected_amount", "worst_shortfall", "last_shortfall")
AMOUNT, EXPECTED_AMOUNT, WORST_SHORTFALL, LAST_SHORTFALL = range(4)
# What rounding may make of a shortfall per round: a bound met exactly is not missed by it.
ROUNDING = 1e-12
# What a sum has lost is left out while it is less of it than this: short runs keep their numbers
# of before it was known, to the last bit.
NEGLIGIBLE = 5e-13


class Tally(NamedTuple):
    """Sums since the first round. The shares of uniform rounds are in totals[UNIFORM] alone.

    `amounts` has a row for each of AMOUNTS and a column per constraint. `lost_*`: what rounding
    took from the sums of that name. `uniform`: what a uniform round is expected to give, of
    EXPECTED_REWARD, EXPECTED_EVENTS and each amount; `noise`: what is too little, per round, to
    count as a shortfall; `chosen`: the arm of every round, of size 0 where that is not recorded.
    """

    plays: np.ndarray
    events: np.ndarray
    shares: np.ndarray
    totals: np.ndarray
    amounts: np.ndarray
    lost_shares: np.ndarray
    lost_totals: np.ndarray
    lost_amounts: np.ndarray
    uniform: np.ndarray
    noise: np.ndarray
    chosen: np.ndarray

    @classmethod
    def new(cls, mean: np.ndarray, program: Program, recorded: int = 0) -> Self:
        """Nothing counted yet; the arms of the first `recorded` rounds will be kept."""
        n, m = mean.size, program.e.size
        plays, events = np.zeros((2, n), np.int64)
        shares, lost_shares = np.zeros((2, n))
        totals, lost_totals = np.zeros((2, len(SERIES) + 1))
        amounts, lost_amounts = np.zeros((2, len(AMOUNTS), m))
        gain = np.mean(mean * program.value - program.cost)
        amount = np.mean(mean * program.a + program.b, axis=1)
        whole = np.all(
            (program.a == np.rint(program.a)) & (program.b == np.rint(program.b)), axis=1
        )
        largest = np.max(np.abs(program.a) + np.abs(program.b), axis=1)
        return cls(
            *(plays, events, shares, totals, amounts, lost_shares, lost_totals, lost_amounts),
            uniform=np.array([gain, np.mean(mean), *amount]),
            noise=ROUNDING * np.maximum(np.abs(program.e), np.where(whole, 0.0, largest)),
            chosen=np.zeros(recorded, np.int32),
        )

    def series(self) -> np.ndarray:
        """The totals in the order of SERIES."""
        return corrected(self.totals, self.lost_totals)[: len(SERIES)]

    def constraint_series(self) -> np.ndarray:
        """The rows of AMOUNTS, a column per constraint."""
        return corrected(self.amounts, self.lost_amounts)

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


@lean
def count_shortfall(tally, j, t, bound):
    """Note by how much the amount of t rounds is short of constraint j, if it is."""
    short = t * bound - tally.amounts[AMOUNT, j]
    if short > t * tally.noise[j]:
        tally.amounts[WORST_SHORTFALL, j] = max(tally.amounts[WORST_SHORTFALL, j], short)
        tally.amounts[LAST_SHORTFALL, j] = t


@lean
def count_play(tally, t, arm, mean, program, key, run):
    """Play `arm` in round t; whether there was an event."""
    tally.plays[arm] += 1
    if tally.chosen.size > 0:
        tally.chosen[t - 1] = arm
    event = luck(key, run, t, arm) < mean[arm]
    reward = -program.cost[arm]
    if event:
        tally.events[arm] += 1
        tally.totals[EVENTS] += 1.0
        reward += program.value[arm]
    add(tally.totals, tally.lost_totals, REWARD, reward)
    for j in range(program.e.size):
        amount = program.a[j, arm] * event + program.b[j, arm]
        add(tally.amounts[AMOUNT], tally.lost_amounts[AMOUNT], j, amount)
        count_shortfall(tally, j, t, program.e[j])
    return event


@lean
def count_uniform(tally, size):
    """Count a round in which arms were drawn uniformly; `size` says why."""
    totals, lost = tally.totals, tally.lost_totals
    totals[INFEASIBLE] += size == INFEASIBLE_ROUND
    totals[UNIFORM] += 1.0
    add(totals, lost, EXPECTED_REWARD, tally.uniform[0])
    add(totals, lost, EXPECTED_EVENTS, tally.uniform[1])
    for j in range(tally.amounts.shape[1]):
        expected, missed = tally.amounts[EXPECTED_AMOUNT], tally.lost_amounts[EXPECTED_AMOUNT]
        add(expected, missed, j, tally.uniform[2 + j])


@lean
def count(tally, t, arm, mixture, size, mean, program, key, run):
    """Play `arm`, drawn from the first `size` arms of the mixture; whether there was an event."""
    event = count_play(tally, t, arm, mean, program, key, run)
    if size < 1:
        count_uniform(tally, size)
        return event
    reward, events = 0.0, 0.0
    for k in range(size):
        i, share = mixture.arm[k], mixture.share[k]
        add(tally.shares, tally.lost_shares, i, share)
        reward += share * mean[i] * program.value[i] - share * program.cost[i]
        events += share * mean[i]
    add(tally.totals, tally.lost_totals, EXPECTED_REWARD, reward)
    add(tally.totals, tally.lost_totals, EXPECTED_EVENTS, events)
    for j in range(program.e.size):
        amount = 0.0
        for k in range(size):
            i = mixture.arm[k]
            amount += mixture.share[k] * (program.a[j, i] * mean[i] + program.b[j, i])
        expected, missed = tally.amounts[EXPECTED_AMOUNT], tally.lost_amounts[EXPECTED_AMOUNT]
        add(expected, missed, j, amount)
    return event
