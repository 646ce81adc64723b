"""Experiments become settings: grids, the names that paths show, and what tells runs apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincon.errors import UserError
from lincon.policies.registry import make_policy
from lincon.problem.goal import number
from lincon.study.config import validate
from lincon.study.plan import plan, settings_hash
from lincon.study.records import spread
from tests.real_data import CONFIG
from tests.workflow.bench import SMALL, changed

BASE = changed(CONFIG, SMALL | {"only": ["own"]})
OWN = {"dataset": "own", "horizon": 300, "policies": ["lincon_ts", "lincon_kl_ucb"]}


def planned(more=(), **changes):
    """The plan with `own` changed, and with what else the config says."""
    entry = OWN | ({} if "constraints" in changes else {"eta": 0.8}) | changes
    config = BASE | {"experiments": BASE["experiments"] | {"own": entry}}
    return plan(validate(changed(config, dict(more))))


def points(**changes):
    return planned(**changes).experiments["own"].points


def test_what_tells_runs_apart_is_in_their_path():
    kl_ucb = {"estimator": "kl_ucb", "selector": "lp"}
    same = make_policy("a", kl_ucb)
    assert settings_hash(same, 200) == settings_hash(make_policy("b", kl_ucb | {"c": 0}), 200)
    others = [make_policy("a", kl_ucb | change) for change in ({"c": 3}, {"selector": "argmax"})]
    hashes = {settings_hash(policy, 200) for policy in [same, *others]}
    assert len({*hashes, settings_hash(same, 300)}) == 4


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.integers(2, 50))
def test_a_range_is_that_of_numpy(low, high, count):
    expected = [float(f"{x:.12g}") for x in np.linspace(low, high, count)]
    assert spread({"low": low, "high": high, "count": count}) == expected


def test_two_swept_values_make_a_grid():
    grid = points(eta=[0.5, 0.6], horizon={"low": 300, "high": 500, "count": 3})
    assert [(point.constraints, point.horizon) for point in grid] == [
        (f"eta_{eta}", horizon) for eta in (0.5, 0.6) for horizon in (300, 400, 500)
    ]
    assert grid[1].coordinates == {"eta": 0.5, "horizon": 400}


def test_a_swept_parameter_names_the_policy_that_it_belongs_to():
    made = planned(parameters={"lincon_kl_ucb": {"c": [0, 1.5]}})
    one, other = made.experiments["own"].points
    assert list(one.policies) == ["lincon_ts", "lincon_kl_ucb@c_0"]
    assert other.policies["lincon_kl_ucb@c_1.5"] == "lincon_kl_ucb"
    assert other.coordinates == {"lincon_kl_ucb.c": 1.5}
    assert made.players["lincon_kl_ucb@c_1.5"].entry["c"] == 1.5
    assert made.players["lincon_ts"].entry == {"estimator": "beta_sample", "selector": "lp"}


def test_a_swept_snr_names_its_datasets():
    radio = {"only": ["radio"], "experiments": {"radio": {"snr": [10, 20.5]}}}
    made = planned(radio)
    assert set(made.datasets) == {"radio@snr_10", "radio@snr_20.5"}
    assert made.datasets["radio@snr_20.5"]["snr"] == 20.5
    assert made.experiments["radio"].axes == ("snr",)
    one = planned(changed(radio, {"experiments": {"radio": {"snr": 10}}})).experiments["radio"]
    assert not one.is_sweep and one.points[0].dataset == "radio@snr_10"


def test_what_is_made_of_the_counts_is_other_arms():
    made = planned({"engine": "lazy"}, means="posterior", start="warm")
    (point,) = made.experiments["own"].points
    assert point.dataset == "own@posterior,warm"
    assert made.datasets[point.dataset]["counts_as"] == ["posterior", "warm"]
    assert made.player("lincon_ts", point.setting).engine == "dense"
    with pytest.raises(UserError, match="kind wireless has no successes and trials for posterior"):
        planned(dataset="radio", means="posterior")


def test_late_feedback_is_played_by_the_dense_engine():
    late = {"engine": "lazy", "datasets": {"own": {"delay": {"rounds": 10}}}}
    for more, engine in ((late, "dense"), ({"engine": "lazy"}, "lazy")):
        made = planned(more)
        (setting,) = made.settings
        assert made.player("lincon_ts", setting).engine == engine


def test_experiments_that_share_a_setting_share_its_runs():
    again = {"experiments": {"again": OWN | {"eta": "80e-2"}}, "only": ["radio", "own", "again"]}
    assert planned({"only": ["radio", "radio_eta"]}).settings == {
        ("radio", "eta_0.9", 200): ["lincon_ts", "lincon_kl_ucb"],
        ("radio", "eta_0.99", 200): ["lincon_ts"],
    }
    assert len(planned(again).settings) == 2


@given(st.integers(1, 10**12) | st.floats(-50, 100))
def test_a_number_in_a_path_reads_back_the_same_and_equal_numbers_have_one_text(value):
    assert float(number(value)) == value and "/" not in number(value)
    assert number(float(value)) == number(value) or value != int(value)
    text = np.format_float_positional(float(value), trim="-")
    assert number(float(value)) == text or len(text) > 40


def test_figures_suit_what_is_swept():
    def figures(**changes):
        return planned(**changes).experiments["own"].figures

    assert figures(eta=[0.5, 0.6]) == ["sweep", "frontier"]
    assert figures(horizon=[300, 400]) == ["sweep"]
    assert figures(eta=[0.5, 0.6], horizon=[300, 400]) == ["heat_map"]
    two = [{"name": name, "per_event": 1, "at_least": [0.5, 0.6]} for name in "ab"]
    assert figures(constraints=two) == ["heat_map", "frontier"]


def test_the_parameters_of_a_user_defined_policy_are_its_own():
    mine = {"label": "Mine", "python": "my.py:Mine", "rate": 0.5, "mode": "slow"}
    swept = {"policies": ["mine"], "parameters": {"mine": {"rate": [0.1, 0.2]}}}
    players = planned({"policies": {"mine": mine}}, **swept).players.values()
    assert [(p.entry["rate"], p.entry["mode"]) for p in players] == [(0.1, "slow"), (0.2, "slow")]
    assert {player.engine for player in players} == {"python"}
