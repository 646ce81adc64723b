"""Exact answers on small problems: the whole tree of (arm, event), with its probabilities.

The tree of the formulas (tests/unit/policies/plain.py) is walked, and along every path the engine
is made to meet the same events and draws; its mixtures must be the tree's, and so the expectations.
Policies that sample are in test_exact_sampling.py.
"""

from __future__ import annotations

import copy
import functools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from lincon.engine.dense import DenseEngine
from lincon.engine.game import Game
from lincon.engine.lazy.engine import LazyEngine
from lincon.engine.randomness import luck_key
from lincon.engine.tally import EVENTS, REWARD
from lincon.policies.parts import ESTIMATORS, SELECTORS, TARGETS
from lincon.policies.registry import make_policy
from tests.unit.policies.plain import Plain

pytestmark = pytest.mark.slow

ENGINES: dict[str, Any] = {"dense": DenseEngine, "lazy": LazyEngine}
KEY = luck_key(0, "exact")
Interval = tuple[float, float]

# --- the tree of an index policy


class Branch(NamedTuple):
    """One arm of a round: its probability, the mixture it is from, and which draws lead to it."""

    probability: float
    arm: int
    shares: np.ndarray
    draws: tuple[Interval, ...]
    theta: list[float] | None


class Leaf(NamedTuple):
    """One path through all rounds; `shares` is the sum of its mixtures."""

    probability: float
    path: tuple[tuple[int, bool, tuple[Interval, ...]], ...]
    shares: np.ndarray


def branches(plain: Plain) -> Iterator[Branch]:
    n, t = plain.n, plain.t
    uniform = np.full(n, 1 / n)
    bins = [(i / n, (i + 1) / n) for i in range(n)]
    if t <= n:
        yield Branch(1.0, t - 1, np.eye(n)[t - 1], (), None)
        return
    chance = plain.exploration()
    coin: tuple[Interval, ...] = ((0.0, chance),) if chance < 1.0 else ()
    if chance > 0.0:
        for arm in range(n):
            yield Branch(chance / n, arm, uniform, (*coin, bins[arm]), [0.0] * n)
    if chance >= 1.0:
        return
    coin = ((chance, 1.0),) if chance > 0.0 else ()
    theta = plain.believe()
    shares = np.array(plain.mixture(theta))
    played = sorted(np.flatnonzero(shares), key=lambda i: theta[i])
    ends = np.concatenate([[0.0], np.cumsum(shares[played])])
    for k, arm in enumerate(played):
        draws = bins[arm] if (shares == 1 / n).all() else (ends[k], ends[k + 1])
        yield Branch((1 - chance) * shares[arm], int(arm), shares, (*coin, draws), theta)


def leaves(plain: Plain, horizon: int) -> Iterator[Leaf]:
    if plain.t > horizon:
        yield Leaf(1.0, (), np.zeros(plain.n))
        return
    for branch in branches(plain):
        for event in (False, True):
            after = copy.deepcopy(plain)
            after.update(branch.arm, event, branch.theta)
            mean = plain.mean[branch.arm]
            weight = branch.probability * (mean if event else 1 - mean)
            step = (branch.arm, event, branch.draws)
            for leaf in leaves(after, horizon):
                yield Leaf(
                    weight * leaf.probability, (step, *leaf.path), branch.shares + leaf.shares
                )


@functools.cache
def streams() -> tuple[list[dict], np.ndarray]:
    """States of a generator, and the two uniforms that each gives first."""
    bits = [np.random.PCG64(seed) for seed in range(20_000)]
    states = [one.state for one in bits]
    return states, np.array([np.random.Generator(one).random(2) for one in bits])


@functools.cache
def state_for(draws: tuple[Interval, ...]) -> dict:
    """A state whose first uniforms are inside the intervals."""
    states, uniforms = streams()
    fits = np.ones(len(states), bool)
    for column, (low, high) in enumerate(draws):
        fits &= (low <= uniforms[:, column]) & (uniforms[:, column] < high)
    assert fits.any(), f"no state draws from {draws}"
    return states[int(np.argmax(fits))]


def follow(engine_class, game: Game, leaf: Leaf):
    """Play the path: a mean of 1 or 0 decides an event, the generator's state a draw."""
    engine = engine_class(game)
    for t, (_, event, draws) in enumerate(leaf.path, 1):
        game.mean[:] = event
        game.rng.bit_generator.state = state_for(draws)
        engine.advance(t, t)
    return engine.tally


INDEX_POLICIES = {
    "lincon_kl_ucb": {"estimator": "kl_ucb", "selector": "lp"},
    "con_ucb": {"estimator": "ucb1", "selector": "lp", "alpha": 0.1},
    "kl_ucb": {"estimator": "kl_ucb", "selector": "argmax"},
    "kl_paced": {"estimator": "kl_ucb", "selector": "lp", "target": "paced"},
    # Its low indices leave rounds in which no mixture meets the floor.
    "ucb_greedy": {"estimator": "ucb1", "selector": "lp_greedy", "alpha": 0.1},
    "kl_safe_paced": {
        "estimator": "kl_ucb",
        "selector": "lp",
        "target": "safe_paced",
        "least_plays": 1,
        "width": 0.1,
    },
    "ucb_controlled": {
        "estimator": "ucb1",
        "selector": "lp",
        "alpha": 0.1,
        "target": "controlled",
        "margin": 0.1,
    },
    "ucb_tightened": {"estimator": "ucb1", "selector": "lp", "alpha": 0.1, "target": "tightened"},
    "pess_opt": {"estimator": "ucb1", "selector": "queue", "alpha": 0.1, "epsilon": 0.2},
    "bwk_primal_dual": {"estimator": "kl_ucb", "selector": "primal_dual"},
    "eps_greedy_lp": {"estimator": "empirical", "selector": "eps_greedy", "explore": 0.3},
    "uniform": {"estimator": "empirical", "selector": "uniform"},
}

MEANS = {2: [0.35, 0.8], 3: [0.3, 0.5, 0.9], 4: [0.2, 0.4, 0.6, 0.9]}
VALUES = {2: [1.0, 0.3], 3: [1.0, 0.7, 0.2], 4: [0.9, 1.0, 0.5, 0.3]}
# Two arms branch at most fourfold in a round.
SMALL = [(2, 6), (3, 6)]
LARGE = [(2, 8), (3, 8), (4, 8)]


def test_every_part_that_can_be_walked_is_in_a_tree():
    """The means are the tree's own, so `truth` cannot be; what samples has no tree."""
    for kind, parts in (("estimator", ESTIMATORS), ("selector", SELECTORS), ("target", TARGETS)):
        found = {getattr(make_policy(name, spec), kind) for name, spec in INDEX_POLICIES.items()}
        assert found >= set(parts) - {"truth", "beta_sample"}


def check_tree(name: str, engine: str, arms: int, horizon: int, eta: float = 0.6) -> None:
    policy = make_policy(name, INDEX_POLICIES[name])
    mean, value = np.array(MEANS[arms]), np.array(VALUES[arms])
    if name in ("eps_greedy_lp", "uniform"):
        horizon = min(horizon, arms + 3)  # these branch three or five times as much
    game = Game(policy, mean.copy(), value, eta, horizon, KEY, 0, np.random.default_rng(0))
    total, plays, realised = 0.0, np.zeros((3, arms)), np.zeros(2)
    for leaf in leaves(Plain(policy, mean, value, eta, horizon), horizon):
        tally = follow(ENGINES[engine], game, leaf)
        counts = np.bincount([arm for arm, *_ in leaf.path], minlength=arms)
        np.testing.assert_array_equal(tally.plays, counts)
        total += leaf.probability
        plays += leaf.probability * np.array([leaf.shares, tally.expected_plays(), tally.plays])
        realised += leaf.probability * tally.totals[[REWARD, EVENTS]]
    assert total == pytest.approx(1.0, abs=1e-12)
    exact, *found = plays
    for expectation in found:
        np.testing.assert_allclose(expectation, exact, rtol=0, atol=1e-12)
    np.testing.assert_allclose(realised, [exact @ (mean * value), exact @ mean], rtol=0, atol=1e-12)


def cases(sizes: list[tuple[int, int]]) -> list:
    lazy = [name for name in INDEX_POLICIES if name not in ("eps_greedy_lp", "uniform")]
    return [
        pytest.param(name, engine, *size, id=f"{name}-{engine}-{size[0]} arms, T = {size[1]}")
        for engine, names in (("dense", INDEX_POLICIES), ("lazy", lazy))
        for name in names
        for size in sizes
    ]


@pytest.mark.parametrize(("name", "engine", "arms", "horizon"), cases(SMALL))
def test_index_policies_play_the_whole_tree(name, engine, arms, horizon):
    check_tree(name, engine, arms, horizon)


@pytest.mark.long
@pytest.mark.parametrize(("name", "engine", "arms", "horizon"), cases(LARGE))
def test_index_policies_play_a_larger_tree(name, engine, arms, horizon):
    check_tree(name, engine, arms, horizon)


# --- further: policies that remember nothing but their counts, by the law of the counts

BY_COUNTS = [
    name
    for name, spec in INDEX_POLICIES.items()
    if spec["selector"] not in ("queue", "primal_dual", "eps_greedy")
]
Counts = tuple[tuple[int, ...], tuple[int, ...]]


def expected_plays(mixture, mean: list[float], horizon: int) -> np.ndarray:
    """The expected plays of a policy whose mixture is a function of (t, plays, events)."""
    n = len(mean)
    plays = np.ones(n)
    states: dict[Counts, float] = {((0,) * n, (0,) * n): 1.0}
    for t in range(1, horizon + 1):
        after: dict[Counts, float] = defaultdict(float)
        for (counts, events), probability in states.items():
            shares = np.eye(n)[t - 1] if t <= n else mixture(t, counts, events)
            plays += probability * shares * (t > n)
            for arm in np.flatnonzero(shares):
                for event in (0, 1):
                    weight = shares[arm] * (mean[arm] if event else 1 - mean[arm])
                    after[one_more(counts, arm, 1), one_more(events, arm, event)] += (
                        probability * weight
                    )
        states = dict(after)
    return plays


def one_more(counts: tuple[int, ...], arm: int, by: int) -> tuple[int, ...]:
    return tuple(count + by * (i == arm) for i, count in enumerate(counts))


@pytest.mark.parametrize("arms", MEANS)
@pytest.mark.parametrize("name", BY_COUNTS)
def test_expected_plays_of_index_policies(name, arms, eta=0.6):
    """T = 12 for two and three arms, 9 for four, where the counts are many more."""
    policy, horizon = make_policy(name, INDEX_POLICIES[name]), 9 if arms == 4 else 12
    mean, value = np.array(MEANS[arms]), np.array(VALUES[arms])
    rng = np.random.default_rng(0)
    engine = DenseEngine(Game(policy, mean, value, eta, horizon, KEY, 0, rng))

    def by_engine(t: int, plays: tuple[int, ...], events: tuple[int, ...]) -> np.ndarray:
        tally = engine.tally
        tally.plays[:], tally.events[:] = plays, events
        for sums in (tally.totals, tally.shares, tally.lost_totals, tally.lost_shares):
            sums[:] = 0.0
        tally.totals[EVENTS] = sum(events)
        engine.advance(t, t)
        return tally.expected_plays()

    def by_formula(t: int, plays: tuple[int, ...], events: tuple[int, ...]) -> np.ndarray:
        plain = Plain(policy, mean, value, eta, horizon)
        plain.plays, plain.events = list(plays), list(events)
        if plain.exploration() >= 1.0:
            return np.full(arms, 1 / arms)
        return np.array(plain.mixture(plain.believe()))

    exact = expected_plays(by_formula, MEANS[arms], horizon)
    assert exact.sum() == pytest.approx(horizon, abs=1e-12)
    found = expected_plays(by_engine, MEANS[arms], horizon)
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-12)
