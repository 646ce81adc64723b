"""Problems of all sorts, policies for them, and the lazy engine held against the dense one."""

from __future__ import annotations

import numpy as np

from lincon.engine.dense import DenseEngine
from lincon.engine.game import Game
from lincon.engine.lazy.engine import LazyEngine
from lincon.engine.randomness import choice_stream, luck_key
from lincon.policies.registry import make_policy


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


KL = {"estimator": "kl_ucb", "selector": "lp"}
UCB = {"estimator": "ucb1", "selector": "lp"}
TRUTH = {"estimator": "truth", "selector": "lp"}
# The selectors and targets that the lazy engine plays, besides the LP at eta.
OTHERS = {
    "argmax": {"selector": "argmax"},
    "queue": {"selector": "queue", "v": 0.5},
    "pessimistic queue": {"selector": "queue", "v": 2.5, "epsilon": 0.5},
    "primal_dual": {"selector": "primal_dual"},
    "tightened": {"target": "tightened", "k": 0.5},
    "paced": {"target": "paced"},
    "lp_greedy": {"selector": "lp_greedy"},
    "controlled": {"target": "controlled", "margin": 0.05, "buffer": 2.0},
    "safe_paced": {"target": "safe_paced"},
    "safe_paced, few plays": {"target": "safe_paced", "least_plays": 3, "width": 0.5, "surplus": 2},
}


def engines(spec, mean, value, eta, horizon, run):
    policy = make_policy("p", spec) if isinstance(spec, dict) else spec
    for engine in (LazyEngine, DenseEngine):
        rng, key = choice_stream(1, "x", eta, "p", run), luck_key(1, "x")
        yield engine(Game(policy, mean, value, eta, horizon, key, run, rng))


def assert_same_rounds(spec, mean, value, eta, horizon, run=0):
    """Equal after every block; a wrong decision shows in the plays or the shares of some arm."""
    lazy, dense = engines(spec, mean, value, eta, horizon, run)
    rng = np.random.default_rng(run)
    ends = np.unique(np.append(rng.integers(1, horizon + 1, 100), horizon))
    first = 1
    for end in map(int, ends):
        lazy.advance(first, end)
        dense.advance(first, end)
        for ours, theirs in zip(lazy.tally, dense.tally, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        first = end + 1
