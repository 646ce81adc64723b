"""The Bayes-optimal limit against every policy that there is, and against published values."""

import itertools

import numpy as np
import pytest

import lincon
from benchmarks import limit
from benchmarks.limit import GRID, Case

pytestmark = pytest.mark.slow


def brute_force(case: Case, horizon: int) -> float:
    """The least expected joint regret over all decision trees, by Bayes' rule in each node.

    Written from the definition: a history's problems with their posterior probabilities, and the
    joint regret of the plays at its end.
    """
    places = itertools.product(GRID[:: case.step], repeat=len(case.values))
    means = np.array([one for one in places if max(one) >= case.eta + 0.05 - 1e-9])
    optima = [
        lincon.solve(lincon.Arms.from_arrays(list(one), list(case.values)), floor=case.eta)
        for one in means
    ]
    reward = np.array([one.reward for one in optima])
    price = np.array([one.prices["floor"] for one in optima])

    def least(belief: np.ndarray, plays: tuple[int, ...]) -> float:
        if sum(plays) == horizon:
            regret = horizon * reward - (means * case.values) @ plays
            violation = horizon * case.eta - means @ plays
            regret, violation = (np.where(x > 1e-9, x, 0.0) for x in (regret, violation))
            return float(belief @ (regret + price * violation))
        values = []
        for arm in range(len(case.values)):
            more = tuple(n + (i == arm) for i, n in enumerate(plays))
            value = 0.0
            for chance in (means[:, arm], 1.0 - means[:, arm]):
                probability = float(belief @ chance)
                value += probability * least(belief * chance / probability, more)
            values.append(value)
        return min(values)

    return least(np.full(len(means), 1.0 / len(means)), (0,) * len(case.values))


@pytest.mark.parametrize(
    "case",
    [
        Case(0.5, (1.0, 0.4), (), step=2),
        Case(0.7, (1.0, 0.2), (), step=3),
        Case(0.5, (1.0, 0.6, 0.3), (), step=6),
    ],
    ids=lambda case: case.title,
)
def test_the_recursion_is_brute_force(case):
    for horizon in (1, 4):
        assert limit.limit(case, horizon) == pytest.approx(brute_force(case, horizon), rel=1e-12)


def test_what_the_optimal_policy_leaves_by_hand():
    """One round before the end it is the posterior's: 3 plays of the first arm, then which?"""
    case, horizon = Case(0.5, (1.0, 0.4), (), step=2), 4
    prior = limit.Prior.of(case)
    means, leaves = GRID[prior.where], limit.patience(case, horizon)
    for events in range(4):
        belief = means[:, 0] ** events * (1.0 - means[:, 0]) ** (3 - events)
        ends = [limit.joint_regret(prior, case, np.array(n, float)) for n in ((4, 0), (3, 1))]
        assert (belief @ ends[1] < belief @ ends[0]) == (events <= leaves.get(3, -1))


@pytest.mark.parametrize(
    ("eta", "values", "horizon", "joint"),
    # Computed by other code.
    [(0.5, (1.0, 0.4), 200, 0.898), (0.3, (1.0, 0.7), 100, 1.233), (0.7, (1.0, 0.2), 100, 1.206)],
)
def test_the_limit_of_two_arms(eta, values, horizon, joint):
    assert limit.limit(Case(eta, values, ()), horizon) == pytest.approx(joint, abs=5e-4)


def test_joint_regret_by_hand():
    """Means (.45, .55), values (1, .4), a floor of .5: half of each, at a price of .23 / .1."""
    prior = limit.Prior(np.array([[8, 10]]), np.array([0.335]), np.array([2.3]))
    case = Case(0.5, (1.0, 0.4), ())
    # Only the first: .05 short in each round. Only the second: regret of .335 - .22 in each.
    for plays, joint in (((10, 0), 2.3 * 0.5), ((0, 10), 10 * (0.335 - 0.22)), ((5, 5), 0.0)):
        found = limit.joint_regret(prior, case, np.array(plays, float))
        assert found == pytest.approx([joint], abs=1e-12)
