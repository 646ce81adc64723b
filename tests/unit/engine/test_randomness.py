"""Randomness: the generator is Philox, the draws look random, and each key part counts."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from lincon.engine.randomness import choice_stream, luck, luck_key, philox4x32
from tests.unit.engine import plain_luck
from tests.unit.engine.games import random_problem
from tests.unit.policies.played import POLICIES

pytestmark = pytest.mark.slow

WORD = st.integers(0, 2**32 - 1)

# kat_vectors of Random123, the generator's reference implementation: counter, key, answer.
KNOWN_ANSWERS = """
00000000 00000000 00000000 00000000  00000000 00000000  6627E8D5 E169C58D BC57AC4C 9B00DBD8
FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF  FFFFFFFF FFFFFFFF  408F276D 41C83B0E A20BC7C6 6D5451FD
243F6A88 85A308D3 13198A2E 03707344  A4093822 299F31D0  D16CFE09 94FDCCEB 5001E420 24126EA1
"""


def compiled_philox(counter, key):
    return tuple(int(word) for word in philox4x32(*map(np.uint32, (*counter, *key))))


@pytest.mark.parametrize("line", KNOWN_ANSWERS.strip().splitlines())
@pytest.mark.parametrize("generator", [compiled_philox, plain_luck.philox4x32])
def test_philox_known_answers(generator, line):
    words = tuple(int(word, 16) for word in line.split())
    assert generator(words[:4], words[4:6]) == words[6:]


@given(st.integers(0, 2**62), st.text(), WORD, st.integers(1, 2**40), WORD)
def test_luck_against_python_integers(seed, dataset, run, t, arm):
    key, plain = luck_key(seed, dataset), plain_luck.luck_key(seed, dataset)
    assert key.dtype == np.uint32 and tuple(map(int, key)) == plain
    assert luck(key, run, t, arm) == plain_luck.luck(plain, run, t, arm)


def lucks(seed=1, dataset="edx", run=0, rounds=200, arms=50) -> np.ndarray:
    key = luck_key(seed, dataset)
    return np.array([[luck(key, run, t, i) for i in range(arms)] for t in range(1, rounds + 1)])


def independent(one: np.ndarray, other: np.ndarray) -> bool:
    """Chi-square on the 8 x 8 table of both, which sees more than correlation."""
    table = np.zeros((8, 8))
    np.add.at(table, ((one.ravel() * 8).astype(int), (other.ravel() * 8).astype(int)), 1)
    return scipy.stats.chi2_contingency(table).pvalue > 1e-3


def test_luck_is_uniform_and_independent_of_its_neighbours():
    base = lucks()
    assert scipy.stats.kstest(base.ravel(), "uniform").pvalue > 1e-3
    assert independent(base[1:], base[:-1]) and independent(base[:, 1:], base[:, :-1])
    assert not independent(base, base)
    for change in ({"seed": 2}, {"dataset": "coupon"}, {"run": 1}):
        other = lucks(**change)
        assert independent(other, base) and not np.intersect1d(other, base).size


KEY = {"seed": 1, "dataset": "edx", "goal": 0.5, "policy": "lincon_ts", "run": 0}


def choices(**change) -> np.ndarray:
    return choice_stream(**(KEY | change)).random(1_000)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 2},
        {"dataset": "coupon"},
        {"dataset": "edx0.5", "goal": ""},
        {"goal": 0.5000000001},
        {"goal": "rate_0.5+cost_2-1f3a5b7c"},
        {"policy": "lincon_kl_ucb"},
        {"run": 1},
    ],
    ids=str,
)
def test_choices_differ_by_each_part_of_the_key(change):
    assert not np.intersect1d(choices(**change), choices()).size
    assert abs(scipy.stats.pearsonr(choices(**change), choices()).statistic) < 0.12


def test_keys_do_not_depend_on_the_type_of_a_number():
    """A run number may come out of an array; NumPy's integers print differently."""
    same = {"seed": np.int64(1), "run": np.int32(0), "goal": np.float64(0.5)}
    np.testing.assert_array_equal(choices(**same), choices())
    np.testing.assert_array_equal(choices(goal=1), choices(goal=1.0))
    np.testing.assert_array_equal(luck_key(np.int64(7), "edx"), luck_key(7, "edx"))


@pytest.mark.parametrize("name", ["lincon_ts", "lincon_kl_ucb"])
def test_a_longer_horizon_has_the_same_beginning(name):
    short, long = (
        random_problem(3, 9, 0.6, horizon).play(POLICIES[name], points=horizon).series
        for horizon in (150, 400)
    )
    assert short.num_rows == 150 and long.slice(0, 150).equals(short)
