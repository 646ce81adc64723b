"""Goals of experiments: short and long form, and their names in paths."""

from typing import Any

from lincon.problem.goal import Goal
from lincon.study.config import validate
from lincon.study.plan import Plan, plan
from tests.real_data import CONFIG
from tests.workflow.bench import SMALL, changed

FLOOR = {"name": "rate", "per_event": 1, "at_least": 0.4}
CAP = {"name": "spend", "per_play": "cost", "at_most": 2}


def planned(**entry: Any) -> Plan:
    config = changed(CONFIG, SMALL | {"only": ["own"], "engine": "lazy"})
    entry = {"dataset": "own", "horizon": 300, "policies": ["lincon_ts"]} | entry
    return plan(validate(config | {"experiments": {"own": entry}}))


def goal(**entry: Any) -> Goal:
    (only,) = planned(**entry).goals.values()
    return Goal.from_dict(only)


def test_eta_is_short_for_the_papers_goal():
    assert goal(eta=0.5) == goal(constraints=[FLOOR | {"name": "floor", "at_least": 0.5}])
    assert goal(eta=0.5) == Goal.floor(0.5) and list(planned(eta=0.5).goals) == ["eta_0.5"]
    cheapest = goal(eta=0.5, objective={"value": 0, "cost": "cost"})
    assert (cheapest.constraints, cheapest.cost) == (Goal.floor(0.5).constraints, "cost")


def test_goals_that_differ_never_share_a_name():
    texts = [
        *planned(constraints=[FLOOR, CAP]).goals,
        *planned(constraints=[CAP, FLOOR]).goals,
        *planned(constraints=[FLOOR, CAP | {"per_play": "price"}]).goals,
        *planned(constraints=[FLOOR, CAP], objective={"value": 1}).goals,
        *planned(constraints=[FLOOR, {**FLOOR, "name": "spend", "at_least": 2 / 3}]).goals,
        *planned(eta=0.1).goals,
        *planned(eta=0.10000000000000002).goals,
    ]
    assert len(set(texts)) == len(texts) and texts[0].startswith("rate_0.4+spend_2-")


def test_each_constraint_has_its_tolerance_and_several_the_dense_engine():
    row = planned(constraints=[FLOOR, CAP | {"tolerance": 0}]).table.iloc[0]
    assert row["tolerances"] == (None, 0) and row["engine"] == "dense"
    assert planned(eta=0.5).table["engine"][0] == "lazy"
