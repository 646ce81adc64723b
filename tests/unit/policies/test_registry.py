"""A policy's entry in the config: what is filled in, who plays it, and what is refused."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lincon
from lincon.errors import UserError
from lincon.policies import parts, registry
from lincon.policies.parts import ESTIMATORS, OF_LP, SELECTORS, TABLES, TARGETS
from lincon.policies.registry import engine_of, make_policy, schema_properties, standing
from lincon.problem.goal import Constraint, Goal

ALL_PARTS = [part for table in TABLES.values() for part in table.values()]


TS = {"estimator": "beta_sample", "selector": "lp"}


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_cell_of_the_table_is_a_policy(estimator, selector):
    policy = make_policy("mine", {"estimator": estimator, "selector": selector})
    assert (policy.name, policy.estimator, policy.selector) == ("mine", estimator, selector)
    assert [getattr(policy, kind) for kind in OF_LP] == ["fixed", "draw", "uniform", "same"]


@pytest.mark.parametrize("kind", OF_LP)
def test_everything_goes_with_the_lp(kind):
    for name, part in TABLES[kind].items():
        spec = {"estimator": "ucb1", "selector": "lp", "fallback": "greedy", kind: name}
        policy = make_policy("p", spec)
        assert getattr(policy, kind) == name
        assert policy.parameters == {"explore": 1.0} | part.defaults


def test_parameters_are_numbers_that_kernels_know_by_name():
    spec = {"estimator": "kl_ucb", "c": 2, "selector": "queue", "v": 3}
    policy = make_policy("p", spec)
    assert policy.parameters == {"explore": 1.0, "c": 2.0, "v": 3.0, "epsilon": 0.0}
    assert policy.numbers._asdict().items() >= (policy.parameters | {"margin": 0.0}).items()
    assert policy == make_policy("p", dict(reversed(spec.items())))


# --- the declarations


def test_one_name_is_one_parameter():
    """Several parts may have a parameter only if it is the very same, as `explore` is."""
    declared = {parameter for part in ALL_PARTS for parameter in part.parameters}
    names = [parameter.name for parameter in declared]
    assert len(set(names)) == len(names) and not set(names) & set(TABLES)
    for parameter in declared:
        assert parameter.check(parameter.default, "here") == parameter.default


@pytest.mark.parametrize("part", ALL_PARTS, ids=lambda part: part.name)
def test_the_formula_of_a_part_has_all_its_parameters(part):
    said = {*re.findall(r"\w+", part.description), "explore"}
    assert {parameter.name for parameter in part.parameters} <= said


def test_codes_are_positions():
    for codes, table in ((parts.Estimator, ESTIMATORS), (parts.Selector, SELECTORS)):
        assert [(code.name.lower(), int(code)) for code in codes] == [
            (name, k) for k, name in enumerate(table)
        ]


def test_schema_rows_have_the_declared_bounds():
    rows = schema_properties()
    assert rows["estimator"]["enum"] == list(ESTIMATORS)
    assert rows["v"] == {
        "type": "number",
        "exclusiveMinimum": 0,
        "description": "queue: an amount is worth Q / (v sqrt(t)) more than it pays",
    }
    assert (rows["margin"]["minimum"], rows["margin"]["maximum"]) == (0, 1)


def test_declarations_load_without_the_compiler():
    code = (
        "import sys, lincon.policies.registry, lincon.policies.own, lincon.engine.kernels;"
        "print('numpy' in sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(lincon.__file__).parents[1])}
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert run.stdout == "False\n"


# --- how it relates to its paper


def test_a_policy_stands_as_its_part_that_is_farthest_from_its_paper():
    assert standing(TS) == ("as published", "anytime", "")
    assert standing(TS | {"target": "paced"})[:2] == ("adapted", "needs T")
    assert standing(TS | {"target": "paced", "steering": "ledger"})[:2] == ("ours", "needs T")
    assert standing({"estimator": "truth", "selector": "lp"}).needs == "knows the means"


def test_an_entry_may_say_it_itself():
    said = {"origin": "ours", "differs": "samples in place of bounds"}
    assert standing(TS | said) == ("ours", "anytime", "samples in place of bounds")
    assert standing({"python": "my.py:Mine"}) == ("", "", "")
    assert standing({"python": "my.py:Mine", "needs": "needs T"}).needs == "needs T"


# --- who plays it


def test_lazy_gives_way_to_dense():
    """Where a part is not lazy, and where theta may lower an amount."""
    lazy, slow = make_policy("p", TS), make_policy("p", TS | {"estimator": "empirical"})
    assert (engine_of(lazy, "lazy"), engine_of(lazy, "dense")) == ("lazy", "dense")
    assert (engine_of(slow, "lazy"), engine_of(slow, "dense")) == ("dense", "dense")
    rate = Constraint("rate", per_event=1.0, bound=0.5)
    cap = Constraint("spending", per_play="cost", sense="at_most", bound=2.0)
    per_event = Constraint("spending", per_event="cost", sense="at_most", bound=2.0)
    for goal in (Goal((rate,), cost="cost"), Goal((cap,))):
        assert engine_of(lazy, "lazy", goal) == "lazy"
    for goal in (Goal((per_event,)), Goal((rate, cap)), Goal((rate,), value="worth")):
        assert engine_of(lazy, "lazy", goal) == "dense"


def test_an_unknown_engine_is_refused():
    with pytest.raises(UserError, match="engine: 'steam' is not one of lazy, dense"):
        engine_of(make_policy("p", TS), "steam")


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


LP = {"estimator": "truth", "selector": "lp"}
UCB = {"estimator": "ucb1", "selector": "lp"}
REFUSED: list[tuple[dict[str, object], str]] = [
    (LP | {"estimator": "kl_ucbb"}, f"estimator: 'kl_ucbb' {one_of(ESTIMATORS)}"),
    (LP | {"estimator": ["kl_ucb"]}, f"estimator: ['kl_ucb'] {one_of(ESTIMATORS)}"),
    ({"selector": "lp"}, f"estimator is missing; it must be one of {', '.join(ESTIMATORS)}"),
    (LP | {"target": "slow"}, f"target: 'slow' {one_of(TARGETS)}"),
    (
        LP | {"selector": "queue", "steering": "ledger"},
        "steering: queue has none; it goes with lp",
    ),
    (
        TS | {"constraint_belief": "lower"},
        "constraint_belief: beta_sample has no lower end; lower goes with kl_ucb, ucb1",
    ),
    (
        LP | {"selector": "lp_greedy"},
        "selector: write `selector: lp, fallback: greedy` for lp_greedy",
    ),
    (
        LP | {"target": "paced"},
        "target: paced needs a fallback for rounds in which no mixture is feasible; write "
        "`fallback: greedy` for what it was before, or `fallback: uniform`",
    ),
    (UCB | {"alpha": 1}, "alpha: write `explore`, which is alpha / 2"),
    (TS | {"c": 1}, "c: beta_sample with lp has no such parameter (it has: explore)"),
    (LP | {"selector": "queue", "v": 0}, "v: 0 is not a number above 0"),
    (
        LP | {"target": "controlled", "margin": 2},
        "margin: 2 is not a number of at least 0 and of at most 1",
    ),
    (
        UCB | {"explore": 1e-13},
        "explore: 1e-13 is not a number above 0; numbers from 1e-12 to 1e+12, and 0, are supported",
    ),
    *(
        (UCB | {"explore": explore}, f"explore: {explore!r} is not a number above 0")
        for explore in ("2", None, -1, True, float("nan"), float("inf"), [2])
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
