"""Sums of many rounds against exact ones: integer counts, and fractions of the floats summed."""

from fractions import Fraction

import numpy as np
import pytest

from lincon.engine.randomness import luck_key
from lincon.engine.tally import (
    EVENTS,
    EXPECTED_EVENTS,
    EXPECTED_REWARD,
    NEGLIGIBLE,
    REWARD,
    Tally,
    corrected,
    count,
)
from lincon.jit import kernel
from lincon.policies.selectors import EXPLORED_ROUND, Mixture
from tests.unit.engine.twin import paper

ARMS = 6
MEAN = np.array([0.1, 0.7, 0.3, 0.95, 1e-12, 0.41])
VALUE = np.array([0.9, 0.1, 0.77, 1 / 3, 1e-12, 0.013])
KEY = luck_key(1, "sums")


@kernel
def play(tally, first, last, lows, highs, shares, mean, program, key, mixture):
    """Mixtures in turn, every seventh round uniform; how often each was used is arithmetic."""
    for t in range(first, last + 1):
        k = t % shares.size
        if t % 7 == 0:
            arm, size = t % mean.size, EXPLORED_ROUND
        else:
            arm, size = lows[k] if t % 3 == 0 else highs[k], 2
            mixture.arm[0], mixture.share[0] = lows[k], shares[k]
            mixture.arm[1], mixture.share[1] = highs[k], 1.0 - shares[k]
        count(tally, t, arm, mixture, size, mean, program, key, 0)


def mixtures() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    lows, highs = rng.integers(0, ARMS, (2, 30))
    return lows, highs, rng.random(30)


def uses(rounds: int, size: int) -> tuple[list[int], int]:
    """How often each mixture was used in rounds 1..rounds, and how many rounds were uniform."""
    period = 7 * size
    whole, rest = divmod(rounds, period)
    counts, uniform = [0] * size, 0
    for t in range(1, period + 1):
        times = whole + (t <= rest)
        if t % 7 == 0:
            uniform += times
        else:
            counts[t % size] += times
    return counts, uniform


def exact(rounds: int, tally: Tally) -> dict[str, Fraction]:
    """The sums of the very floats that were added, and of the values of the events counted."""
    lows, highs, shares = mixtures()
    counts, uniform = uses(rounds, shares.size)
    plays = [Fraction(uniform, ARMS)] * ARMS
    reward, events = uniform * Fraction(tally.uniform[0]), uniform * Fraction(tally.uniform[1])
    for low, high, share, times in zip(lows, highs, shares, counts, strict=True):
        other = 1.0 - share
        plays[low] += times * Fraction(share)
        plays[high] += times * Fraction(other)
        rewards = share * MEAN[low] * VALUE[low] + other * MEAN[high] * VALUE[high]
        reward += times * Fraction(rewards)
        events += times * Fraction(share * MEAN[low] + other * MEAN[high])
    paid = sum(int(n) * Fraction(v) for n, v in zip(tally.events, VALUE, strict=True))
    return {"reward": paid, "expected_reward": reward, "expected_events": events} | {
        f"plays of arm {i}": share for i, share in enumerate(plays)
    }


def worst_error(rounds: int) -> float:
    """The largest relative error of any sum after so many rounds."""
    program = paper(VALUE, 0.4)
    tally = Tally.new(MEAN, program)
    play(tally, 1, rounds, *mixtures(), MEAN, program, KEY, Mixture.new(1))
    series, plays = tally.series(), tally.expected_plays()
    found = {
        "reward": series[REWARD],
        "expected_reward": series[EXPECTED_REWARD],
        "expected_events": series[EXPECTED_EVENTS],
    } | {f"plays of arm {i}": share for i, share in enumerate(plays)}
    assert tally.plays.sum() == rounds and series[EVENTS] == tally.events.sum()
    errors = {
        name: abs(Fraction(float(found[name])) - true) / true if true else Fraction(0)
        for name, true in exact(rounds, tally).items()
    }
    return float(max(errors.values()))


MANY = [5_000, pytest.param(10**6, marks=pytest.mark.slow)]


@pytest.mark.parametrize("rounds", [*MANY, pytest.param(10**9, marks=pytest.mark.long)])
def test_the_sums_of_many_rounds_are_right(rounds):
    assert worst_error(rounds) < 1e-12


def test_what_is_lost_is_put_back_once_it_matters():
    sums, lost = np.array([1.0, 1.0, 0.0]), np.array([2 * NEGLIGIBLE, NEGLIGIBLE / 2, 0.0])
    assert corrected(sums, lost).tolist() == [1.0 + 2 * NEGLIGIBLE, 1.0, 0.0]
