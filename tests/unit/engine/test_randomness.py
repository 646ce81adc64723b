"""Randomness: the generator is Philox, the draws look random, and each key part counts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from lincon.data import arms as arm_table
from lincon.engine.randomness import choice_stream, luck, luck_key, philox4x32
from lincon.engine.simulate import Setting, simulate
from lincon.policies import registry as policies
from lincon.problem.solve import solve_problem
from tests.unit.engine import twin

pytestmark = pytest.mark.slow

WORD = st.integers(0, 2**32 - 1)

# kat_vectors of Random123, the generator's reference implementation.
KNOWN_ANSWERS = [
    (
        (0x00000000, 0x00000000, 0x00000000, 0x00000000),
        (0x00000000, 0x00000000),
        (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8),
    ),
    (
        (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF),
        (0xFFFFFFFF, 0xFFFFFFFF),
        (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def compiled_philox(counter, key):
    return tuple(int(word) for word in philox4x32(*map(np.uint32, (*counter, *key))))


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN_ANSWERS)
@pytest.mark.parametrize("generator", [compiled_philox, twin.philox4x32])
def test_philox_known_answers(generator, counter, key, expected):
    assert generator(counter, key) == expected


@given(st.tuples(WORD, WORD, WORD, WORD), st.tuples(WORD, WORD))
def test_philox_against_python_integers(counter, key):
    assert compiled_philox(counter, key) == twin.philox4x32(counter, key)


@given(st.integers(0, 2**62), st.text(), WORD, st.integers(1, 2**40), WORD)
def test_luck_against_python_integers(seed, dataset, run, t, arm):
    key = luck_key(seed, dataset)
    assert key.dtype == np.uint32
    assert tuple(map(int, key)) == twin.luck_key(seed, dataset)
    assert luck(key, run, t, arm) == twin.luck(twin.luck_key(seed, dataset), run, t, arm)


def lucks(seed=1, dataset="edx", run=0, rounds=400, arms=50) -> np.ndarray:
    key = luck_key(seed, dataset)
    return np.array([[luck(key, run, t, i) for i in range(arms)] for t in range(1, rounds + 1)])


@pytest.fixture(scope="module")
def base() -> np.ndarray:
    return lucks()


def test_luck_is_uniform(base):
    assert scipy.stats.kstest(base.ravel(), "uniform").pvalue > 1e-3
    assert np.unique(base).size == base.size


def test_luck_is_uniform_for_each_arm_and_round(base):
    """Chi-square over deciles, for every arm and for every round, then over the p-values."""
    for axis in (0, 1):
        deciles = np.apply_along_axis(np.bincount, axis, (base * 10).astype(int), minlength=10)
        p_values = scipy.stats.chisquare(deciles, axis=axis).pvalue
        assert p_values.min() > 1e-3 / p_values.size
        if axis == 0:  # counts of 40 a cell: the p-values themselves are nearly uniform
            assert scipy.stats.kstest(p_values, "uniform").pvalue > 1e-3


def independent(one: np.ndarray, other: np.ndarray) -> bool:
    """Chi-square on the 8 x 8 table of both, which sees more than correlation."""
    table = np.zeros((8, 8))
    np.add.at(table, ((one.ravel() * 8).astype(int), (other.ravel() * 8).astype(int)), 1)
    return scipy.stats.chi2_contingency(table).pvalue > 1e-3


def test_luck_of_neighbours_is_independent(base):
    assert independent(base[1:], base[:-1])
    assert independent(base[:, 1:], base[:, :-1])
    assert not independent(base, base)


@pytest.mark.parametrize("change", [{"seed": 2}, {"dataset": "coupon"}, {"run": 1}])
def test_luck_is_keyed_by_seed_dataset_and_run(base, change):
    other = lucks(**change)
    assert not np.intersect1d(other, base).size
    assert independent(other, base)


def test_luck_agrees_otherwise(base):
    np.testing.assert_array_equal(lucks(rounds=30, arms=7), base[:30, :7])


KEY = {"seed": 1, "dataset": "edx", "goal": 0.5, "policy": "lincon_ts", "run": 0}


def choices(**change) -> np.ndarray:
    return choice_stream(**(KEY | change)).random(1_000)


def test_choices_agree_for_the_same_key():
    np.testing.assert_array_equal(choices(), choices())
    np.testing.assert_array_equal(choices(goal=1), choices(goal=1.0))


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 2},
        {"dataset": "coupon"},
        {"goal": 0.5000000001},
        {"goal": "rate_0.5+cost_2-1f3a5b7c"},
        {"policy": "lincon_kl_ucb"},
        {"run": 1},
        {"seed": 0, "run": 1},
    ],
    ids=str,
)
def test_choices_differ_by_each_part_of_the_key(change):
    assert not np.intersect1d(choices(**change), choices()).size
    assert abs(scipy.stats.pearsonr(choices(**change), choices()).statistic) < 0.12


def test_keys_do_not_depend_on_the_type_of_a_number():
    """A run number may come out of an array; NumPy's integers print differently."""
    np.testing.assert_array_equal(choices(seed=np.int64(1), run=np.int32(0)), choices())
    np.testing.assert_array_equal(choices(goal=np.float64(0.5)), choices())
    np.testing.assert_array_equal(luck_key(np.int64(7), "edx"), luck_key(7, "edx"))


def test_parts_of_the_key_do_not_run_together():
    assert not np.array_equal(luck_key(1, "1x"), luck_key(11, "x"))
    assert not np.array_equal(choices(dataset="a", policy="bc"), choices(dataset="ab", policy="c"))


@pytest.mark.parametrize("estimator", ["beta_sample", "kl_ucb", "ucb1", "truth"])
@pytest.mark.parametrize("selector", ["lp", "argmax"])
def test_a_longer_horizon_has_the_same_beginning(estimator, selector):
    rng = np.random.default_rng(3)
    arms = arm_table.make(rng.random(9), rng.random(9))
    policy = policies.make_policy("p", {"estimator": estimator, "selector": selector})
    problem = solve_problem(arms, 0.6)
    short, long = (
        simulate(Setting("d", 0.6, horizon, policy, 2, 5, horizon, "dense"), arms, problem).series
        for horizon in (150, 400)
    )
    assert short.num_rows == 150 and long.num_rows == 400
    assert long.slice(0, 150).equals(short)
