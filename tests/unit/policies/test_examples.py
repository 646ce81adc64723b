"""The policies of config/examples on problems whose answer is known."""

from pathlib import Path

import numpy as np
import pytest

from lincon.data.arms import Arms
from lincon.data.arms import make as make_arms
from lincon.engine.simulate import Run, Setting, simulate
from lincon.policies.registry import make_policy
from lincon.problem.goal import Constraint, Goal
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
