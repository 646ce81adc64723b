"""The stand-ins: the published facts hold, and nothing about them can drift."""

import hashlib

import numpy as np
import pytest
from scipy.stats import spearmanr

from lincon.data.sources import extract
from lincon.problem.solve import solve_problem
from tests.real_data import CONFIG, real_arms

LEVELS = (0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99)
# What is published: eta, size, arms above eta, the optimum, its shares, price, the largest expected
# rewards; quantiles of means and of values with their ends. Last, a digest of the arms made of it.
FACTS = {
    "coupon": {
        "known": (0.25, 142, 2, 0.2023580366, {77: 0.292589, 140: 0.707411}, 0.01636),
        "top": (0.2031, 0.2020, 0.1333, 0.1270, 0.1261, 0.1250),
        "mean": (0.007576, 0.0241, 0.0352, 0.0526, 0.084, 0.1139, 0.1555, 0.2154, 0.2516, 0.269388),
        "value": (0.48, 0.5, 0.5, 0.5, 0.5, 0.7875, 1, 1, 1, 1.0),
        "digest": "8b94fcd88268647d",
    },
    "edx": {
        "known": (0.5, 290, 3, 0.0139351287, {65: 0.369140, 249: 0.630860}, 0.01775),
        "top": (0.01913, 0.01798, 0.01734, 0.01672, 0.01645, 0.01617),
        "mean": (0.0, 0.0012, 0.0038, 0.0116, 0.0252, 0.0589, 0.1039, 0.1593, 0.4434, 1.0),
        "value": (0.0, 0.0048, 0.0106, 0.0241, 0.0595, 0.1069, 0.1621, 0.2276, 0.321, 0.339454),
        "digest": "62896cddec629a85",
    },
}


def built(name):
    return extract(CONFIG["datasets"][name], [], name)


@pytest.mark.parametrize("name", FACTS)
def test_the_published_facts_hold_and_the_arms_are_the_same_on_every_machine(name):
    made, facts = built(name), FACTS[name]
    eta, size, above, optimum, shares, price = facts["known"]
    assert (len(made), int(np.sum(made.mean >= eta))) == (size, above)
    for column, numbers in (("mean", made.mean), ("value", made.value)):
        low, *quantiles, high = facts[column]
        assert (numbers.min(), numbers.max()) == pytest.approx((low, high), abs=1e-9)
        np.testing.assert_allclose(np.quantile(numbers, LEVELS), quantiles, rtol=0.1)
    assert spearmanr(made.mean, made.value).statistic == pytest.approx(-0.22, abs=0.03)
    reward = np.sort(made.mean * made.value)[::-1][:6]
    np.testing.assert_allclose(reward, facts["top"], rtol=2e-3)
    problem = solve_problem(made, eta)
    assert problem.optimum == pytest.approx(optimum, rel=5e-5)
    found = dict(zip(problem.support, problem.shares, strict=True))
    assert found == pytest.approx(shares, abs=5e-5)
    assert problem.prices == pytest.approx((price,), rel=1e-2)
    assert problem.binds and problem.unique
    assert (made.source, made.dataset, made.sha256) == ("standin", name, "")
    assert made.note == "stand-in arms, not the real data"
    rounded = np.round(np.concatenate([made.mean, made.value]), 9) + 0.0
    digest = hashlib.sha256(rounded.astype("<f8").tobytes()).hexdigest()[:16]
    assert digest == facts["digest"], "another stand-in makes old results incomparable"


def test_values_and_zeros_have_their_counts():
    values, counts = np.unique(built("coupon").value, return_counts=True)
    assert values.tolist() == [0.48, 0.5, 0.75, 0.8, 0.875, 0.95, 0.995, 1.0]
    assert counts.tolist() == [2, 101, 3, 9, 1, 1, 3, 22]
    edx = built("edx")
    assert int(np.sum(edx.mean == 0)) == int(np.sum(edx.mean == 1)) == 1
    assert int(np.sum(edx.value == 0)) == 4


def test_no_standin_arm_is_a_row_of_the_real_data_but_the_published_ones(mirror):
    tables = (real_arms(mirror)["coupon"][0], built("coupon"))
    real, made = (set(zip(table.mean, table.value, strict=True)) for table in tables)
    assert len(real & made) <= 10, "as many as are published one by one"
