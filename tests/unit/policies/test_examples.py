"""The policies of config/examples on problems whose answer is known."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lincon.data.arms import Arms
from lincon.data.arms import make as make_arms
from lincon.engine.simulate import Run, Setting, simulate
from lincon.policies.own import Task
from lincon.policies.registry import make_policy
from lincon.problem.goal import Constraint, Goal
from lincon.problem.program import program
from lincon.problem.solve import solve_problem

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[3] / "config" / "examples"


def play(example: str, arms: Arms, goal: Goal, horizon: int, **parameters) -> Run:
    policy = make_policy("example", {"python": f"{EXAMPLES}/{example}", **parameters})
    setting = Setting("data", goal, horizon, policy, 0, 7, 2, "python", "plays")
    return simulate(setting, arms, solve_problem(arms, goal))


# --- cost subsidy

# Of means .1, .6 and .9 at costs 1, 2 and 5, arm 1 is within 50% of the best.
COSTLY = make_arms([0.1, 0.6, 0.9], [0.0] * 3, columns={"cost": [1, 2, 5]})
CHEAPEST = Goal((Constraint("rate", per_event=1.0, bound=0.45),), value=0.0)
SUBSIDY = ["CostSubsidyTS", "CostSubsidyUCB", "CostSubsidyETC", "PairwiseElimination"]


@pytest.mark.parametrize("name", SUBSIDY)
@pytest.mark.parametrize(("alpha", "favourite"), [(0.5, 1), (0.01, 2), (0.95, 0)])
def test_cost_subsidy_ends_with_the_cheapest_arm_that_is_nearly_as_good(name, alpha, favourite):
    run = play(f"cost_subsidy.py:{name}", COSTLY, CHEAPEST, 30_000, alpha=alpha)
    last = run.chosen[-3_000:]
    assert (last == favourite).mean() > 0.8, (name, alpha, np.bincount(last))


def test_how_exploration_begins():
    """To commit, (30,000 / 3)^(2/3) = 464.2 plays of each arm. By pairs, in stage 0
    ceil(2 log 30,000) = 21 plays of each arm, the cheapest first; radius .495."""
    run = play("cost_subsidy.py:CostSubsidyETC", COSTLY, CHEAPEST, 30_000, alpha=0.5)
    np.testing.assert_array_equal(run.chosen[: 3 * 465], np.arange(3 * 465) % 3)
    assert run.chosen[3 * 465] != 0
    run = play("cost_subsidy.py:PairwiseElimination", COSTLY, CHEAPEST, 30_000, alpha=0.5)
    np.testing.assert_array_equal(run.chosen[:63], np.repeat([0, 1, 2], 21))
    # Stage 1: ceil(2 log(7,500) / .25) = 72 plays of all that are left.
    np.testing.assert_array_equal(run.chosen[63:114], np.repeat(0, 51))


# --- LagrangeBwK


def test_lagrange_bwk_leaves_the_worthless_arm_and_keeps_the_floor():
    """Half arm 0, half arm 1; drawn uniformly they would give .43 events per play."""
    arms = make_arms([0.1, 0.9, 0.3], [1.0, 0.2, 0.0])
    run = play("lagrange_bwk.py:LagrangeBwK", arms, Goal.floor(0.5), 60_000)
    plays = run.plays["plays"].to_numpy()
    assert run.plays["events"].to_numpy().sum() > 0.48 * 60_000
    assert plays[2] < 0.25 * 60_000 and np.argmin(plays) == 2


def test_lagrange_bwk_of_several_constraints():
    """At most .6 per play: the dear arm, which alone earns, can be played three times of five."""
    arms = make_arms([0.5, 0.5], [1.0, 0.0], columns={"cost": [1, 0]})
    cap = Constraint("spending", per_play="cost", sense="at_most", bound=0.6)
    rate = Constraint("rate", per_event=1.0, bound=0.1)
    run = play("lagrange_bwk.py:LagrangeBwK", arms, Goal((rate, cap), cost=0.0), 40_000)
    share = run.plays["plays"].to_numpy()[0] / 40_000
    assert 0.5 < share < 0.66


# --- OLLA


def test_olla_by_hand():
    """Rates 1, 2, 3 need 0, 4.77 and 8.45 dB. At a floor of .5 both steps are 3 dB."""
    arms = make_arms([1.0, 1.0, 0.0], [1 / 3, 2 / 3, 1.0])
    run = play("olla.py:OLLA", arms, Goal.floor(0.5), 8, highest=3, step=3)
    assert run.chosen.tolist() == [0, 0, 1, 2, 1, 2, 1, 2]
    with pytest.raises(ValueError, match="OLLA keeps a success rate"):
        play("olla.py:OLLA", COSTLY, Goal((Constraint("x", per_play="cost"),)), 10)


# --- one rule each, on three arms of which the optimum mixes the first two

MIXED = make_arms([0.3, 0.9, 0.5], [1.0, 0.25, 0.1])
RULES = {
    "virtual_queue.py:VirtualQueue": 0.58,
    "primal_dual_bwk.py:PrimalDualBwK": 0.54,
    "pessimistic_lp.py:PessimisticLP": 0.58,
}


@pytest.mark.parametrize(("example", "rate"), RULES.items())
def test_it_mixes_the_two_optimal_arms(example, rate):
    """Half of each is optimal: .6 events per play."""
    run = play(example, MIXED, Goal.floor(0.6), 20_000)
    plays = run.plays["plays"].to_numpy() / 20_000
    assert run.plays["events"].to_numpy().sum() > rate * 20_000
    assert plays[2] < 0.2 and plays[:2].min() > 0.2, plays


def test_the_queue_grows_by_what_is_missing():
    queue = load("virtual_queue.py")["VirtualQueue"](task(MIXED, 0.6), None)
    queue.update(4, 0, False)
    assert queue.queue == pytest.approx(0.6 + np.sqrt(6) / 2)
    queue.update(9, 1, True)
    assert queue.queue == pytest.approx(0.2 + np.sqrt(6) / 2 + np.sqrt(6) / 3)


def test_optimistic_and_pessimistic_ends():
    """Plays so many that the width is .1: the LP of rewards .4, .25, .06 and amounts .2, .8, .4."""
    policy = load("pessimistic_lp.py")["PessimisticLP"](task(MIXED, 0.6), None)
    policy.plays[:] = 50.0 * np.log(50)
    policy.events[:] = policy.plays * MIXED.mean
    assert policy.choose(50) == pytest.approx({0: 1 / 3, 1: 2 / 3})
    policy.events[1] = 0.6 * policy.plays[1]
    assert policy.choose(50) is None, "not surely safe"


def test_a_weighted_score_ignores_the_floor():
    run = play("weighted_score.py:WeightedScore", COSTLY, CHEAPEST, 5_000, quality=0.2)
    assert (run.chosen[-1_000:] == 0).mean() > 0.9, "the cheapest: .02 + .64 against .12 + .48"
    run = play("weighted_score.py:WeightedScore", COSTLY, CHEAPEST, 5_000, quality=0.95)
    assert (run.chosen[-1_000:] == 2).mean() > 0.9


def load(file: str) -> dict:
    names: dict = {}
    exec((EXAMPLES / file).read_text(), names)
    return names


def task(arms: Arms, eta: float) -> Task:
    numbers, (one,) = program(arms, Goal.floor(eta)), Goal.floor(eta).constraints
    one = replace(one, per_event=numbers.a[0], per_play=numbers.b[0])
    return Task(numbers.value, numbers.cost, (one,), 100, None, tuple(numbers.rows), numbers.share)
