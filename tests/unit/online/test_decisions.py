"""Decisions: ids, silence, propensities, the log; and random operations against a plain model."""

import json
import random
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from lincon.errors import UserError
from lincon.online import LearnedLedger, Ledger, LinConKLUCB, LinConTS, service

pytestmark = pytest.mark.slow

ALL = (LinConTS, LinConKLUCB, Ledger, LearnedLedger)
ARMS = {"a": 1.0, "b": 0.5, "c": 0.2}


@pytest.fixture
def clock(monkeypatch):
    """What time.time() says to the policies."""

    made = SimpleNamespace(now=1000.0)
    made.time = lambda: made.now
    monkeypatch.setattr(service, "time", made)
    return made


# --- ids


def test_ids_stay_unique_over_restarts_and_events_find_their_decision(tmp_path):
    policy = LinConTS(ARMS, 1, eta=0.2)
    before = policy.decide()
    policy.save(tmp_path / "state.json")
    lost = policy.decide()
    again = LinConTS.load(tmp_path / "state.json")
    assert again.decide().id not in (before.id, lost.id)
    assert again.update(lost.id, True) is False, "it was made after the state was saved"
    assert again.update(before.id, True) is True


# --- silence


def test_a_decision_without_an_event_counts_as_none_in_the_end(clock):
    policy = LinConTS(ARMS, 1, eta=0.2)
    old = [policy.decide() for _ in range(3)]
    clock.now += 500
    young = policy.decide()
    policy.update(old[0].id, True)
    assert policy.expire(older_than=400) == 2
    assert (policy.counted, policy.arms.events.sum()) == (3, 1)
    assert policy.update(old[1].id, True) is False, "too late"
    assert policy.update(young.id, True) is True
    with pytest.raises(UserError, match="older_than: 'soon' is not a number of at least 0"):
        policy.expire("soon")


def test_silence_is_noticed():
    policy = LinConTS(ARMS, 1, eta=0.2)
    with pytest.warns(UserWarning, match="and not one miss were reported in 1000 choices"):
        for at in range(1000):
            arm = policy.choose()
            if at % 20 == 0:
                policy.update(arm, True)


# --- propensities


def settled(cls, **rest):
    """A policy in the middle of things, whose next choice is open."""
    policy = cls(ARMS, 4, eta=0.5, prior={"a": (2, 10), "b": (5, 10), "c": (9, 12)}, **rest)
    policy.update_many(["a", "b", "c"], [True, False, True])
    return policy


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("uniform", [0.0, 0.3])
def test_propensities_are_those_of_the_choice(cls, uniform):
    """Over many repetitions of one round each arm's weights 1/p add up to the rounds, which is what
    makes averages by them unbiased; arms that are never in the support have none."""
    state, rounds = settled(cls).state(), 3000
    weights, chosen = Counter(), Counter()
    stream = np.random.default_rng(6)
    policy = cls.from_state(state)
    for _ in range(rounds):
        policy.chosen, policy.rng = state["chosen"], stream
        made = policy.decide(resamples=7, uniform=uniform, remember=False)
        assert 0 < made.propensity <= 1
        weights[made.arm] += 1 / made.propensity / rounds
        chosen[made.arm] += 1
    for arm, times in chosen.items():
        # An arm in the support of a share q of the beliefs is among 8 of them 1 - (1 - q)^8 often.
        if times > rounds / 10 or uniform:
            assert weights[arm] == pytest.approx(1.0, abs=0.2), (arm, times)


def test_what_the_propensity_is_without_resamples():
    assert settled(LinConTS).decide().propensity is None, "that of one belief would be wrong"
    made = settled(LinConKLUCB).decide()
    assert made.propensity == made.mixture[made.arm], "an index is not drawn"
    fresh = LinConTS(ARMS, eta=0.5).decide(uniform=0.3)
    assert fresh.propensity == pytest.approx({"a": 0.8}.get(fresh.arm, 0.1))
    assert fresh.mixture == {"a": 1.0} and fresh.round == 1


# --- the log


def test_the_log_has_all_that_a_replay_needs(tmp_path, clock):
    log = tmp_path / "decisions.jsonl"
    policy = LinConTS({"a": 1.0, 7: np.float64(0.5)}, 1, eta=0.2, log=log, timeout=10)
    one = policy.decide(among=["a"])
    policy.update(one.id, np.bool_(True))
    policy.update(one.id, True)
    policy.add_arm("new", {"value": 1, "cost": np.float32(0.5)})
    policy.remove_arm("a")
    policy.decide(resamples=2)
    clock.now += 20
    policy.expire(older_than=5)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert lines[0]["arms"] == [["a", 1.0], [7, 0.5]]
    assert lines[0]["goal"]["constraints"][0]["at_least"] == 0.2
    assert lines[1] == vars(one) | {"mixture": [["a", 1.0]], "among": ["a"]}
    assert lines[2] == {"id": one.id, "event": 1}
    assert lines[3:5] == [{"arms": [["new", {"value": 1, "cost": 0.5}]]}, {"gone": "a"}]
    assert [set(line) & {"arm", "event"} for line in lines[5:]] == [{"arm"}, {"event"}]


def test_lines_of_several_writers_do_not_mix(tmp_path):
    """Each line is one write, at the end of the file whoever has written since."""
    path = tmp_path / "decisions.jsonl"
    one, two = (LinConTS(ARMS, eta=0.2, log=path) for _ in range(2))
    ids = [policy.decide().id for _ in range(50) for policy in (one, two)]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["id"] for line in lines[2:]] == ids


# --- random operations against a model that counts with plain dictionaries


class Model:
    """What should be counted: a decision once, by its first event or by silence."""

    def __init__(self, timeout: float) -> None:
        self.timeout, self.waiting = timeout, {}
        self.plays, self.events, self.rounds, self.hits = Counter(), Counter(), 0, 0

    def event(self, arm, event, live) -> None:
        self.rounds, self.hits = self.rounds + 1, self.hits + event
        if arm in live:
            self.plays[arm] += 1
            self.events[arm] += event

    def report(self, id, event, live) -> bool:
        known = id in self.waiting
        if known:
            self.event(self.waiting.pop(id)[0], event, live)
        return known

    def expire(self, now, live) -> None:
        for id, (_, since) in list(self.waiting.items()):
            if since <= now - self.timeout:
                self.report(id, False, live)

    def forget(self, arm) -> None:
        self.plays.pop(arm, None)
        self.events.pop(arm, None)


@pytest.mark.parametrize("cls", ALL)
def test_random_operations_against_a_model(cls, clock):
    luck, model, ids = random.Random(8), Model(30), ["0123456789ab-1"]
    policy = cls(ARMS, 5, eta=0.3, timeout=30)
    for step in range(5000):
        clock.now += 1
        what, live = luck.random(), list(policy.arms.names)
        if what < 0.4:
            model.expire(clock.now, live)
            made = policy.decide(among=luck.choice([None, live[:2]]))
            model.waiting[made.id] = (made.arm, clock.now)
            ids.append(made.id)
        elif what < 0.75:
            id, event = luck.choice(ids[-50:]), luck.random() < 0.5
            assert policy.update(id, event) == model.report(id, event, live)
        elif what < 0.85:
            model.expire(clock.now, live)
            arm = policy.choose()
            policy.update(arm, True)
            model.event(arm, True, live)
        elif what < 0.9 and len(live) < 8:
            policy.add_arm(f"new {step % 20}", 1.0) if f"new {step % 20}" not in live else None
        elif what < 0.95 and len(live) > 2:
            arm = luck.choice(live)
            policy.remove_arm(arm)
            model.forget(arm)
        else:
            policy = cls.from_state(json.loads(json.dumps(policy.state())))
        names, arms = policy.arms.names, policy.arms
        assert dict(zip(names, arms.plays, strict=True)) == {one: model.plays[one] for one in names}
        assert arms.events.tolist() == [model.events[one] for one in names]
        assert (policy.counted, policy.amounts[0]) == (model.rounds, model.hits)
        assert policy.waiting.keys() == model.waiting.keys()
    assert model.rounds > 1000 and len(ids) > 1000
