"""The stand-ins: the published facts hold, and nothing about them can drift."""

import hashlib

import numpy as np
import pytest
from scipy.stats import spearmanr

from lincon.data.sources import extract
from lincon.problem.solve import solve_problem
from tests.real_data import CONFIG, real_arms

# What is published: eta, size, arms above eta, the optimum, its shares, price, the largest expected
# rewards. Last, a digest of the arms made of it.
FACTS = {
    "coupon": {
        "known": (0.25, 142, 2, 0.2023580366, {77: 0.292589, 140: 0.707411}, 0.01636),
        "top": (0.2031, 0.2020, 0.1333, 0.1270, 0.1261, 0.1250),
        "digest": "8b94fcd88268647d",
    },
    "edx": {
        "known": (0.5, 290, 3, 0.0139351287, {65: 0.369140, 249: 0.630860}, 0.01775),
        "top": (0.01913, 0.01798, 0.01734, 0.01672, 0.01645, 0.01617),
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


def test_no_standin_arm_is_a_row_of_the_real_data_but_the_published_ones(mirror):
    tables = (real_arms(mirror)["coupon"][0], built("coupon"))
    real, made = (set(zip(table.mean, table.value, strict=True)) for table in tables)
    assert len(real & made) <= 10, "as many as are published one by one"
