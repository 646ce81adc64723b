"""The state of an online policy: it goes on where it was, and damage is one sentence."""

from __future__ import annotations

import copy
import json
import warnings

import numpy as np
import pytest

from lincon.errors import UserError
from lincon.online import Constraint, Goal, LearnedLedger, Ledger, LinConKLUCB, LinConTS

pytestmark = pytest.mark.slow

ALL = (LinConTS, LinConKLUCB, Ledger, LearnedLedger)
CAPPED = Goal((Constraint("spent", per_play="cost", sense="at_most", bound=0.12),))


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
    first.choose(among=["c"])
    first.remove_arm("c")
    first.decide()
    first.save(tmp_path / "state.json")
    second = cls.load(tmp_path / "state.json")
    assert second.state() == first.state() == json.loads(json.dumps(first.state()))
    events = luck.random(200) < 0.5
    assert rounds(first, events) == rounds(second, events)


def played() -> LearnedLedger:
    """With something of everything in its state."""
    goal = Goal((Constraint("rate", per_event=1.0, bound=0.4), *CAPPED.constraints))
    given = {"a": {"value": 1.0, "cost": 0.1}, 7: {"value": 0.5, "cost": 0.0}}
    policy = LearnedLedger(given, 1, goal=goal, prior={"a": (3, 5)}, timeout=60.0)
    rounds(policy, [True, False] * 5)
    policy.decide()
    policy.add_arm("late", {"value": 1.0, "cost": 0.0})
    policy.choose()
    policy.remove_arm("late")
    other = LearnedLedger(given, 2, goal=goal, worker="other")
    rounds(other, [True, False, True])
    policy.merge(other.delta())
    return policy


def places(held, path=()):
    """The path to everything inside a state."""
    yield path
    if isinstance(held, dict | list):
        for key in held if isinstance(held, dict) else range(len(held)):
            yield from places(held[key], (*path, key))


DAMAGE = (None, "x", "", -1, 0.5, True, [], {}, [[]], np.nan, np.inf, 1e308, 1e-300, 10**400)


def test_a_state_is_read_whatever_is_in_it():
    """Each of its entries is replaced by nonsense or left out: it is one sentence, or a policy that
    plays on; nothing hangs, nothing fails later."""
    whole = json.loads(json.dumps(played().state()))
    refused = 0
    for path in places(whole):
        if not path or (path[0] == "rng" and len(path) > 2):  # any number is a state of the stream
            continue
        for wrong in (*DAMAGE, "leave out"):
            state = copy.deepcopy(whole)
            holder = state
            for key in path[:-1]:
                holder = holder[key]
            if wrong == "leave out":
                del holder[path[-1]]
            else:
                holder[path[-1]] = wrong
            try:
                policy = LearnedLedger.from_state(state)
            except UserError as sentence:
                refused += 1
                assert "\n" not in str(sentence) and len(str(sentence)) < 300
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                if len(policy.arms):
                    rounds(policy, [True, False, True])
                    policy.update(policy.decide(resamples=1).id, True)
                policy.merge(played().delta())
            json.dumps(policy.state())
    assert refused > 700


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda s: s.update(version=99), "the state has version 99; this release reads 3"),
        (lambda s: s.update(policy="LinConTS"), "one of LinConTS, not of LearnedLedger"),
        (lambda s: s["rng"].update(bit_generator="test"), "allowed: PCG64"),
        (lambda s: s["parameters"].update(horizon=3), "has no parameter horizon"),
        (lambda s: s["arms"].update(names=["a", "a"]), "damaged"),
        (lambda s: s.update(arms=None), "the state of LearnedLedger is damaged"),
    ],
)
def test_what_is_wrong_with_a_state(change, sentence):
    state = played().state()
    change(state)
    with pytest.raises(UserError, match=sentence):
        LearnedLedger.from_state(state)


@pytest.mark.parametrize("content", ["", "{", "[" * 10**5, "[1, 2]", "null", "\xff\xfe"])
def test_a_file_that_is_no_state_is_one_sentence(tmp_path, content):
    path = tmp_path / "state.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(UserError, match="state"):
        LinConTS.load(path)
    with pytest.raises(UserError, match=r"nowhere.json is not the state of a policy"):
        LinConTS.load(tmp_path / "nowhere.json")
