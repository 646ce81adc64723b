"""What is refused, in one sentence each: goals, arms, kinds, options, damaged states."""

import json
import os

import numpy as np
import pytest

from lincon.online import (
    Arm,
    GittinsLedger,
    Goal,
    LinConKLUCB,
    LinConTS,
    TSLedger,
    UserError,
    records,
)
from tests.unit.online.test_feedback import ARMS, CORRECT, COST, EVERY, SPENT, goal

FLOOR = {"floor": 0.5}
RULE = {"name": "rate", "per_event": 1}
KIND = [Arm("a", {"value": 1}, "code")]
MISTAKES = {
    "floor is 1.5; allowed: a number from 0 to 1": lambda: LinConTS([1.0], floor=1.5),
    "give either floor, the event rate to keep, or goal": lambda: LinConTS([1.0]),
    "give either floor": lambda: LinConTS([1.0], floor=0.5, goal=Goal.floor(0.5)),
    "goal.constraints is empty": lambda: LinConTS([1.0], goal=Goal(())),
    "goal.objektive is not a known key (did you mean objective?)": lambda: LinConTS(
        [1.0], goal={"objektive": {}, "constraints": [RULE | {"at_least": 0.5}]}
    ),
    "goal.constraints.rate.at_leest is not a known key (did you mean at_least?)": lambda: LinConTS(
        [1.0], goal={"constraints": [RULE | {"at_leest": 0.5}]}
    ),
    "goal.constraints.rate.at_least is 1.4; allowed": lambda: LinConTS(
        [1.0], goal={"constraints": [RULE | {"at_least": 1.4}]}
    ),
    "goal is [1]; allowed: a mapping": lambda: LinConTS([1.0], goal=[1]),
    "goal.constraints.floor.at_least is 1.4; allowed: a number in [0, 1]": lambda: LinConTS(
        [1.0], **FLOOR
    ).change_bound("floor", 1.4),
    "there is no constraint 'rate'; allowed: floor": lambda: LinConTS([1.0], **FLOOR).forgive(
        "rate"
    ),
    "arm 'a' has no number supplier=X, which the goal needs": lambda: LinConTS(
        {"a": 1.0}, goal=goal({"name": "x", "per_play": "supplier=X", "at_most": 0.5}, value=1)
    ),
    "arm 0 has no number cost, which the goal needs": lambda: LinConTS([1.0], goal=goal(CORRECT)),
    "arm 0 has the value nan; allowed: a number, a text": lambda: LinConTS([np.nan], **FLOOR),
    "arm (1,): allowed: a whole number": lambda: LinConTS({(1,): 1.0}, **FLOOR),
    "arm 'w.01234567.1': allowed": lambda: LinConTS({"w.01234567.1": 1.0}, **FLOOR),
    "arm 0 already exists": lambda: LinConTS([1.0], **FLOOR).add_arm(0, 1.0),
    "there is no arm 'x'": lambda: LinConTS([1.0], **FLOOR).change_arm("x", 1.0),
    "there is no arm to choose": lambda: LinConTS([], **FLOOR).choose(),
    "there is no arm to choose: ": lambda: LinConTS([1.0], **FLOOR).choose(available=[]),
    "there is no arm 9": lambda: LinConTS([1.0], **FLOOR).choose(available=[9]),
    "there is no kind of request 'code'; allowed: no kind": lambda: LinConTS([1.0], **FLOOR).decide(
        kind="code"
    ),
    "kinds has shares that sum to 0.5, not to 1": lambda: LinConTS(
        KIND, **FLOOR, kinds={"code": 0.5}
    ),
    "kinds.chat: no arm has this kind": lambda: LinConTS(
        KIND, **FLOOR, kinds={"code": 0.5, "chat": 0.5}
    ),
    "some arms have a kind and some have none": lambda: LinConTS(
        [*KIND, Arm("b", {"value": 1})], **FLOOR
    ),
    "constraint rate: no kind 'chat'; allowed: code": lambda: LinConTS(
        KIND, goal={"constraints": [RULE | {"at_least": 0.5, "kind": "chat"}]}
    ),
    "the history of arm 0 is (5, 3); allowed: (events, plays)": lambda: LinConTS(
        [1.0], **FLOOR, history={0: (5, 3)}
    ),
    "timeout is nan; allowed: a number": lambda: LinConTS([1.0], **FLOOR, timeout=np.nan),
    "memory is 0; allowed: a number from 1": lambda: LinConTS([1.0], **FLOOR, memory=0),
    "explore_share is 3; allowed: a number from 0 to 1": lambda: LinConTS(
        [1.0], **FLOOR, explore_share=3
    ),
    "worker is 'a b'; allowed: letters": lambda: LinConTS([1.0], **FLOOR, worker="a b"),
    "LinConTS.c: it has no such parameter (it has: explore)": lambda: LinConTS([1.0], **FLOOR, c=1),
    "TSLedger.allowance needs a horizon": lambda: TSLedger([1.0], **FLOOR, allowance=4),
    "LinConKLUCB.c: -1 is not a number of at least 0": lambda: LinConKLUCB([1.0], **FLOOR, c=-1),
}


@pytest.mark.parametrize("sentence", MISTAKES)
def test_mistakes_are_one_sentence(sentence):
    with pytest.raises(UserError) as refusal:
        MISTAKES[sentence]()
    assert str(refusal.value).startswith(sentence) and "\n" not in str(refusal.value)
    assert isinstance(refusal.value, ValueError)


# --- states


def played(cls=TSLedger, rounds=30, **options):
    """A policy with something of everything in its state."""
    arms = {name: columns | {"value": 1.0} for name, columns in COST.items()}
    options = {"goal": goal(CORRECT, SPENT), "seed": 1, "memory": 500.0, "worker": "w"} | options
    policy = cls(arms, history={"small": (3, 5)}, **options)
    for i in range(rounds):
        policy.update(policy.decide().id, i % 3 > 0, cost=0.3)
    policy.decide()
    other = cls(arms, **options | {"worker": "other"})
    other.update("small", True)
    policy.merge(other.totals())
    return policy


NONSENSE = [KeyError, "x", [], None, True, -1, 0.5, float("nan"), 10**400, {1: 2, "a": 3}]


def paths(record, path=()):
    """All places in a record."""
    if path:
        yield path
    if isinstance(record, dict | list):
        inner = record.items() if isinstance(record, dict) else enumerate(record)
        for key, one in inner:
            yield from paths(one, (*path, key))


@pytest.mark.parametrize("what", ["state", "total"])
def test_every_damage_is_one_sentence_and_changes_nothing(what):
    """Each place of a record, left out or with nonsense in it."""
    policy, other = played(), played(worker="another")
    record = policy.state() if what == "state" else other.totals()
    take = TSLedger.from_state if what == "state" else policy.merge
    before, damages = policy.state(), 0
    # A list's first two entries stand for the others.
    for path in [path for path in paths(record) if not any(type(k) is int and k > 1 for k in path)]:
        for wrong in NONSENSE:
            damaged = json.loads(json.dumps(record))
            place = damaged
            for key in path[:-1]:
                place = place[key]
            if wrong is KeyError:
                del place[path[-1]]
            elif json.dumps(place[path[-1]]) == json.dumps(wrong):
                continue
            else:
                place[path[-1]] = wrong
            with pytest.raises(UserError) as refusal:
                take(damaged)
            assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 200
            damages += 1
    assert damages > 200 and policy.state() == before
    with pytest.raises(UserError, match=f"this is not the {what} of a policy"):
        take(other.totals() if what == "state" else policy.state())


@pytest.mark.parametrize("content", ["", "{", "[" * 10**5, "[1, 2]", "null", "\xff\xfe", "{}"])
def test_a_file_that_is_no_state_is_one_sentence(tmp_path, content):
    path = tmp_path / "state.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(UserError, match="state"):
        LinConTS.load(path)
    with pytest.raises(UserError, match=r"nowhere.json is not the state of a policy"):
        LinConTS.load(tmp_path / "nowhere.json")


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.Philox, np.random.MT19937])
@pytest.mark.parametrize("cls", EVERY)
def test_a_saved_policy_goes_on_where_it_was(cls, bits, tmp_path):
    policy = played(cls, seed=np.random.Generator(bits(3)))
    waiting = next(iter(policy.waiting))
    policy.save(tmp_path / "state.json")
    again = type(policy).load(tmp_path / "state.json")
    assert again.state()["given"] == policy.state()["given"]
    assert again.status()["arms"] == policy.status()["arms"]
    events = np.random.default_rng(1).random(60) < 0.6
    arms = [[], []]
    for chosen, one in zip(arms, (policy, again), strict=True):
        assert one.update(waiting, True).value == "counted"
        for event in events:
            chosen.append(one.choose())
            one.update(chosen[-1], bool(event))
    assert arms[0] == arms[1] and again.status() == policy.status()


def test_a_state_may_become_another_policy_with_other_options():
    before = played(LinConTS)
    ledger = TSLedger.from_state(before.state(), debt_limit=9.0, ramp=2.0)
    assert ledger.status()["arms"] == before.status()["arms"]
    assert ledger.options["debt_limit"] == 9.0 and ledger.numbers["ramp"] == 2.0
    assert LinConTS.from_state(ledger.state()).status()["arms"] == before.status()["arms"]
    gittins = GittinsLedger.from_state(ledger.state(), horizon=1000)
    assert TSLedger.from_state(gittins.state()).numbers == TSLedger([1.0], **FLOOR).numbers
    assert ledger.decide().arm in COST


def test_older_versions_are_migrated(monkeypatch):
    state, version = played().state(), records.VERSION
    older = {key: one for key, one in state.items() if key not in ("infeasible", "digest")}
    monkeypatch.setattr(records, "VERSION", version - 1)
    older = records.sealed("state", older | {"infeasible_rounds": state["infeasible"]})
    monkeypatch.setattr(records, "VERSION", version)
    with pytest.raises(UserError, match=f"the state has version {version - 1}; allowed: {version}"):
        TSLedger.from_state(older)

    def migrate(record):
        return record | {"infeasible": record.pop("infeasible_rounds"), "version": version}

    monkeypatch.setitem(records.MIGRATIONS, version - 1, migrate)
    one, two = TSLedger.from_state(older), TSLedger.from_state(state)
    assert one.infeasible == two.infeasible and one.status()["arms"] == two.status()["arms"]


def test_a_state_is_on_the_disk_before_it_replaces_the_last(tmp_path, monkeypatch):
    done = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (done.append("fsync"), fsync(file)))
    monkeypatch.setattr(os, "replace", lambda *names: (done.append("rename"), replace(*names)))
    LinConTS(ARMS, floor=0.3).save(tmp_path / "state.json")
    assert done == ["fsync", "rename", "fsync"], "the folder last"
