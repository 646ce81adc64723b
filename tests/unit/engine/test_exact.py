"""Exact answers on small problems: the whole tree of (arm, event), with its probabilities.

Index policies: the tree of the formulas (tests/unit/policies/plain.py) is walked, and along every
path the engine is made to meet the same events and draws; its mixtures must be the tree's, and so
the expectations. LinConTS: what it expects of a posterior is integrated numerically, and the
engines' means over many runs must agree.
"""

from __future__ import annotations

import copy
import functools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

from lincon.engine.dense import DenseEngine
from lincon.engine.game import Game
from lincon.engine.lazy.engine import LazyEngine
from lincon.engine.randomness import luck_key
from lincon.engine.tally import EVENTS, EXPECTED_EVENTS, EXPECTED_REWARD, REWARD
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


# --- LinConTS on two arms, the first of which pays more

MEAN, VALUE, ETA = np.array(MEANS[2]), np.array(VALUES[2]), 0.6


@functools.cache
def gauss(nodes: int) -> tuple[np.ndarray, np.ndarray]:
    x, w = np.polynomial.legendre.leggauss(nodes)
    return (x + 1) / 2, w / 2


@functools.cache
def share_of_first(n0: int, s0: int, n1: int, s1: int, nodes: int = 60) -> float:
    """The expectation of the first arm's share in the LP's mixture, over both posteriors."""
    r0, r1 = VALUE
    first, second = stats.beta(1 + s0, 1 + n0 - s0), stats.beta(1 + s1, 1 + n1 - s1)
    # Neither reaches eta: one half each.
    neither = 0.5 * first.cdf(ETA) * second.cdf(ETA)
    # The first pays more and reaches eta: it alone. The other's bound has a kink at r1 / r0.
    x, w = gauss(nodes)
    alone = 0.0
    for low, high in ((ETA, max(ETA, r1 / r0)), (max(ETA, r1 / r0), 1.0)):
        theta = low + (high - low) * x
        alone += (high - low) * w @ (first.pdf(theta) * second.cdf(np.minimum(1, theta * r0 / r1)))
    # The first pays more and is below eta, the second above: p / (p + q) of the first, where
    # theta = (eta - q, eta + p). Fourth powers make the corner p = q = 0 smooth enough.
    most_p = min(1 - ETA, ETA * (r0 / r1 - 1))
    p = most_p * x[:, None] ** 4
    most_q = ETA - (ETA + p) * r1 / r0
    q = most_q * x[None, :] ** 4
    jacobian = 16 * most_p * most_q * x[:, None] ** 3 * x[None, :] ** 3
    density = first.pdf(ETA - q) * second.pdf(ETA + p) * p / (p + q) * jacobian
    return float(neither + alone + w @ density @ w)


def expectations(horizon: int) -> dict[str, float]:
    """Expected plays of the first arm, reward and events, by the law of the counts."""
    states = {(1, s0, 1, s1): pr(s0, 0) * pr(s1, 1) for s0 in (0, 1) for s1 in (0, 1)}
    first = 1.0
    for _ in range(2, horizon):
        after: dict[tuple[int, int, int, int], float] = defaultdict(float)
        for (n0, s0, n1, s1), probability in states.items():
            share = share_of_first(n0, s0, n1, s1)
            first += probability * share
            for event in (0, 1):
                after[n0 + 1, s0 + event, n1, s1] += probability * share * pr(event, 0)
                after[n0, s0, n1 + 1, s1 + event] += probability * (1 - share) * pr(event, 1)
        states = dict(after)
    plays = np.array([first, horizon - first])
    return {"plays": first, "reward": plays @ (MEAN * VALUE), "events": plays @ MEAN}


def pr(event: int, arm: int) -> float:
    return float(MEAN[arm] if event else 1 - MEAN[arm])


def test_the_integral_is_good_to_eight_digits():
    for counts in [(1, 0, 1, 1), (1, 1, 1, 0), (3, 1, 5, 4), (9, 3, 3, 2)]:
        assert share_of_first(*counts) == pytest.approx(share_of_first(*counts, 160), abs=1e-8)


def test_the_integral_against_samples():
    """A rough check of the formula itself: a mistake in a region is far larger than this."""
    rng = np.random.default_rng(2)
    for n0, s0, n1, s1 in [(1, 0, 1, 1), (4, 2, 4, 3), (6, 4, 2, 1)]:
        theta = rng.beta([1 + s0, 1 + s1], [1 + n0 - s0, 1 + n1 - s1], (200_000, 2))
        (a, b), (x, y) = theta.T, VALUE[:, None] * theta.T
        mixed = (b - ETA) / np.where(a < ETA, b - a, 1.0)
        inner = np.where(b >= ETA, mixed, 0.5)
        share = np.where(x > y, np.where(a >= ETA, 1.0, inner), np.where(b >= ETA, 0.0, 0.5))
        found = share_of_first(n0, s0, n1, s1)
        assert abs(share.mean() - found) < 5 * share.std() / np.sqrt(share.size)


def sampled(engine: str, horizon: int, runs: int) -> dict[str, np.ndarray]:
    """What the engine gave in each run: expected plays of the first arm, reward and events."""
    policy = make_policy("ts", {"estimator": "beta_sample", "selector": "lp"})
    rng = np.random.default_rng(3)
    found = np.empty((runs, 3))
    for run in range(runs):
        made = ENGINES[engine](Game(policy, MEAN, VALUE, ETA, horizon, KEY, run, rng))
        made.advance(1, horizon)
        tally = made.tally
        found[run, 0] = tally.expected_plays()[0]
        found[run, 1:] = tally.totals[[EXPECTED_REWARD, EXPECTED_EVENTS]]
    return dict(zip(("plays", "reward", "events"), found.T, strict=True))


def check_means(engine: str, horizon: int, runs: int) -> None:
    exact, found = expectations(horizon), sampled(engine, horizon, runs)
    for name, values in found.items():
        error = values.std() / np.sqrt(runs)
        assert abs(values.mean() - exact[name]) < 4 * error, (name, values.mean(), exact[name])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("horizon", [4, 8])
def test_lincon_ts_has_the_exact_expectation(engine, horizon):
    check_means(engine, horizon, 5000)


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
def test_lincon_ts_has_the_exact_expectation_over_a_million_runs(engine):
    check_means(engine, 12, 1_000_000)
