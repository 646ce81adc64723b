"""Goals: the paper's short form, the general one, and the arrays that they become."""

from dataclasses import replace

import pytest

from lincon.data import arms
from lincon.errors import UserError
from lincon.problem.goal import Constraint, Goal, as_goal
from lincon.problem.program import program

MADE = arms.make([0.4, 0.6], [0.5, 0.25], dataset="made")
COSTLY = Goal(
    (
        Constraint("rate", per_event=1.0, bound=0.5),
        Constraint("spending", per_event="value", per_play=2, sense="at_most", bound=3.0),
    ),
    cost=0.1,
)


def test_a_floor_is_the_papers_goal():
    goal = Goal.floor(0.5)
    assert (goal.eta, goal.text, goal.lazy) == (0.5, "eta_0.5", True)
    assert as_goal(0.5) == as_goal(goal) == Goal.from_dict({"eta": 0.5}) == goal
    made = program(MADE, goal)
    assert made.value.tolist() == [0.5, 0.25] and made.cost.tolist() == [0.0, 0.0]
    assert (made.a.tolist(), made.b.tolist(), made.e.tolist()) == ([[1, 1]], [[0, 0]], [0.5])
    assert all(x.flags.c_contiguous for x in made), "as kernels need"


@pytest.mark.parametrize(
    "goal",
    [
        replace(Goal.floor(0.5), cost=0.0),
        replace(Goal.floor(0.5), value="mean"),
        Goal((Constraint("rate", per_event=1.0, bound=0.5),)),
        COSTLY,
        Goal((Constraint("rate", per_event=1.0, bound=0.5, kind="code"),)),
    ],
)
def test_every_other_goal_has_no_eta_and_a_name_of_its_own(goal):
    assert goal.eta is None
    assert not goal.text.startswith("eta_")
    assert Goal.from_dict(goal.to_dict()) == goal
    assert replace(goal, value=0.5).text != goal.text


def test_at_most_is_negated():
    made = program(MADE, COSTLY)
    assert made.a.tolist() == [[1, 1], [-0.5, -0.25]]
    assert made.b.tolist() == [[0, 0], [-2, -2]]
    assert made.e.tolist() == [0.5, -3.0]
    assert made.cost.tolist() == [0.1, 0.1]
    assert not COSTLY.lazy


def test_an_unknown_column_is_named_with_those_that_there_are():
    goal = Goal((Constraint("spending", per_play="price", sense="at_most", bound=1.0),))
    with pytest.raises(UserError) as refusal:
        program(MADE, goal)
    assert str(refusal.value) == (
        "constraints.spending.per_play: made has no column 'price'; allowed: a number, or one of "
        "mean, value"
    )


def test_columns_that_a_goal_does_not_look_at_are_named_once():
    columns = ["cost", "supplier=A", "supplier=B", "region=EU", "region=US", "delay"]
    cap = Constraint("cap", per_play="supplier=A", sense="at_most", bound=0.2)
    assert Goal((cap,)).unused(columns) == ["region", "delay"]
    assert Goal((cap,), cost=0.0).unused(columns) == ["cost", "region", "delay"]
    assert Goal.floor(0.5).unused([]) == []


RATE = {"name": "rate", "per_event": 1, "at_least": 0.4}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"eta": 0.5, "objektive": {}}, "goal.objektive is not a known key (did you mean objecti"),
        ({"eta": 1.4}, "goal.eta is 1.4; allowed: a number in [0, 1]"),
        ({"eta": "half"}, "goal.eta is 'half'; allowed: a number in [0, 1]"),
        ({}, "goal needs either eta or constraints"),
        ({"eta": 0.5, "constraints": [RATE]}, "goal needs either eta or constraints"),
        ({"constraints": RATE}, "goal.constraints is {'name': 'rate', "),
        ({"constraints": [RATE | {"at_leest": 1}]}, "rate.at_leest is not a known key (did you m"),
        ({"constraints": [RATE | {"at_least": 1.4}]}, "constraints.rate.at_least is 1.4; allowed"),
        ({"constraints": [RATE | {"at_least": 1e-300}]}, "rate.at_least is 1e-300; allowed"),
        ({"constraints": [RATE | {"at_most": 1}]}, "constraints.rate needs either at_least or at_"),
        ({"constraints": [{"at_least": 0.4}]}, "goal.constraints.0.name is None; allowed: a text"),
        ({"constraints": [RATE | {"per_event": []}]}, "rate.per_event is []; allowed: a number, "),
        ({"constraints": [RATE | {"kind": 3}]}, "goal.constraints.rate.kind is 3; allowed: a text"),
        ({"eta": 0.5, "objective": {"value": True}}, "goal.objective.value is True; allowed: a nu"),
        ({"eta": 0.5, "objective": 3}, "goal.objective is 3; allowed: a mapping of keys to values"),
    ],
)
def test_a_mistake_is_one_sentence_that_names_the_key(given, message):
    with pytest.raises(UserError) as refusal:
        Goal.from_dict(given)
    assert message in str(refusal.value)


def test_eta_and_an_objective_go_together():
    goal = Goal.from_dict({"eta": 0.5, "objective": {"value": 0, "cost": "price"}})
    assert goal == replace(Goal.floor(0.5), value=0.0, cost="price")
