"""lincon.online plays as the dense engine does, round by round."""

import json
from dataclasses import replace

import numpy as np
import pytest

from lincon import online
from lincon.data.arms import WARM
from lincon.data.arms import make as make_arms
from lincon.engine.simulate import Setting, simulate
from lincon.online import Constraint, Goal
from lincon.policies.registry import Policy, PythonPolicy, make_policy
from lincon.problem.solve import solve_problem

rng = np.random.default_rng(8)
TEN = make_arms(rng.random(10), rng.random(10), columns={"cost": 0.3 * rng.random(10)})
HISTORY = {"successes": [3, 0, 7, 2, 9, 1, 4, 0, 5, 8], "trials": [9] * 10}
# How the arms are met: with a history, and with feedback that comes late or never.
MET = {
    "warm": make_arms(TEN.mean, TEN.value, columns=HISTORY, start=WARM),
    "late": replace(TEN, world=json.dumps({"delay": {"rounds": 7, "lost": 0.1, "timeout": 30}})),
}
KINDS = {"kind": ["code", "chat"] * 5, "kind_shares": {"code": 0.3, "chat": 0.7}}
MET |= dict.fromkeys(
    ["kinds", "kinds, cap", "kinds, both"],
    make_arms(TEN.mean, TEN.value, columns=TEN.columns, **KINDS),
)
RATE = Constraint("rate", per_event=1.0, bound=0.55)
GOALS = {
    "0": Goal.floor(0.0),
    ".4": Goal.floor(0.4),
    "infeasible": Goal.floor(1.0),
    "cost": Goal((RATE,), value=0.0, cost="cost"),
    "cap": Goal((RATE, Constraint("spent", per_play="cost", sense="at_most", bound=0.12))),
    "falls": Goal((Constraint("rare", per_event=1.0, sense="at_most", bound=0.4),)),
    "both": Goal((RATE, Constraint("paid", "value", "cost", "at_most", 0.5))),
    "warm": Goal.floor(0.4),
    "late": Goal.floor(0.4),
    "kinds": Goal.floor(0.6),
    "kinds, cap": Goal((RATE, Constraint("spent", per_play="cost", sense="at_most", bound=0.12))),
    "kinds, both": Goal((RATE, Constraint("code", per_event=1.0, bound=0.6, kind="code"))),
}
LEDGER = {"prior": "learned", "steering": "ledger", "fallback": "greedy"}
POLICIES = {
    "LinConTS": {"estimator": "beta_sample", "explore": 0.5},
    "LinConKLUCB": {"estimator": "kl_ucb", "c": 3.0},
    "TSLedger": {"estimator": "beta_sample", **LEDGER, "reserve": 3.0, "ramp": 5.0},
    "GittinsLedger": {
        "estimator": "gittins",
        **LEDGER,
        "target": "paced",
        "ramp": 0.7,
        "spread": 1.0,
        "reserve": 0.5,
        "allowance": 3.0,
    },
}


class Adapter:
    """A class of lincon.online as a user-defined policy. It answers with one arm, so that the
    policy alone draws from its stream."""

    def __init__(self, problem, rng, name, numbers):
        columns = {"value": problem.values, "cost": problem.costs}
        rules = []
        for rule in problem.constraints:
            amounts = {"per_event": rule.per_event, "per_play": rule.per_play}
            amounts = {key: held for key, held in amounts.items() if held.any()}
            columns |= {f"{rule.name} {key}": held for key, held in amounts.items()}
            named = {key: f"{rule.name} {key}" for key in amounts}
            rules.append({"name": rule.name, **named, rule.sense: rule.bound})
        kinds = {i: str(k) for k, rows in enumerate(problem.arms) for i in rows.tolist()}
        self.kinds = kinds if len(problem.arms) > 1 else dict.fromkeys(kinds)
        arms = [
            online.Arm(i, {key: held[i] for key, held in columns.items()}, kind)
            for i, kind in sorted(self.kinds.items())
        ]
        if len(problem.arms) > 1:
            shares = zip(map(str, range(len(problem.arms))), problem.shares.tolist(), strict=True)
            numbers = numbers | {"kinds": dict(shares)}
        if name == "GittinsLedger":
            numbers = numbers | {"horizon": problem.horizon}
        if problem.history is not None:
            numbers = numbers | {"history": dict(enumerate(problem.history.T.tolist()))}
        goal = {"objective": {"cost": "cost"}, "constraints": rules}
        self.policy = getattr(online, name)(arms, goal=goal, seed=rng, **numbers)

    def choose(self, t, kind=None):
        return self.policy.choose(kind=None if kind is None else str(kind))

    def update(self, t, arm, event):
        counted = self.policy.update(arm, event, kind=self.kinds[arm])
        assert counted is online.Outcome.COUNTED


def played(policy, engine, goal, arms):
    setting = Setting("d", goal, 400, policy, 0, 3, 400, engine, "plays")
    return simulate(setting, arms, solve_problem(arms, goal)).chosen


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("name", POLICIES)
def test_it_is_the_dense_engine_round_by_round(name, goal):
    entry, arms = POLICIES[name], MET.get(goal, TEN)
    parts = ("estimator", "prior", "target", "steering", "fallback")
    numbers = {key: held for key, held in entry.items() if key not in parts}
    parameters = {"name": name.partition(",")[0], "numbers": numbers}
    own = Policy("p", python=PythonPolicy(Adapter, "Adapter", parameters))
    dense = make_policy("p", {**entry})
    np.testing.assert_array_equal(
        played(own, "python", GOALS[goal], arms), played(dense, "dense", GOALS[goal], arms)
    )
