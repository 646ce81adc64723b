"""Index policies: the lazy engine takes the dense engine's decisions, bit for bit."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from lincon.data.sources import extract
from lincon.engine.dense import DenseEngine
from lincon.engine.game import Game
from lincon.engine.lazy.engine import LazyEngine
from lincon.engine.lazy.index.decision import Indices, advance_index
from lincon.engine.randomness import choice_stream, luck_key
from lincon.engine.tally import Tally
from lincon.policies import registry
from lincon.policies.estimators import KL_UCB, TRUTH, UCB1, believe
from lincon.policies.selectors import ARGMAX, LP, QUEUE
from lincon.policies.virtual_queue import new_queue


def problem(seed):
    """(mean, value, eta, horizon): all sorts, many with equal values, means of 0 and 1, ties."""
    rng = np.random.default_rng(seed)
    arms = int(rng.choice([1, 2, 3, 10, 50, 150, 400]))
    mean = rng.beta(*rng.choice([(1, 1), (1, 8), (5, 2)]), arms)
    value = rng.random(arms)
    if rng.random() < 0.4:
        value = np.round(value * 5) / 5
    if rng.random() < 0.2:
        mean = np.round(mean)
    eta = float(rng.choice([0.0, 0.3, 0.6, 0.95]) * rng.choice([1.0, mean.max()]))
    horizon = int(rng.choice([arms + 200, 3_000, 20_000]))
    return mean, value, eta, horizon


def engines(estimator, selector, parameter, mean, value, eta, horizon, run):
    queue = (0.5 + run % 3, 0.5 * (run % 2)) if selector == QUEUE else (0.0, 0.0)
    names = list(registry.ESTIMATORS)[estimator], list(registry.SELECTORS)[selector]
    parameters = {"v": queue[0], "epsilon": queue[1], "c": parameter, "alpha": parameter}
    policy = registry.Policy("p", *names, parameters=parameters)
    for engine in (LazyEngine, DenseEngine):
        rng, key = choice_stream(1, "x", eta, "p", run), luck_key(1, "x")
        yield engine(Game(policy, mean, value, eta, horizon, key, run, rng))


def assert_same_rounds(estimator, selector, parameter, mean, value, eta, horizon, run=0):
    """Equal after every block; a wrong decision shows in the plays or the shares of some arm."""
    lazy, dense = engines(estimator, selector, parameter, mean, value, eta, horizon, run)
    rng = np.random.default_rng(run)
    ends = np.unique(np.append(rng.integers(1, horizon + 1, 100), horizon))
    first = 1
    for end in map(int, ends):
        lazy.advance(first, end)
        dense.advance(first, end)
        for ours, theirs in zip(lazy.tally, dense.tally, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        first = end + 1


@pytest.mark.parametrize("seed", range(50))
def test_lincon_kl_ucb(seed):
    mean, value, eta, horizon = problem(seed)
    assert_same_rounds(KL_UCB, LP, float(seed % 3), mean, value, eta, max(horizon, mean.size), seed)


@pytest.mark.parametrize("seed", range(100, 112))
@pytest.mark.parametrize(
    "estimator, selector",
    [(KL_UCB, ARGMAX), (KL_UCB, QUEUE), (UCB1, LP), (UCB1, ARGMAX), (UCB1, QUEUE)],
)
def test_other_index_policies(seed, estimator, selector):
    mean, value, eta, _ = problem(seed)
    assert_same_rounds(estimator, selector, 2.0, mean, value, eta, mean.size + 3_000, seed)


def test_a_shrinking_budget():
    mean, value, eta, _ = problem(3)
    assert_same_rounds(KL_UCB, LP, -2.0, mean, value, eta, mean.size + 3_000)


@pytest.mark.parametrize("selector", [LP, ARGMAX, QUEUE])
@pytest.mark.parametrize("seed", range(200, 206))
def test_known_means(seed, selector):
    mean, value, eta, _ = problem(seed)
    assert_same_rounds(TRUTH, selector, 0.0, mean, value, eta, mean.size + 500, seed)


def test_many_equal_arms():
    """Twins throughout: everything hangs on the lowest index."""
    mean, value = np.tile([0.3, 0.8], 40), np.tile([0.9, 0.2], 40)
    for selector in (LP, QUEUE):
        assert_same_rounds(KL_UCB, selector, 0.0, mean, value, 0.5, 6_000)


@pytest.mark.parametrize("estimator, parameter", [(KL_UCB, 0.0), (KL_UCB, 3.0), (UCB1, 2.0)])
@pytest.mark.parametrize("eta", [0.3, 0.6, 0.99])
def test_arms_that_come_in_copies(estimator, parameter, eta):
    """Twins part and meet; with the last eta all arms are played, also those behind others."""
    rng = np.random.default_rng(5)
    copied = rng.integers(0, 20, 400)
    mean, value = np.round(rng.beta(1, 2, 20), 1)[copied], rng.random(20)[copied]
    assert_same_rounds(estimator, LP, parameter, mean * 0.98, value, eta, 5_000)


@pytest.mark.parametrize("seed", range(300, 306))
def test_every_arm_is_accounted_for(seed):
    """It is in hand, or behind an equal that is lower, or has a cap that its index keeps below."""
    mean, value, eta, _ = problem(seed)
    tally, state = Tally.new(mean, value, eta), Indices.new(value)
    queue = new_queue(eta, 0.0, 0.0)
    play = (mean, value, eta, luck_key(1, "x"), 0, choice_stream(1, "x", eta, "p", 0))
    for t in range(1, mean.size + 500):
        advance_index(t, t, KL_UCB, 0.0, LP, *play, tally, queue, state)
        if t <= mean.size or t % 10:
            continue
        cap = (state.reach.base + state.reach.rise)[state.reach.seat]
        due = state.reach.due[state.reach.seat]
        theta = np.empty(mean.size)
        believe(KL_UCB, 0.0, tally.plays, tally.events, t, mean, play[-1], theta)
        behind = state.twins.behind
        hidden, held = behind >= 0, np.isin(np.arange(mean.size), state.hand)
        capped = (cap >= 0.0) & (due >= t)
        np.testing.assert_array_equal(hidden * 1 + held + capped, 1)
        assert (theta <= cap)[capped].all()
        assert (behind < np.arange(mean.size)).all()
        assert (theta == theta[behind])[hidden].all()


@pytest.mark.parametrize(
    "kind, name, eta, horizon",
    [
        ("edx_courses", "edX-Course.csv", 0.5, 20_000),
        ("coupon_published", "coupon_purchase.npy", 0.25, 10_000),
    ],
)
def test_the_papers_data(mirror, kind, name, eta, horizon):
    digest = hashlib.sha256((mirror / name).read_bytes()).hexdigest()
    arms = extract({"kind": kind, "files": {name: {"sha256": digest}}}, [mirror / name], "paper")
    assert_same_rounds(KL_UCB, LP, 0.0, arms.mean, arms.value, eta, horizon)
