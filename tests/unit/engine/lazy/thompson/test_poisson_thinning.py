"""Whatever is done to the buckets, arms are accepted by their rates, and none is lost."""

import numpy as np
import pytest
from scipy import stats

from lincon.engine.lazy.thompson.poisson_thinning import (
    ALWAYS,
    ZERO_RATE,
    Buckets,
    bucket_of,
    propose,
    rebuild,
    update_rate,
)
from lincon.jit import lean

pytestmark = pytest.mark.slow

LEVELS, INTERVALS = 2, 3


@lean
def propose_often(buckets, rates, level, interval, rng, accepted):
    """How often each arm is accepted; the last place counts the proposals that were not."""
    for _ in range(accepted[-1]):
        target = rng.random() * buckets.total[level, interval]
        where, threshold = propose(buckets, level, interval, target, rng.random())
        arm = buckets.order[level, where]
        accepted[arm if threshold < rates[arm, level] else -1] += 1


def some_rates(rng, arms):
    rates = 0.5 * 10.0 ** rng.uniform(-12.0, 0.0, (arms, LEVELS))
    rates[rng.random((arms, LEVELS)) < 0.2] = 0.0
    rates[rng.random((arms, LEVELS)) < 0.1] = ALWAYS
    return rates


def filled(rates, interval=0):
    buckets = Buckets.new(len(rates), LEVELS, INTERVALS)
    buckets.interval[:] = interval
    buckets.bucket[:] = [[bucket_of(rate) for rate in row] for row in rates]
    for level in range(LEVELS):
        rebuild(buckets, level)
    return buckets


def members(buckets, level, interval, bucket):
    start = buckets.start[level, interval]
    return buckets.order[level, start[bucket] : start[bucket + 1]]


def check(buckets, every_rate):
    """Each arm is once in the order, in a bucket that its rate allows, and the total is exact."""
    arms = buckets.interval.size
    for level in range(LEVELS):
        np.testing.assert_array_equal(np.sort(buckets.order[level]), np.arange(arms))
        np.testing.assert_array_equal(
            buckets.order[level][buckets.position[:, level]], np.arange(arms)
        )
        for interval in range(INTERVALS):
            total = 0.0
            for bucket in range(ZERO_RATE + 1):
                inside = members(buckets, level, interval, bucket)
                assert (buckets.bucket[inside, level] == bucket).all()
                rates = every_rate[inside, level]
                if bucket == 0:
                    assert (rates == ALWAYS).all()
                elif bucket == ZERO_RATE:
                    assert (rates == 0.0).all()
                else:
                    assert ((rates > 0.0) & (rates <= 0.5**bucket)).all()
                    total += inside.size * 0.5**bucket
                # Level 0 has all arms in one interval.
                where = buckets.interval[inside] if level > 0 else np.zeros_like(inside)
                assert (where == interval).all()
            assert buckets.total[level, interval] == total


@pytest.mark.parametrize("arms", [1, 2, 7, 200])
def test_any_changes_keep_them_in_order(arms):
    rng = np.random.default_rng(arms)
    rates = some_rates(rng, arms)
    buckets = filled(rates, rng.integers(0, INTERVALS, arms))
    check(buckets, rates)
    for _ in range(300):
        level, arm = int(rng.integers(LEVELS)), int(rng.integers(arms))
        rates[arm, level] = some_rates(rng, 1)[0, 0]
        update_rate(buckets, level, arm, rates[arm, level])
    check(buckets, rates)


def test_buckets_bound_their_rates():
    assert bucket_of(ALWAYS) == 0 and bucket_of(0.0) == ZERO_RATE
    for rate in (0.499, 0.3, 0.25, 1e-3, 2.0**-28, 1e-9, 1e-300):
        assert 1 <= bucket_of(rate) < ZERO_RATE
        assert rate <= 0.5 ** bucket_of(rate)


def test_arms_are_accepted_in_proportion_to_their_rates():
    """After moves as well, which leave some arms in buckets above their rates."""
    rng = np.random.default_rng(3)
    rates = np.repeat(0.4 * 0.6 ** np.arange(20.0)[:, None], LEVELS, axis=1)
    buckets = filled(rates)
    for arm in range(0, 20, 3):
        rates[arm, 1] /= 2.5
        update_rate(buckets, 1, arm, rates[arm, 1])
    accepted = np.zeros(21, np.int64)
    accepted[-1] = proposals = 400_000
    propose_often(buckets, rates, 1, 0, rng, accepted)
    expected = proposals * rates[:, 1] / buckets.total[1, 0]
    false = proposals - expected.sum()
    accepted[-1] -= proposals
    found = stats.chisquare(accepted, np.append(expected, false))
    assert found.pvalue > 1e-4
