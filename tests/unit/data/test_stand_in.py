"""The stand-ins: the published facts hold, and nothing about them can drift."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from lincon.data.arms import Arms
from lincon.data.kinds import KINDS
from lincon.data.npy import read_dict
from lincon.data.stand_in import LEVELS, stand_in
from lincon.problem.solve import solve_problem

FACTS: dict[str, dict[str, Any]] = {
    "coupon_published": {
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
        "top": (0.2031, 0.2020, 0.1333, 0.1270, 0.1261, 0.1250),
        "digest": "8b94fcd88268647d",
    },
    "edx_courses": {
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
        "top": (0.01913, 0.01798, 0.01734, 0.01672, 0.01645, 0.01617),
        "digest": "62896cddec629a85",
    },
}
BOTH = pytest.mark.parametrize("kind", FACTS)


def built(kind: str) -> Arms:
    return stand_in(KINDS[kind].facts(), "some name")


@BOTH
def test_the_published_facts_hold(kind):
    arms, facts = built(kind), FACTS[kind]
    assert len(arms) == facts["size"]
    assert int(np.sum(arms.mean >= facts["eta"])) == facts["above"]
    for name, numbers in (("mean", arms.mean), ("value", arms.value)):
        assert (numbers.min(), numbers.max()) == pytest.approx(facts[name], abs=1e-9)
        quantiles = np.quantile(numbers, LEVELS)
        np.testing.assert_allclose(quantiles, facts[f"{name}_quantiles"], rtol=0.1)
    assert spearmanr(arms.mean, arms.value).statistic == pytest.approx(-0.22, abs=0.03)
    reward = np.sort(arms.mean * arms.value)[::-1][:6]
    np.testing.assert_allclose(reward, facts["top"], rtol=2e-3)


@BOTH
def test_the_optimum_to_four_digits(kind):
    facts = FACTS[kind]
    problem = solve_problem(built(kind), facts["eta"])
    assert problem.optimum == pytest.approx(facts["optimum"], rel=5e-5)
    shares = dict(zip(problem.support, problem.shares, strict=True))
    assert shares == pytest.approx(facts["shares"], abs=5e-5)
    assert problem.prices[0] == pytest.approx(facts["price"], rel=1e-2)
    assert problem.binds and problem.unique


def test_values_and_zeros_have_their_counts():
    values, counts = np.unique(built("coupon_published").value, return_counts=True)
    assert values.tolist() == [0.48, 0.5, 0.75, 0.8, 0.875, 0.95, 0.995, 1.0]
    assert counts.tolist() == [2, 101, 3, 9, 1, 1, 3, 22]
    edx = built("edx_courses")
    assert int(np.sum(edx.mean == 0)) == int(np.sum(edx.mean == 1)) == 1
    assert int(np.sum(edx.value == 0)) == 4


@BOTH
def test_they_say_what_they_are_and_are_the_same_on_every_machine(kind):
    arms = built(kind)
    assert (arms.source, arms.dataset) == ("standin", "some name")
    assert arms.note == "stand-in arms, not the real data"
    assert arms.sha256 == arms.address == ""
    assert all(label.startswith("stand-in") for label in arms.label)
    numbers = np.round(np.concatenate([arms.mean, arms.value]), 9)
    digest = hashlib.sha256((numbers + 0.0).astype("<f8").tobytes()).hexdigest()[:16]
    assert digest == FACTS[kind]["digest"], "another stand-in makes old results incomparable"


def test_no_standin_arm_is_a_row_of_the_real_data_but_the_published_ones(mirror):
    columns = read_dict(mirror / "coupon_purchase.npy")
    real = set(zip(columns["reward_event_mean"], columns["reward_value"], strict=True))
    facts = KINDS["coupon_published"].facts()
    arms = built("coupon_published")
    shared = set(zip(arms.mean, arms.value, strict=True)) & real
    assert shared <= {*facts.optimal.values(), *facts.listed}
