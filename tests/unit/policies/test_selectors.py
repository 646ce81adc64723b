"""What each selector plays on three arms, by hand: means (.3, .5, .9), values (1, .7, .2).

So the rewards are (.3, .35, .18); the floor is .6.
"""

import math

import numpy as np
import pytest

from lincon.engine.dense import DenseEngine
from lincon.engine.randomness import luck_key
from lincon.engine.tally import AMOUNT
from lincon.policies.control import Control, set_weights, step_size
from lincon.policies.parts import TABLES
from lincon.policies.registry import make_policy
from tests.unit.engine.games import paper_game
from tests.unit.engine.twin import paper
from tests.unit.policies.played import POLICIES

pytestmark = pytest.mark.slow

MEAN, VALUE = (0.3, 0.5, 0.9), (1.0, 0.7, 0.2)


def test_every_lazy_part_is_in_the_list_of_policies():
    """A part that the dense engine alone plays may have its test to itself."""
    for kind, table in TABLES.items():
        played = {getattr(policy, kind) for policy in POLICIES.values()}
        assert played >= {name for name, part in table.items() if part.lazy}


class ByHand:
    """A dense engine after three forced rounds, told of so many plays that theta is known."""

    def __init__(self, eta=0.6, horizon=100, first=(0.0, 0.0, 0.0), **spec) -> None:
        mean = np.array(MEAN)
        policy = make_policy("p", {"estimator": "truth", **spec})
        stream = np.random.default_rng(1)
        self.engine = DenseEngine(
            paper_game(policy, mean, VALUE, eta, horizon, luck_key(1, "d"), 0, stream)
        )
        for t, event in enumerate(first, 1):
            # A mean of 1 or 0 decides the event of a forced round; the belief does not see it.
            mean[:] = event
            self.engine.advance(t, t)
        mean[:] = MEAN
        tally = self.engine.tally
        tally.plays[:] = 10**9
        tally.events[:] = np.rint(mean * 10**9)
        tally.shares[:] = 0.0

    def shares(self, t: int, events: float) -> list[float]:
        """The mixture of round t where so many events have happened."""
        self.engine.tally.amounts[AMOUNT, 0] = events
        self.engine.advance(t, t)
        return self.engine.tally.expected_plays().tolist()


def alone(arm: int) -> list[float]:
    return [float(i == arm) for i in range(3)]


@pytest.mark.parametrize(
    "estimator",
    # What forgets keeps counts of its own, which nobody has told of these plays.
    [name for name, part in TABLES["estimator"].items() if "memory" not in part.defaults],
)
def test_lp(estimator):
    """Arm 1 pays best but is below .6: it is mixed with arm 2, (.9 - .6) / (.9 - .5) = 3/4."""
    engine = ByHand(estimator=estimator, selector="lp")
    np.testing.assert_allclose(engine.shares(51, 20), [0, 0.75, 0.25], atol=2e-3)


@pytest.mark.parametrize(
    ("eta", "spec", "shares"),
    [
        # 60 events are due by round 100 and 20 are there: 40 in the 50 rounds from 51 on.
        (0.6, {"selector": "lp", "target": "paced"}, [0, 0.25, 0.75]),
        # .95 is more than any arm gives.
        (0.95, {"selector": "lp", "fallback": "greedy"}, [0, 0, 1]),
        (0.95, {"selector": "lp"}, [1 / 3, 1 / 3, 1 / 3]),
        (0.6, {"selector": "amounts"}, [0, 0, 1]),
        (0.6, {"selector": "argmax"}, [0, 1, 0]),
        (0.6, {"selector": "uniform"}, [1 / 3, 1 / 3, 1 / 3]),
        # 5 N log t / t = 5 * 3 * 3.93 / 51 = 1.16.
        (0.6, {"selector": "eps_greedy", "uniform_rate": 5}, [1 / 3, 1 / 3, 1 / 3]),
        (0.6, {"selector": "eps_greedy", "uniform_rate": 0}, [0, 0.75, 0.25]),
    ],
)
def test_one_round(eta, spec, shares):
    np.testing.assert_allclose(ByHand(eta, **spec).shares(51, 20), shares, atol=1e-9)


@pytest.mark.parametrize(("events", "arm"), [(34, 2), (35, 1)])
def test_ledger(events, arm):
    """By round 51 .6 * 51 + log 51 = 34.53 are due: while behind, the arm of more events."""
    assert ByHand(selector="lp", steering="ledger").shares(51, events) == alone(arm)


def test_the_ledgers_balance_does_not_grow():
    """docs/theory.md: with known means V+ and V- - log T are bounded; drawn arms miss by sqrt T."""
    goal, mean, key = 0.6, np.array(MEAN), luck_key(3, "d")
    for steering, most in (("ledger", 8.0), ("draw", 100.0)):
        policy = make_policy("p", {"estimator": "truth", "selector": "lp", "steering": steering})
        missing = []
        for run in range(4):
            stream = np.random.default_rng(run)
            engine = DenseEngine(paper_game(policy, mean, VALUE, goal, 1_000, key, run, stream))
            engine.advance(1, 1_000)
            missing.append(goal * 1_000 - engine.tally.amounts[AMOUNT, 0])
        ahead = math.log(1_000) if steering == "ledger" else 0.0
        assert np.abs(np.array(missing) + ahead).max() < most
    assert np.abs(missing).mean() > 5.0, "drawn"


@pytest.mark.parametrize(
    ("parameters", "first", "arm"),
    [
        # No event in 3 rounds: Q = 1.8, price 1.8 / (v sqrt 4) = .9; .3 1.9, .5 1.6, .9 1.1.
        ({}, (0, 0, 0), 2),
        # price .3: .3 1.3 = .39, .5 1 = .5, .9 .5 = .45.
        ({"v": 3}, (0, 0, 0), 1),
        # Events in all three: Q = 0 and the rewards decide.
        ({}, (1, 1, 1), 1),
        # As published: Q = 3 + sqrt 6 (1 + 1/sqrt 2 + 1/sqrt 3) - 1.2 - 2 = 5.4, price 3.3.
        ({"v": math.sqrt(2 / 3), "epsilon": math.sqrt(6)}, (1, 1, 0), 2),
    ],
)
def test_queue(parameters, first, arm):
    assert ByHand(selector="queue", first=first, **parameters).shares(4, 0) == alone(arm)


def test_primal_dual():
    """w1 = w2 = 1: .3 / 1.1 = .273, .35 / .9 = .389, .18 / .5 = .36. Later failures weigh more."""
    engine = ByHand(selector="primal_dual")
    assert engine.shares(4, 0) == alone(1)
    # Each play of arm 1 multiplies w1 / w2 by (1 + e)^.1, e = sqrt(log 2 / 40) = .1316; arm 2 is
    # better from .18 (.5 w + .4) > .35 (.1 w + .4) on, w > 1.236: after 18 plays.
    plays = [engine.shares(t, 0)[2] for t in range(5, 25)]
    assert plays.index(1.0) == 17


def test_consumption_is_scaled_to_the_smallest_budget():
    """Half of the events may be missed, a quarter of the spending's range is left."""
    a, b = np.array([[1.0] * 3, [0.0] * 3]), np.array([[0.0] * 3, [-4.0, -2.0, 0.0]])
    program = paper(VALUE, 0.5)._replace(a=a, b=b, e=np.array([0.5, -3.0]))
    policy = make_policy("p", {"estimator": "truth", "selector": "primal_dual"})
    control = Control.new(policy, program, 100)
    assert control.budget == 0.5
    np.testing.assert_allclose(control.consumption, [1.0, 0.5 / 0.75 / 4.0])


@pytest.mark.parametrize("log_weights", [[-5_000.0], [5_000.0], [-5_000.0, 0.0], [5_000.0, 9.0]])
def test_weights_do_not_overflow(log_weights):
    policy = make_policy("p", {"estimator": "truth", "selector": "primal_dual"})
    program = paper(VALUE, 1.0)
    rows = np.ones((len(log_weights), 3))
    program = program._replace(a=rows, b=0.0 * rows, e=rows[:, 0])
    control = Control.new(policy, program, 100)
    control.log_weight[:] = log_weights
    set_weights(control)
    assert control.weight.sum() == pytest.approx(1.0) and control.weight.min() >= 0.0
    assert step_size(control) == 1.0, "a bound that is the largest amount leaves no budget"
