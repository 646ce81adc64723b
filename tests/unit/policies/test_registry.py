"""A policy's entry in the config: what is filled in, who plays it, and what is refused."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lincon
from lincon.errors import UserError
from lincon.policies.parts import ESTIMATORS, GONE, TABLES
from lincon.policies.registry import PythonPolicy, engine_of, make_policy, standing
from lincon.problem.goal import Constraint, Goal

ALL_PARTS = [part for table in TABLES.values() for part in table.values()]
TS = {"estimator": "beta_sample"}
UCB = {"estimator": "ucb1"}


def test_every_cell_of_the_table_is_a_policy():
    others = ("target", "steering", "fallback")
    for estimator in ESTIMATORS:
        policy = make_policy("mine", {"estimator": estimator})
        assert (policy.name, policy.estimator) == ("mine", estimator)
        assert [getattr(policy, kind) for kind in others] == ["fixed", "draw", "uniform"]
    for kind in others:
        for name, part in TABLES[kind].items():
            policy = make_policy("p", UCB | {kind: name})
            assert getattr(policy, kind) == name
            assert policy.parameters == {"explore": 1.0} | part.defaults


def test_parameters_are_numbers_that_kernels_know_by_name():
    spec = {"estimator": "kl_ucb", "c": 2, "steering": "ledger", "reserve": 3}
    policy = make_policy("p", spec)
    assert policy.parameters == {"explore": 1.0, "c": 2.0, "reserve": 3.0, "allowance": 0.0}
    assert policy.numbers._asdict().items() >= (policy.parameters | {"ramp": 0.0}).items()
    assert policy == make_policy("p", dict(reversed(spec.items())))


def test_one_name_is_one_parameter_and_a_formula_has_all_of_its_part():
    """Several parts may have a parameter only if it is the very same, as `explore` is."""
    declared = {parameter for part in ALL_PARTS for parameter in part.parameters}
    names = [parameter.name for parameter in declared]
    assert len(set(names)) == len(names) and not set(names) & set(TABLES)
    for part in ALL_PARTS:
        said = {*re.findall(r"\w+", part.description), "explore"}
        assert {parameter.name for parameter in part.parameters} <= said


def test_declarations_load_without_the_compiler():
    code = (
        "import sys, lincon.policies.registry, lincon.policies.own, lincon.engine.kernels;"
        "print('numpy' in sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(lincon.__file__).parents[1])}
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert run.stdout == "False\n"


def test_a_policy_stands_as_its_entry_says_or_its_part_that_is_farthest_from_its_paper():
    assert standing(TS) == ("as published", "anytime", "")
    assert standing(TS | {"target": "paced"})[:2] == ("adapted", "needs T")
    assert standing(TS | {"target": "paced", "steering": "ledger"})[:2] == ("ours", "needs T")
    assert standing(TS | {"steering": "ledger", "allowance": 4})[1] == "needs T"
    assert standing({"estimator": "truth"})[1] == "knows the means"
    said = {"origin": "ours", "differs": "samples in place of bounds"}
    assert standing(TS | said) == ("ours", "anytime", "samples in place of bounds")
    assert standing({"python": "my.py:Mine", "needs": "needs T"}) == ("", "needs T", "")


def test_lazy_gives_way_to_dense():
    """Where a part is not lazy, and where theta may lower an amount."""
    lazy, slow = make_policy("p", TS), make_policy("p", TS | {"estimator": "gittins"})
    assert (engine_of(lazy, "lazy"), engine_of(lazy, "dense")) == ("lazy", "dense")
    assert (engine_of(slow, "lazy"), engine_of(slow, "dense")) == ("dense", "dense")
    rate = Constraint("rate", per_event=1.0, bound=0.5)
    cap = Constraint("spending", per_play="cost", sense="at_most", bound=2.0)
    per_event = Constraint("spending", per_event="cost", sense="at_most", bound=2.0)
    for goal in (Goal((rate,), cost="cost"), Goal((cap,))):
        assert engine_of(lazy, "lazy", goal) == "lazy"
    for goal in (Goal((per_event,)), Goal((rate, cap)), Goal((rate,), value="worth")):
        assert engine_of(lazy, "lazy", goal) == "dense"


def test_a_user_defined_policy():
    policy = make_policy("mine", {"python": "a/my.py:Mine", "rate": 0.1, "estimator_name": "x"})
    assert policy.python == PythonPolicy("a/my.py", "Mine", {"rate": 0.1, "estimator_name": "x"})
    assert engine_of(policy, "lazy") == engine_of(policy, "dense") == "python"


SUPPORTED = "; numbers from 1e-12 to 1e+12, and 0, are supported"
REFUSED: list[tuple[dict[str, object], str]] = [
    (
        TS | {"estimator": ["kl_ucb"]},
        f"estimator: ['kl_ucb'] is not one of {', '.join(ESTIMATORS)}",
    ),
    (TS | {"target": "slow"}, "target: 'slow' is not one of fixed"),
    ({"target": "paced"}, f"estimator is missing; it must be one of {', '.join(ESTIMATORS)}"),
    (
        TS | {"target": "none", "steering": "ledger"},
        "steering: the target none has none; it goes with fixed and paced",
    ),
    (
        {"estimator": "none", "fallback": "greedy"},
        "fallback: the estimator none has none; it goes with beta_sample and",
    ),
    (
        UCB | {"prior": "learned"},
        "prior: the estimator ucb1 has none; it goes with beta_sample and gittins",
    ),
    *(
        (TS | {kind: name}, f"{kind}: there is no {name} any more; {instead}")
        for (kind, name), instead in GONE.items()
    ),
    (TS | {"c": 1}, "c: it has no such parameter (it has: explore)"),
    (TS | {"steering": "ledger", "reserve": -1}, "reserve: -1 is not a number of at least 0"),
    *(
        (UCB | {"explore": explore}, f"explore: {explore!r} is not a number above 0{SUPPORTED}")
        for explore in ("2", None, -1, 0, 1e-13, True, float("nan"), float("inf"), [2])
    ),
    (
        {"python": "my.py:Mine", "target": "paced"},
        "target: a policy with python has no target; give one of both",
    ),
]


@pytest.mark.parametrize(("spec", "sentence"), REFUSED)
def test_what_is_refused(spec, sentence):
    with pytest.raises(UserError) as refusal:
        make_policy("mine", spec)
    assert str(refusal.value).startswith(f"policies.mine.{sentence}")
