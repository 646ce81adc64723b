"""The theory table: worked by hand, at its edges, and on the real data."""

import math

import numpy as np
import pytest

from lincon.analysis.measures import measured
from lincon.analysis.theory import bounds, lower_bound, theory_table
from lincon.data import arms
from lincon.problem.goal import Constraint, Goal
from lincon.problem.solve import solve_problem
from tests.real_data import real_arms
from tests.unit.analysis.made_runs import runs_of, small


def table_of(made, eta):
    stated = solve_problem(made, eta)
    return theory_table(made, stated), stated


def reached(made, goal, horizon):
    """The bounds beside four runs that earn 0.17 and 0.49 events per round."""
    table, stated = table_of(made, goal)
    series = runs_of(np.array([horizon]), np.full(4, 0.17), np.full(4, 0.49), np.full((4, 1), 7.0))
    ended, _ = measured({"new": series}, made, stated)
    frame = bounds(ended, table, stated, horizon, "new")
    return frame if frame.empty else frame.set_index("quantity")


def divergence(p, q):
    first = p * math.log(p / q) if p > 0 else 0.0
    return first + (1 - p) * math.log((1 - p) / (1 - q))


def test_a_problem_worked_by_hand():
    table, _ = table_of(small(), 0.5)
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
    assert table["plays_coefficient"].tolist() == pytest.approx([0, 0, 1.21 / kl])
    root = 18 * math.sqrt(2 * 100 * math.log(2))
    # The dearest plays cost 0.025 of reward (the second and third arm), 0.1 of events (the first).
    plays, rows = 1.21 / kl * math.log(100), reached(small(), 0.5, 100)
    assert rows["bound"].to_dict() == pytest.approx(
        {"suboptimal": plays, "regret": 0.025 * (plays + root), "violation": 0.1 * root}
    )
    assert rows["value"].to_dict() == pytest.approx(
        {"suboptimal": 7.0, "regret": 0.5, "violation": 1.0}
    )
    assert rows["uniform"].to_dict() == pytest.approx(
        {"suboptimal": 100 / 3, "regret": 100 * 0.025 / 3, "violation": 0.0}
    )


def test_a_bound_above_uniform_play_is_vacuous_and_other_goals_have_none():
    assert reached(small(), 0.5, 10_000).loc["regret", "vacuous"]
    assert not reached(small(), 0.5, 10**10).loc["regret", "vacuous"]
    capped = Goal((Constraint("spend", per_play="value", sense="at_most", bound=0.4),))
    assert reached(small(), capped, 100).empty


def test_a_play_that_costs_less_than_nothing_adds_nothing_to_a_bound():
    # Both suboptimal: the fourth earns 0.02 more than r*, the fifth has 0.05 events to spare.
    made = arms.make([0.4, 0.6, 0.5, 0.3, 0.55], [0.5, 0.25, 0.3, 0.65, 0.2])
    table, horizon = table_of(made, 0.5)[0], 100
    plays = math.log(horizon) * table["plays_coefficient"]
    assert table["delta_reward"][3] == pytest.approx(-0.02)
    assert table["delta_events"][4] == pytest.approx(-0.05)
    root = 18 * math.sqrt(2 * horizon * math.log(2))
    rows = reached(made, 0.5, horizon)["bound"]
    assert rows["regret"] - root * table["delta_reward"].max() == pytest.approx(
        (plays * table["delta_reward"])[[2, 4]].sum()
    )
    assert rows["violation"] - root * table["delta_events"].max() == pytest.approx(
        (plays * table["delta_events"])[[2, 3]].sum()
    )


def test_an_arm_that_nothing_could_make_optimal_needs_no_exploration():
    # xi = 0.3 / 0.25 for the fourth arm: even a mean of one would not do.
    made = arms.make([0.4, 0.6, 0.5, 0.3], [0.5, 0.25, 0.3, 0.0])
    table, _ = table_of(made, 0.5)
    last = table.iloc[-1]
    assert last["xi"] == pytest.approx(1.2) and last["kl"] == math.inf
    assert last["lower_bound"] == last["plays_coefficient"] == 0.0
    assert last["gap"] > 0.0


def test_an_infeasible_goal_gives_unknowns_and_no_crash():
    table, _ = table_of(small(), 0.9)
    assert not table["optimal"].any()
    unknown = ["share", "xi", "kl", "delta_reward", "gap", "lower_bound"]
    assert table[[*unknown, "plays_coefficient"]].isna().all().all()
    assert table["delta_events"].tolist() == pytest.approx([0.5, 0.3, 0.4])
    assert lower_bound(table) is None and reached(small(), 0.9, 10).empty


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


@pytest.mark.parametrize("scale", [1e4, 1e6, 1e-6])
def test_the_lower_bound_does_not_depend_on_the_unit_of_costs(scale):
    goal = Goal((Constraint("event", 1.0, 0.0, "at_least", 0.5),), value=0.0, cost="cost")
    rng, ones = np.random.default_rng(7), np.ones(8)
    for _ in range(100):
        mean, cost = rng.uniform(0.05, 0.95, 8), rng.uniform(0.0, 1.0, 8)
        if mean.max() < 0.5:
            continue
        one, other = (
            table_of(arms.make(mean, ones, columns={"cost": k * cost}), goal)[0]
            for k in (1.0, scale)
        )
        assert one["optimal"].tolist() == other["optimal"].tolist()
        assert lower_bound(other) == pytest.approx(scale * lower_bound(one), rel=1e-9)


def test_with_kinds_of_request_an_arm_enters_at_the_level_of_its_kind():
    rng = np.random.default_rng(6)
    mean, value, kind = rng.uniform(0.1, 0.9, 8), rng.uniform(0.0, 1.0, 8), ["a"] * 4 + ["b"] * 4
    keys = {"kind": kind, "kind_shares": {"a": 0.3, "b": 0.7}}
    table, _ = table_of(arms.make(mean, value, **keys), 0.6)
    entering = np.flatnonzero(table["kl"].between(1e-6, 1e6))
    assert len(entering) > 1
    for arm in entering:
        xi, side = table["xi"][arm], np.sign(table["xi"][arm] - table["mean"][arm])
        for step, played in ((1e-4, True), (-1e-4, False)):
            moved = mean.copy()
            moved[arm] = xi + side * step
            changed = solve_problem(arms.make(moved, value, **keys), 0.6)
            assert (arm in changed.support) == played
