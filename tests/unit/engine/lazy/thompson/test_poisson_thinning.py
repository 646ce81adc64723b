"""Clocks in buckets: whatever is done to them, they ring by their rates, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from lincon.engine.lazy.thompson.poisson_thinning import (
    ALWAYS,
    SILENT,
    Buckets,
    bucket_of,
    fill,
    move,
    ring,
)
from lincon.jit import lean

STEPS, INTERVALS = 2, 3


@lean
def ring_often(buckets, rates, step, interval, rng, heard):
    """How often each arm rings; the last place counts the rings that were none."""
    for _ in range(heard[-1]):
        target = rng.random() * buckets.total[step, interval]
        where, level = ring(buckets, step, interval, target, rng.random())
        arm = buckets.order[step, where]
        heard[arm if level < rates[arm, step] else -1] += 1


def some_rates(rng, arms):
    rates = 0.5 * 10.0 ** rng.uniform(-12.0, 0.0, (arms, STEPS))
    rates[rng.random((arms, STEPS)) < 0.2] = 0.0
    rates[rng.random((arms, STEPS)) < 0.1] = ALWAYS
    return rates


def filled(rates, interval=0):
    buckets = Buckets.new(len(rates), STEPS, INTERVALS)
    buckets.interval[:] = interval
    buckets.bucket[:] = [[bucket_of(rate) for rate in row] for row in rates]
    for step in range(STEPS):
        fill(buckets, step)
    return buckets


def members(buckets, step, interval, bucket):
    start = buckets.start[step, interval]
    return buckets.order[step, start[bucket] : start[bucket + 1]]


def check(buckets, every_rate):
    """Each arm is once in the order, in a bucket that its rate allows, and the total is exact."""
    arms = buckets.interval.size
    for step in range(STEPS):
        np.testing.assert_array_equal(np.sort(buckets.order[step]), np.arange(arms))
        np.testing.assert_array_equal(buckets.order[step][buckets.place[:, step]], np.arange(arms))
        for interval in range(INTERVALS):
            total = 0.0
            for bucket in range(SILENT + 1):
                inside = members(buckets, step, interval, bucket)
                assert (buckets.bucket[inside, step] == bucket).all()
                rates = every_rate[inside, step]
                if bucket == 0:
                    assert (rates == ALWAYS).all()
                elif bucket == SILENT:
                    assert (rates == 0.0).all()
                else:
                    assert ((rates > 0.0) & (rates <= 0.5**bucket)).all()
                    total += inside.size * 0.5**bucket
                # Step 0 has all arms in one interval.
                where = buckets.interval[inside] if step > 0 else np.zeros_like(inside)
                assert (where == interval).all()
            assert buckets.total[step, interval] == total


@pytest.mark.parametrize("arms", [1, 2, 7, 200])
def test_any_changes_keep_them_in_order(arms):
    rng = np.random.default_rng(arms)
    rates = some_rates(rng, arms)
    buckets = filled(rates, rng.integers(0, INTERVALS, arms))
    check(buckets, rates)
    for _ in range(300):
        step, arm = int(rng.integers(STEPS)), int(rng.integers(arms))
        rates[arm, step] = some_rates(rng, 1)[0, 0]
        move(buckets, step, arm, rates[arm, step])
    check(buckets, rates)


def test_a_new_state_draws_all_arms():
    buckets = Buckets.new(5, STEPS, INTERVALS)
    for step in range(STEPS):
        np.testing.assert_array_equal(members(buckets, step, 0, 0), np.arange(5))


def test_buckets_bound_their_rates():
    assert bucket_of(ALWAYS) == 0 and bucket_of(0.0) == SILENT
    for rate in (0.499, 0.3, 0.25, 1e-3, 2.0**-28, 1e-9, 1e-300):
        assert 1 <= bucket_of(rate) < SILENT
        assert rate <= 0.5 ** bucket_of(rate)


def test_arms_ring_in_proportion_to_their_rates():
    """After moves as well, which leave some arms in buckets above their rates."""
    rng = np.random.default_rng(3)
    rates = np.repeat(0.4 * 0.6 ** np.arange(20.0)[:, None], STEPS, axis=1)
    buckets = filled(rates)
    for arm in range(0, 20, 3):
        rates[arm, 1] /= 2.5
        move(buckets, 1, arm, rates[arm, 1])
    heard = np.zeros(21, np.int64)
    heard[-1] = proposals = 400_000
    ring_often(buckets, rates, 1, 0, rng, heard)
    expected = proposals * rates[:, 1] / buckets.total[1, 0]
    false = proposals - expected.sum()
    heard[-1] -= proposals
    found = stats.chisquare(heard, np.append(expected, false))
    assert found.pvalue > 1e-4
