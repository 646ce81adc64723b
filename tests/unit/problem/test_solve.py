"""The stationary optimum: worked by hand, in the corners, and on the real data."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from lincon.data import arms
from lincon.data.sources import extract
from lincon.errors import UserError
from lincon.problem.goal import Constraint, Goal
from lincon.problem.record import Problem, gaps, require_arms, require_feasible
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


def test_at_a_corner_the_price_is_that_of_falling_short():
    """All plays of the second model: a success less saves 1 / 0.3, one more would cost 4 / 0.3."""
    stated = solve_problem(CHEAP, cheapest(0.6))
    assert (stated.support, stated.prices) == ((1,), pytest.approx((1 / 0.3,)))


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


def test_a_problem_of_other_arms_is_refused():
    stated = solve_problem(small(), 0.5)
    require_arms(stated, small(), constraints="eta_0.5")
    for other, asked in (
        (CHEAP, ""),
        (arms.make([0.6], [1.0], dataset="small"), ""),
        (small(), "eta_0.4"),
    ):
        with pytest.raises(UserError, match=r"^p\.json: the .* (is|are) .* instead of .*; delete"):
            require_arms(stated, other, "p.json", asked)


def test_constraints_that_cannot_be_met_together():
    capped = Constraint("spending", per_play="cost", sense="at_most", bound=2.0)
    stated = solve_problem(CHEAP, cheapest(0.75, capped))
    assert not stated.feasible
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


def test_shares_inside_the_support_that_can_move_are_not_unique():
    """Two arms earn the same; the one with a quota of .3 may have any share from there on."""
    made = arms.make([0.5, 0.5], [1.0, 1.0], columns={"first": [1, 0]})
    quota = Constraint("quota", per_play="first", bound=0.3)
    slack = Constraint("rate", per_event=1.0, bound=0.2)
    for constraints in ((quota,), (quota, slack), (slack, quota)):
        assert not solve_problem(made, Goal(constraints)).unique
    dearer = arms.make([0.5, 0.5], [0.9, 1.0], columns={"first": [1, 0]})
    assert solve_problem(dearer, Goal((quota, slack))).unique


# --- any units


def random_problem(rng, kinds=1):
    """Arms with costs and shares, and a goal of two constraints that a mixture meets."""
    n = int(rng.integers(kinds, 12)) + kinds
    kind = [f"k{i % kinds}" for i in range(n)] if kinds > 1 else None
    cost, share = rng.random((2, n))
    columns = {"cost": cost, "share": share}
    made = arms.make(rng.random(n), rng.random(n), columns=columns, kind=kind)
    x = rng.dirichlet(np.ones(n))
    x /= np.bincount(made.kind, x)[made.kind] / made.kind_shares[made.kind]
    rate = Constraint("rate", per_event=1.0, bound=float(x @ made.mean))
    spend = Constraint("spend", 0.0, "share", "at_most", float(x @ share))
    return made, Goal((rate, spend))


def scaled(made, goal, gain, amount):
    """The same problem with rewards and amounts in other units."""
    cost, share = made.columns["cost"] * gain, made.columns["share"] * amount
    rate, spend = goal.constraints
    rate = replace(rate, per_event=amount, bound=rate.bound * amount)
    spend = replace(spend, bound=spend.bound * amount)
    columns = {"cost": cost, "share": share, "worth": made.value * gain}
    return replace(made, columns=columns), replace(goal, constraints=(rate, spend), value="worth")


@pytest.mark.parametrize("kinds", [1, 3])
@pytest.mark.parametrize(("gain", "amount"), [(2.0**-40, 1.0), (1.0, 2.0**40), (2.0**30, 2.0**-30)])
def test_other_units_give_the_same_answer(gain, amount, kinds):
    """Units that are powers of two change no digit; those of ten change the last."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        made, goal = random_problem(rng, kinds)
        first, second = solve_problem(made, goal), solve_problem(*scaled(made, goal, gain, amount))
        assert (first.support, first.shares) == (second.support, second.shares)
        assert (first.unique, first.binding) == (second.unique, second.binding)
        assert second.optimum == first.optimum * gain
        assert second.prices == tuple(price * gain / amount for price in first.prices)
        gap = gaps(scaled(made, goal, gain, amount)[0], second)
        np.testing.assert_array_equal(gap, gaps(made, first) * gain)
        ten = solve_problem(*scaled(made, goal, 10.0**9, 1e-8))
        assert (ten.support, ten.unique) == (first.support, first.unique)
        assert ten.shares == pytest.approx(first.shares)


def test_the_price_at_a_bound_of_tiny_rates():
    """At the second arm's own rate: an event less saves 0.25."""
    for unit in (1.0, 1e-8):
        rates = np.array([0.2, 0.4, 0.9]) * unit
        made = arms.make(rates, [1.0, 0.625, 0.0], columns={"pay": [0.3, 0.25, -0.05]})
        goal = Goal.from_dict({"eta": rates[1], "objective": {"value": 0, "cost": 0}})
        goal = replace(goal, cost="minus")
        made = replace(made, columns={"minus": -made.columns["pay"] * unit})
        assert solve_problem(made, goal).prices == pytest.approx((0.25,))


def test_arms_of_tiny_rates_that_are_worse_have_a_gap():
    made = arms.make([6e-12, 5e-12], [1.0, 1.0])
    stated = solve_problem(made, 0.0)
    assert stated.support == (0,) and gaps(made, stated)[1] == pytest.approx(1e-12)
    assert stated.unique


@pytest.mark.parametrize("largest", [1e4, 1e6])
def test_optimal_arms_have_no_gap_however_large_costs_are(largest):
    rng = np.random.default_rng(8)
    for _ in range(200):
        n = int(rng.integers(2, 30))
        cost = 10.0 ** rng.uniform(0, np.log10(largest), n)
        made = arms.make(rng.random(n), np.zeros(n), columns={"cost": cost})
        stated = solve_problem(made, cheapest(float(rng.uniform(0, made.mean.max()))))
        gap = gaps(made, stated)
        assert (gap[list(stated.support)] == 0.0).all()
        assert np.count_nonzero(gap == 0.0) == len(stated.support) and stated.unique


# --- kinds of request


def routing(shares=None, **keys):
    path = REPOSITORY / "config" / "llm_routing.csv"
    entry = {"kind": "user", "path": str(path), "kind_column": "benchmark", "kinds": shares, **keys}
    entry = {key: value for key, value in entry.items() if value is not None}
    return extract(entry, [path], "models")


SHARES = {"LiveCodeBench": 0.3, "MMLU-Pro": 0.5, "GPQA": 0.2}
DEEPSEEK = Constraint("deepseek", per_play="supplier=DeepSeek", sense="at_most", bound=0.4)


@pytest.mark.parametrize(
    ("floor", "cost", "prices", "split"),
    [
        (0.75, 0.742839, 5.1448, {"DeepSeek-V3.1-Terminus": 0.304754, "Qwen3-235B": 0.695246}),
        (0.78, 1.498109, 115.8125, {"DeepSeek-V3.1-Terminus": 0.836790, "Qwen3-Thinking": 0.16321}),
        (
            0.80,
            3.814358,
            115.8125,
            {"DeepSeek-V3.1-Terminus": 0.235648, "Qwen3-Thinking": 0.764352},
        ),
        (0.82, 8.319037, 344.3114, {"DeepSeek-V3.1-Terminus": 0.755689, "GPT-5": 0.244311}),
        (0.84, 16.151463, 472.5224, {"GPT-5": 0.305211, "Qwen3-Thinking": 0.694789}),
    ],
)
def test_one_floor_over_three_kinds_of_question(floor, cost, prices, split):
    """Costs in USD per 1,000 requests; one kind is split between two models."""
    made = routing(SHARES)
    stated = solve_problem(made, cheapest(floor))
    assert stated.optimum == pytest.approx(-cost, abs=1e-6)
    assert stated.prices == pytest.approx((prices,), abs=5e-5)
    mixed = {made.label[i]: x for i, x in zip(stated.support, stated.shares, strict=True) if x < 1}
    assert mixed == pytest.approx(split, abs=1e-6)
    assert (stated.kinds, stated.kind_shares) == (tuple(SHARES), tuple(SHARES.values()))
    assert stated.level - stated.prices[0] * floor == pytest.approx(stated.optimum)
    gap, x = gaps(made, stated), np.zeros(len(made))
    x[list(stated.support)] = stated.shares
    assert np.bincount(made.kind, x) == pytest.approx([1, 1, 1]) and (gap >= 0).all()
    gain = -made.columns["cost"] + stated.prices[0] * made.mean
    assert gap == pytest.approx(np.array(stated.levels)[made.kind] - gain, abs=1e-9)
    assert Problem.from_json(stated.to_json()) == stated


def test_a_cap_on_a_supplier_over_three_kinds():
    stated = solve_problem(routing(SHARES), cheapest(0.8, DEEPSEEK))
    assert stated.optimum == pytest.approx(-4.314525, abs=1e-6)
    assert stated.prices == pytest.approx((103.6459, 1.3493), abs=5e-5)
    assert stated.amounts == pytest.approx((0.8, 0.4))


def by_highs(made, floor):
    """The least cost of a floor in every kind, and of one mixture for all requests."""
    of_kind = [(made.mean[made.kind == k], made.columns["cost"][made.kind == k]) for k in range(3)]
    assert len({made.label[13 * k : 13 * k + 13] for k in range(3)}) == 1, "in the same order"
    shares = made.kind_shares
    same = tuple(sum(p * each[n] for p, each in zip(shares, of_kind, strict=True)) for n in (0, 1))
    costs = [
        linprog(cost, A_ub=[-mean], b_ub=[-floor], A_eq=[np.ones(13)], b_eq=[1.0]).fun
        for mean, cost in (*of_kind, same)
    ]
    return shares @ costs[:3], costs[3]


def test_one_floor_costs_less_than_one_mixture_or_a_floor_in_every_kind():
    made = routing(SHARES)
    floors = [replace(cheapest(0.8).constraints[0], name=kind, kind=kind) for kind in SHARES]
    split = solve_problem(made, replace(cheapest(0.8), constraints=tuple(floors)))
    assert split.optimum == pytest.approx(-9.034, abs=5e-4)
    assert split.amounts[0] == pytest.approx(0.8), "a rate among the requests of its kind"
    assert split.reachable == pytest.approx((0.8645, 0.8737, 0.8485))
    costs = {0.75: (0.7716, 3.532), 0.78: (2.581326, 5.531), 0.80: (8.887326, 9.034)}
    costs |= {0.82: (15.193327, 14.115), 0.84: (21.499327, 19.401)}
    for floor, (same, each) in costs.items():
        stated = solve_problem(made, cheapest(floor))
        bound, *ways = stated.frontier[len(stated.frontier) // 2]
        assert bound == floor and ways[0] == pytest.approx(stated.optimum, abs=1e-12)
        assert (-ways[1], -ways[2]) == pytest.approx(by_highs(made, floor), abs=1e-6)
        assert ways[1] == pytest.approx(-each, abs=5e-4)
        assert ways[2] == pytest.approx(-same, abs=1e-6)
    bounds, together, each, same = np.array(stated.frontier, dtype=float).T
    assert bounds[-1] == stated.reachable[0] and (np.diff(together) <= 1e-12).all()
    assert (together >= same - 1e-9).all() and np.isnan(each[-1]), (
        "no model is so good in each kind"
    )


def test_one_kind_is_no_kind():
    """To the bit, with one constraint and with two."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        made, goal = random_problem(rng)
        named = arms.make(made.mean, made.value, columns=made.columns, kind=["all"] * len(made))
        for asked in (goal, replace(goal, constraints=goal.constraints[:1])):
            stated = replace(solve_problem(named, asked), kinds=())
            assert stated == solve_problem(made, asked)


def test_a_kind_that_the_arms_do_not_have_is_refused():
    floor = Constraint("code", per_event=1.0, bound=0.5, kind="code")
    with pytest.raises(
        UserError, match=r"constraints\.code\.kind: models has no kind 'code'; allo"
    ):
        solve_problem(routing(SHARES), cheapest(0.5, floor))


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
