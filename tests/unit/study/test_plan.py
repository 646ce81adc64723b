"""Experiments become settings: grids, the names that paths show, and what tells runs apart."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lincon.errors import UserError
from lincon.policies.registry import make_policy
from lincon.problem.goal import number
from lincon.study.config import validate
from lincon.study.plan import plan, settings_hash, values_of
from tests.workflow.bench import REPOSITORY, SMALL, changed

SHIPPED = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text(encoding="utf-8"))
BASE = changed(SHIPPED, SMALL | {"only": ["own"]})
OWN = {
    "dataset": "own",
    "eta": 0.8,
    "horizon": 300,
    "policies": ["lincon_ts", "lincon_kl_ucb"],
}


def own(**changes):
    config = copy.deepcopy(BASE)
    config["experiments"]["own"] = OWN | changes
    return config


def points(**changes):
    return plan(validate(own(**changes))).experiments["own"].points


def test_what_tells_runs_apart_is_in_their_path():
    kl_ucb = {"estimator": "kl_ucb", "selector": "lp"}
    same = make_policy("a", kl_ucb)
    assert settings_hash(same, 200) == settings_hash(make_policy("b", kl_ucb | {"c": 0}), 200)
    others = [
        make_policy("a", kl_ucb | {"c": 3}),
        make_policy("a", kl_ucb | {"selector": "argmax"}),
    ]
    hashes = {settings_hash(policy, 200) for policy in [same, *others]}
    assert len({*hashes, settings_hash(same, 300)}) == 4


def test_a_range_makes_a_sweep_of_round_numbers():
    swept = points(eta={"low": 0.1, "high": 0.7, "count": 7})
    assert [point.constraints for point in swept] == [f"eta_0.{tenth}" for tenth in range(1, 8)]
    horizons = [point.horizon for point in points(horizon={"low": 300, "high": 500, "count": 3})]
    assert horizons == [300, 400, 500]


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.integers(2, 50))
def test_a_range_is_that_of_numpy(low, high, count):
    expected = [float(f"{x:.12g}") for x in np.linspace(low, high, count)]
    assert values_of({"low": low, "high": high, "count": count}) == expected


def test_two_lists_make_a_grid():
    grid = points(eta=[0.5, 0.6], horizon=[300, 400, 500])
    assert [(point.constraints, point.horizon) for point in grid] == [
        *(("eta_0.5", 300), ("eta_0.5", 400), ("eta_0.5", 500)),
        *(("eta_0.6", 300), ("eta_0.6", 400), ("eta_0.6", 500)),
    ]
    assert grid[1].coordinates == {"eta": 0.5, "horizon": 400}


def test_a_swept_parameter_names_the_policy_that_it_belongs_to():
    grid = points(parameters={"lincon_kl_ucb": {"c": [0, 1.5]}})
    assert [list(point.policies) for point in grid] == [
        ["lincon_ts", "lincon_kl_ucb@c_0"],
        ["lincon_ts", "lincon_kl_ucb@c_1.5"],
    ]
    assert grid[1].policies["lincon_kl_ucb@c_1.5"] == "lincon_kl_ucb"
    assert grid[1].coordinates == {"lincon_kl_ucb.c": 1.5}
    planned = plan(validate(own(parameters={"lincon_kl_ucb": {"c": [0, 1.5]}})))
    assert planned.players["lincon_kl_ucb@c_1.5"].entry["c"] == 1.5
    assert planned.players["lincon_ts"].entry == {"estimator": "beta_sample", "selector": "lp"}


def test_a_swept_snr_names_its_datasets():
    config = changed(BASE, {"only": ["radio"], "experiments": {"radio": {"snr": [10, 20.5]}}})
    planned = plan(validate(config))
    assert set(planned.datasets) == {"radio@snr_10", "radio@snr_20.5"}
    assert planned.datasets["radio@snr_20.5"]["snr"] == 20.5
    assert planned.experiments["radio"].axes == ("snr",)
    one = plan(validate(changed(config, {"experiments": {"radio": {"snr": 10}}})))
    experiment = one.experiments["radio"]
    assert not experiment.is_sweep and experiment.points[0].dataset == "radio@snr_10"


def test_means_drawn_from_the_counts_are_other_arms():
    drawn = plan(validate(own(means="posterior")))
    assert drawn.experiments["own"].points[0].dataset == "own@posterior"
    assert drawn.datasets["own@posterior"]["counts_as"] == ["posterior"]
    assert points(means="observed")[0].dataset == "own"
    with pytest.raises(UserError, match="kind wireless has no successes and trials for posterior"):
        plan(validate(own(dataset="radio", means="posterior")))


def test_a_warm_start_is_played_by_the_dense_engine():
    planned = plan(validate(own(means="posterior", start="warm")))
    (point,) = planned.experiments["own"].points
    assert point.dataset == "own@posterior,warm"
    assert planned.player("lincon_ts", point.setting).engine == "dense"


def test_experiments_that_share_a_setting_share_its_runs():
    config = changed(BASE, {"only": ["radio", "radio_eta"]})
    planned = plan(validate(config))
    assert planned.settings == {
        ("radio", "eta_0.9", 200): ["lincon_ts", "lincon_kl_ucb"],
        ("radio", "eta_0.99", 200): ["lincon_ts"],
    }


def test_two_spellings_of_a_number_are_one_setting():
    config = changed(BASE, {"only": ["own", "again"], "experiments": {"again": OWN | {"eta": 1}}})
    config["experiments"]["own"]["eta"] = 1.0
    assert [setting[:2] for setting in plan(validate(config)).settings] == [("own", "eta_1")]


@given(st.integers(1, 10**12) | st.floats(-50, 100))
def test_a_number_in_a_path_reads_back_the_same_and_equal_numbers_have_one_text(value):
    assert float(number(value)) == value and "/" not in number(value)
    assert number(float(value)) == number(value) or value != int(value)
    text = np.format_float_positional(float(value), trim="-")
    assert number(float(value)) == text or len(text) > 40


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.5"), (1e-12, "0.000000000001"), (3, "3"), (1e-300, "1e-300")]
)
def test_numbers_in_paths_are_short(value, text):
    assert number(value) == text


def test_figures_suit_what_is_swept():
    def figures(**changes):
        return plan(validate(own(**changes))).experiments["own"].figures

    assert figures(eta=[0.5, 0.6]) == ["sweep", "frontier"]
    assert figures(horizon=[300, 400]) == ["sweep"]
    assert figures(eta=[0.5, 0.6], horizon=[300, 400]) == ["heat_map"]
    two = [{"name": name, "per_event": 1, "at_least": [0.5, 0.6]} for name in "ab"]
    config = own(constraints=two)
    del config["experiments"]["own"]["eta"]
    assert plan(validate(config)).experiments["own"].figures == ["heat_map", "frontier"]


def test_the_parameters_of_a_user_defined_policy_are_its_own():
    mine = {"label": "Mine", "python": "my.py:Mine", "rate": 0.5, "mode": "slow"}
    made = own(policies=["mine"], parameters={"mine": {"rate": [0.1, 0.2]}})
    planned = plan(validate(changed(made, {"policies": {"mine": mine}})))
    entries = [player.entry for player in planned.players.values()]
    assert [(entry["rate"], entry["mode"]) for entry in entries] == [(0.1, "slow"), (0.2, "slow")]
    assert {player.engine for player in planned.players.values()} == {"python"}


def test_late_feedback_is_played_by_the_dense_engine():
    config = own() | {"engine": "lazy"}
    config["datasets"]["own"]["delay"] = {"rounds": 10}
    made = plan(validate(config))
    (setting,) = made.settings
    assert made.players["lincon_ts"].engine == "lazy"
    assert made.player("lincon_ts", setting).engine == "dense"
