"""Decisions on three arms, by hand: means (.3, .5, .9), values (1, .7, .2).

So the rewards are (.3, .35, .18); the floor is .6.
"""

import math

import numpy as np
import pytest

from lincon.engine.dense import DenseEngine
from lincon.engine.randomness import luck_key
from lincon.engine.tally import AMOUNT
from lincon.policies.parts import TABLES
from lincon.policies.registry import make_policy
from tests.unit.engine.games import paper_game
from tests.unit.policies.played import POLICIES

pytestmark = pytest.mark.slow

MEAN, VALUE = (0.3, 0.5, 0.9), (1.0, 0.7, 0.2)


def test_every_part_is_in_the_list_of_policies():
    for kind, table in TABLES.items():
        assert {getattr(policy, kind) for policy in POLICIES.values()} == set(table)


class ByHand:
    """A dense engine after three forced rounds, told of so many plays that theta is known."""

    def __init__(self, eta=0.6, horizon=100, **spec) -> None:
        mean = np.array(MEAN)
        policy = make_policy("p", {"estimator": "truth"} | spec)
        stream = np.random.default_rng(1)
        inputs = paper_game(policy, mean, VALUE, eta, horizon, luck_key(1, "d"), 0, stream)
        self.engine, self.program = DenseEngine(inputs), inputs.program
        for t in (1, 2, 3):
            self.engine.advance(t, t)
        feedback = self.engine.policy.feedback
        feedback.plays[:] = 10**9
        feedback.events[:] = np.rint(mean * 10**9)
        self.engine.tally.shares[:] = self.engine.tally.uniform_rounds[:] = 0.0

    def shares(self, t: int, events: float) -> list[float]:
        """The mixture of round t where so many events have happened."""
        feedback = self.engine.policy.feedback
        feedback.amounts[0], feedback.rounds[0] = events, t - 1
        self.engine.advance(t, t)
        return self.engine.tally.expected_plays(self.program).tolist()


def alone(arm: int) -> list[float]:
    return [float(i == arm) for i in range(3)]


@pytest.mark.parametrize("estimator", [one for one in TABLES["estimator"] if one != "none"])
def test_lp(estimator):
    """Arm 1 pays best but is below .6: it is mixed with arm 2, (.9 - .6) / (.9 - .5) = 3/4."""
    engine = ByHand(estimator=estimator)
    np.testing.assert_allclose(engine.shares(51, 20), [0, 0.75, 0.25], atol=2e-3)


@pytest.mark.parametrize(
    ("eta", "spec", "shares"),
    [
        # 60 events are due by round 100 and 20 are there: 40 in the 50 rounds from 51 on.
        (0.6, {"target": "paced"}, [0, 0.25, 0.75]),
        # .95 is more than any arm gives.
        (0.95, {"fallback": "greedy"}, [0, 0, 1]),
        (0.95, {}, [1 / 3, 1 / 3, 1 / 3]),
        (0.6, {"target": "none"}, [0, 1, 0]),
        (0.6, {"estimator": "none"}, [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_one_round(eta, spec, shares):
    np.testing.assert_allclose(ByHand(eta, **spec).shares(51, 20), shares, atol=1e-9)


@pytest.mark.parametrize(("events", "arm"), [(34, 2), (35, 1)])
def test_ledger(events, arm):
    """By round 51 .6 * 51 + log 51 = 34.53 are due: while behind, the arm of more events."""
    assert ByHand(steering="ledger").shares(51, events) == alone(arm)


@pytest.mark.parametrize(("events", "arm"), [(27, 2), (28, 1)])
def test_ledger_with_an_allowance(events, arm):
    """Of T = 100, 4 sqrt(.6 * .4 * 51) * .49 = 6.86 fewer: 27.67."""
    assert ByHand(steering="ledger", allowance=4).shares(51, events) == alone(arm)


def test_the_ledgers_balance_does_not_grow():
    """docs/theory.md: with known means V+ and V- - log T are bounded; drawn arms miss by sqrt T."""
    goal, mean, key = 0.6, np.array(MEAN), luck_key(3, "d")
    for steering, most in (("ledger", 8.0), ("draw", 100.0)):
        policy = make_policy("p", {"estimator": "truth", "steering": steering})
        missing = []
        for run in range(4):
            stream = np.random.default_rng(run)
            engine = DenseEngine(paper_game(policy, mean, VALUE, goal, 1_000, key, run, stream))
            engine.advance(1, 1_000)
            missing.append(goal * 1_000 - engine.tally.amounts[AMOUNT, 0])
        ahead = math.log(1_000) if steering == "ledger" else 0.0
        assert np.abs(np.array(missing) + ahead).max() < most
    assert np.abs(missing).mean() > 5.0, "drawn"
