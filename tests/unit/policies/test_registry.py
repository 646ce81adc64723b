"""A policy's entry in the config: what is filled in, and what is refused with which sentence."""

from __future__ import annotations

import pytest

from lincon.errors import UserError
from lincon.policies import estimators, selectors
from lincon.policies.registry import Policy, make


@pytest.mark.parametrize("selector", selectors.CODES)
@pytest.mark.parametrize("estimator", estimators.CODES)
def test_every_cell_of_the_table_is_a_policy(estimator, selector):
    policy = make("mine", {"estimator": estimator, "selector": selector})
    assert (policy.name, policy.estimator, policy.selector) == ("mine", estimator, selector)


@pytest.mark.parametrize(
    ("spec", "parameter"),
    [
        ({"estimator": "beta_sample"}, 0.0),
        ({"estimator": "kl_ucb"}, 0.0),
        ({"estimator": "kl_ucb", "c": 3}, 3.0),
        ({"estimator": "ucb1"}, 2.0),
        ({"estimator": "ucb1", "alpha": 0.5}, 0.5),
    ],
)
def test_parameters_and_their_defaults(spec, parameter):
    policy = make("p", {"selector": "lp", **spec})
    assert policy.parameter == parameter and isinstance(policy.parameter, float)


@pytest.mark.parametrize(
    ("spec", "queue"),
    [
        ({"selector": "lp"}, (0.0, 0.0)),
        ({"selector": "queue"}, (1.0, 0.0)),
        ({"selector": "queue", "v": 3, "epsilon": 0.5}, (3.0, 0.5)),
    ],
)
def test_a_queue_has_parameters_of_its_own(spec, queue):
    policy = make("p", {"estimator": "kl_ucb", "c": 2, **spec})
    assert policy.queue == queue and policy.parameter == 2.0


def test_a_policy_is_a_value():
    spec = {"estimator": "kl_ucb", "selector": "lp", "c": 3}
    assert (
        make("p", spec)
        == make("p", dict(reversed(spec.items())))
        == Policy("p", "kl_ucb", "lp", 3.0)
    )


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (
            {"estimator": "kl_ucbb", "selector": "lp"},
            "policies.mine.estimator: 'kl_ucbb' is not one of " + ", ".join(estimators.CODES),
        ),
        (
            {"estimator": "kl_ucb", "selector": "max"},
            "policies.mine.selector: 'max' is not one of " + ", ".join(selectors.CODES),
        ),
        (
            {"selector": "lp"},
            "policies.mine.estimator: None is not one of " + ", ".join(estimators.CODES),
        ),
        (
            {"estimator": "kl_ucb"},
            "policies.mine.selector: None is not one of " + ", ".join(selectors.CODES),
        ),
        (
            {"estimator": "kl_ucb", "selector": "lp", "alpha": 1},
            "policies.mine.alpha: kl_ucb with lp has no such parameter (it has: c)",
        ),
        (
            {"estimator": "beta_sample", "selector": "lp", "c": 1},
            "policies.mine.c: beta_sample with lp has no such parameter (it has: none)",
        ),
        (
            {"estimator": "ucb1", "selector": "argmax", "v": 1},
            "policies.mine.v: ucb1 with argmax has no such parameter (it has: alpha)",
        ),
        (
            {"estimator": "truth", "selector": "queue", "v": 0},
            "policies.mine.v: 0 is not a number above 0",
        ),
        *(
            (
                {"estimator": "ucb1", "selector": "lp", "alpha": alpha},
                f"policies.mine.alpha: {alpha!r} is not a number of at least 0",
            )
            for alpha in ("two", None, -1, float("nan"), float("inf"), [2])
        ),
    ],
)
def test_what_is_refused(spec, sentence):
    with pytest.raises(UserError) as refusal:
        make("mine", spec)
    assert str(refusal.value) == sentence
