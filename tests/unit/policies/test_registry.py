"""A policy's entry in the config: what is filled in, who plays it, and what is refused."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import lincon
from lincon.errors import UserError
from lincon.policies import parts, registry
from lincon.policies.declaration import Parameter, Part
from lincon.policies.parts import ESTIMATORS, OF_LP, SELECTORS, TABLES, TARGETS
from lincon.policies.registry import Policy, engine_of, make_policy, schema_properties
from lincon.problem.goal import Constraint, Goal

ALL_PARTS = [part for table in TABLES.values() for part in table.values()]


@pytest.mark.parametrize("part", ALL_PARTS, ids=lambda part: part.name)
def test_the_formula_of_a_part_has_all_its_parameters(part):
    said = {*re.findall(r"\w+", part.description), "explore"}
    assert {parameter.name for parameter in part.parameters} <= said


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_cell_of_the_table_is_a_policy(estimator, selector):
    policy = make_policy("mine", {"estimator": estimator, "selector": selector})
    assert (policy.name, policy.estimator, policy.selector) == ("mine", estimator, selector)
    assert [getattr(policy, kind) for kind in OF_LP] == ["fixed", "draw", "uniform", "same"]


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in OF_LP for name in TABLES[kind]]
)
def test_everything_goes_with_the_lp(kind, name):
    spec = {"estimator": "ucb1", "selector": "lp", "fallback": "greedy", kind: name}
    policy = make_policy("p", spec)
    assert getattr(policy, kind) == name
    assert policy.parameters == {"explore": 1.0} | TABLES[kind][name].defaults


@pytest.mark.parametrize(
    ("spec", "parameters"),
    [
        ({"estimator": "beta_sample", "selector": "lp"}, {"explore": 1.0}),
        ({"estimator": "kl_ucb", "selector": "lp"}, {"explore": 1.0, "c": 0.0}),
        ({"estimator": "kl_ucb", "selector": "lp", "c": 3}, {"explore": 1.0, "c": 3.0}),
        ({"estimator": "ucb1", "selector": "argmax"}, {"explore": 1.0}),
        ({"estimator": "ucb1", "selector": "lp", "explore": 0.5}, {"explore": 0.5}),
        ({"estimator": "truth", "selector": "queue"}, {"v": 1.0, "epsilon": 0.0}),
        (
            {"estimator": "kl_ucb", "selector": "queue", "c": 2, "v": 3, "epsilon": 0.5},
            {"explore": 1.0, "c": 2.0, "v": 3.0, "epsilon": 0.5},
        ),
        (
            {"estimator": "ucb1", "selector": "lp", "target": "controlled", "buffer": 2},
            {"explore": 1.0, "margin": 0.01, "buffer": 2.0},
        ),
    ],
)
def test_parameters_and_their_defaults(spec, parameters):
    policy = make_policy("p", spec)
    assert policy.parameters == parameters
    assert all(isinstance(value, float) for value in policy.parameters.values())


def test_parameters_for_kernels_go_by_name():
    spec = {"estimator": "kl_ucb", "c": 2, "selector": "queue", "v": 3, "epsilon": 0.5}
    numbers = make_policy("p", spec).numbers
    assert (numbers.c, numbers.v, numbers.epsilon, numbers.explore) == (2.0, 3.0, 0.5, 1.0)
    assert numbers.margin == numbers.reserve == 0.0


def test_a_policy_is_a_value():
    spec = {"estimator": "kl_ucb", "selector": "lp", "c": 3}
    expected = Policy("p", "kl_ucb", "lp", parameters={"explore": 1.0, "c": 3.0})
    assert make_policy("p", spec) == make_policy("p", dict(reversed(spec.items()))) == expected


# --- the declarations


def test_every_default_is_allowed_and_one_name_is_one_parameter():
    """Several parts may have a parameter only if it is the very same, as `explore` is."""
    declared = {parameter for part in ALL_PARTS for parameter in part.parameters}
    names = [parameter.name for parameter in declared]
    assert len(set(names)) == len(names) and not set(names) & set(TABLES)
    for part in ALL_PARTS:
        assert part.check({}, "here") == part.defaults


def test_every_part_says_what_it_computes_and_its_source():
    for part in ALL_PARTS:
        assert part.description and part.reference
        assert set(part.engines) <= set(registry.ENGINES)
        assert not part.lazy or "dense" in part.engines, "dense is the specification of lazy"


def test_codes_are_positions():
    for codes, table in ((parts.Estimator, ESTIMATORS), (parts.Selector, SELECTORS)):
        assert [code.name.lower() for code in codes] == list(table)
        assert [int(code) for code in codes] == list(range(len(table)))


def test_schema_rows_have_the_declared_bounds():
    rows = schema_properties()
    assert rows["estimator"]["enum"] == list(ESTIMATORS)
    assert rows["target"]["enum"] == list(TARGETS)
    assert rows["v"] == {
        "type": "number",
        "exclusiveMinimum": 0.0,
        "description": "queue: an amount is worth Q / (v sqrt(t)) more than it pays",
    }
    assert (rows["margin"]["minimum"], rows["margin"]["maximum"]) == (0.0, 1.0)
    parameters = {parameter.name for part in ALL_PARTS for parameter in part.parameters}
    assert set(rows) == {*TABLES, *parameters, "python"}


def test_declarations_load_without_the_compiler():
    code = (
        "import sys, lincon.policies.registry, lincon.policies.own, lincon.engine.kernels;"
        "print('numpy' in sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(lincon.__file__).parents[1])}
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert run.stdout == "False\n"


# --- who plays it


@pytest.fixture
def toys(monkeypatch):
    """Estimators that only the dense engine plays, and that none does."""
    for name, engines in {"slow": ("dense",), "planned": ()}.items():
        monkeypatch.setitem(parts.ESTIMATORS, name, Part(name, "x", "x", engines=engines))


def test_lazy_gives_way_to_dense_where_a_part_is_not_lazy(toys):
    lazy = make_policy("p", {"estimator": "beta_sample", "selector": "lp"})
    slow = make_policy("p", {"estimator": "slow", "selector": "lp"})
    assert (engine_of(lazy, "lazy"), engine_of(lazy, "dense")) == ("lazy", "dense")
    assert (engine_of(slow, "lazy"), engine_of(slow, "dense")) == ("dense", "dense")


def test_lazy_gives_way_to_dense_where_theta_may_lower_an_amount():
    policy = make_policy("p", {"estimator": "beta_sample", "selector": "lp"})
    rate = Constraint("rate", per_event=1.0, bound=0.5)
    cap = Constraint("spending", per_play="cost", sense="at_most", bound=2.0)
    per_event = Constraint("spending", per_event="cost", sense="at_most", bound=2.0)
    assert engine_of(policy, "lazy", Goal((rate,), cost="cost")) == "lazy"
    assert engine_of(policy, "lazy", Goal((cap,))) == "lazy"
    for goal in (Goal((per_event,)), Goal((rate, cap)), Goal((rate,), value="worth")):
        assert engine_of(policy, "lazy", goal) == "dense"


def test_what_no_engine_plays_is_not_played_as_something_else(toys):
    planned = make_policy("p", {"estimator": "planned", "selector": "lp"})
    with pytest.raises(UserError, match=r"^policies.p.estimator: no engine plays 'planned' yet$"):
        engine_of(planned, "lazy")


def test_an_unknown_engine_is_refused():
    policy = make_policy("p", {"estimator": "truth", "selector": "lp"})
    with pytest.raises(UserError, match="engine: 'steam' is not one of lazy, dense"):
        engine_of(policy, "steam")


# --- a user-defined policy


def test_a_user_defined_policy():
    policy = make_policy("mine", {"python": "a/my.py:Mine", "rate": 0.1, "estimator_name": "x"})
    assert policy.python == registry.PythonPolicy(
        "a/my.py", "Mine", {"rate": 0.1, "estimator_name": "x"}
    )
    assert engine_of(policy, "lazy") == engine_of(policy, "dense") == "python"


# --- what is refused


def one_of(table: object) -> str:
    return "is not one of " + ", ".join(table)  # type: ignore[call-overload]


REFUSED: list[tuple[dict[str, object], str]] = [
    ({"estimator": "kl_ucbb", "selector": "lp"}, f"estimator: 'kl_ucbb' {one_of(ESTIMATORS)}"),
    ({"estimator": "kl_ucb", "selector": "max"}, f"selector: 'max' {one_of(SELECTORS)}"),
    ({"estimator": ["kl_ucb"], "selector": "lp"}, f"estimator: ['kl_ucb'] {one_of(ESTIMATORS)}"),
    ({"selector": "lp"}, f"estimator is missing; it must be one of {', '.join(ESTIMATORS)}"),
    ({"estimator": "kl_ucb"}, f"selector is missing; it must be one of {', '.join(SELECTORS)}"),
    (
        {"estimator": "truth", "selector": "lp", "target": "slow"},
        f"target: 'slow' {one_of(TARGETS)}",
    ),
    (
        {"estimator": "truth", "selector": "argmax", "target": "tightened"},
        "target: argmax has none; it goes with lp",
    ),
    (
        {"estimator": "truth", "selector": "queue", "steering": "ledger"},
        "steering: queue has none; it goes with lp",
    ),
    (
        {"estimator": "beta_sample", "selector": "lp", "constraint_belief": "lower"},
        "constraint_belief: beta_sample has no lower end; lower goes with kl_ucb, ucb1",
    ),
    (
        {"estimator": "truth", "selector": "lp_greedy"},
        "selector: write `selector: lp, fallback: greedy` for lp_greedy",
    ),
    (
        {"estimator": "truth", "selector": "lp", "target": "paced"},
        "target: paced needs a fallback for rounds in which no mixture is feasible; write "
        "`fallback: greedy` for what it was before, or `fallback: uniform`",
    ),
    (
        {"estimator": "ucb1", "selector": "lp", "alpha": 1},
        "alpha: write `explore`, which is alpha / 2",
    ),
    (
        {"estimator": "empirical", "selector": "eps_greedy", "explore": 1},
        "explore: of eps_greedy it is called `uniform_rate`",
    ),
    (
        {"estimator": "kl_ucb", "selector": "lp", "alpha": 1},
        "alpha: kl_ucb with lp has no such parameter (it has: explore, c)",
    ),
    (
        {"estimator": "beta_sample", "selector": "lp", "c": 1},
        "c: beta_sample with lp has no such parameter (it has: explore)",
    ),
    (
        {"estimator": "ucb1", "selector": "argmax", "v": 1},
        "v: ucb1 with argmax has no such parameter (it has: explore)",
    ),
    ({"estimator": "truth", "selector": "queue", "v": 0}, "v: 0 is not a number above 0"),
    ({"estimator": "ucb1", "selector": "lp", "explore": 0}, "explore: 0 is not a number above 0"),
    ({"estimator": "kl_ucb", "selector": "lp", "c": -1}, "c: -1 is not a number of at least 0"),
    (
        {"estimator": "truth", "selector": "lp", "target": "controlled", "margin": 2},
        "margin: 2 is not a number of at least 0 and of at most 1",
    ),
    *(
        (
            {"estimator": "ucb1", "selector": "lp", "explore": explore},
            f"explore: {explore!r} is not a number above 0",
        )
        for explore in ("two", "2", None, -1, True, float("nan"), float("inf"), [2])
    ),
    ({"python": "my.py"}, "python: 'my.py' names no class; allowed: FILE.py:CLASS or MODULE:CLASS"),
    (
        {"python": "my.py:Mine", "selector": "lp"},
        "selector: a policy with python has no selector; give one of both",
    ),
]


@pytest.mark.parametrize(("spec", "sentence"), REFUSED)
def test_what_is_refused(spec, sentence):
    with pytest.raises(UserError) as refusal:
        make_policy("mine", spec)
    assert str(refusal.value) == f"policies.mine.{sentence}"


def test_bounds_in_words():
    free = Parameter("x", 0.0, "any")
    assert free.allowed == "a number"
    assert replace(free, exclusive_minimum=1.5, maximum=3).allowed == (
        "a number above 1.5 and of at most 3"
    )
