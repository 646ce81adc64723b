"""lincon.online plays as the bench does, round by round."""

from __future__ import annotations

import numpy as np
import pytest

from lincon.data.arms import make as make_arms
from lincon.engine.simulate import Run, Setting, simulate
from lincon.online import Constraint, Goal, LearnedLedger, Ledger, LinConKLUCB, LinConTS
from lincon.policies.registry import TABLES, make_policy
from lincon.problem.solve import solve_problem

pytestmark = pytest.mark.slow

rng = np.random.default_rng(8)
TEN = make_arms(rng.random(10), rng.random(10), columns={"cost": 0.3 * rng.random(10)})
ALL = (LinConTS, LinConKLUCB, Ledger, LearnedLedger)
LP = {"estimator": "beta_sample", "selector": "lp"}
LEDGER = LP | {"steering": "ledger", "fallback": "greedy"}
COSTLY = Goal((Constraint("rate", per_event=1.0, bound=0.5),), value=0.0, cost="cost")
CAPPED = Goal(
    (
        Constraint("rate", per_event=1.0, bound=0.55),
        Constraint("spent", per_play="cost", sense="at_most", bound=0.12),
    )
)


def bench(spec: dict, engine: str, goal: Goal | float, horizon: int = 400) -> Run:
    setting = Setting("d", goal, horizon, make_policy("p", spec), 0, 3, horizon, engine, "plays")
    return simulate(setting, TEN, solve_problem(TEN, goal))


@pytest.mark.parametrize(
    "goal", [0.0, 0.4, 0.7, 1.0, COSTLY, CAPPED], ids=["0", ".4", ".7", "1", "cost", "two"]
)
@pytest.mark.parametrize(
    ("cls", "spec"),
    [
        ("LinConTS", LP),
        ("LinConTS", LP | {"explore": 0.5}),
        ("LinConKLUCB", {"estimator": "kl_ucb", "selector": "lp", "c": 3}),
        ("Ledger", LEDGER),
        ("Ledger", LEDGER | {"reserve": 3}),
        ("LearnedLedger", LEDGER | {"prior": "learned", "ramp": 5}),
    ],
    ids=["ts", "ts, explore", "kl_ucb", "ledger", "ledger, reserve", "learned"],
)
def test_in_the_bench_it_is_the_dense_engines_round_by_round(cls, spec, goal):
    if goal is CAPPED and cls == "LinConKLUCB":
        pytest.skip("LinConKLUCB of lincon.online takes at_least constraints only")
    own = {key: value for key, value in spec.items() if key not in TABLES}
    online = bench({"python": f"lincon.online:{cls}", **own}, "python", goal)
    dense = bench(spec, "dense", goal)
    np.testing.assert_array_equal(online.chosen, dense.chosen)
    np.testing.assert_allclose(
        online.series["expected_reward"], dense.series["expected_reward"], rtol=1e-9
    )


@pytest.mark.parametrize("cls", ALL)
def test_a_service_chooses_as_the_bench_does(cls):
    """choose() draws the arm from the mixture that choose(t) gives, from the same stream."""
    service, mixtures = (cls(TEN.value, 5, eta=0.6) for _ in range(2))
    luck = np.random.default_rng(6)
    for t in range(1, 301):
        arm, choice = service.choose(), mixtures.choose(t)
        if choice is None:
            drawn = int(mixtures.rng.random() * 10)
        elif isinstance(choice, dict):
            ends = np.cumsum(list(choice.values()))
            drawn = list(choice)[min(int((mixtures.rng.random() >= ends).sum()), len(ends) - 1)]
        else:
            drawn = choice
        event = luck.random() < TEN.mean[arm]
        assert arm == drawn
        service.update(arm, event)
        mixtures.update(t, drawn, event)


def test_the_ledger_by_hand():
    """Two arms whose means are known for sure: which is played depends on the account alone."""
    known = {"sure": (10**9, 10**9), "dear": (2 * 10**8, 10**9)}
    policy = Ledger({"sure": 0.1, "dear": 1.0}, 1, eta=0.6, prior=known)
    # Nothing was played yet: e t + log t is 0.6 in round 1.
    assert policy.choose(1) == {0: 1.0}
    policy.update_many(["sure"] * 4, [True] * 4)
    # 4 events against 0.6 * 5 + log 5 = 4.6: still behind; 5 against 0.6 * 6 + log 6 = 5.39, too.
    assert policy.choose(5) == {0: 1.0}
    policy.update_many(["sure"] * 4, [True] * 4)
    # 8 events against 0.6 * 9 + log 9 = 7.6: ahead.
    assert policy.choose(9) == {1: 1.0}


def test_two_constraints_are_kept():
    given = [
        {"value": float(value), "cost": float(cost)}
        for value, cost in zip(TEN.value, TEN.columns["cost"], strict=True)
    ]
    policy, luck = Ledger(given, 2, goal=CAPPED), np.random.default_rng(3)
    spent = events = 0.0
    for _ in range(3000):
        arm = policy.choose()
        event = luck.random() < TEN.mean[arm]
        policy.update(arm, event)
        spent, events = spent + TEN.columns["cost"][arm], events + event
    assert events / 3000 > 0.54
    assert spent / 3000 < 0.125
    assert policy.amounts == pytest.approx([events, -spent])
