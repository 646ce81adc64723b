"""Every policy of the bench: round by round against its formula, and by hand on three arms."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from lincon.data.arms import Arms
from lincon.data.arms import make as make_arms
from lincon.engine.dense import DenseEngine
from lincon.engine.randomness import choice_stream, luck_key
from lincon.engine.simulate import Run, Setting, simulate
from lincon.engine.tally import AMOUNT
from lincon.policies.registry import TABLES, Policy, engine_of, make_policy
from lincon.problem.solve import solve_problem
from tests.unit.engine import twin
from tests.unit.engine.games import paper_game

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[3]
ENTRIES = {
    name: {key: entry[key] for key in entry if key not in ("label", "colour")}
    for name, entry in yaml.safe_load((REPOSITORY / "config/config.yaml").read_text())[
        "policies"
    ].items()
}
BENCH = {name: make_policy(name, spec) for name, spec in ENTRIES.items()}
# Parts that no policy of the bench has, and parameters off their defaults.
OTHERS = {
    name: make_policy(name, spec)
    for name, spec in {
        "ts_tightened": {"estimator": "beta_sample", "selector": "lp", "target": "tightened"},
        "kl_paced": {
            "estimator": "kl_ucb",
            "selector": "lp",
            "target": "paced",
            "fallback": "greedy",
            "c": 2,
        },
        "ts_ledger": {"estimator": "beta_sample", "selector": "lp", "steering": "ledger"},
        "opb": {"estimator": "kl_ucb", "selector": "lp", "constraint_belief": "lower"},
        "kl_mean": {"estimator": "kl_ucb", "selector": "lp", "constraint_belief": "mean"},
        "ts_given": {
            "estimator": "beta_sample",
            "selector": "lp",
            "prior": "beta",
            "prior_a": 0.3,
            "prior_b": 4,
        },
        "ts_learned": {
            "estimator": "beta_sample",
            "selector": "queue",
            "prior": "learned",
            "spread": 1,
            "ramp": 5,
            "explore": 2,
        },
        "ucb_controlled": {
            "estimator": "ucb1",
            "selector": "lp",
            "target": "controlled",
            "explore": 0.1,
            "margin": 0.1,
            "buffer": 3,
        },
        "ucb_bwk": {"estimator": "ucb1", "selector": "primal_dual", "explore": 0.1},
        "greedy": {"estimator": "empirical", "selector": "lp"},
        "curious": {"estimator": "beta_sample", "selector": "eps_greedy", "uniform_rate": 1},
    }.items()
}
rng = np.random.default_rng(11)
ARMS = {
    "three": make_arms([0.3, 0.5, 0.9], [1.0, 0.7, 0.2]),
    "nine": make_arms(rng.random(9), rng.random(9)),
    "scarce": make_arms([0.05, 0.1, 0.2, 0.25], [1.0, 0.9, 0.5, 0.1]),
}
ETAS = {"three": 0.6, "nine": 0.55, "scarce": 0.2}
HORIZON = 250


def played(policy: Policy, arms: Arms, eta: float, engine: str = "dense", run: int = 0) -> Run:
    setting = Setting("field", eta, HORIZON, policy, run, 5, HORIZON, engine, "plays")
    return simulate(setting, arms, solve_problem(arms, eta))


# --- round by round


@pytest.mark.parametrize("arms", ARMS)
@pytest.mark.parametrize("name", [*BENCH, *OTHERS])
def test_every_round_is_that_of_the_formula(name, arms):
    policy, eta = (BENCH | OTHERS)[name], ETAS[arms]
    run = played(policy, ARMS[arms], eta)
    key, stream = twin.luck_key(5, "field"), choice_stream(5, "field", eta, name, 0)
    program = twin.paper(ARMS[arms].value, eta)
    expected = twin.play(policy, ARMS[arms].mean, program, HORIZON, key, 0, stream)
    np.testing.assert_array_equal(run.chosen, expected.arm)


def test_every_part_is_played_above():
    for kind, table in TABLES.items():
        assert {getattr(policy, kind) for policy in (BENCH | OTHERS).values()} == set(table)


# --- by hand: theta = (.3, .5, .9), values (1, .7, .2), so rewards (.3, .35, .18)


class ByHand:
    """A dense engine after three forced rounds, told of so many plays that theta is known."""

    def __init__(self, eta=0.6, horizon=100, first=(0.0, 0.0, 0.0), **spec) -> None:
        mean, value = ARMS["three"].mean.copy(), ARMS["three"].value.copy()
        policy = make_policy("p", {"estimator": "truth", **spec})
        stream = np.random.default_rng(1)
        self.engine = DenseEngine(
            paper_game(policy, mean, value, eta, horizon, luck_key(1, "d"), 0, stream)
        )
        for t, event in enumerate(first, 1):
            # A mean of 1 or 0 decides the event of a forced round; the belief does not see it.
            mean[:] = event
            self.engine.advance(t, t)
        mean[:] = ARMS["three"].mean
        tally = self.engine.tally
        tally.plays[:] = 10**9
        tally.events[:] = np.rint(mean * 10**9)
        tally.shares[:] = 0.0

    def shares(self, t: int, events: float) -> list[float]:
        """The mixture of round t where so many events have happened."""
        self.engine.tally.amounts[AMOUNT, 0] = events
        self.engine.advance(t, t)
        return self.engine.tally.expected_plays().tolist()


@pytest.mark.parametrize("estimator", ["truth", "beta_sample", "kl_ucb", "ucb1", "empirical"])
def test_lp_by_hand(estimator):
    """Arm 1 pays best but is below .6: it is mixed with arm 2, (.9 - .6) / (.9 - .5) = 3/4."""
    engine = ByHand(estimator=estimator, selector="lp")
    np.testing.assert_allclose(engine.shares(51, 20), [0, 0.75, 0.25], atol=2e-3)


@pytest.mark.parametrize(
    ("target", "parameters", "events", "rate"),
    [
        ("fixed", {}, 20, 0.6),
        # 60 events are due by round 100 and 20 are there: 40 in the 50 rounds from 51 on.
        ("paced", {}, 20, 0.8),
        ("paced", {}, 35, 0.5),
        # 30 events were due before round 51; the buffer is log 49 = 3.89 events.
        ("controlled", {}, 20, 0.61),
        ("controlled", {}, 33, 0.61),
        ("controlled", {}, 34, 0.59),
        ("controlled", {"margin": 0.2, "buffer": 2}, 37, 0.8),
        ("tightened", {}, 20, 0.6 + math.sqrt(math.log(51) / 51)),
        ("tightened", {"k": 0.5}, 20, 0.6 + 0.5 * math.sqrt(math.log(51) / 51)),
    ],
)
def test_targets_by_hand(target, parameters, events, rate):
    spec = {"selector": "lp", "target": target, "fallback": "greedy"}
    found = ByHand(**spec, **parameters).shares(51, events)
    share = (0.9 - rate) / 0.4
    np.testing.assert_allclose(found, [0, share, 1 - share], atol=1e-9)


def test_where_no_mixture_meets_the_target_by_hand():
    """.95 is more than any arm gives."""
    for target in ("fixed", "paced"):
        spec = {"eta": 0.95, "selector": "lp", "target": target}
        assert ByHand(**spec, fallback="greedy").shares(51, 20) == [0, 0, 1]
        np.testing.assert_allclose(ByHand(**spec, fallback="uniform").shares(51, 20), 1 / 3)


@pytest.mark.parametrize(("events", "arm"), [(34, 2), (35, 1)])
def test_ledger_by_hand(events, arm):
    """By round 51 .6 * 51 + log 51 = 34.53 are due: while behind, the arm of more events."""
    found = ByHand(selector="lp", steering="ledger").shares(51, events)
    assert found == [float(i == arm) for i in range(3)]


def test_amounts_by_hand():
    assert ByHand(selector="amounts").shares(51, 0) == [0, 0, 1]


def test_argmax_by_hand():
    assert ByHand(selector="argmax").shares(51, 0) == [0, 1, 0]


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
def test_queue_by_hand(parameters, first, arm):
    found = ByHand(selector="queue", first=first, **parameters).shares(4, 0)
    assert found == [float(i == arm) for i in range(3)]


def test_primal_dual_by_hand():
    """w1 = w2 = 1: .3 / 1.1 = .273, .35 / .9 = .389, .18 / .5 = .36. Later failures weigh more."""
    engine = ByHand(selector="primal_dual")
    assert engine.shares(4, 0) == [0, 1, 0]
    # Each play of arm 1 multiplies w1 / w2 by (1 + e)^.1, e = sqrt(log 2 / 40) = .1316; arm 2 is
    # better from .18 (.5 w + .4) > .35 (.1 w + .4) on, w > 1.236: after 18 plays.
    plays = [engine.shares(t, 0)[2] for t in range(5, 25)]
    assert plays.index(1.0) == 17


def test_rounds_at_random_by_hand():
    np.testing.assert_allclose(ByHand(selector="uniform").shares(51, 20), 1 / 3)
    spec = {"estimator": "empirical", "selector": "eps_greedy"}
    never = ByHand(**spec, uniform_rate=0).shares(51, 20)
    np.testing.assert_allclose(never, [0, 0.75, 0.25], atol=1e-6)
    # 5 N log t / t = 5 * 3 * 3.93 / 51 = 1.16.
    np.testing.assert_allclose(ByHand(**spec, uniform_rate=5).shares(51, 20), 1 / 3)


# --- what holds for all


@pytest.mark.parametrize("name", BENCH)
def test_all_rounds_are_played(name):
    policy = BENCH[name]
    run = played(policy, ARMS["nine"], 0.55, engine_of(policy, "lazy"))
    assert run.plays["plays"].to_numpy().sum() == HORIZON
    assert run.plays["expected_plays"].to_numpy().sum() == pytest.approx(HORIZON)


@pytest.mark.parametrize("arms", ARMS)
def test_the_oracles_composite_regret_is_zero(arms):
    eta, problem = ETAS[arms], solve_problem(ARMS[arms], ETAS[arms])
    series = played(BENCH["oracle"], ARMS[arms], eta).series.to_pandas()
    regret = series.t * problem.optimum - series.expected_reward
    violation = series.t * eta - series.expected_events
    composite = regret + problem.price * violation
    after = composite[len(ARMS[arms]) - 1 :]
    np.testing.assert_allclose(after, after.iloc[0], atol=1e-10)


@pytest.mark.parametrize(("one", "other"), [("lincon_ts", "thompson"), ("lincon_kl_ucb", "kl_ucb")])
def test_without_a_floor_the_constraint_changes_nothing(one, other):
    constrained, free = (replace(BENCH[name], name="same") for name in (one, other))
    for engine in ("dense", "lazy"):
        runs = [played(policy, ARMS["nine"], 0.0, engine) for policy in (constrained, free)]
        np.testing.assert_array_equal(runs[0].chosen, runs[1].chosen)
