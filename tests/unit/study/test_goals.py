"""Goals of experiments: short and long form, swept bounds, and what no arms could ever suit."""

import copy
from typing import Any

import pytest

from lincon.errors import UserError
from lincon.problem.goal import Goal
from lincon.study.config import validate
from lincon.study.plan import plan
from tests.real_data import CONFIG
from tests.workflow.bench import SMALL, changed

BASE = changed(CONFIG, SMALL | {"only": ["own"]})
FLOOR = {"name": "rate", "per_event": 1, "at_least": 0.4}
CAP = {"name": "spend", "per_play": "cost", "at_most": 2}


def config(**entry: Any) -> dict[str, Any]:
    made = copy.deepcopy(BASE)
    made["experiments"]["own"] = {"dataset": "own", "horizon": 300, "policies": ["lincon_ts"]}
    made["experiments"]["own"] |= entry
    return made


def planned(**entry: Any):
    return plan(validate(config(**entry)))


def goal(**entry: Any) -> Goal:
    (found,) = planned(**entry).goals.values()
    return Goal.from_dict(found)


def test_eta_is_the_papers_goal():
    assert goal(eta=0.5) == Goal.floor(0.5)
    assert list(planned(eta=0.5).goals) == ["eta_0.5"]
    assert goal(constraints=[FLOOR | {"name": "floor"}]) == Goal.floor(0.4)
    made = goal(eta=0.5, objective={"value": 0, "cost": "cost"})
    assert made.constraints == Goal.floor(0.5).constraints
    assert (made.value, made.cost, made.eta) == (0.0, "cost", None)


def test_constraints_are_taken_as_they_are_written():
    made = goal(constraints=[FLOOR, CAP | {"per_event": "-0.5"}])
    assert [(c.name, c.per_event, c.per_play, c.sense, c.bound) for c in made.constraints] == [
        ("rate", 1.0, 0.0, "at_least", 0.4),
        ("spend", -0.5, "cost", "at_most", 2.0),
    ]
    assert made.text.startswith("rate_0.4+spend_2-")


def test_any_bound_can_be_swept_on_an_axis_of_its_name():
    swept = {"low": 1, "high": 2, "count": 3}
    made = planned(constraints=[FLOOR | {"at_least": [0.2, 0.4]}, CAP | {"at_most": swept}])
    assert made.axes["own"] == ["rate", "spend"]
    assert [at["spend"] for at in made.table["coordinates"]] == [1, 1.5, 2] * 2
    assert len(made.goals) == 6 and planned(eta=[0.2, 0.4]).axes["own"] == ["eta"]


def test_a_constraint_may_have_the_name_of_a_key_that_is_left_alone():
    made = config(dataset="drawn", constraints=[FLOOR | {"name": "floor"}])
    made["datasets"]["drawn"] = {"label": "Drawn", "kind": "generated", "floor": 0.3}
    assert [entry["floor"] for entry in plan(validate(made)).datasets.values()] == [0.3]
    with pytest.raises(UserError, match="'floor', which another constraint or key"):
        validate(changed(made, {"experiments": {"own": {"floor": 0.2}}}))


def test_goals_that_differ_never_share_a_name():
    texts = [
        *planned(constraints=[FLOOR, CAP]).goals,
        *planned(constraints=[CAP, FLOOR]).goals,
        *planned(constraints=[FLOOR, CAP | {"per_play": "price"}]).goals,
        *planned(constraints=[FLOOR, CAP], objective={"value": 1}).goals,
        *planned(constraints=[FLOOR, {"name": "spend", "per_play": "cost", "at_least": 2}]).goals,
        *planned(eta=0.1).goals,
        *planned(eta=0.10000000000000002).goals,
    ]
    assert len(set(texts)) == len(texts)


def test_only_the_dense_engine_plays_several_constraints():
    lazy = {"engine": "lazy"}
    one, two = (
        plan(validate(config(**entry) | lazy))
        for entry in ({"eta": 0.5}, {"constraints": [FLOOR, CAP]})
    )
    assert one.table["engine"].tolist() == ["lazy"]
    assert two.table["engine"].tolist() == ["dense"]


def test_tolerances_are_per_constraint():
    made = planned(constraints=[FLOOR, CAP | {"tolerance": 0}])
    assert made.table["tolerances"].tolist() == [(None, 0)]
    assert planned(eta=0.5, tolerance="1e-3").table["tolerances"].tolist() == [(0.001,)]
    shared = config(eta=0.5, tolerance=0)
    shared["experiments"]["again"] = shared["experiments"]["own"] | {"tolerance": 0.1}
    with pytest.raises(UserError, match=r"experiments own, again share own-.* not the tolerance"):
        plan(validate(shared | {"only": ["own", "again"]}))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, "experiments.own needs either eta or constraints"),
        ({"eta": 0.5, "constraints": [FLOOR]}, "experiments.own needs either eta or constraints"),
        ({"constraints": [FLOOR] * 9}, "at most eight"),
        ({"constraints": {"rate": FLOOR}}, "experiments.own.constraints is {'rate'"),
        ({"constraints": [FLOOR, FLOOR]}, "own.constraints.1.name is 'rate', which another"),
        ({"constraints": [FLOOR | {"name": "horizon"}]}, "'horizon', which another"),
        ({"constraints": [FLOOR | {"at_most": 1}]}, "constraints.0 needs either at_least"),
        ({"constraints": [{"name": "x", "per_event": 1}]}, "needs either at_least or at_most"),
        ({"constraints": [{"name": "x", "at_least": 1}]}, "has the same amount for every arm"),
        ({"constraints": [FLOOR | {"at_leats": 1}]}, "(did you mean at_least?)"),
        ({"constraints": [FLOOR | {"per_event": []}]}, "constraints.0.per_event is []"),
        ({"constraints": [FLOOR], "tolerance": 1}, "own.tolerance belongs to eta"),
        ({"constraints": [FLOOR | {"at_least": 1.5}]}, "constraints.rate.at_least is 1.5; allowed"),
        ({"constraints": [CAP | {"at_most": 1e-300}]}, "constraints.spend.at_most is 1e-300"),
        (
            {"constraints": [{**CAP, "name": c * 60, "per_play": c} for c in "abc"]},
            "is too long for the name of a file; give datasets, policies or constraints shorter",
        ),
        ({"eta": 0.5, "objective": {"value": 0, "cost": 1}}, "own.objective is the same for every"),
    ],
)
def test_what_no_arms_could_suit_is_one_sentence(entry, said):
    with pytest.raises(UserError) as error:
        planned(**entry)
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_constraint_may_concern_one_kind_of_request():
    (one,) = goal(constraints=[FLOOR | {"kind": "code"}]).constraints
    assert one.kind == "code"
