"""The theory table: worked by hand, at its edges, and on the real data."""

import math

import numpy as np
import pytest

from lincon.analysis.measures import outcomes
from lincon.analysis.theory import (
    bounds,
    bounds_table,
    noise_floors,
    theory_table,
    uniform_play,
)
from lincon.data import arms
from lincon.problem.goal import Constraint, Goal
from lincon.problem.solve import solve_problem
from tests.real_data import real_arms
from tests.unit.analysis.made_runs import runs_of, small


def table_of(made, eta):
    stated = solve_problem(made, eta)
    return theory_table(made, stated), stated


def divergence(p, q):
    first = p * math.log(p / q) if p > 0 else 0.0
    return first + (1 - p) * math.log((1 - p) / (1 - q))


def test_a_problem_worked_by_hand():
    table, stated = table_of(small(), 0.5)
    xi = 0.3 / (0.3 + 0.25)
    kl = divergence(0.5, xi)
    assert table["optimal"].tolist() == [True, True, False]
    assert table["share"].tolist() == pytest.approx([0.5, 0.5, 0.0])
    assert table["xi"].tolist() == pytest.approx([0.4, 0.6, xi])
    assert table["kl"].tolist() == pytest.approx([0.0, 0.0, kl])
    assert table["delta_reward"].tolist() == pytest.approx([-0.025, 0.025, 0.025])
    assert table["delta_events"].tolist() == pytest.approx([0.1, -0.1, 0.0])
    assert table["gap"].tolist() == pytest.approx([0.0, 0.0, 0.025])
    assert table["lower_bound"].tolist() == pytest.approx([0.0, 0.0, 0.025 / kl])
    assert table["regret_coefficient"].tolist() == pytest.approx([0, 0, 1.21 * 0.025 / kl])
    assert table["violation_coefficient"].tolist() == pytest.approx([0.0, 0.0, 0.0])
    root = 18 * math.sqrt(2 * 100 * math.log(2))
    # The dearest plays cost 0.025 of reward (the second and third arm), 0.1 of events (the first).
    plays = 1.21 / kl * math.log(100)
    assert bounds(table, stated, 100) == pytest.approx(
        {"suboptimal": plays, "regret": 0.025 * (plays + root), "violation": 0.1 * root}
    )
    assert uniform_play(table, 300) == pytest.approx(
        {"suboptimal": 100.0, "regret": 300 * 0.025 / 3, "violation": 0.0}
    )


@pytest.mark.parametrize(("horizon", "vacuous"), [(10_000, True), (10**10, False)])
def test_bounds_stand_beside_what_was_reached_and_what_uniform_play_does(horizon, vacuous):
    table, stated = table_of(small(), 0.5)
    series = runs_of(np.array([horizon]), np.full(4, 0.17), np.full(4, 0.49), np.full((4, 1), 7.0))
    ended = outcomes({"new": series}, small(), stated)
    rows = bounds_table(ended, table, stated, horizon, "new").set_index("quantity")
    assert rows["value"].to_dict() == pytest.approx(
        {"suboptimal": 7.0, "regret": 0.005 * horizon, "violation": 0.01 * horizon}
    )
    assert rows["bound"].to_dict() == pytest.approx(bounds(table, stated, horizon))
    assert rows.loc["regret", "vacuous"] == vacuous
    capped = Goal((Constraint("spend", per_play="value", sense="at_most", bound=0.4),))
    stated = solve_problem(small(), capped)
    assert bounds_table(ended, theory_table(small(), stated), stated, horizon, "new").empty


def test_a_play_that_costs_less_than_nothing_adds_nothing_to_a_bound():
    # Both suboptimal: the fourth earns 0.02 more than r*, the fifth has 0.05 events to spare.
    made = arms.make([0.4, 0.6, 0.5, 0.3, 0.55], [0.5, 0.25, 0.3, 0.65, 0.2])
    rich, safe = (row for _, row in table_of(made, 0.5)[0].iloc[3:].iterrows())
    assert rich["delta_reward"] == pytest.approx(-0.02) and rich["regret_coefficient"] == 0.0
    assert rich["violation_coefficient"] == pytest.approx(1.21 * 0.2 / rich["kl"])
    assert safe["delta_events"] == pytest.approx(-0.05) and safe["violation_coefficient"] == 0.0


def test_an_arm_that_nothing_could_make_optimal_needs_no_exploration():
    # xi = 0.3 / 0.25 for the fourth arm: even a mean of one would not do.
    made = arms.make([0.4, 0.6, 0.5, 0.3], [0.5, 0.25, 0.3, 0.0])
    table, _ = table_of(made, 0.5)
    last = table.iloc[-1]
    assert last["xi"] == pytest.approx(1.2) and last["kl"] == math.inf
    assert last["lower_bound"] == last["regret_coefficient"] == last["plays_coefficient"] == 0.0
    assert last["gap"] > 0.0


def test_an_infeasible_goal_gives_unknowns_and_no_crash():
    table, stated = table_of(small(), 0.9)
    assert not table["optimal"].any()
    unknown = ["share", "xi", "kl", "delta_reward", "gap", "lower_bound"]
    assert table[[*unknown, "regret_coefficient", "violation_coefficient"]].isna().all().all()
    assert table["delta_events"].tolist() == pytest.approx([0.5, 0.3, 0.4])
    assert math.isnan(bounds(table, stated, 10.0)["regret"])
    assert np.isnan(noise_floors(small(), stated, np.array([10.0]))["violation_0"]).all()


def test_the_noise_floor_is_what_the_optimal_mixture_shows():
    made = small()
    _, stated = table_of(made, 0.5)
    rounds = 400
    floors = noise_floors(made, stated, np.array([float(rounds)]))
    assert floors["violation_0"][0] == pytest.approx(math.sqrt(0.25 * rounds / (2 * math.pi)))
    rng = np.random.default_rng(1)
    arm = rng.integers(0, 2, (20_000, rounds))
    event = rng.random(arm.shape) < made.mean[arm]
    reward = (event * made.value[arm]).sum(axis=1)
    violation = np.maximum(rounds * 0.5 - event.sum(axis=1), 0).mean()
    regret = np.maximum(rounds * stated.optimum - reward, 0).mean()
    assert floors["violation_0"][0] == pytest.approx(violation, rel=0.03)
    assert floors["regret"][0] == pytest.approx(regret, rel=0.03)


@pytest.mark.parametrize(("dataset", "slope", "idle"), [("coupon", 139.2, 0), ("edx", 46.5, 15)])
def test_the_lower_bound_on_the_papers_data(mirror, dataset, slope, idle):
    made, eta = real_arms(mirror)[dataset]
    table, _ = table_of(made, eta)
    assert round(table["lower_bound"].sum(), 1) == slope
    assert table["optimal"].sum() == 2
    assert (table["gap"] >= 0.0).all() and (table["xi"] >= table["mean"]).all()
    suboptimal = ~table["optimal"]
    assert (np.isinf(table["kl"]) & suboptimal).sum() == idle
    assert (table.loc[suboptimal, "kl"] > 0.0).all()


@pytest.mark.parametrize("seed", range(12))
def test_an_arm_enters_the_optimum_exactly_at_xi(seed):
    """With costs and any sign of a coefficient: on the far side of xi the arm is played."""
    rng = np.random.default_rng(seed)
    made = arms.make(rng.uniform(0.1, 0.9, 6), rng.uniform(0.0, 1.0, 6))
    sense = ("at_least", "at_most")[seed % 2]
    one = Constraint("c", float(rng.uniform(-1.0, 1.0)), "value", sense, 0.0)
    amounts = one.per_event * made.mean + made.value
    goal = Goal((Constraint("c", one.per_event, "value", sense, float(np.median(amounts))),), 1.0)
    stated = solve_problem(made, goal)
    table = theory_table(made, stated)
    assert table["amount_0"].tolist() == pytest.approx(amounts.tolist()), "in the user's sign"
    for arm in np.flatnonzero(table["kl"].between(1e-6, 1e6)):
        xi, side = table["xi"][arm], np.sign(table["xi"][arm] - table["mean"][arm])
        for step, played in ((1e-4, True), (-1e-4, False)):
            mean = made.mean.copy()
            mean[arm] = xi + side * step
            if 0.0 <= mean[arm] <= 1.0:
                changed = solve_problem(arms.make(mean, made.value), goal)
                assert (arm in changed.support) == played
