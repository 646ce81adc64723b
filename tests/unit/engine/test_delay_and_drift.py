"""Late feedback and drift: their laws, and how policies experience them."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from lincon.engine.dense import DenseEngine
from lincon.engine.feedback import Delay, arrival
from lincon.engine.simulate import simulate
from lincon.errors import UserError
from lincon.policies.registry import make_policy
from lincon.problem.solve import solve_problem
from tests.unit.engine import twin
from tests.unit.engine.games import CHANGING, PROBLEMS, SEED, game_of
from tests.unit.engine.plain_luck import luck_key
from tests.unit.policies.played import POLICIES, of

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[3] / "config" / "examples"
NOTHING = json.dumps({"delay": {"rounds": 0}, "drift": {"walk": 0.0}})


@pytest.mark.parametrize("name", ["ts_ledger", "ts_paced"])
def test_no_delay_and_no_drift_are_the_bits_without_either(name):
    problem = PROBLEMS["often infeasible"]
    one, other = (
        simulate(problem.setting(POLICIES[name]), arms, solve_problem(arms, problem.eta))
        for arms in (problem.arms, replace(problem.arms, world=NOTHING))
    )
    assert one.plays.equals(other.plays)
    assert one.series.equals(other.series.select(one.series.column_names))


def inputs_of(mean, horizon=400, **surroundings):
    mean, key = np.array(mean), np.array(luck_key(SEED, "data"), np.uint32)
    rng = np.random.default_rng(0)
    policy, program = POLICIES["ts_ledger"], twin.paper(0.5 + 0 * mean, 0.7)
    inputs = game_of(policy, mean, program, horizon, key, 3, rng)
    text = json.dumps(surroundings)
    return replace(inputs, surroundings=text, seed=SEED, dataset="data")


def test_the_law_of_arrivals():
    inputs = inputs_of([0.1, 0.5, 0.9], delay={"rounds": 3, "mean": 20.0, "lost": 0.25})
    delay = Delay.new(inputs)
    late = np.array([arrival(delay, run, t, 2)[0] - t for run in range(20) for t in range(1, 501)])
    arrived = late < 10**9
    assert stats.binomtest(int((~arrived).sum()), late.size, 0.25).pvalue > 1e-3
    counts = np.bincount(np.minimum(late[arrived] - 3, 60), minlength=61)
    law = stats.geom(1 / 21, loc=-1)
    expected = [*law.pmf(np.arange(60)), law.sf(59)]
    assert stats.chisquare(counts, arrived.sum() * np.array(expected)).pvalue > 1e-3


@pytest.mark.parametrize(
    ("drift", "variance"),
    [({"walk": 0.1}, 99 * 0.01), ({"at": 50, "size": 0.8, "walk": 0.1}, 99 * 0.01 + 0.64)],
)
def test_the_law_of_drift(drift, variance):
    """Logits move by a variance of walk^2 per round after the first, and of size^2 at a step."""
    engine = DenseEngine(inputs_of(np.full(400, 0.3), drift=drift))
    engine.advance(1, 100)
    mean = engine.environment.mean
    moved = np.log(mean / (1 - mean)) - math.log(0.3 / 0.7)
    assert stats.kstest(moved / math.sqrt(variance), "norm").pvalue > 1e-3


def test_every_policy_of_a_run_meets_the_same_means():
    problem = CHANGING["late, and drifting"]
    one, two, other = (
        problem.play(POLICIES[name], run=run).series["optimum"]
        for name, run in (("lincon_ts", 3), ("uniform", 3), ("uniform", 4))
    )
    assert one.equals(two) and not one.equals(other)


def test_a_class_is_told_late_what_a_kernel_is():
    """LinConTS as a class, with the stream of the built-in one, plays the same rounds."""
    path = f"{EXAMPLES / 'lincon_ts.py'}:LinConTS"
    parts = {"dense": of("beta_sample"), "python": {"python": path}}
    chosen = [
        CHANGING["late, and drifting"]
        .play(make_policy("ts", spec), engine=engine, record="plays")
        .chosen
        for engine, spec in parts.items()
    ]
    np.testing.assert_array_equal(*chosen)


def test_the_lazy_engine_refuses_late_feedback():
    with pytest.raises(UserError, match="engine lazy does not play it; allowed: dense"):
        CHANGING["late"].play(POLICIES["lincon_ts"], engine="lazy")
