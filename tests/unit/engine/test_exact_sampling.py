"""Exact answers on small problems for LinConTS: the engines' means over many runs against them.

What LinConTS expects of a posterior is integrated numerically; the law of the counts does the rest.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from lincon.engine.randomness import luck_key
from lincon.engine.tally import EXPECTED_EVENTS, EXPECTED_REWARD
from tests.unit.engine.games import ENGINES, paper_game
from tests.unit.engine.twin import best_pair

pytestmark = pytest.mark.slow

KEY, ETA = luck_key(0, "exact"), 0.6
MEANS = {2: [0.35, 0.8], 3: [0.3, 0.5, 0.9], 4: [0.2, 0.4, 0.6, 0.9]}
# Of three arms and more, none pays less than ETA times the most: then a line through two others is
# never infeasible of an arm, and what is integrated is smooth.
VALUES = {2: [1.0, 0.3], 3: [1.0, 0.8, 0.65], 4: [1.0, 0.85, 0.75, 0.65]}


@functools.cache
def gauss(nodes: int) -> tuple[np.ndarray, np.ndarray]:
    x, w = np.polynomial.legendre.leggauss(nodes)
    return (x + 1) / 2, w / 2


@functools.cache
def expected_shares(plays: tuple[int, ...], events: tuple[int, ...], nodes: int = 60) -> np.ndarray:
    """The expectation of each arm's share in the LP's mixture, over the posteriors.

    An arm alone, or two around eta, are the mixture if the others are below their line, and the
    probability of that is a product: two integrals are enough for any number of arms.
    """
    value = VALUES[len(plays)]
    law = [stats.beta(1 + s, 1 + n - s) for n, s in zip(plays, events, strict=True)]
    # None reaches eta: every arm alike.
    shares = np.full(len(law), np.prod([one.cdf(ETA) for one in law]) / len(law))
    for i, most in enumerate(value):
        shares[i] += alone(law, value, i, nodes)
        for j, less in enumerate(value):
            if less < most:
                shares[[i, j]] += together(law, value, i, j, nodes)
    return shares


def below(law: list, bounds: list, *but: int) -> np.ndarray:
    """The probability that all arms, but some, are below their bounds."""
    others = [
        one.cdf(bound)
        for k, (one, bound) in enumerate(zip(law, bounds, strict=True))
        if k not in but
    ]
    return np.prod(np.broadcast_arrays(1.0, *others), axis=0)


def alone(law: list, value: list[float], i: int, nodes: int) -> float:
    """Arm i reaches eta and pays most; another's bound has a kink where it becomes 1."""
    x, w = gauss(nodes)
    kinks = [r / value[i] for r in value if ETA < r / value[i] < 1.0]
    total = 0.0
    for low, high in pairwise(sorted([ETA, *kinks, 1.0])):
        theta = low + (high - low) * x
        bounds = [np.minimum(theta * value[i] / r, 1.0) for r in value]
        total += (high - low) * w @ (law[i].pdf(theta) * below(law, bounds, i))
    return total


def together(law: list, value: list[float], i: int, j: int, nodes: int) -> np.ndarray:
    """Arm i is below eta, j above it and pays less: p / (p + q) of i, theta = (eta - q, eta + p).

    Fourth powers make the corner p = q = 0 smooth enough.
    """
    x, w = gauss(nodes)
    most_p = min(1 - ETA, ETA * (value[i] / value[j] - 1))
    p = most_p * x[:, None] ** 4
    most_q = ETA - (ETA + p) * value[j] / value[i]
    q = most_q * x[None, :] ** 4
    jacobian = 16 * most_p * most_q * x[:, None] ** 3 * x[None, :] ** 3
    price = ((ETA - q) * value[i] - (ETA + p) * value[j]) / (p + q)
    bounds = [(ETA - q) * (value[i] + price) / (r + price) for r in value]
    density = law[i].pdf(ETA - q) * law[j].pdf(ETA + p) * below(law, bounds, i, j) * jacobian
    return np.array([w @ (density * share / (p + q)) @ w for share in (p, q)])


COUNTS = [
    ((1, 1), (0, 1)),
    ((9, 3), (3, 2)),
    ((1, 1, 1), (0, 1, 1)),
    ((3, 5, 2), (1, 4, 2)),
    ((1, 1, 1, 1), (1, 0, 0, 1)),
    ((2, 4, 3, 1), (1, 3, 0, 1)),
]


@pytest.mark.parametrize(("plays", "events"), COUNTS)
def test_the_integral_is_good_to_eight_digits(plays, events):
    found = expected_shares(plays, events)
    np.testing.assert_allclose(found, expected_shares(plays, events, 160), rtol=0, atol=1e-8)
    assert found.sum() == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize(("plays", "events"), COUNTS)
def test_the_integral_against_samples(plays, events, samples=4_000):
    """A rough check of the formula itself: a mistake in a region is far larger than this."""
    rng, n = np.random.default_rng(2), np.array(plays)
    value = VALUES[n.size]
    shares = []
    for theta in rng.beta(1 + np.array(events), 1 + n - events, (samples, n.size)):
        found = best_pair(theta, theta * value, ETA) or dict.fromkeys(range(n.size), 1 / n.size)
        shares.append([found.get(i, 0.0) for i in range(n.size)])
    error = np.std(shares, axis=0) / np.sqrt(samples)
    assert (np.abs(np.mean(shares, axis=0) - expected_shares(plays, events)) < 5 * error).all()


Counts = tuple[tuple[int, ...], tuple[int, ...]]


def expected_plays(mean: list[float], horizon: int) -> np.ndarray:
    """The expected plays, by the law of the counts: a mixture is a function of them."""
    n = len(mean)
    plays = np.ones(n)
    states: dict[Counts, float] = {((0,) * n, (0,) * n): 1.0}
    for t in range(1, horizon + 1):
        after: dict[Counts, float] = defaultdict(float)
        for (counts, events), probability in states.items():
            shares = np.eye(n)[t - 1] if t <= n else expected_shares(counts, events)
            plays += probability * shares * (t > n)
            for arm in np.flatnonzero(shares):
                for event in (0, 1):
                    weight = shares[arm] * (mean[arm] if event else 1 - mean[arm])
                    new = one_more(counts, arm, 1), one_more(events, arm, event)
                    after[new] += probability * weight
        states = dict(after)
    return plays


def one_more(counts: tuple[int, ...], arm: int, by: int) -> tuple[int, ...]:
    return tuple(count + by * (i == arm) for i, count in enumerate(counts))


def sampled(engine: str, arms: int, horizon: int, runs: int) -> np.ndarray:
    """What the engine gave in each run: expected plays, expected reward and events."""
    policy = {"estimator": "beta_sample", "selector": "lp"}
    mean, value = np.array(MEANS[arms]), np.array(VALUES[arms])
    rng = np.random.default_rng(3)
    found = np.empty((runs, arms + 2))
    for run in range(runs):
        made = ENGINES[engine](paper_game(policy, mean, value, ETA, horizon, KEY, run, rng))
        made.advance(1, horizon)
        found[run, :arms] = made.tally.expected_plays()
        found[run, arms:] = made.tally.totals[[EXPECTED_REWARD, EXPECTED_EVENTS]]
    return found


def check_means(engine: str, arms: int, horizon: int, runs: int) -> None:
    mean, value = np.array(MEANS[arms]), np.array(VALUES[arms])
    plays = expected_plays(MEANS[arms], horizon)
    exact = [*plays, plays @ (mean * value), plays @ mean]
    found = sampled(engine, arms, horizon, runs)
    error = found.std(axis=0) / np.sqrt(runs)
    assert (np.abs(found.mean(axis=0) - exact) < 4 * error).all(), (found.mean(axis=0), exact)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("arms", "horizon"), [(2, 8), (4, 6)])
def test_lincon_ts_has_the_exact_expectation(engine, arms, horizon):
    check_means(engine, arms, horizon, 3000)


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("arms", "horizon"), [(3, 9)])
def test_lincon_ts_has_the_exact_expectation_over_a_million_runs(engine, arms, horizon):
    check_means(engine, arms, horizon, 1_000_000)
