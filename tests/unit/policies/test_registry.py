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
from lincon.policies import estimators, parts, registry, selectors
from lincon.policies.declaration import Parameter, Part
from lincon.policies.registry import (
    ESTIMATORS,
    SELECTORS,
    TABLES,
    TARGETS,
    Policy,
    engine_of,
    make_policy,
    schema_properties,
)

ALL_PARTS = [part for table in TABLES.values() for part in table.values()]


@pytest.mark.parametrize("part", ALL_PARTS, ids=lambda part: part.name)
def test_the_formula_of_a_part_has_all_its_parameters(part):
    assert {parameter.name for parameter in part.parameters} <= set(
        re.findall(r"\w+", part.description)
    )


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_cell_of_the_table_is_a_policy(estimator, selector):
    policy = make_policy("mine", {"estimator": estimator, "selector": selector})
    assert (policy.name, policy.estimator, policy.selector) == ("mine", estimator, selector)
    assert policy.target == "fixed"


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_goes_with_the_lp(target):
    policy = make_policy("p", {"estimator": "truth", "selector": "lp", "target": target})
    assert policy.target == target and policy.parameters == TARGETS[target].defaults


@pytest.mark.parametrize(
    ("spec", "parameters"),
    [
        ({"estimator": "beta_sample", "selector": "lp"}, {}),
        ({"estimator": "kl_ucb", "selector": "lp"}, {"c": 0.0}),
        ({"estimator": "kl_ucb", "selector": "lp", "c": 3}, {"c": 3.0}),
        ({"estimator": "ucb1", "selector": "argmax"}, {"alpha": 2.0}),
        ({"estimator": "ucb1", "selector": "lp", "alpha": 0.5}, {"alpha": 0.5}),
        ({"estimator": "truth", "selector": "queue"}, {"v": 1.0, "epsilon": 0.0}),
        (
            {"estimator": "kl_ucb", "selector": "queue", "c": 2, "v": 3, "epsilon": 0.5},
            {"c": 2.0, "v": 3.0, "epsilon": 0.5},
        ),
        (
            {"estimator": "ucb1", "selector": "lp", "target": "controlled", "buffer": 2},
            {"alpha": 2.0, "margin": 0.01, "buffer": 2.0},
        ),
    ],
)
def test_parameters_and_their_defaults(spec, parameters):
    policy = make_policy("p", spec)
    assert policy.parameters == parameters
    assert all(isinstance(value, float) for value in policy.parameters.values())


def test_the_parameters_of_each_part():
    spec = {"estimator": "kl_ucb", "c": 2, "selector": "queue", "v": 3, "epsilon": 0.5}
    policy = make_policy("p", spec)
    of_parts = [policy.of_part(kind) for kind in ("estimator", "selector", "target")]
    assert of_parts == [(2.0,), (3.0, 0.5), ()]


def test_a_policy_is_a_value():
    spec = {"estimator": "kl_ucb", "selector": "lp", "c": 3}
    expected = Policy("p", "kl_ucb", "lp", "fixed", {"c": 3.0})
    assert make_policy("p", spec) == make_policy("p", dict(reversed(spec.items()))) == expected


# --- the declarations


def test_every_default_is_allowed_and_no_two_parts_share_a_parameter():
    names = [parameter.name for part in ALL_PARTS for parameter in part.parameters]
    assert len(set(names)) == len(names) and not set(names) & set(TABLES)
    for part in ALL_PARTS:
        assert part.check({}, "here") == part.defaults


def test_every_part_says_what_it_computes_and_after_whom():
    for part in ALL_PARTS:
        assert part.description and part.reference
        assert set(part.engines) <= set(registry.ENGINES)
        assert not part.lazy or "dense" in part.engines, "dense is the specification of lazy"


def test_codes_are_positions():
    assert {name: code for code, name in enumerate(ESTIMATORS)} == estimators.CODES
    assert {name: code for code, name in enumerate(SELECTORS)} == selectors.CODES


def test_schema_rows_have_the_declared_bounds():
    rows = schema_properties()
    assert rows["estimator"]["enum"] == list(ESTIMATORS)
    assert rows["target"]["enum"] == list(TARGETS)
    assert rows["v"] == {
        "type": "number",
        "exclusiveMinimum": 0.0,
        "description": "queue: an event is worth Q / (v sqrt(t)) more than it pays",
    }
    assert (rows["margin"]["minimum"], rows["margin"]["maximum"]) == (0.0, 1.0)
    parameters = {parameter.name for part in ALL_PARTS for parameter in part.parameters}
    assert set(rows) == {*TABLES, *parameters, "python"}


def test_declarations_load_without_the_compiler():
    code = "import sys, lincon.policies.registry; print('numba' in sys.modules)"
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


def test_what_no_engine_plays_is_not_played_as_something_else(toys):
    planned = make_policy("p", {"estimator": "planned", "selector": "lp"})
    with pytest.raises(UserError, match=r"^policies.p.estimator: no engine plays 'planned' yet$"):
        engine_of(planned, "lazy")


def test_an_unknown_engine_is_refused():
    policy = make_policy("p", {"estimator": "truth", "selector": "lp"})
    with pytest.raises(UserError, match="engine: 'steam' is not one of lazy, dense"):
        engine_of(policy, "steam")


# --- a class of one's own


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
        {"estimator": "truth", "selector": "argmax", "target": "paced"},
        "target: argmax asks for no rate; a target goes with lp, lp_greedy",
    ),
    (
        {"estimator": "kl_ucb", "selector": "lp", "alpha": 1},
        "alpha: kl_ucb with lp has no such parameter (it has: c)",
    ),
    (
        {"estimator": "kl_ucb", "selector": "lp", "target": "tightened", "alpha": 1},
        "alpha: kl_ucb with lp with tightened has no such parameter (it has: c, k)",
    ),
    (
        {"estimator": "beta_sample", "selector": "lp", "c": 1},
        "c: beta_sample with lp has no such parameter (it has: none)",
    ),
    (
        {"estimator": "ucb1", "selector": "argmax", "v": 1},
        "v: ucb1 with argmax has no such parameter (it has: alpha)",
    ),
    ({"estimator": "truth", "selector": "queue", "v": 0}, "v: 0 is not a number above 0"),
    ({"estimator": "ucb1", "selector": "lp", "alpha": 0}, "alpha: 0 is not a number above 0"),
    ({"estimator": "kl_ucb", "selector": "lp", "c": -1}, "c: -1 is not a number of at least 0"),
    (
        {"estimator": "truth", "selector": "lp", "target": "controlled", "margin": 2},
        "margin: 2 is not a number of at least 0 and of at most 1",
    ),
    *(
        (
            {"estimator": "ucb1", "selector": "lp", "alpha": alpha},
            f"alpha: {alpha!r} is not a number above 0",
        )
        for alpha in ("two", "2", None, -1, True, float("nan"), float("inf"), [2])
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
