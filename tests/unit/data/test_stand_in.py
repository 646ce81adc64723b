"""The stand-ins: the published facts hold, and nothing about them can drift."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from scipy.stats import spearmanr

from lincon.data.kinds import KINDS
from lincon.data.npy import read_float_arrays
from lincon.data.stand_in import stand_in
from lincon.problem.solve import solve_problem

LEVELS = (0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99)
COUPON = {
    "kind": "coupon_published",
    "eta": 0.25,
    "size": 142,
    "above": 2,
    "optimum": 0.2023580366,
    "shares": {77: 0.292589, 140: 0.707411},
    "price": 0.01636,
    "mean": (0.007576, 0.269388),
    "value": (0.48, 1.0),
    "mean_quantiles": (0.0241, 0.0352, 0.0526, 0.0840, 0.1139, 0.1555, 0.2154, 0.2516),
    "value_quantiles": (0.5, 0.5, 0.5, 0.5, 0.7875, 1, 1, 1),
}
EDX = {
    "kind": "edx_courses",
    "eta": 0.5,
    "size": 290,
    "above": 3,
    "optimum": 0.0139351287,
    "shares": {65: 0.369140, 249: 0.630860},
    "price": 0.01775,
    "mean": (0.0, 1.0),
    "value": (0.0, 0.339454),
    "mean_quantiles": (0.0012, 0.0038, 0.0116, 0.0252, 0.0589, 0.1039, 0.1593, 0.4434),
    "value_quantiles": (0.0048, 0.0106, 0.0241, 0.0595, 0.1069, 0.1621, 0.2276, 0.3210),
}
DIGESTS = {"coupon_published": "8b94fcd88268647d", "edx_courses": "62896cddec629a85"}
BOTH = pytest.mark.parametrize("facts", [COUPON, EDX], ids=["coupon", "edx"])


def built(facts):
    return stand_in(KINDS[facts["kind"]].facts(), "some name")


@BOTH
def test_size_and_ranges(facts):
    arms = built(facts)
    assert len(arms) == facts["size"]
    for column in ("mean", "value"):
        numbers = getattr(arms, column)
        assert (numbers.min(), numbers.max()) == pytest.approx(facts[column], abs=1e-9)
    assert int(np.sum(arms.mean >= facts["eta"])) == facts["above"]


@BOTH
def test_the_optimum_to_four_digits(facts):
    problem = solve_problem(built(facts), facts["eta"])
    assert problem.optimum == pytest.approx(facts["optimum"], rel=5e-5)
    assert set(problem.support) == set(facts["shares"])
    for arm, share in zip(problem.support, problem.shares, strict=True):
        assert share == pytest.approx(facts["shares"][arm], abs=5e-5)
    assert problem.price == pytest.approx(facts["price"], rel=1e-2)
    assert problem.binds
    assert problem.unique


@BOTH
def test_quantiles_within_a_tenth(facts):
    arms = built(facts)
    np.testing.assert_allclose(np.quantile(arms.mean, LEVELS), facts["mean_quantiles"], rtol=0.1)
    np.testing.assert_allclose(np.quantile(arms.value, LEVELS), facts["value_quantiles"], rtol=0.1)


@BOTH
def test_rank_correlation(facts):
    arms = built(facts)
    assert spearmanr(arms.mean, arms.value).statistic == pytest.approx(-0.22, abs=0.03)


def test_coupon_values_have_their_counts():
    values, counts = np.unique(built(COUPON).value, return_counts=True)
    assert values.tolist() == [0.48, 0.5, 0.75, 0.8, 0.875, 0.95, 0.995, 1.0]
    assert counts.tolist() == [2, 101, 3, 9, 1, 1, 3, 22]


def test_edx_has_its_exact_zeros_and_its_one():
    arms = built(EDX)
    assert int(np.sum(arms.mean == 0)) == int(np.sum(arms.mean == 1)) == 1
    assert int(np.sum(arms.value == 0)) == 4


@BOTH
def test_the_largest_expected_rewards_are_the_published_ones(facts):
    arms = built(facts)
    top = {
        "coupon_published": [0.2031, 0.2020, 0.1333, 0.1270, 0.1261, 0.1250],
        "edx_courses": [0.01913, 0.01798, 0.01734, 0.01672, 0.01645, 0.01617],
    }[facts["kind"]]
    reward = np.sort(arms.mean * arms.value)[::-1][:6]
    np.testing.assert_allclose(reward, top, rtol=2e-3)


@BOTH
def test_they_say_what_they_are(facts):
    arms = built(facts)
    assert arms.source == "standin"
    assert arms.note == "stand-in arms, not the real data"
    assert arms.dataset == "some name"
    assert arms.sha256 == arms.address == ""
    assert all(label.startswith("stand-in") for label in arms.label)


@BOTH
def test_they_are_the_same_arms_on_every_machine(facts):
    arms = built(facts)
    numbers = np.round(np.concatenate([arms.mean, arms.value]), 9)
    digest = hashlib.sha256((numbers + 0.0).astype("<f8").tobytes()).hexdigest()[:16]
    assert digest == DIGESTS[facts["kind"]], "another stand-in makes old results incomparable"


def test_both_coupon_kinds_share_a_standin():
    first, second = (
        stand_in(KINDS[kind].facts(), "") for kind in ("coupon_published", "coupon_raw")
    )
    np.testing.assert_array_equal(first.mean, second.mean)


def test_no_standin_arm_is_a_row_of_the_real_data_but_the_published_ones(mirror):
    columns = read_float_arrays(
        mirror / "coupon_purchase.npy", ("reward_event_mean", "reward_value")
    )
    real = set(zip(*columns, strict=True))
    facts = KINDS["coupon_published"].facts()
    arms = built(COUPON)
    shared = set(zip(arms.mean, arms.value, strict=True)) & real
    assert shared <= {*facts.optimal.values(), *facts.listed}
