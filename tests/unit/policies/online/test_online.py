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


# --- the law


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
        ("LearnedLedger", LEDGER | {"prior": "learned", "ramp": 30}),
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
    policy = Ledger({"sure": 0.1, "dear": 1.0}, 1, eta=0.6, prior={"sure": (10**9, 10**9)})
    policy.arms.start_from({"dear": (2 * 10**8, 10**9)})
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


# --- late events and history


@pytest.mark.parametrize("cls", ALL)
def test_events_may_come_late_and_in_batches(cls):
    policy = cls([1.0, 0.8, 0.6], 2, eta=0.2)
    assert [policy.choose() for _ in range(3)] == [0, 1, 2], "each once, though none came back"
    waiting = [policy.choose() for _ in range(50)]
    policy.update_many([0, 1, 2, *waiting], [True] * 53)
    assert policy.arms.plays.tolist() == policy.arms.choices.tolist()
    assert policy.arms.plays.sum() == policy.counted == 53 and policy.round == 54
    assert policy.amounts.tolist() == [53.0]


def test_a_log_of_before_counts_as_rounds():
    policy = LinConKLUCB([1.0, 0.5], eta=0.2)
    policy.update_many([0, 0, 1], [True, False, True])
    assert policy.round == 4
    assert policy.arms.choices.tolist() == [2, 1], "no arm needs a first play any more"


@pytest.mark.parametrize("cls", ALL)
def test_a_prior_is_believed_but_is_not_rounds(cls):
    policy = cls({"a": 1.0, "b": 0.3}, 4, eta=0.5, prior={"a": (400, 1000), "b": (900, 1000)})
    assert policy.round == 1 and policy.amounts.tolist() == [0.0]
    choices = {"a": 0, "b": 0}
    for _ in range(200):
        arm = policy.choose()
        choices[arm] += 1
        policy.update(arm, arm == "b")
    assert policy.arms.plays.sum() == 200
    assert min(choices.values()) > 20, "the optimum is .8 a and .2 b"


def test_a_batch_with_a_mistake_counts_nothing():
    policy = LinConTS({"a": 1.0, "b": 0.5}, eta=0.2)
    before = policy.state()
    with pytest.raises(UserError, match="there is no arm 'c'"):
        policy.update_many(["a", "b", "c", "a"], [True, False, True, True])
    with pytest.raises(UserError, match="the event of arm 'b' is 3; it must be 0 or 1"):
        policy.update_many(["a", "b"], [True, 3])
    with pytest.raises(ValueError, match="zip"):
        policy.update_many(["a", "b"], [True])
    assert policy.state() == before


# --- arms that come and go


@pytest.mark.parametrize("cls", ALL)
def test_arms_come_and_go(cls):
    policy = cls({"a": 1.0, "b": 0.5}, 2, eta=0.3)
    for arm in [policy.choose() for _ in range(20)]:
        policy.update(arm, True)
    policy.arms.choices[0] += 1  # one more choice of a, whose event comes late
    policy.add_arm("c", 0.7)
    assert policy.choose() == "c"
    policy.remove_arm("a")
    assert {policy.choose() for _ in range(200)} <= {"b", "c"}
    before = policy.arms.events.sum(), policy.amounts[0]
    policy.update("a", True)
    assert (policy.arms.events.sum(), policy.amounts[0]) == (before[0], before[1] + 1)
    assert not policy.arms.gone, "nothing of it is on its way any more"
    with pytest.raises(UserError, match="there is no arm 'a'"):
        policy.update("a", True)
    policy.add_arm("a", 1.0)
    assert policy.choose() == "a"
    assert policy.arms.plays[policy.arms.position("a")] == 0


# --- the state


def rounds(policy, events):
    arms = []
    for event in events:
        arms.append(policy.choose())
        policy.update(arms[-1], event)
    return arms


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.Philox, np.random.MT19937])
@pytest.mark.parametrize("cls", ALL)
def test_a_saved_policy_goes_on_where_it_was(cls, bits, tmp_path):
    generator = np.random.Generator(bits(3))
    first = cls({"a": 1.0, 7: 0.5, "c": 0.2}, generator, eta=0.6, prior={"a": (3, 5)})
    luck = np.random.default_rng(1)
    rounds(first, luck.random(100) < 0.5)
    first.arms.choices[2] += 1
    first.remove_arm("c")
    first.save(tmp_path / "state.json")
    second = cls.load(tmp_path / "state.json")
    assert second.state() == first.state() == json.loads(json.dumps(first.state()))
    events = luck.random(200) < 0.5
    assert rounds(first, events) == rounds(second, events)


def test_workers_that_load_one_file_draw_apart(tmp_path):
    LinConTS(np.ones(20), 3, eta=0.1).save(tmp_path / "state.json")
    workers = [LinConTS.load(tmp_path / "state.json", rng=seed) for seed in (1, 2)]
    for worker in workers:
        worker.update_many(range(20), [True] * 20)
    first, second = ([worker.choose() for _ in range(50)] for worker in workers)
    assert first != second


def damaged(change) -> dict:
    policy = LearnedLedger({"a": 1.0, "b": 0.5}, 1, eta=0.5)
    rounds(policy, [True, False] * 5)
    state = policy.state()
    change(state)
    return state


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda s: s.pop("goal"), "damaged"),
        (lambda s: s.pop("version"), "damaged"),
        (lambda s: s.update(version=99), "the state has version 99; this release reads 2"),
        (lambda s: s.update(policy="LinConTS"), "one of LinConTS, not of LearnedLedger"),
        (lambda s: s.update(counted=-1), "damaged"),
        (lambda s: s.update(counted=float("nan")), "damaged"),
        (lambda s: s.update(amounts=[float("nan")]), "damaged"),
        (lambda s: s.update(amounts=[1.0, 2.0]), "damaged"),
        (lambda s: s.update(prior=[0.0, 1.0, 1.0, 20.0]), "damaged"),
        (lambda s: s.update(prior=[1.0, 1.0, 1.0, "soon"]), "damaged"),
        (lambda s: s.update(prior=[1.0, 1.0, 1.0, float("nan")]), "damaged"),
        (lambda s: s["arms"].update(plays=[1.0]), "damaged"),
        (lambda s: s["arms"].update(plays=[-1.0, 2.0]), "damaged"),
        (lambda s: s["arms"].update(events=[99.0, 0.0]), "damaged"),
        (lambda s: s["arms"].update(names=["a", "a"]), "damaged"),
        (lambda s: s["arms"].update(given=[1.0, -2.0]), "it must be a number of at least 0"),
        (lambda s: s["rng"].update(bit_generator="test"), "allowed: PCG64"),
        (lambda s: s["rng"].update(state=3), "damaged"),
        (lambda s: s.update(arms=None), "damaged"),
        (lambda s: s["parameters"].update(horizon=3), "has no parameter horizon"),
    ],
)
def test_a_damaged_state_is_one_sentence(change, sentence):
    with pytest.raises(UserError, match=sentence):
        LearnedLedger.from_state(damaged(change))


def test_a_truncated_file_is_one_sentence(tmp_path):
    path = tmp_path / "state.json"
    LinConTS([1.0], eta=0.5).save(path)
    path.write_text(path.read_text()[:50])
    with pytest.raises(UserError, match=r"state.json is not the state of a policy"):
        LinConTS.load(path)


# --- what is refused


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (lambda: LinConTS([1.0], eta=1.5), "eta is 1.5; it must be a number in [0, 1]"),
        (lambda: LinConTS([1.0]), "give either eta, the event rate to keep, or a goal"),
        (
            lambda: LinConTS([1.0], goal=Goal(())),
            "the goal needs at least one constraint, and bounds that are numbers",
        ),
        (
            lambda: LinConTS([-1.0], eta=0.5),
            "arm 0 has the value -1.0; it must be a number of at least 0",
        ),
        (
            lambda: LinConTS([{"value": 1.0, "cost": float("nan")}], eta=0.5),
            "arm 0 has the cost nan; it must be a number",
        ),
        (lambda: LinConTS([1.0], goal=COSTLY), "arm 0 has no cost, which the goal needs"),
        (
            lambda: LinConTS({(1,): 1.0}, eta=0.5),  # type: ignore[dict-item]
            "arm (1,): a name must be a whole number or text",
        ),
        (lambda: LinConTS([], eta=0.5).choose(), "there is no arm to choose; add one first"),
        (lambda: LinConTS([1.0], eta=0.5).update(3, True), "there is no arm 3"),
        (
            lambda: LinConTS([1.0], eta=0.5).update(0, 2),  # type: ignore[arg-type]
            "the event of arm 0 is 2; it must be 0 or 1",
        ),
        (lambda: LinConTS([1.0], eta=0.5).add_arm(0, 1.0), "arm 0 already exists"),
        (lambda: LinConTS([1.0], eta=0.5).remove_arm("x"), "there is no arm 'x'"),
        (
            lambda: LinConTS([1.0], eta=0.5, prior={0: (5, 3)}),
            "the prior of arm 0 is (5, 3); it must be (events, plays) with 0 <= events <= plays",
        ),
        (
            lambda: LinConTS([1.0], eta=0.5, c=1),
            "LinConTS has no parameter c; it has: explore",
        ),
        (
            lambda: LinConKLUCB([1.0], eta=0.5, c=-1),
            "LinConKLUCB.c: -1 is not a number of at least 0",
        ),
        (
            lambda: LinConKLUCB([{"value": 1.0, "cost": 1.0}], goal=CAPPED),
            "LinConKLUCB takes at_least constraints alone; for at_most use LinConTS",
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
