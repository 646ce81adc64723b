"""A warm start: past counts inform beliefs, but are not rounds and earn nothing."""

import json
from dataclasses import replace

import numpy as np
import pytest

from lincon.data.arms import WARM, make
from lincon.engine.simulate import Setting, simulate
from lincon.online.formulas import kl_budget, kl_upper
from lincon.policies.registry import make_policy
from lincon.problem.solve import solve_problem

MEAN, VALUE = np.array([0.3, 0.5, 0.7, 0.2]), np.array([1.0, 0.6, 0.3, 0.9])
COUNTS = {"successes": [30, 4, 60, 3], "trials": [90, 9, 90, 20]}
ARMS = make(MEAN, VALUE, None, COUNTS, dataset="links", start=WARM)
COLD = replace(ARMS, start="")
ROUNDS, ETA = 60, 0.5


def played(policy, arms=ARMS, run=0, rounds=ROUNDS):
    parts = {} if "python" in policy else {"estimator": "beta_sample"}
    made = make_policy("mine", parts | policy)
    engine = "python" if "python" in policy else "dense"
    setting = Setting("links", ETA, rounds, made, run, 1, rounds, engine, "plays")
    return simulate(setting, arms, solve_problem(arms, ETA))


def test_an_index_counts_the_history_as_its_own_and_not_as_rounds():
    run = played({"estimator": "kl_ucb", "target": "none"})
    plays, events = np.array(COUNTS["trials"], float), np.array(COUNTS["successes"], float)
    gave = np.diff(run.series["events"].to_numpy(), prepend=0)
    for t, arm in enumerate(run.chosen.tolist(), 1):
        theta = kl_upper(events / plays, kl_budget(t, 1.0, 0.0) / plays)
        assert arm == int(np.argmax(theta * VALUE)), t
        plays[arm] += 1
        events[arm] += gave[t - 1]
    assert run.plays["plays"].to_numpy().sum() == ROUNDS


@pytest.mark.parametrize(
    "policy",
    [
        {},
        {"steering": "ledger", "prior": "learned"},
    ],
    ids=str,
)
def test_no_arm_is_tried_and_nothing_of_the_history_is_counted(policy):
    warm, cold = played(policy), played(policy, COLD)
    assert cold.chosen[:4].tolist() == [0, 1, 2, 3]
    assert any(played(policy, run=run).chosen[:4].tolist() != [0, 1, 2, 3] for run in range(3))
    for run in (warm, cold):
        last = run.series.slice(run.series.num_rows - 1).to_pylist()[0]
        assert run.plays["plays"].to_numpy().sum() == ROUNDS
        assert last["events"] == run.plays["events"].to_numpy().sum() == last["amount_0"]


def test_with_much_history_a_sampler_plays_as_an_oracle_does():
    much = {"successes": (MEAN * 1e7).tolist(), "trials": [1e7] * 4}
    known = make(MEAN, VALUE, None, much, dataset="links", start=WARM)
    best = solve_problem(known, ETA)
    for arms, close in ((known, True), (replace(known, start=""), False)):
        run = played({}, arms, rounds=200)
        last = run.series.slice(run.series.num_rows - 1).to_pylist()[0]
        assert (last["expected_reward"] == pytest.approx(200 * best.optimum, rel=0.01)) == close


def test_a_class_is_told_the_history(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "class Told:\n"
        "    def __init__(self, problem, rng):\n"
        "        self.arm = int((problem.history[0] / problem.history[1]).argmax())\n"
        "    def choose(self, t):\n        return self.arm\n"
        "    def update(self, t, arm, event):\n        pass\n"
    )
    run = played({"python": f"{path}:Told"})
    assert set(run.chosen.tolist()) == {2}


def test_feedback_may_be_late_as_well():
    late = replace(ARMS, world=json.dumps({"delay": {"rounds": 5}}))
    run = played({"steering": "ledger"}, late)
    assert run.plays["plays"].to_numpy().sum() == ROUNDS


def test_fewer_rounds_than_arms_are_enough_where_no_arm_is_tried():
    assert played({}, rounds=2).chosen.size == 2
    for unforced in ({"estimator": "gittins"}, {"estimator": "none"}):
        assert played(unforced, COLD, rounds=2).chosen.size == 2
