"""Problems of all sorts, policies for them, and the lazy engine held against the dense one."""

import numpy as np

from lincon.engine.randomness import choice_stream, luck_key
from tests.unit.engine.games import ENGINES, game_of
from tests.unit.engine.twin import paper


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


KL = {"estimator": "kl_ucb"}
UCB = {"estimator": "ucb1"}
TRUTH = {"estimator": "truth"}
# The targets and steerings that the lazy engine plays, apart from the LP at eta.
OTHERS = {
    "argmax": {"target": "none"},
    "paced": {"target": "paced", "fallback": "greedy"},
    "greedy": {"fallback": "greedy"},
    "ledger": {"steering": "ledger", "fallback": "greedy"},
    "explore": {"explore": 0.2},
}


def assert_same_rounds(spec, mean, value, eta, horizon, run=0):
    assert_same(spec, mean, paper(value, eta), horizon, run)


def assert_same(spec, mean, program, horizon, run=0):
    """Equal after every block; a wrong decision shows in the plays or the shares of some arm."""
    eta, key = float(program.e[0]), luck_key(1, "x")
    lazy, dense = (
        ENGINES[name](
            game_of(spec, mean, program, horizon, key, run, choice_stream(1, "x", eta, "p", run))
        )
        for name in ("lazy", "dense")
    )
    rng = np.random.default_rng(run)
    ends = np.unique(np.append(rng.integers(1, horizon + 1, 100), horizon))
    first = 1
    for end in map(int, ends):
        lazy.advance(first, end)
        dense.advance(first, end)
        for ours, theirs in zip(lazy.tally, dense.tally, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        first = end + 1
