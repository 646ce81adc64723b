"""The stationary optimum: worked by hand, in the corners, and on the real data."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.optimize import linprog

from lincon.data import arms
from lincon.errors import UserError
from lincon.problem.goal import Constraint, Goal
from lincon.problem.record import Problem, gaps, require_feasible
from lincon.problem.solve import solve_problem
from tests.real_data import REPOSITORY, real_arms
from tests.unit.analysis.made_runs import small

# The envelope of CORNER falls by 0.2 per unit before its corner at 0.5, and by 1 after it: the tie
# with the arm below eta is not a second optimum. Eta at the best arm's own mean does not bind.
CORNER = arms.make([0.25, 0.5, 0.75], [0.8, 0.3, 0.0])


@pytest.mark.parametrize(
    ("made", "eta", "shares", "optimum", "price"),
    [
        (small(), 0.5, {0: 0.5, 1: 0.5}, 0.175, 0.25),
        (small(), 0.3, {0: 1.0}, 0.2, 0.0),
        (small(), 0.6, {1: 1.0}, 0.15, 0.25),
        (CORNER, 0.5, {1: 1.0}, 0.15, 0.2),
        (arms.make([0.5, 0.3], [0.5, 0.5]), 0.5, {0: 1.0}, 0.25, 0.0),
        (arms.make([0.5], [0.5]), 0.5, {0: 1.0}, 0.25, 0.0),
    ],
)
def test_optima_worked_by_hand(made, eta, shares, optimum, price):
    stated = solve_problem(made, eta)
    assert stated.feasible and stated.unique
    assert dict(zip(stated.support, stated.shares, strict=True)) == pytest.approx(shares)
    assert stated.optimum == pytest.approx(optimum)
    assert stated.prices == pytest.approx((price,)) and stated.binds == (price > 0)
    assert stated.level == pytest.approx(optimum + price * eta)
    assert stated.slater_gaps[0] == pytest.approx(made.mean.max() - eta)
    assert Problem.from_json(stated.to_json()) == stated
    require_feasible(stated)


def test_an_eta_out_of_reach_is_described_and_refused_only_on_request():
    stated = solve_problem(small(), 0.61)
    assert not stated.feasible and not stated.binds and not stated.unique
    assert stated.support == stated.shares == stated.prices == ()
    assert stated.optimum is stated.level is None
    assert Problem.from_json(stated.to_json()) == stated
    with pytest.raises(UserError, match=r"eta 0\.61 cannot be met on small: .* at most 0\.6, "):
        require_feasible(stated)


@pytest.mark.parametrize(
    ("mean", "value"),
    [
        ([0.4, 0.6, 0.6], [0.5, 0.25, 0.25]),  # the same point twice
        ([0.4, 0.6, 0.5], [0.5, 0.25, 0.35]),  # a third arm on the line, at eta
        ([0.2, 0.8, 0.5], [1.0, 0.0, 0.2]),  # the same, found as a corner
        ([0.6, 0.3], [0.5, 1.0]),  # equal rewards while eta does not bind
    ],
)
def test_ties_are_not_unique(mean, value):
    assert not solve_problem(arms.make(mean, value), 0.5).unique


@pytest.mark.parametrize("seed", range(30))
def test_the_optimum_and_its_price_are_those_of_a_solver(seed):
    rng = np.random.default_rng(seed)
    n = int(np.exp(rng.uniform(0.7, 5.7)))
    made = arms.make(rng.random(n), rng.random(n))
    eta = float(rng.uniform(0, made.mean.max()))
    stated = solve_problem(made, eta)
    reward = made.mean * made.value
    found = linprog(-reward, A_ub=[-made.mean], b_ub=[-eta], A_eq=[np.ones(n)], b_eq=[1.0])
    assert stated.optimum == pytest.approx(-found.fun, abs=1e-9)
    assert stated.prices[0] == pytest.approx(-found.ineqlin.marginals[0], abs=1e-9)
    assert stated.optimum == pytest.approx(stated.level - stated.prices[0] * eta, abs=1e-12)


@pytest.mark.parametrize(
    ("dataset", "optimum", "share", "price"),
    [
        ("coupon", 0.2023580366, 0.2925890279, 0.0163618864),
        ("edx", 0.0139351287, 0.6308600387, 0.0177534121),
    ],
)
def test_the_papers_problems(mirror, dataset, optimum, share, price):
    made, eta = real_arms(mirror)[dataset]
    stated = solve_problem(made, eta)
    assert stated.feasible and stated.binds and stated.unique
    assert stated.optimum == pytest.approx(optimum, abs=5e-11)
    assert stated.shares[0] == pytest.approx(share, abs=5e-11)
    assert stated.prices == pytest.approx((price,), abs=5e-11)
    low, high = stated.support
    (mean_1, mean_2), (value_1, value_2) = made.mean[[low, high]], made.value[[low, high]]
    level = (value_1 - value_2) * mean_1 * mean_2 / (mean_2 - mean_1)
    assert stated.level == pytest.approx(level, rel=1e-12)


# --- any constraints


CHEAP = arms.make([0.3, 0.6, 0.9], [0.0, 0.0, 0.0], dataset="models", columns={"cost": [1, 2, 6]})


def cheapest(eta, *more):
    """The cheapest mixture with a success rate of at least eta."""
    return Goal((Constraint("rate", per_event=1.0, bound=eta), *more), value=0.0)


def test_the_cheapest_mixture_at_a_floor():
    """Half of each of the two dearer models: 4 per play; the last success costs 4 / 0.3."""
    stated = solve_problem(CHEAP, cheapest(0.75))
    assert (stated.support, stated.shares) == ((1, 2), pytest.approx((0.5, 0.5)))
    assert stated.optimum == pytest.approx(-4.0)
    assert stated.prices == pytest.approx((4 / 0.3,))
    assert stated.goal.eta is None and stated.slater_gaps == pytest.approx((0.15,))
    assert gaps(CHEAP, stated)[0] == pytest.approx(stated.level + 1 - 0.3 * 4 / 0.3)


def test_at_a_corner_repaying_is_dearer_than_falling_short():
    """All plays of the second model: a success less saves 1 / 0.3, one more costs 4 / 0.3."""
    stated = solve_problem(CHEAP, cheapest(0.6))
    assert (stated.support, stated.prices) == ((1,), pytest.approx((1 / 0.3,)))
    assert stated.prices_left == pytest.approx((1 / 0.3,))
    assert stated.prices_right == pytest.approx((4 / 0.3,))
    assert solve_problem(CHEAP, cheapest(0.9)).prices_right == (None,)


CAP = Constraint("last", per_play="share", sense="at_most", bound=0.25)
SHARED = arms.make(
    [0.3, 0.6, 0.9, 0.85],
    [0.0] * 4,
    dataset="models",
    columns={"cost": [1, 2, 6, 8], "share": [0, 0, 1, 0]},
)


def test_a_cap_on_a_share_takes_a_third_arm():
    """A quarter of the plays may go to model 2, so some go to model 3, which costs more."""
    stated = solve_problem(SHARED, cheapest(0.75, CAP))
    assert (stated.support, stated.unique) == ((1, 2, 3), True)
    assert stated.shares == pytest.approx((0.45, 0.25, 0.3))
    assert stated.amounts == pytest.approx((0.75, 0.25))
    assert stated.binding == (True, True) and stated.reachable == pytest.approx((0.9, 0.0))
    assert stated.prices == pytest.approx((24.0, 3.2)), "6 for a quarter; 3.2 for a share more"
    gap = gaps(SHARED, stated)
    assert gap[[1, 2, 3]].tolist() == [0.0, 0.0, 0.0] and gap[0] > 0.0
    dual = stated.level - stated.prices[0] * 0.75 + stated.prices[1] * 0.25
    assert stated.optimum == pytest.approx(dual)
    assert Problem.from_json(stated.to_json()) == stated


def test_constraints_that_cannot_be_met_together():
    capped = Constraint("spending", per_play="cost", sense="at_most", bound=2.0)
    stated = solve_problem(CHEAP, cheapest(0.75, capped))
    assert not stated.feasible and stated.prices_right == (None, None)
    with pytest.raises(
        UserError, match="rate, spending can be met alone, but not together on models"
    ):
        require_feasible(stated)
    with pytest.raises(UserError, match=r"spending 0.5 cannot be met on models: .* at least 1,"):
        require_feasible(
            solve_problem(CHEAP, cheapest(0.5, Constraint("spending", 0.0, "cost", "at_most", 0.5)))
        )


def test_equally_good_mixtures_of_several_constraints_are_not_unique():
    twice = arms.make(
        [0.3, 0.6, 0.9, 0.9], [0.0] * 4, columns={"cost": [1, 2, 6, 6], "share": [0, 0, 1, 1]}
    )
    assert not solve_problem(twice, cheapest(0.66, CAP)).unique
    assert solve_problem(twice, cheapest(0.5, CAP)).unique


# --- without Numba


def stated_problems() -> str:
    """300 random problems with one constraint, 100 with two: with ties, corners, infeasible."""
    rng, found = np.random.default_rng(5), []
    for k in range(400):
        n, digits = int(np.exp(rng.uniform(0.0, 5.0))), int(rng.choice([1, 2, 17]))
        mean, value, share = rng.random((3, n)).round(digits)
        made = arms.make(mean, ((1.0 - mean) * value).round(digits), columns={"share": share})
        floor = Goal.floor(round(float(rng.random()), digits))
        found.append(solve_problem(made, floor if k % 4 else Goal((*floor.constraints, CAP))))
    return "".join(stated.to_json() for stated in found)


def test_plain_python_finds_the_same_bits_and_loads_no_numba():
    code = "import sys; from tests.unit.problem.test_solve import stated_problems as made; "
    code += "print(made(), end=''); assert 'numba' not in sys.modules"
    paths = os.pathsep.join([str(REPOSITORY / "workflow"), str(REPOSITORY)])
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths}
    run = [sys.executable, "-c", code]
    found = subprocess.run(run, env=plain, capture_output=True, text=True, check=True)
    assert found.stdout == stated_problems()
