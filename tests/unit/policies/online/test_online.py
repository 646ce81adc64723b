"""lincon.online: the law of the bench's policies, and what a running service also needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lincon
from lincon.data.arms import make as make_arms
from lincon.engine.simulate import Run, Setting, simulate
from lincon.errors import UserError
from lincon.online import LinConKLUCB, LinConTS, SafeGreedyTS, SafePacedTS
from lincon.policies.parts import TABLES
from lincon.policies.registry import make_policy
from lincon.problem.solve import solve_problem

pytestmark = pytest.mark.slow

rng = np.random.default_rng(8)
TEN = make_arms(rng.random(10), rng.random(10))
ALL = (LinConTS, LinConKLUCB, SafePacedTS, SafeGreedyTS)
SAFE = {"estimator": "beta_sample", "selector": "lp", "target": "safe_paced"}


def bench(spec: dict, engine: str, eta: float, horizon: int = 400) -> Run:
    setting = Setting("d", eta, horizon, make_policy("p", spec), 0, 3, horizon, engine, "plays")
    return simulate(setting, TEN, solve_problem(TEN, eta))


# --- the law


@pytest.mark.parametrize("eta", [0.0, 0.4, 0.7, 1.0])
@pytest.mark.parametrize(
    ("cls", "spec"),
    [
        ("LinConTS", {"estimator": "beta_sample", "selector": "lp"}),
        ("LinConKLUCB", {"estimator": "kl_ucb", "selector": "lp"}),
        ("LinConKLUCB", {"estimator": "kl_ucb", "selector": "lp", "c": 3}),
        ("SafePacedTS", SAFE),
        ("SafePacedTS", SAFE | {"least_plays": 5, "width": 0.5}),
        ("SafeGreedyTS", SAFE | {"fallback": "greedy", "surplus": 1}),
    ],
    ids=["ts", "kl_ucb", "kl_ucb, c = 3", "safe_paced", "safe_paced, bolder", "safe_greedy"],
)
def test_in_the_bench_it_is_the_dense_engines_round_by_round(cls, spec, eta):
    own = {key: value for key, value in spec.items() if key not in TABLES}
    online = bench({"python": f"lincon.online:{cls}", **own}, "python", eta)
    dense = bench(spec, "dense", eta)
    np.testing.assert_array_equal(online.chosen, dense.chosen)
    np.testing.assert_allclose(
        online.series["expected_reward"], dense.series["expected_reward"], rtol=1e-9
    )


@pytest.mark.parametrize("cls", ALL)
def test_a_service_chooses_as_the_bench_does(cls):
    """choose() draws the arm from the mixture that choose(t) gives, from the same stream."""
    service, mixtures = (cls(TEN.value, 0.6, 300, 5) for _ in range(2))
    luck = np.random.default_rng(6)
    for t in range(1, 301):
        arm, choice = service.choose(), mixtures.choose(t)
        if choice is None:
            drawn = int(mixtures.rng.random() * 10)
        elif isinstance(choice, tuple):
            drawn = choice[0] if mixtures.rng.random() < choice[2] else choice[1]
        else:
            drawn = choice
        event = luck.random() < TEN.mean[arm]
        assert arm == drawn
        service.update(arm, event)
        mixtures.update(t, drawn, event)


def test_the_safe_paced_target_by_hand():
    policy = SafePacedTS([1.0, 0.5], 0.5, 100, 1, least_plays=2)
    assert policy.target(1) == 0.5
    policy.update_many([0] * 4, [0, 0, 0, 0])
    # (50 - 0) / 96 must be made good, but no arm is known to give more than eta.
    assert policy.target(5) == 0.5
    policy.update_many([1] * 4, [1, 1, 1, 1])
    # The second arm never failed: its lower bound is 1, so the whole (50 - 4) / 92 is asked for.
    assert policy.target(9) == pytest.approx(0.5) and policy.target(9) == (50 - 4) / 92
    policy.update_many([1] * 40, [1] * 40)
    assert policy.target(49) == (50 - 44) / 52
    assert policy.target(100) == 1.0
    # The floor of the next hundred rounds begins afresh.
    assert policy.target(101) == 0.5
    policy.update(1, 1)
    assert policy.target(102) == (50 - 1) / 99


# --- late events


@pytest.mark.parametrize("cls", ALL)
def test_events_may_come_late_and_in_batches(cls):
    policy = cls([1.0, 0.8, 0.6], 0.2, 1000, 2)
    assert [policy.choose() for _ in range(3)] == [0, 1, 2], "each once, though none came back"
    waiting = [policy.choose() for _ in range(50)]
    policy.update_many([0, 1, 2, *waiting], [True] * 53)
    assert policy.arms.plays.tolist() == policy.arms.choices.tolist()
    assert policy.arms.plays.sum() == policy.events == 53 and policy.round == 54


def test_a_log_of_before_counts_as_rounds():
    policy = LinConKLUCB([1.0, 0.5], 0.2)
    policy.update_many([0, 0, 1], [True, False, True])
    assert policy.round == 4
    assert policy.arms.choices.tolist() == [2, 1], "no arm needs a first play any more"


# --- arms that come and go


@pytest.mark.parametrize("cls", ALL)
def test_arms_come_and_go(cls):
    policy = cls({"a": 1.0, "b": 0.5}, 0.3, 1000, 2)
    for arm in [policy.choose() for _ in range(20)]:
        policy.update(arm, True)
    policy.add_arm("c", 0.7)
    assert policy.choose() == "c"
    policy.remove_arm("a")
    assert {policy.choose() for _ in range(200)} <= {"b", "c"}
    before = policy.arms.events.sum(), policy.events
    policy.update("a", True)
    assert (policy.arms.events.sum(), policy.events) == (before[0], before[1] + 1)
    policy.add_arm("a", 1.0)
    assert policy.choose() == "a"
    assert policy.arms.plays[policy.arms.position("a")] == 0


# --- the state


@pytest.mark.parametrize("cls", ALL)
def test_a_saved_policy_goes_on_where_it_was(cls, tmp_path):
    first = cls({"a": 1.0, 7: 0.5, "c": 0.2}, 0.6, 60, 3)
    luck = np.random.default_rng(1)

    def rounds(policy, n, events):
        arms = []
        for event in events[:n]:
            arms.append(policy.choose())
            policy.update(arms[-1], event)
        return arms

    rounds(first, 100, luck.random(100) < 0.5)
    first.remove_arm("c")
    first.save(tmp_path / "state.json")
    second = cls.load(tmp_path / "state.json")
    assert second.state() == first.state() == json.loads(json.dumps(first.state()))
    events = luck.random(200) < 0.5
    assert rounds(first, 200, events) == rounds(second, 200, events)


def test_another_policys_state_is_refused():
    with pytest.raises(UserError, match="the state is one of LinConTS, not of LinConKLUCB"):
        LinConKLUCB.from_state(LinConTS([1.0], 0.5).state())


# --- what is refused


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (lambda: LinConTS([1.0], 1.5), "eta is 1.5; it must be a number in [0, 1]"),
        (lambda: LinConTS([1.0], 0.5, 0), "horizon is 0; it must be at least 1"),
        (
            lambda: LinConTS([-1.0], 0.5),
            "arm 0 has the value -1.0; it must be a number of at least 0",
        ),
        (
            lambda: LinConTS({(1,): 1.0}, 0.5),  # type: ignore[dict-item]
            "arm (1,): a name must be a whole number or text",
        ),
        (lambda: LinConTS([], 0.5).choose(), "there is no arm to choose; add one first"),
        (lambda: LinConTS([1.0], 0.5).update(3, True), "there is no arm 3"),
        (
            lambda: LinConTS([1.0], 0.5).update(0, 2),  # type: ignore[arg-type]
            "the event of arm 0 is 2; it must be 0 or 1",
        ),
        (lambda: LinConTS([1.0], 0.5).add_arm(0, 1.0), "arm 0 is there already"),
        (lambda: LinConTS([1.0], 0.5).remove_arm("x"), "there is no arm 'x'"),
        (lambda: LinConTS([1.0], 0.5, c=1), "LinConTS has no parameter c; it has: explore"),
        (
            lambda: LinConKLUCB([1.0], 0.5, c=-1),
            "LinConKLUCB.c: -1 is not a number of at least 0",
        ),
        (
            lambda: SafePacedTS([1.0], 0.5),
            "SafePacedTS needs a horizon: over how many rounds the floor is kept",
        ),
    ],
)
def test_mistakes_are_one_sentence(mistake, sentence):
    with pytest.raises(UserError) as refusal:
        mistake()
    assert str(refusal.value) == sentence


def test_it_needs_numpy_alone():
    code = "import sys, lincon.online; print(*sorted(sys.modules))"
    environment = os.environ | {"PYTHONPATH": str(Path(lincon.__file__).parents[1])}
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert "numpy" in loaded
    assert not loaded & {"numba", "pandas", "pyarrow", "scipy", "matplotlib", "yaml", "snakemake"}
