"""The sums of a run, round by round; shared by the engines."""

from typing import NamedTuple, Self

import numpy as np

from lincon.engine.randomness import luck
from lincon.jit import entry, lean
from lincon.problem.program import Program

SERIES = ("reward", "events", "expected_reward", "expected_events", "infeasible")
REWARD, EVENTS, EXPECTED_REWARD, EXPECTED_EVENTS, INFEASIBLE = range(5)
# Per constraint, in its `at_least` form.
AMOUNTS = ("amount", "expected_amount", "worst_shortfall", "last_shortfall")
AMOUNT, EXPECTED_AMOUNT, WORST_SHORTFALL, LAST_SHORTFALL = range(4)
# Rounding error of a shortfall per round: a bound met exactly must not count as missed.
ROUNDING = 1e-12


class Tally(NamedTuple):
    """Sums since the first round.

    plays, events int[N]; shares float[N], of the mixtures; totals float[5] in the order of SERIES;
    amounts float[4, m] in that of AMOUNTS. Of each kind of request, `uniform_rounds` float[K]: in
    how many rounds arms were drawn uniformly, `uniform` float[K, 2 + m]: what such a round is
    expected to give, its reward, events and amounts, and `arms` int[K]: how many there are. `noise`
    float[m]: what is too little, per round, to count as a shortfall; `chosen` int[recorded]: the
    arm of every round.
    """

    plays: np.ndarray
    events: np.ndarray
    shares: np.ndarray
    totals: np.ndarray
    amounts: np.ndarray
    uniform_rounds: np.ndarray
    uniform: np.ndarray
    arms: np.ndarray
    noise: np.ndarray
    chosen: np.ndarray

    @classmethod
    def new(cls, mean: np.ndarray, program: Program, recorded: int = 0) -> Self:
        """Nothing counted yet; the arms of the first `recorded` rounds will be kept."""
        constraints, arms = program.a.shape
        gives = np.vstack([mean * program.value - program.cost, mean, mean * program.a + program.b])
        whole = np.all(
            (program.a == np.rint(program.a)) & (program.b == np.rint(program.b)), axis=1
        )
        largest = np.max(np.abs(program.a) + np.abs(program.b), axis=1)
        return cls(
            plays=np.zeros(arms, np.int64),
            events=np.zeros(arms, np.int64),
            shares=np.zeros(arms),
            totals=np.zeros(len(SERIES)),
            amounts=np.zeros((len(AMOUNTS), constraints)),
            uniform_rounds=np.zeros(program.share.size),
            uniform=np.array(
                [np.mean(np.take(gives, rows, axis=1), axis=1) for rows in program.rows]
            ),
            arms=np.array([rows.size for rows in program.rows]),
            noise=ROUNDING * np.maximum(np.abs(program.e), np.where(whole, 0.0, largest)),
            chosen=np.zeros(recorded, np.int32),
        )

    def expected_plays(self, program: Program) -> np.ndarray:
        """float[N]: the sum of every arm's shares, of the uniform rounds too."""
        shares = self.shares.copy()
        for rows, rounds in zip(program.rows, self.uniform_rounds, strict=True):
            shares[rows] += rounds / shares[rows].size
        return shares


@lean
def kind_of(program, arm):
    """The kind of request that an arm serves; 0 where there is one."""
    return program.kind[arm] if program.share.size > 1 else 0


@lean
def expect_uniform(tally, program, mean):
    """Set what a uniform round is expected to give, after the means have moved."""
    tally.uniform[:] = 0.0
    for i in range(mean.size):
        k = kind_of(program, i)
        tally.uniform[k, 0] += (mean[i] * program.value[i] - program.cost[i]) / tally.arms[k]
        tally.uniform[k, 1] += mean[i] / tally.arms[k]
        for j in range(program.e.size):
            amount = program.a[j, i] * mean[i] + program.b[j, i]
            tally.uniform[k, 2 + j] += amount / tally.arms[k]


@entry
def count_shortfall(tally, j, t, threshold):
    """Note by how much the amount of t rounds is short of constraint j, if it is."""
    short = t * threshold - tally.amounts[AMOUNT, j]
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
    tally.totals[REWARD] += reward
    for j in range(program.e.size):
        tally.amounts[AMOUNT, j] += program.a[j, arm] * event + program.b[j, arm]
        count_shortfall(tally, j, t, program.e[j])
    return event


@lean
def expect(tally, mixture, size, kind, mean, program):
    """Add what a mixture's first `size` arms are expected to give; of size 0, a uniform round."""
    if size < 1:
        tally.uniform_rounds[kind] += 1.0
        tally.totals[EXPECTED_REWARD] += tally.uniform[kind, 0]
        tally.totals[EXPECTED_EVENTS] += tally.uniform[kind, 1]
        for j in range(program.e.size):
            tally.amounts[EXPECTED_AMOUNT, j] += tally.uniform[kind, 2 + j]
        return
    reward, events = 0.0, 0.0
    for k in range(size):
        i, share = mixture.arm[k], mixture.share[k]
        tally.shares[i] += share
        reward += share * mean[i] * program.value[i] - share * program.cost[i]
        events += share * mean[i]
    tally.totals[EXPECTED_REWARD] += reward
    tally.totals[EXPECTED_EVENTS] += events
    for j in range(program.e.size):
        amount = 0.0
        for k in range(size):
            i = mixture.arm[k]
            amount += mixture.share[k] * (program.a[j, i] * mean[i] + program.b[j, i])
        tally.amounts[EXPECTED_AMOUNT, j] += amount


@lean
def count(tally, t, arm, mixture, size, infeasible, mean, program, key, run):
    """Play `arm` in round t and count the round; whether there was an event.

    Parameters
    ----------
    tally : Tally
    t, arm : int
        The round, from 1, and the arm that was drawn from the mixture.
    mixture, size, infeasible
        The mixture's first `size` arms (0: all arms alike), and whether none meets the target.
    mean : float[N]
        The true means.
    program : Program
    key, run
        Key the event.
    """
    event = count_play(tally, t, arm, mean, program, key, run)
    tally.totals[INFEASIBLE] += infeasible
    expect(tally, mixture, size, kind_of(program, arm), mean, program)
    return event
