"""Decisions and feedback: what counts, once, at which amounts; and how an operator mends it."""

import json
import logging

import numpy as np
import pytest

from lincon.online import (
    Arm,
    Constraint,
    GittinsLedger,
    Goal,
    LinConKLUCB,
    LinConTS,
    Outcome,
    TSLedger,
    UserError,
    read_arms,
)

EVERY = [LinConTS, LinConKLUCB, TSLedger, lambda *a, **k: GittinsLedger(*a, horizon=5000, **k)]
ARMS = {"a": 1.0, "b": 0.5, "c": 0.2}
RATE = {"a": 0.1, "b": 0.4, "c": 0.9}
COST = {"small": {"cost": 0.1}, "large": {"cost": 1.0}}
CHEAPEST = {"value": 0, "cost": "cost"}


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


def goal(*constraints, **objective):
    return {"objective": objective or CHEAPEST, "constraints": list(constraints)}


CORRECT = {"name": "correct", "per_event": 1, "at_least": 0.75}
SPENT = {"name": "spent", "per_play": "cost", "at_most": 0.4}


# --- outcomes


def test_outcomes():
    clock = Clock()
    policy = LinConTS(ARMS, floor=0.3, clock=clock, worker="w1")
    first, second, third = (policy.decide().id for _ in range(3))
    assert first.partition(".")[0] == "w1"
    assert policy.update(first, True) is Outcome.COUNTED
    assert policy.update(first, False) is Outcome.REPEATED
    clock.now += 60
    fourth = policy.decide().id
    assert policy.expire(older_than=60) == 2, "those of a minute ago count as no event"
    assert policy.update(second, True) is Outcome.EXPIRED
    assert policy.update(fourth, True) is Outcome.COUNTED
    assert policy.update(LinConTS(ARMS, floor=0.3).decide().id, True) is Outcome.UNKNOWN
    assert policy.update(third[:-1] + "9", True) is Outcome.UNKNOWN, "not made yet"
    assert policy.update("a", 1) is Outcome.COUNTED
    assert policy.status()["counted"] == 5


@pytest.mark.parametrize(
    "feedback",
    [
        lambda policy, id: policy.update(1, 2, 3, "a", True),
        lambda policy, id: policy.update("a", 2),
        lambda policy, id: policy.update(id, "yes"),
        lambda policy, id: policy.update(id, float("nan")),
        lambda policy, id: policy.update(id, True, cost=float("inf")),
        lambda policy, id: policy.update("nobody", True),
        lambda policy, id: policy.update(True, True),
        lambda policy, id: policy.update(None, True),
    ],
)
def test_feedback_that_makes_no_sense_counts_nothing(feedback):
    policy = LinConTS(ARMS, floor=0.3)
    id = policy.decide().id
    before = policy.state()
    with pytest.raises((TypeError, UserError)):
        feedback(policy, id)
    assert policy.state() == before


def test_a_timeout_counts_what_is_late_before_the_next_decision():
    clock = Clock()
    policy = LinConTS(ARMS, floor=0.3, clock=clock, timeout=600.0)
    late = policy.decide().id
    clock.now += 601
    assert policy.status()["oldest_seconds"] == 601
    policy.decide()
    assert policy.update(late, True) is Outcome.EXPIRED


def test_what_waits_is_bounded_and_may_be_discarded():
    policy = LinConTS(ARMS, floor=0.3, waiting_limit=10)
    ids = [policy.decide().id for _ in range(30)]
    assert policy.status()["waiting"] == 10
    assert policy.discard(ids[-1]) and not policy.discard(ids[-1])
    assert policy.status()["counted"] == 0, "what is discarded is no miss"
    assert policy.update(ids[0], True) is Outcome.COUNTED, "it was graded after all"
    assert policy.update(ids[0], True) is Outcome.REPEATED


# --- amounts


def test_what_a_play_costs_is_booked_when_it_is_chosen():
    """Half of the feedback of one supplier is lost; its share of the calls keeps to its cap."""
    rng = np.random.default_rng(1)
    arms = {f"m{i}": {"cost": c, "supplier": s} for i, (c, s) in enumerate(
        [(0.1, "DeepSeek"), (0.2, "DeepSeek"), (1.0, "Other"), (2.0, "Other")])}  # fmt: skip
    cap = {"name": "deepseek", "per_play": "supplier=DeepSeek", "at_most": 0.2}
    policy = TSLedger(arms, goal=goal(CORRECT, cap), seed=2)
    rate, calls = {"m0": 0.7, "m1": 0.8, "m2": 0.8, "m3": 0.9}, 0
    for _ in range(2000):
        decision = policy.decide()
        calls += decision.arm in ("m0", "m1")
        if decision.arm in ("m2", "m3") or rng.random() < 0.5:
            policy.update(decision.id, rng.random() < rate[decision.arm])
    known = policy.status()["constraints"]["deepseek"]
    assert known["rate"] == pytest.approx(calls / 2000) and calls <= 0.21 * 2000


@pytest.mark.parametrize("score", [0.3, 1.0, 0.0])
def test_a_score_is_one_trial_for_the_belief_and_itself_for_the_account(score):
    policy = LinConTS({"a": 1.0}, floor=0.5, seed=1)
    for _ in range(2000):
        policy.update(policy.decide().id, score)
    events = policy.status()["arms"]["a"]["events"]
    assert events == int(events)
    assert abs(events - 2000 * score) <= 4 * np.sqrt(2000 * score * (1 - score))
    assert policy.status()["constraints"]["floor"]["debt"] == pytest.approx(2000 * (0.5 - score))


@pytest.mark.parametrize("policy", EVERY)
def test_a_bill_that_comes_with_the_feedback_replaces_the_listed_cost(policy):
    policy = policy(COST, goal=goal(CORRECT, SPENT), seed=1, history={"small": (9, 10)})
    bills = [policy.decide() for _ in range(50)]
    for i, decision in enumerate(bills):
        policy.update(decision.id, True, cost=0.2 + 0.01 * i)
    spent = sum(0.2 + 0.01 * i for i in range(50))
    status = policy.status()
    assert status["constraints"]["spent"]["rate"] == pytest.approx(spent / 50)
    paid = sum(one["cost"] * one["plays"] for one in status["arms"].values())
    billed = [name for name in COST if any(one.arm == name for one in bills)]
    assert paid - 10 * status["arms"]["small"]["cost"] * ("small" in billed) == pytest.approx(
        spent + (0.1 * 10 if "small" not in billed else 0.0)
    )


def test_memory_fades_counts_exactly():
    policy = LinConTS({"a": 1.0}, floor=0.5, memory=50.0, seed=1)
    events = np.random.default_rng(1).random(200) < 0.4
    ids = [policy.decide().id for _ in events]
    for id, event in zip(ids, events, strict=True):
        policy.update(id, bool(event))
    weights = np.exp(-np.arange(200)[::-1] / 50.0)
    known = policy.status()["arms"]["a"]
    assert known["plays"] == pytest.approx(weights.sum())
    assert known["events"] == pytest.approx(weights @ events)
    policy.void(ids[:100])
    known = policy.status()["arms"]["a"]
    assert known["plays"] == pytest.approx(weights[100:].sum())
    assert policy.status()["constraints"]["floor"]["debt"] == pytest.approx(50 - events[100:].sum())


# --- operators


def graded(policy, rounds, rng, broken=False):
    ids = []
    for _ in range(rounds):
        decision = policy.decide()
        ids.append(decision.id)
        policy.update(decision.id, False if broken else bool(rng.random() < RATE[decision.arm]))
    return ids


def test_void_takes_feedback_back_for_another_grade():
    policy = TSLedger(ARMS, floor=0.5, seed=1)
    graded(policy, 100, np.random.default_rng(1))
    before = policy.status()
    ids = graded(policy, 60, np.random.default_rng(1), broken=True)
    grown = policy.status()["constraints"]["floor"]["debt"] - before["constraints"]["floor"]["debt"]
    assert grown == pytest.approx(30)
    assert policy.void([*ids, *ids, "nobody"]) == 60
    after = policy.status()
    assert after["constraints"]["floor"]["debt"] == pytest.approx(
        before["constraints"]["floor"]["debt"]
    )
    assert [one["plays"] for one in after["arms"].values()] == [
        one["plays"] for one in before["arms"].values()
    ]
    assert policy.update(ids[0], True) is Outcome.COUNTED
    assert policy.update(ids[0], True) is Outcome.REPEATED


def test_a_debt_may_be_forgiven_or_limited():
    policy = TSLedger(ARMS, floor=0.5, seed=1)
    graded(policy, 200, None, broken=True)
    debt = policy.status()["constraints"]["floor"]["debt"]
    assert debt == pytest.approx(100) and policy.forgive("floor") == pytest.approx(debt)
    assert policy.status()["constraints"]["floor"]["debt"] == 0.0 == policy.forgive("floor")
    limited = TSLedger(ARMS, floor=0.5, seed=1, debt_limit=20.0)
    ids = graded(limited, 200, None, broken=True)
    assert limited.status()["constraints"]["floor"]["debt"] == pytest.approx(20)
    limited.void(ids)
    assert limited.status()["constraints"]["floor"]["debt"] == 0.0, "no surplus that never was"


def test_a_new_bound_holds_from_now_on():
    policy = TSLedger(ARMS, floor=0.2, seed=1)
    for event in [True] * 2 + [False] * 8:
        policy.update("a", event)
    policy.change_bound("floor", 0.75)
    policy.update("a", False)
    floor = policy.status()["constraints"]["floor"]
    assert floor["debt"] == pytest.approx(10 * 0.2 - 2 + 0.75) and floor["bound"] == 0.75


def test_rounds_without_a_feasible_mixture_are_reported(caplog):
    policy = LinConTS(ARMS, floor=1.0, seed=1)
    with caplog.at_level(logging.WARNING, "lincon.online"):
        graded(policy, 1001, np.random.default_rng(1))
    assert json.loads(json.dumps(policy.status()))["infeasible_share"] > 0.9
    assert "no mixture was feasible in" in caplog.text


# --- arms, kinds, the stream


@pytest.mark.parametrize("policy", EVERY)
def test_arms_come_and_go(policy):
    policy = policy(ARMS, floor=0.3, seed=2)
    for _ in range(20):
        policy.update(policy.choose(), True)
    late = policy.decide(available=["a"]).id
    policy.add_arm("d", 0.7)
    assert policy.choose(available=["d"]) == "d"
    policy.remove_arm("a")
    assert {policy.choose() for _ in range(100)} <= {"b", "c", "d"}
    debt = policy.status()["constraints"]["floor"]["debt"]
    assert policy.update(late, True) is Outcome.COUNTED, "it counts towards the floor alone"
    assert policy.status()["constraints"]["floor"]["debt"] == pytest.approx(debt - 0.7)
    policy.add_arm("a", 1.0)
    assert policy.status()["arms"]["a"]["plays"] == 0.0
    known = policy.status()["arms"]["b"]
    policy.change_arm("b", 9.0)
    assert policy.status()["arms"]["b"] == known


def test_a_gittins_ledger_goes_on_after_its_horizon():
    policy = GittinsLedger(ARMS, floor=0.3, horizon=100)
    for _ in range(150):
        policy.update(policy.choose(), True)
    assert policy.status()["rounds"] == 150


def test_the_state_does_not_grow_with_arms_that_have_gone():
    policy = LinConTS({"stays": 1.0}, floor=0.1)
    for day in range(2500):
        policy.add_arm(f"link {day}", 1.0)
        policy.remove_arm(f"link {day}")
    assert len(json.dumps(policy.state())) < 60_000


@pytest.mark.parametrize("policy", EVERY)
def test_kinds_share_one_constraint(policy):
    """Code is hard: the floor of .7 over all requests needs the large model there alone."""
    rate = {("code", "small"): 0.3, ("code", "large"): 0.9, ("chat", "small"): 0.85,
            ("chat", "large"): 0.9}  # fmt: skip
    arms = [Arm(name, COST[name], kind) for kind, name in rate]
    shares = {"code": 0.5, "chat": 0.5}
    correct = CORRECT | {"at_least": 0.8}
    history = {key: (2000 * mean, 2000) for key, mean in rate.items()}
    policy = policy(arms, goal=goal(correct), kinds=shares, history=history, seed=1)
    rng, large = np.random.default_rng(2), dict.fromkeys(shares, 0)
    for i in range(600):
        kind = ("code", "chat")[i % 2]
        decision = policy.decide(kind=kind)
        large[kind] += decision.arm == "large"
        policy.update(decision.id, bool(rng.random() < rate[kind, decision.arm]))
    assert large["code"] > 150 > 100 > large["chat"]
    with pytest.raises(UserError, match="there is no kind of request 'maths'; allowed: code, chat"):
        policy.decide(kind="maths")
    with pytest.raises(UserError, match="there is no kind of request None; allowed: code, chat"):
        policy.decide()


@pytest.mark.parametrize("policy", EVERY)
def test_a_floor_for_one_kind_is_met_exactly_by_the_others(policy):
    """The same choices as where other kinds' arms have the bound, whatever their events."""
    rates = {("code", "a"): 0.4, ("code", "b"): 0.8, ("chat", "a"): 0.3, ("chat", "b"): 0.7}
    chosen = []
    for kind in ("code", None):
        columns = {
            key: {
                "value": 4.0 - i,
                "event": float(key[0] == "code"),
                "bound": 0.6 * (key[0] == "chat"),
            }
            for i, key in enumerate(rates)
        }
        rule = {"name": "code", "per_event": "event", "per_play": "bound", "at_least": 0.6}
        if kind:
            rule = {"name": "code", "per_event": 1, "at_least": 0.6, "kind": "code"}
        arms = [Arm(name, columns[kind, name], kind) for kind, name in rates]
        rng, one = np.random.default_rng(1), policy(arms, goal=goal(rule, value="value"), seed=1)
        chosen.append([])
        for i in range(300):
            decision = one.decide(kind=("code", "chat")[i % 3 == 0])
            one.update(decision.id, bool(rng.random() < rates[decision.kind, decision.arm]))
            chosen[-1].append(decision.arm)
    assert chosen[0] == chosen[1] and len(set(chosen[0])) == 2


@pytest.mark.parametrize("policy", EVERY)
def test_available_restricts_the_choice(policy):
    history = {"a": (10_000, 100_000), "b": (40_000, 100_000), "c": (90_000, 100_000)}
    policy = policy({"a": 30.0, "b": 4.0, "c": 1.0}, floor=0.5, history=history, seed=1)
    assert set(policy.decide().mixture) <= {"a", "c"}
    assert {policy.choose(available=["b", "c"]) for _ in range(50)} <= {"b", "c"}
    status = policy.status()["infeasible_share"]
    policy.decide(available=["a", "b"])
    assert policy.status()["infeasible_share"] > status


def test_propensities_are_the_frequencies_of_arms():
    """Of repeated decisions on the same counts; with draws their mean is the arms' frequency."""
    chosen, logged = dict.fromkeys(ARMS, 0), dict.fromkeys(ARMS, 0.0)
    history = {"a": (3, 20), "b": (9, 20), "c": (16, 20)}
    policy = LinConTS(
        ARMS, floor=0.5, history=history, seed=1, propensity_draws=15, explore_share=0.2
    )
    for _ in range(3000):
        decision = policy.decide()
        chosen[decision.arm] += 1
        logged[decision.arm] += 1.0 / decision.propensity
        policy.void([decision.id])
    assert all(0.2 / 3 <= 1 / (logged[arm] / chosen[arm]) <= 1 for arm in ARMS)
    for arm in ARMS:  # unbiased weights: each arm's inverse propensities count all rounds
        assert logged[arm] == pytest.approx(3000, rel=0.15)
    assert LinConTS(ARMS, floor=0.5, history=history).decide().propensity is None
    assert LinConKLUCB(ARMS, floor=0.5, history=history).decide().propensity > 0


def test_the_log_has_a_line_per_decision_and_per_feedback(tmp_path):
    policy = LinConTS(ARMS, floor=0.3, log=tmp_path / "log.jsonl", propensity_draws=3)
    decision = policy.decide(available=["a", "b"])
    policy.update(decision.id, True)
    start, chosen, event = map(json.loads, (tmp_path / "log.jsonl").read_text().splitlines())
    assert start["goal"] == Goal.floor(0.3).to_dict() and len(start["arms"]) == 3
    assert chosen["available"] == ["a", "b"] and chosen["propensity"] == decision.propensity
    assert (event["id"], event["event"], event["fate"]) == (decision.id, 1.0, "counted")


def test_a_goal_may_be_an_object_and_arms_a_file(tmp_path):
    path = tmp_path / "models.csv"
    path.write_text("label,cost,successes,trials,supplier\nm1,0.1,31,400,X\nm2,0.9,0,0,Y\n")
    arms, history = read_arms(path)
    assert [(one.name, one.columns) for one in arms] == [
        ("m1", {"cost": 0.1, "supplier": "X"}),
        ("m2", {"cost": 0.9, "supplier": "Y"}),
    ]
    assert history == {(None, "m1"): (31.0, 400.0)}
    rule = Constraint("rate", per_event=1.0, bound=0.5)
    policy = LinConTS(arms, goal=Goal((rule,), value=0.0, cost="cost"), history=history)
    assert policy.choose() == "m2", "it has no history"
    path.write_text("label,value\na,1\na,2\n")
    with pytest.raises(UserError, match="row 3: each arm needs its own label, not 'a'"):
        read_arms(path)
    with pytest.raises(UserError, match=r"has no row with \{'x': 'y'\}"):
        read_arms(path, where={"x": "y"})
