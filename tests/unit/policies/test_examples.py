"""The policies of config/examples: decisions by hand, and problems whose answer is known."""

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
SUBSIDY = [
    "cost_subsidy.py:CostSubsidyTS",
    "cost_subsidy.py:CostSubsidyUCB",
    "cost_subsidy.py:CostSubsidyETC",
    "pairwise_elimination.py:PairwiseElimination",
]


@pytest.mark.parametrize("example", SUBSIDY)
@pytest.mark.parametrize(("alpha", "favourite"), [(0.5, 1), (0.01, 2), (0.95, 0)])
def test_cost_subsidy_ends_with_the_cheapest_arm_that_is_nearly_as_good(example, alpha, favourite):
    run = play(example, COSTLY, CHEAPEST, 30_000, alpha=alpha)
    last = run.chosen[-3_000:]
    assert (last == favourite).mean() > 0.8, (example, alpha, np.bincount(last))


def test_how_exploration_begins():
    """To commit, (30,000 / 3)^(2/3) = 464.2 plays of each arm. By pairs, in stage 0
    ceil(2 log 30,000) = 21 plays of each arm, the cheapest first; radius .495."""
    run = play("cost_subsidy.py:CostSubsidyETC", COSTLY, CHEAPEST, 30_000, alpha=0.5)
    np.testing.assert_array_equal(run.chosen[: 3 * 465], np.arange(3 * 465) % 3)
    assert run.chosen[3 * 465] != 0
    run = play(SUBSIDY[3], COSTLY, CHEAPEST, 30_000, alpha=0.5)
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


# --- kinds of request

KINDS = {"kind": ["code", "code", "chat", "chat"], "kind_shares": {"code": 0.5, "chat": 0.5}}
DEAR = make_arms([0, 1, 0, 1], [0.0] * 4, columns={"cost": [0, 1, 0, 5]}, **KINDS)
HALF = Goal((Constraint("rate", per_event=1.0, bound=0.5),), value=0.0)


@pytest.mark.parametrize("policy", ["LinConTS", "TSLedger", "GittinsLedger"])
def test_a_policy_per_kind_keeps_the_floor_in_each(policy):
    """Half of each kind must go to the dear arm; one floor over both would buy in code alone."""
    assert solve_problem(DEAR, HALF).support == (1, 2)
    run = play("per_kind.py:PerKind", DEAR, HALF, 2_000, policy=policy)
    plays = run.plays["plays"].to_numpy()
    assert plays[1] / plays[:2].sum() == pytest.approx(0.5, abs=0.06)
    assert plays[3] / plays[2:].sum() == pytest.approx(0.5, abs=0.06)


# --- one decision each, by hand


class NoLuck:
    """A random stream whose draws are known: the mean of a Beta law, and the end of any other."""

    def beta(self, a, b):
        return a / (a + b)

    def random(self):
        return 0.999

    def choice(self, size, p):
        return 0


def built(example: str, arms: Arms, goal: Goal, plays=0, events=0, **parameters):
    """A policy of an example that knows these counts; T = 100."""
    file, name = example.split(":")
    names: dict = {}
    exec((EXAMPLES / file).read_text(), names)
    numbers = program(arms, goal)
    rules = zip(goal.constraints, numbers.a, numbers.b, strict=True)
    rules = tuple(
        replace(one, per_event=one.sign * a, per_play=one.sign * b) for one, a, b in rules
    )
    task = Task(numbers.value, numbers.cost, rules, 100, None, tuple(numbers.rows), numbers.share)
    policy = names[name](task, NoLuck(), **parameters)
    if np.any(plays):
        policy.plays[:], policy.events[:] = plays, events
    return policy


FLOOR = Goal.floor(0.6)


def test_the_queue_grows_by_what_is_missing():
    queue = built("virtual_queue.py:VirtualQueue", MIXED, FLOOR)
    queue.update(4, 0, False)
    assert queue.queue == pytest.approx(0.6 + np.sqrt(6) / 2)
    queue.update(9, 1, True)
    assert queue.queue == pytest.approx(0.2 + np.sqrt(6) / 2 + np.sqrt(6) / 3)


def test_the_queue_is_the_price_of_an_event():
    """Widths of .1, so upper bounds .4, 1, .6. An event is worth the values 1, .25, .1; with a
    queue of .8 in round 9 also .8 / (3 sqrt(2/3)) = .327: .4 x 1.327 against 1 x .577."""
    n = 2 * np.log(9) / 0.1**2
    policy = built("virtual_queue.py:VirtualQueue", MIXED, FLOOR, n, n * MIXED.mean)
    assert policy.choose(9) == 0
    policy.queue[:] = 0.8
    assert policy.choose(9) == 1


def test_optimistic_and_pessimistic_ends():
    """Plays so many that the width is .1: the LP of rewards .4, .25, .06 and amounts .2, .8, .4."""
    n = 50.0 * np.log(50)
    policy = built("pessimistic_lp.py:PessimisticLP", MIXED, FLOOR, n, n * MIXED.mean)
    assert policy.choose(50) == pytest.approx({0: 1 / 3, 1: 2 / 3})
    policy.events[1] = 0.6 * n
    assert policy.choose(50) is None, "not surely safe"


def test_primal_dual_weights():
    """After endless plays rewards are .3, .225, .05 and misses .7, .1, .5, of a budget of .4. At
    equal weights the ratios are .3 / 1.1, .225 / .5 and .05 / .9; with misses at e^-3, .3 / .435
    and .225 / .405."""
    policy = built("primal_dual_bwk.py:PrimalDualBwK", MIXED, FLOOR, 1e12, 1e12 * MIXED.mean)
    assert policy.choose(9) == 1
    policy.update(9, 1, True)
    step = np.log1p(np.sqrt(np.log(2) / 40))
    assert policy.logs == pytest.approx([0.1 * step, 0.4 * step], rel=1e-4)
    policy.logs[:] = -3.0, 0.0
    assert policy.choose(10) == 0


def test_exp3_against_hedge():
    """An event of the first of two arms at a floor of .5 pays 1 and uses up nothing, so the payoffs
    against (misses, time) are 2 and 1; its miss has -1 and 0. As shares of [-1, 2]: 1, 2/3, 0, 1/3.
    """
    arms = make_arms([0.5, 0.5], [1.0, 0.2])
    policy = built("lagrange_bwk.py:LagrangeBwK", arms, Goal.floor(0.5))
    mix, step = 2 * np.sqrt(0.6 * 2 * np.log(2) / 100), np.sqrt(8 * np.log(2) / 100)
    bonus = 2 * np.sqrt(np.log(2 * 100**2) / 200)
    assert policy.choose(1) == 1
    policy.update(1, 0, True)
    grown = np.array([bonus / 0.5 + 1.0 / 0.5, bonus / 0.5])
    assert policy.arm_logs == pytest.approx(mix / 6 * grown)
    assert policy.resource_logs == pytest.approx([-step, -step * 2 / 3])
    policy.update(2, 0, False)
    assert policy.resource_logs == pytest.approx([-step, -step])


def test_upper_bounds_of_cost_subsidy():
    """A width of .1: upper bounds .2, .7 and 1, of which half, or a fifth, is enough."""
    n = 2 * np.log(100) / 0.1**2
    example, counts = "cost_subsidy.py:CostSubsidyUCB", (n, n * COSTLY.mean)
    for alpha, arm in ((0.5, 1), (0.8, 0), (0.2, 2)):
        assert built(example, COSTLY, CHEAPEST, *counts, alpha=alpha).choose(50) == arm
    # Without luck a sample is the posterior mean: (1 + 1) / 12, 7 / 12 and 10 / 12 of ten plays.
    counts = 10, 10 * COSTLY.mean
    for alpha, arm in ((0.5, 1), (0.85, 0), (0.2, 2)):
        policy = built("cost_subsidy.py:CostSubsidyTS", COSTLY, CHEAPEST, *counts, alpha=alpha)
        assert policy.choose(50) == arm


def test_epsilon_first_by_hand():
    """Ten rounds in turn; then the best reward, 1 - .3, of the arms that were seen to keep .6."""
    policy = built("epsilon_first.py:EpsilonFirst", MIXED, FLOOR)
    assert [policy.choose(t) for t in (1, 2, 3, 4, 10)] == [0, 1, 2, 0, 0]
    counts = [10, 10, 10], [3, 9, 6]
    assert built("epsilon_first.py:EpsilonFirst", MIXED, FLOOR, *counts).choose(11) == 1
    # None is seen to keep it: the smallest shortfall.
    counts = [10, 10, 10], [3, 4, 5]
    assert built("epsilon_first.py:EpsilonFirst", MIXED, FLOOR, *counts).choose(11) == 2


def test_lincon_ts_mixes_two_arms_by_hand():
    """Eight plays, without luck: samples .3, .9 and .5. Half of the first two has .6 events."""
    policy = built("lincon_ts.py:LinConTS", MIXED, FLOOR, 8, [2, 8, 4])
    assert policy.choose(25) == pytest.approx({0: 0.5, 1: 0.5})
    policy.events[1] = 4
    assert policy.choose(25) is None


# Two kinds; costs 1 and 3 in code, 2 and 10 in chat.
ROUTED = make_arms([0.5] * 4, [0.0] * 4, columns={"cost": [1, 3, 2, 10]}, **KINDS)
SEEN = [8, 8, 8, 8], [3, 8, 6, 8]  # posterior means .4, .9, .7, .9


def test_a_weighted_score_by_hand():
    """Of its kind the cheap arm scores .3 + .7 x .4 = .58 or .3 + .7 x .7 = .79, the dear .63."""
    policy = built("weighted_score.py:WeightedScore", ROUTED, HALF, *SEEN)
    assert (policy.choose(33, 0), policy.choose(33, 1)) == (1, 2)
    half = built("weighted_score.py:WeightedScore", ROUTED, HALF, *SEEN, quality=0.5)
    assert half.choose(33, 0) == 0
    policy.plays[0] = 197
    for _ in range(2):
        policy.update(34, 0, True)
    assert (policy.plays[0], policy.events[0]) == (198, 4), "then its shapes sum to 200"


def test_mess_plus_by_hand():
    """v c + Q (.5 - theta): in code .1 v + .1 Q against .3 v - .4 Q, so the dear arm from Q = .4 v
    on; in chat .2 v - .2 Q against v - .4 Q, from Q = 4 v on."""
    policy = built("mess_plus.py:MessPlus", ROUTED, HALF, *SEEN, v=1.0)
    choices = []
    for queue in (0.39, 0.41, 3.9, 4.1):
        policy.queue = queue
        choices.append((policy.choose(2**30, 0), policy.choose(2**30, 1)))
    assert choices == [(0, 2), (1, 2), (1, 2), (1, 3)]
    policy.queue = 0.3
    policy.update(1, 0, False)
    assert policy.queue == pytest.approx(0.8)
    policy.update(2, 0, True)
    assert policy.queue == pytest.approx(0.3)
    exploring = built("mess_plus.py:MessPlus", ROUTED, HALF, *SEEN, explore=2.1)
    assert exploring.choose(32, 1) == {2: 0.5, 3: 0.5}, "2.1 / 32^.2 is more than 1"
