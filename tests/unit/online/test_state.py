"""The state of an online policy: it goes on where it was, and damage is one sentence."""

import json

import numpy as np
import pytest

from lincon.errors import UserError
from lincon.files import sealed, unsealed
from lincon.online import Constraint, Goal, LearnedLedger, Ledger, LinConKLUCB, LinConTS

pytestmark = pytest.mark.slow

CAPPED = Goal((Constraint("spent", per_play="cost", sense="at_most", bound=0.12),))


def rounds(policy, events):
    arms = []
    for event in events:
        arms.append(policy.choose())
        policy.update(arms[-1], event)
    return arms


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.Philox, np.random.MT19937])
@pytest.mark.parametrize("cls", [LinConTS, LinConKLUCB, Ledger, LearnedLedger])
def test_a_saved_policy_goes_on_where_it_was(cls, bits, tmp_path):
    generator = np.random.Generator(bits(3))
    first = cls({"a": 1.0, 7: np.float32(0.5), "c": 0.2}, generator, eta=0.6, prior={"a": (3, 5)})
    luck = np.random.default_rng(1)
    rounds(first, luck.random(100) < 0.5)
    first.choose(among=["c"])
    first.remove_arm("c")
    first.decide()
    other = cls({"a": 1.0, 7: 0.5}, 2, eta=0.6, worker="other")
    rounds(other, [True, False, True])
    first.merge(other.delta())
    first.save(tmp_path / "state.json")
    second = cls.load(tmp_path / "state.json")
    assert second.state() == first.state() == json.loads(json.dumps(first.state()))
    events = luck.random(200) < 0.5
    assert rounds(first, events) == rounds(second, events)


def played() -> LearnedLedger:
    """With something of everything in its state."""
    given = {"a": {"value": 1.0, "cost": 0.1}, 7: {"value": 0.5, "cost": 0.0}}
    policy = LearnedLedger(given, 1, goal=CAPPED, prior={"a": (3, 5)}, timeout=60.0)
    rounds(policy, [True, False] * 5)
    policy.decide()
    policy.choose(among=["a"])
    policy.remove_arm("a")
    return policy


def test_whatever_is_changed_in_a_state_is_found():
    """Each of its entries is replaced by nonsense or left out."""
    whole = played().state()
    for key in whole:
        rest = {other: whole[other] for other in whole if other != key}
        for state in (rest, *(whole | {key: wrong} for wrong in ("x", [], {}, np.nan, 10**400))):
            with pytest.raises(UserError) as refusal:
                LearnedLedger.from_state(state)
            assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 99}, "the state has the version '99'; needed is 4"),
        ({"policy": "LinConTS"}, "the state has the policy 'LinConTS'; needed is 'LearnedLedger'"),
        (
            {"prior": [1.0, 1.0, 1.0, 9.0]},
            "the state of LearnedLedger is damaged: the checksum does not match",
        ),
    ],
)
def test_what_is_wrong_with_a_state(change, sentence):
    with pytest.raises(UserError) as refusal:
        LearnedLedger.from_state(played().state() | change)
    assert str(refusal.value) == sentence


def test_a_state_calls_nothing_but_bit_generators():
    held = unsealed(played().state())
    held["rng"]["bit_generator"] = "test"
    with pytest.raises(UserError, match="bit generator is 'test'; there is: "):
        LearnedLedger.from_state(sealed(held))


@pytest.mark.parametrize("content", ["", "{", "[" * 10**5, "[1, 2]", "null", "\xff\xfe"])
def test_a_file_that_is_no_state_is_one_sentence(tmp_path, content):
    path = tmp_path / "state.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(UserError, match="state"):
        LinConTS.load(path)
    with pytest.raises(UserError, match=r"nowhere.json is not the state of a policy"):
        LinConTS.load(tmp_path / "nowhere.json")
