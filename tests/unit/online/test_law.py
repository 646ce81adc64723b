"""lincon.online plays as the bench does, round by round."""

import json
from dataclasses import replace

import numpy as np
import pytest

from lincon.data.arms import WARM, Arms
from lincon.data.arms import make as make_arms
from lincon.engine.simulate import Run, Setting, simulate
from lincon.online import Constraint, Goal
from lincon.policies.registry import TABLES, make_policy
from lincon.problem.solve import solve_problem

pytestmark = pytest.mark.slow

rng = np.random.default_rng(8)
TEN = make_arms(rng.random(10), rng.random(10), columns={"cost": 0.3 * rng.random(10)})
HISTORY = {"successes": [3, 0, 7, 2, 9, 1, 4, 0, 5, 8], "trials": [9] * 10}
# How the arms are met: with a history, and with feedback that comes late or never.
MET = {
    "warm": make_arms(TEN.mean, TEN.value, columns=HISTORY, start=WARM),
    "late": replace(TEN, world=json.dumps({"delay": {"rounds": 7, "lost": 0.1, "timeout": 30}})),
}
LP = {"estimator": "beta_sample", "selector": "lp"}
LEDGER = LP | {"steering": "ledger", "fallback": "greedy"}
COSTLY = Goal((Constraint("rate", per_event=1.0, bound=0.5),), value=0.0, cost="cost")
CAPPED = Goal(
    (
        Constraint("rate", per_event=1.0, bound=0.55),
        Constraint("spent", per_play="cost", sense="at_most", bound=0.12),
    )
)


def bench(spec: dict, engine: str, goal: Goal | float, arms: Arms) -> Run:
    setting = Setting("d", goal, 400, make_policy("p", spec), 0, 3, 400, engine, "plays")
    return simulate(setting, arms, solve_problem(arms, goal))


CLASSES = [
    ("LinConTS", LP | {"explore": 0.5}),
    ("LinConKLUCB", {"estimator": "kl_ucb", "selector": "lp", "c": 3}),
    ("Ledger", LEDGER | {"reserve": 3}),
    ("LearnedLedger", LEDGER | {"prior": "learned", "ramp": 5}),
]
GOALS = {"0": 0.0, ".4": 0.4, ".7": 0.7, "1": 1.0, "cost": COSTLY, "two": CAPPED}
GOALS |= dict.fromkeys(MET, 0.4)


@pytest.mark.parametrize(
    ("cls", "spec", "goal", "arms"),
    # LinConKLUCB of lincon.online takes at_least constraints alone.
    [
        pytest.param(*one, goal, MET.get(name, TEN), id=f"{one[0]}, {name}")
        for one in CLASSES
        for name, goal in GOALS.items()
        if (one[0], name) != ("LinConKLUCB", "two")
    ],
)
def test_in_the_bench_it_is_the_dense_engines_round_by_round(cls, spec, goal, arms):
    own = {key: value for key, value in spec.items() if key not in TABLES}
    online = bench({"python": f"lincon.online:{cls}", **own}, "python", goal, arms)
    dense = bench(spec, "dense", goal, arms)
    np.testing.assert_array_equal(online.chosen, dense.chosen)
    np.testing.assert_allclose(
        online.series["expected_reward"], dense.series["expected_reward"], rtol=1e-9
    )
