"""What a running service needs of lincon.online: late events, arms that change, no surprises."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lincon
from lincon.errors import UserError
from lincon.online import Constraint, Goal, LearnedLedger, Ledger, LinConKLUCB, LinConTS, read_arms

pytestmark = pytest.mark.slow

ALL = (LinConTS, LinConKLUCB, Ledger, LearnedLedger)
COSTLY = Goal((Constraint("rate", per_event=1.0, bound=0.5),), value=0.0, cost="cost")
CAPPED = Goal((Constraint("spent", per_play="cost", sense="at_most", bound=0.12),))


def test_a_batch_with_a_mistake_counts_nothing():
    policy = LinConTS({"a": 1.0, "b": 0.5}, eta=0.2)
    id = policy.decide().id
    before = policy.state()
    for arms, events, sentence in (
        (["a", "b", "c", "a"], [True, False, True, True], "there is no arm 'c'"),
        ([id, id], [True, 3], f"the event of '{id}' is 3; it must be 0 or 1"),
        (["a", "b"], [True, 3], "the event of 'b' is 3; it must be 0 or 1"),
        (["a", "b"], [True], "zip"),
    ):
        with pytest.raises((UserError, ValueError), match=sentence):
            policy.update_many(arms, events)
    assert policy.state() == before
    assert policy.update_many([id, "a", id], [True, True, True]) == 2, "of an id the first counts"


# --- what changes while it runs


@pytest.mark.parametrize("cls", ALL)
def test_arms_come_and_go(cls):
    policy = cls({"a": 1.0, "b": 0.5}, 2, eta=0.3)
    for arm in [policy.choose() for _ in range(20)]:
        policy.update(arm, True)
    assert policy.choose(among=["a"]) == "a", "its event comes late"
    policy.add_arm("c", 0.7)
    assert policy.choose() == "c"
    policy.remove_arm("a")
    assert {policy.choose() for _ in range(200)} <= {"b", "c"}
    before = policy.arms.events.sum(), policy.amounts[0]
    policy.update("a", True)
    assert (policy.arms.events.sum(), policy.amounts[0]) == (before[0], before[1] + 1)
    policy.add_arm("a", 1.0)
    assert policy.choose() == "a"
    assert policy.arms.plays[policy.arms.position("a")] == 0


def test_the_state_does_not_grow_with_arms_that_have_gone():
    policy = LinConTS({"stays": 1.0}, 1, eta=0.1)
    for day in range(3000):
        policy.add_arm(f"link {day}", 1.0)
        policy.decide(among=[f"link {day}"])
        policy.remove_arm(f"link {day}")
        policy.expire(0.0)
    assert policy.counted == 3000 and not policy.waiting
    assert len(json.dumps(policy.state())) < 60_000


def test_new_numbers_of_an_arm_count_at_once():
    known = {"a": (10**6, 2 * 10**6), "b": (10**6, 2 * 10**6)}
    policy = LinConTS({"a": 1.0, "b": 0.5}, 1, eta=0.1, prior=known)
    assert policy.choose() == "a"
    policy.change_arm("b", {"value": 2.0, "cost": 0.1})
    assert policy.choose() == "b"
    with pytest.raises(UserError, match="arm 'b' has the value -1"):
        policy.change_arm("b", -1)
    with pytest.raises(UserError, match="there is no arm 'x'"):
        policy.change_arm("x", 1)


def test_a_new_bound_holds_from_now_on():
    """What 11 rounds have earned above a floor of .2 is all that is ahead once the floor is .75."""
    known = {"sure": (10**9, 10**9), "dear": (1, 10**9)}
    policy = Ledger({"sure": 0.1, "dear": 1e10}, 1, eta=0.2, prior=known, reserve=0)
    policy.update_many(["dear"] * 10, [True] * 2 + [False] * 8)
    assert policy.choose(1) == {0: 1.0}, "2 events, and 2.2 are due after the 11th round"
    policy.update("sure", True)
    assert policy.choose(2) == {1: 1.0}, "3 events, and 2.4 are due"
    policy.change_bound("floor", 0.75)
    assert policy.choose(3) == {1: 1.0}, "ahead by 3 - 2.2 = .8, and .75 more are due"
    policy.update("dear", False)
    assert policy.choose(4) == {0: 1.0}
    again = Ledger.from_state(policy.state())
    assert again.choose(5) == {0: 1.0} and again.goal.eta == 0.75
    with pytest.raises(UserError, match="there is no constraint 'rate'; there is: floor"):
        policy.change_bound("rate", 0.5)
    with pytest.raises(UserError, match="bounds that are numbers"):
        policy.change_bound("floor", float("nan"))


def test_among_restricts_the_linear_program():
    known = {"low": (100, 1000), "mid": (400, 1000), "high": (900, 1000)}
    known = {name: (1000 * events, 1000 * plays) for name, (events, plays) in known.items()}
    policy = LinConKLUCB({"low": 30.0, "mid": 4.0, "high": 1.0}, 1, eta=0.5, prior=known)
    assert set(policy.decide().mixture) == {"low", "high"}
    assert set(policy.decide(among=["mid", "high"]).mixture) == {"mid", "high"}
    assert policy.decide(among=["low", "mid"]).mixture is None, "the floor is infeasible"
    for among, sentence in (([], "among is empty"), (["low", "x"], "there is no arm 'x'")):
        with pytest.raises(UserError, match=sentence):
            policy.choose(among=among)


def test_arms_and_their_history_from_a_file(tmp_path):
    path = tmp_path / "links.csv"
    path.write_text(
        "label,value,cost,successes,trials,note\nbasic,0.2,0.1,31,400,x\nnew,1,0,0,0,\n"
    )
    arms, history = read_arms(path)
    assert arms == {"basic": {"value": 0.2, "cost": 0.1}, "new": {"value": 1.0, "cost": 0.0}}
    assert history == {"basic": (31.0, 400.0)}
    assert LinConTS(arms, eta=0.1, prior=history).choose() == "new", "it has no history"
    path.write_text("value\n1\n2\n")
    assert read_arms(path) == ({0: {"value": 1.0}, 1: {"value": 2.0}}, {})
    path.write_text("label,value\na,1\na,2\n")
    with pytest.raises(UserError, match="row 2: each arm needs its own label, not 'a'"):
        read_arms(path)


# --- what is refused

ONE = {"eta": 0.5}
MISTAKES = [
    (lambda: LinConTS([1.0], eta=1.5), "eta is 1.5; it must be a number in [0, 1]"),
    (lambda: LinConTS([1.0]), "give either eta, the event rate to keep, or a goal"),
    (lambda: LinConTS([1.0], goal=Goal(())), "the goal needs at least one constraint, and bounds"),
    (lambda: LinConTS([-1.0], **ONE), "arm 0 has the value -1.0; it must be a number, and a value"),
    (lambda: LinConTS([1.0], goal=COSTLY), "arm 0 has no cost, which the goal needs"),
    (lambda: LinConTS({(1,): 1.0}, **ONE), "arm (1,): a name must be a whole number or text"),
    (lambda: LinConTS({"0123456789ab-1": 1.0}, **ONE), "arm '0123456789ab-1': ids of decisions"),
    (lambda: LinConTS([], **ONE).choose(), "there is no arm to choose"),
    (lambda: LinConTS([1.0], **ONE).update(0, 2), "the event of 0 is 2; it must be 0 or 1"),
    (lambda: LinConTS([1.0], **ONE).add_arm(0, 1.0), "arm 0 already exists"),
    (lambda: LinConTS([1.0], **ONE, timeout=np.nan), "timeout: nan is not a number of at least 0"),
    (lambda: LinConTS([1.0], **ONE).decide(uniform=3), "uniform is 3; it must be a share in [0, 1"),
    (lambda: LinConTS([1.0], **ONE, prior={0: (5, 3)}), "the prior of arm 0 is (5, 3); it must be"),
    (lambda: LinConTS([1.0], **ONE, c=1), "LinConTS.c: it has no such parameter (it has: explore)"),
    (lambda: LinConKLUCB([1.0], **ONE, c=-1), "LinConKLUCB.c: -1 is not a number of at least 0"),
    (lambda: LinConKLUCB([{"value": 1, "cost": 1}], goal=CAPPED), "LinConKLUCB takes at_least"),
]


@pytest.mark.parametrize(("mistake", "sentence"), MISTAKES)
def test_mistakes_are_one_sentence(mistake, sentence):
    with pytest.raises(UserError) as refusal:
        mistake()
    assert str(refusal.value).startswith(sentence)


def test_it_needs_numpy_alone():
    code = "import sys, lincon.online; print(*sorted(sys.modules))"
    environment = os.environ | {"PYTHONPATH": str(Path(lincon.__file__).parents[1])}
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert "numpy" in loaded
    assert not loaded & {"numba", "pandas", "pyarrow", "scipy", "matplotlib", "yaml", "snakemake"}
