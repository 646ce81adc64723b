"""Index policies: the lazy engine takes the dense engine's decisions, bit for bit."""

import numpy as np
import pytest

from lincon.engine.lazy.index.blocks import NOWHERE, WIDTH
from lincon.engine.lazy.index.decision import IndexState, advance_index
from lincon.engine.randomness import choice_stream, luck_key
from lincon.engine.tally import Tally
from lincon.jit import entry
from lincon.policies.control import Control
from lincon.policies.estimators import Beliefs, believe
from lincon.policies.registry import make_policy
from lincon.policies.selectors import Mixture
from lincon.problem.program import Program
from tests.real_data import real_arms
from tests.torture import rounds
from tests.torture.chance import attempts, generator
from tests.unit.engine.lazy.same_rounds import (
    KL,
    OTHERS,
    TRUTH,
    UCB,
    assert_same,
    assert_same_rounds,
    problem,
)
from tests.unit.engine.twin import paper

pytestmark = pytest.mark.slow


def any_program(seed, arms):
    """Costs, amounts per play and per event of any size; often equal, never falling with theta."""
    rng = np.random.default_rng([seed, 1])
    columns = [rng.random(arms) if rng.random() < 0.6 else np.round(rng.random(arms) * 3) / 3]
    for spread in (1.0, 1.0, 2.0):
        column = spread * rng.random(arms) if rng.random() < 0.7 else np.zeros(arms)
        columns.append(np.round(column * 4) / 4 if rng.random() < 0.5 else column)
    value, cost, a, b = columns
    b = b - rng.choice([0.0, 1.0])
    e = float(rng.uniform(b.min(), (a + b).max()))
    return Program(value, cost, a[None], b[None], np.array([e]))


@pytest.mark.parametrize("seed", range(22))
@pytest.mark.parametrize("base", [KL, UCB, TRUTH], ids=["kl_ucb", "ucb1", "truth"])
def test_costs_and_any_amounts(seed, base):
    mean, _, _, _ = problem(seed)
    other = [{}, *OTHERS.values()][seed % (len(OTHERS) + 1)]
    if base is TRUTH and "explore" in other:
        other = {}
    assert_same(base | other, mean, any_program(seed, mean.size), mean.size + 1_000, seed)


@pytest.mark.parametrize("seed", range(20))
def test_lincon_kl_ucb(seed):
    mean, value, eta, horizon = problem(seed)
    spec = KL | {"c": float(seed % 3)}
    assert_same_rounds(spec, mean, value, eta, max(horizon, mean.size), seed)


@pytest.mark.parametrize("number", attempts(8, 1000))
def test_any_policy_on_any_problem(number):
    rounds.check(generator("rounds", number), number)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("base", [KL, UCB], ids=["kl_ucb", "ucb1"])
def test_other_targets_and_steerings(base, other):
    for seed in range(100, 103):
        mean, value, eta, _ = problem(seed)
        assert_same_rounds(base | OTHERS[other], mean, value, eta, mean.size + 2_000, seed)
    mean, value = np.array([0.3, 1.0, 0.8, 1.0]), np.array([0.9, 0.2, 0.5, 0.3])
    for eta in (0.0, 1.0):
        assert_same_rounds(base | OTHERS[other], mean, value, eta, 300)


def test_many_equal_arms():
    """Equal arms throughout: everything hangs on the lowest index."""
    mean, value = np.tile([0.3, 0.8], 40), np.tile([0.9, 0.2], 40)
    for other in ({}, OTHERS["paced"]):
        assert_same_rounds(KL | other, mean, value, 0.5, 6_000)


@pytest.mark.parametrize("spec", [KL, KL | {"c": 3}, UCB, KL | OTHERS["paced"]], ids=str)
@pytest.mark.parametrize("eta", [0.3, 0.99])
def test_arms_that_come_in_copies(spec, eta):
    """With the last eta all arms are played."""
    rng = np.random.default_rng(5)
    copied = rng.integers(0, 20, 400)
    mean, value = np.round(rng.beta(1, 2, 20), 1)[copied], rng.random(20)[copied]
    assert_same_rounds(spec, mean * 0.98, value, eta, 5_000)


@entry
def set_beliefs(control, plays, events, t, mean, rng, beliefs):
    believe(control, plays, events, t, mean, rng, beliefs)


@pytest.mark.parametrize("seed", range(300, 303))
def test_every_arm_is_accounted_for(seed):
    """It is a candidate, or follows an equal arm, or has a cap that its index keeps below."""
    mean, value, eta, _ = problem(seed)
    program = paper(value, eta)
    tally, state = Tally.new(mean, program), IndexState.new(program)
    policy = make_policy("p", KL)
    control, beliefs = Control.new(policy, program, mean.size + 500), Beliefs.new(policy, program)
    play = (mean, program, luck_key(1, "x"), 0, choice_stream(1, "x", eta, "p", 0))
    memory = (tally, control, Mixture.new(1), state)
    for t in range(1, mean.size + 500):
        advance_index(t, t, *play, *memory)
        if t <= mean.size or t % 10:
            continue
        set_beliefs(control, tally.plays, tally.events, t, mean, play[-1], beliefs)
        blocks, arms = state.blocks, np.arange(mean.size)
        cap = blocks.caps.amount[blocks.place]
        capped, follows = cap > NOWHERE, state.equal.before < arms
        np.testing.assert_array_equal(capped, ~(np.isin(arms, state.candidates) | follows))
        assert (blocks.caps.expiry >= t).all()
        assert (beliefs.upper <= cap)[capped].all()
        for name in ("gain", "amount", "expiry"):
            side = -1 if name == "expiry" else 1
            caps = side * getattr(blocks.caps, name).reshape(-1, WIDTH)
            assert (caps.max(axis=1) <= side * getattr(blocks.bounds, name)).all()
        for arm in arms[follows]:
            before = state.equal.before[arm]
            for column in (tally.plays, tally.events, value):
                assert column[arm] == column[before]


@pytest.mark.parametrize(("dataset", "horizon"), [("edx", 20_000), ("coupon", 10_000)])
def test_the_papers_data(mirror, dataset, horizon):
    arms, eta = real_arms(mirror)[dataset]
    for more in ({}, OTHERS["ledger"]):
        assert_same_rounds(KL | more, arms.mean, arms.value, eta, horizon)
