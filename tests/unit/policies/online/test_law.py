"""lincon.online plays as the bench does, round by round."""

import numpy as np
import pytest

from lincon.data.arms import make as make_arms
from lincon.engine.simulate import Run, Setting, simulate
from lincon.online import Constraint, Goal
from lincon.policies.registry import TABLES, make_policy
from lincon.problem.solve import solve_problem

pytestmark = pytest.mark.slow

rng = np.random.default_rng(8)
TEN = make_arms(rng.random(10), rng.random(10), columns={"cost": 0.3 * rng.random(10)})
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


CLASSES = [
    ("LinConTS", LP | {"explore": 0.5}),
    ("LinConKLUCB", {"estimator": "kl_ucb", "selector": "lp", "c": 3}),
    ("Ledger", LEDGER | {"reserve": 3}),
    ("LearnedLedger", LEDGER | {"prior": "learned", "ramp": 5}),
]
GOALS = {"0": 0.0, ".4": 0.4, ".7": 0.7, "1": 1.0, "cost": COSTLY, "two": CAPPED}


@pytest.mark.parametrize(
    ("cls", "spec", "goal"),
    # LinConKLUCB of lincon.online takes at_least constraints alone.
    [
        pytest.param(*one, goal, id=f"{one[0]}, {name}")
        for one in CLASSES
        for name, goal in GOALS.items()
        if (one[0], name) != ("LinConKLUCB", "two")
    ],
)
def test_in_the_bench_it_is_the_dense_engines_round_by_round(cls, spec, goal):
    own = {key: value for key, value in spec.items() if key not in TABLES}
    online = bench({"python": f"lincon.online:{cls}", **own}, "python", goal)
    dense = bench(spec, "dense", goal)
    np.testing.assert_array_equal(online.chosen, dense.chosen)
    np.testing.assert_allclose(
        online.series["expected_reward"], dense.series["expected_reward"], rtol=1e-9
    )
