"""A mistake in the config is one sentence that names the key and what is allowed; then sweeps."""

from __future__ import annotations

import copy
import datetime
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lincon.errors import UserError
from lincon.policies.registry import make_policy
from lincon.study.config import default_study, validate
from lincon.study.plan import number, plan, settings_hash, suited_figures
from lincon.study.yaml_text import check_text
from tests.torture.odd_configs import laughs
from tests.workflow.bench import REPOSITORY, SMALL, Bench, changed

SHIPPED = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text(encoding="utf-8"))
BASE = changed(SHIPPED, SMALL | {"only": ["own"]})
OWN = {
    "dataset": "own",
    "eta": 0.8,
    "horizon": 300,
    "policies": ["lincon_ts", "lincon_kl_ucb"],
}


def own(**changes):
    """A config whose experiment `own` is changed; None takes a key away."""
    entry = {key: value for key, value in (OWN | changes).items() if value is not None}
    config = copy.deepcopy(BASE)
    config["experiments"]["own"] = entry
    return config


def dataset(name, **changes):
    config = copy.deepcopy(BASE)
    entry = config["datasets"].get(name, {}) | changes
    config["datasets"][name] = {key: value for key, value in entry.items() if value is not None}
    return config


def sentence(config) -> str:
    with pytest.raises(UserError) as caught:
        plan(validate(config))
    text = str(caught.value)
    assert text.startswith("config: ") and "\n" not in text
    return text


def points(**changes):
    return plan(validate(own(**changes))).experiments["own"].points


MISTAKES = {
    # unknown keys
    "unknown key": (
        changed(BASE, {"horizonn": 1}),
        ["horizonn is not a known key", "allowed here"],
    ),
    "unknown key, close": (changed(BASE, {"run": 1}), ["run is not", "did you mean runs?"]),
    "unknown key below": (
        own(horizonn=100),
        ["experiments.own.horizonn", "did you mean horizon?", "allowed here: ", "dataset, eta"],
    ),
    "unknown key of a policy": (
        changed(BASE, {"policies": {"lincon_ts": {"color": "#123456"}}}),
        ["policies.lincon_ts.color", "did you mean colour?"],
    ),
    "missing key": (own(eta=None), ["experiments.own.eta is missing", "event rate"]),
    "no experiment": (changed(BASE, {}) | {"experiments": {}}, ["experiments is {}", "by name"]),
    # types and ranges
    "text for a number": (changed(BASE, {"runs": "many"}), ["runs is 'many'", "a whole number"]),
    "a fraction of a run": (changed(BASE, {"runs": 1.5}), ["runs is 1.5", "a whole number"]),
    "no run": (changed(BASE, {"runs": 0}), ["runs is 0", "at least 1"]),
    "true is no number": (changed(BASE, {"runs": True}), ["runs is True", "a whole number"]),
    "one recorded round": (changed(BASE, {"points": 1}), ["points is 1", "at least 2"]),
    "few resamples": (changed(BASE, {"resamples": 99}), ["resamples is 99", "at least 100"]),
    "gamma of zero": (changed(BASE, {"gamma": 0}), ["gamma is 0", "above 0"]),
    "negative seed": (changed(BASE, {"seed": -1}), ["seed is -1", "at least 0"]),
    "eta above one": (own(eta=1.01), ["experiments.own.eta is 1.01", "in [0, 1]"]),
    "eta below zero": (own(eta=-0.1), ["experiments.own.eta is -0.1", "in [0, 1]"]),
    "eta in a list": (own(eta=[0.5, 1.5]), ["experiments.own.eta", "1.5", "in [0, 1]"]),
    "eta in a range": (
        own(eta={"low": 0.5, "high": 1.5, "count": 3}),
        ["experiments.own.eta goes to 1.5", "in [0, 1]"],
    ),
    "not a number": (own(eta=float("nan")), ["experiments.own.eta", "finite"]),
    "a list of one": (own(eta=[0.5]), ["experiments.own.eta is [0.5]", "a list"]),
    "range without an end": (own(eta={"low": 0.1, "count": 3}), ["experiments.own.eta"]),
    "horizons that are no rounds": (
        own(horizon={"low": 100, "high": 201, "count": 3}),
        ["experiments.own.horizon goes to 150.5", "whole numbers"],
    ),
    "horizon of nothing": (own(horizon=0), ["experiments.own.horizon is 0"]),
    "data": (changed(BASE, {"data": "fake"}), ["data is 'fake'", "allowed: auto, real, standin"]),
    "engine": (changed(BASE, {"engine": "fast"}), ["engine is 'fast'", "allowed: lazy, dense"]),
    "estimator": (
        changed(BASE, {"policies": {"lincon_ts": {"estimator": "beta"}}}),
        ["policies.lincon_ts.estimator is 'beta'", "allowed: beta_sample"],
    ),
    "colour": (
        changed(BASE, {"policies": {"lincon_ts": {"colour": "red"}}}),
        ["policies.lincon_ts.colour is 'red'", "#RRGGBB"],
    ),
    "width of figures": (
        changed(BASE, {"style": {"width": "triple"}}),
        ["style.width is 'triple'", "single or double", "89 mm"],
    ),
    "figures of a millimetre": (
        changed(BASE, {"style": {"width": "1 mm"}}),
        ["style.width is '1 mm'", "2 to 20 inches"],
    ),
    "a panel that is no metric": (
        changed(BASE, {"style": {"panels": ["regrets"]}}),
        ["style.panels.0 is 'regrets'", "regret, violation"],
    ),
    "an unknown format": (
        changed(BASE, {"style": {"formats": ["jpg"]}}),
        ["style.formats.0 is 'jpg'", "png, pdf, svg, pgf"],
    ),
    "an unknown axis": (
        changed(BASE, {"style": {"scales": {"rounds": "log"}}}),
        ["style.scales.rounds", "did you mean round?"],
    ),
    "an unknown parameter of Matplotlib": (
        changed(BASE, {"style": {"rc": {"font.sise": 8}}}),
        ["style.rc.font.sise is not a parameter of Matplotlib", "did you mean font.size?"],
    ),
    "a bad parameter of Matplotlib": (
        changed(BASE, {"style": {"rc": {"axes.linewidth": "thick"}}}),
        ["style.rc.axes.linewidth is 'thick'", "Could not convert 'thick' to float"],
    ),
    "a colour in a cycle": (
        changed(BASE, {"style": {"rc": {"axes.prop_cycle": ["#123456", "reddish"]}}}),
        ["style.rc.axes.prop_cycle", "reddish"],
    ),
    "what figures are laid out by": (
        changed(BASE, {"style": {"rc": {"text.usetex": True}}}),
        ["style.rc.text.usetex cannot be set", "style.width"],
    ),
    "no such style file": (
        changed(BASE, {"style": {"file": "nowhere.mplstyle"}}),
        ["style.file is 'nowhere.mplstyle'", "No such file"],
    ),
    "sha256": (
        dataset("edx", files={"a.csv": {"sha256": "12"}}),
        ["datasets.edx.files.a.csv.sha256 is '12'", "checksum"],
    ),
    "address": (
        dataset("edx", files={"a.csv": {"address": "ftp://example.org/a.csv"}}),
        ["datasets.edx.files.a.csv.address", "ftp://", "download"],
    ),
    "raw file in another folder": (
        dataset("edx", files={"../a.csv": {}}),
        ["../a.csv", "name", "letters, digits, ., _ or -"],
    ),
    "nan": (changed(BASE, {"gamma": float("nan")}), ["gamma is not a finite number"]),
    "infinite": (own(eta=float("inf")), ["experiments.own.eta is not a finite number"]),
    "a date": (changed(BASE, {"seed": datetime.date(2020, 1, 1)}), ["only texts, numbers"]),
    "runs in a job": (changed(BASE, {"runs_per_job": 0}), ["runs_per_job is 0", "auto"]),
    "no runs in a job": (changed(BASE, {"runs_per_job": "all"}), ["runs_per_job is 'all'"]),
    "a number with a comma": (changed(BASE, {"runs": "1,5"}), ["runs is '1,5'"]),
    "v of zero": (
        changed(BASE, {"policies": {"q": {"estimator": "ucb1", "selector": "queue", "v": 0}}}),
        ["policies.q.v", "above 0"],
    ),
    "alpha of zero in an experiment": (
        changed(
            own(policies=["u"], parameters={"u": {"alpha": [0, 1]}}),
            {"policies": {"u": {"estimator": "ucb1", "selector": "lp"}}},
        ),
        ["experiments.own.parameters", "alpha", "above 0"],
    ),
    # names
    "a name that ends in a new line": (
        changed(BASE, {"experiments": {"a\n": OWN}}),
        ["is not a good name"],
    ),
    "a long name": (changed(BASE, {"experiments": {"a" * 61: OWN}}), ["at most 60"]),
    "a study's name": (changed(BASE, {"study": "a/b"}), ["study is 'a/b'", "a letter"]),
    "unknown dataset": (
        own(dataset="onw"),
        ["experiments.own.dataset: 'onw'", "did you mean own?"],
    ),
    "unknown policy": (
        own(policies=["lincon_tss"]),
        ["experiments.own.policies: 'lincon_tss'", "did you mean lincon_ts?"],
    ),
    "unknown experiment": (
        changed(BASE, {"only": ["owm"]}),
        ["only: 'owm'", "did you mean own?", "there are:"],
    ),
    "unknown to compare": (
        changed(BASE, {"compare": ["lincon_ts", "nobody"]}),
        ["compare: 'nobody'", "there are: lincon_kl_ucb, lincon_ts"],
    ),
    "one to compare": (
        changed(BASE, {"compare": ["lincon_ts"]}),
        ["compare is", "the two policies"],
    ),
    "bad name of a policy": (
        changed(BASE, {"policies": {"a/b": {"estimator": "truth", "selector": "lp"}}}),
        ["policies.a/b is not a good name", "a letter, then letters"],
    ),
    "bad name of a dataset": (
        changed(BASE, {"datasets": {"8courses": {"label": "x", "kind": "user", "path": "a"}}}),
        ["datasets.8courses is not a good name", "a letter, then letters"],
    ),
    "bad name of an experiment": (
        changed(BASE, {"experiments": {"a b": OWN}}),
        ["experiments.a b is not a good name"],
    ),
    # duplicates
    "one file name, two files": (
        dataset(
            "edx2",
            label="Other",
            kind="edx_courses",
            files={"edX-Course.csv": {"sha256": "0" * 64}},
        ),
        ["datasets.edx2.files.edX-Course.csv differs from datasets.edx.files", "one file"],
    ),
    "policy listed twice": (
        own(policies=["lincon_ts", "lincon_ts"]),
        ["experiments.own.policies", "no item may be listed twice"],
    ),
    "experiment listed twice": (
        changed(BASE, {"only": ["own", "own"]}),
        ["only is", "no item may be listed twice"],
    ),
    "eta listed twice": (own(eta=[0.5, 0.5]), ["experiments.own.eta is [0.5, 0.5]"]),
    "range of one value": (
        own(eta={"low": 0.5, "high": 0.5, "count": 3}),
        ["experiments.own.eta", "0.5"],
    ),
    "two policies of one label": (
        changed(BASE, {"policies": {"lincon_kl_ucb": {"label": "LinConTS"}}}),
        ["policies.lincon_kl_ucb.label is 'LinConTS'", "policies.lincon_ts", "must differ"],
    ),
    "a label that is another's name": (
        changed(
            BASE,
            {
                "policies": {
                    "lincon_kl_ucb": {"label": "other"},
                    "other": {"estimator": "truth", "selector": "lp"},
                }
            },
        ),
        ["policies.other.label is 'other'", "must differ"],
    ),
    "two datasets of one label": (
        dataset("radio", label="My arms"),
        ["label is 'My arms'", "must differ"],
    ),
    # what does not go together
    "a kind without its key": (dataset("own", path=None), ["datasets.own.path is missing", "user"]),
    "a key of another kind": (
        dataset("own", snr=15),
        [
            "datasets.own.snr does not go with kind user",
            "allowed: arms, kind, label, licence, path",
        ],
    ),
    "snr of arms that have none": (
        own(snr=[10, 20]),
        ["own.snr does not go with kind user"],
    ),
    "snr out of range": (
        changed(BASE, {"only": ["radio"], "experiments": {"radio": {"snr": 1000}}}),
        ["experiments.radio.snr", "1000"],
    ),
    "parameter of another policy": (
        changed(BASE, {"policies": {"lincon_ts": {"c": 1}}}),
        ["policies.lincon_ts.c", "beta_sample with lp has no such parameter"],
    ),
    "swept parameter of another policy": (
        own(parameters={"lincon_ts": {"c": [0, 1]}}),
        ["experiments.own.parameters", "policies.lincon_ts.c", "no such parameter"],
    ),
    "parameter of a policy that does not play": (
        own(policies=["lincon_ts"], parameters={"lincon_kl_ucb": {"c": [0, 1]}}),
        ["experiments.own.parameters: 'lincon_kl_ucb'", "there are: lincon_ts"],
    ),
    "parameter out of range": (
        own(parameters={"lincon_kl_ucb": {"c": [0, -1]}}),
        ["experiments.own.parameters", "c", "-1"],
    ),
    "own policy that names no class": (
        changed(BASE, {"policies": {"mine": {"python": "my_policy.py"}}}),
        ["policies.mine.python is 'my_policy.py'", "FILE.py:CLASS"],
    ),
    "own policy with a part": (
        changed(BASE, {"policies": {"mine": {"python": "my.py:Mine", "selector": "lp"}}}),
        ["policies.mine.selector: a policy with python has no selector"],
    ),
    "policy without a selector": (
        changed(BASE, {"policies": {"mine": {"estimator": "truth"}}}),
        ["policies.mine.selector is missing; it must be one of lp, argmax"],
    ),
    "replaced parameter at a bound that it excludes": (
        changed(
            own(policies=["con_ucb"], parameters={"con_ucb": {"alpha": 0}}),
            {"policies": {"con_ucb": {"label": "Con-UCB", "estimator": "ucb1", "selector": "lp"}}},
        ),
        ["experiments.own.parameters", "policies.con_ucb.alpha: 0 is not a number above 0"],
    ),
    "parameter of a class that leads out of its folder": (
        changed(
            own(policies=["mine"], parameters={"mine": {"../../../x": [1, 2]}}),
            {"policies": {"mine": {"python": "my.py:Mine"}}},
        ),
        ["experiments.own.parameters", "policies.mine: '../../../x' names no parameter"],
    ),
    "names that are one folder to some": (
        changed(BASE, {"policies": {"LinCon_TS": {"label": "x"}}}),
        ["policies.LinCon_TS differs from policies.lincon_ts in capitals alone"],
    ),
    "text that cannot be written": (
        dataset("own", label="a\ud800b"),
        ["datasets.own.label is 'a\\ud800b'", "without controls"],
    ),
    "control in a label": (
        changed(BASE, {"policies": {"lincon_ts": {"label": "a\x1b[31m"}}}),
        ["policies.lincon_ts.label is 'a\\x1b[31m'", "without controls"],
    ),
    "line break in a mirror": (changed(BASE, {"mirrors": ["http://x/\ny"]}), ["mirrors.0 is"]),
    "three sweeps": (
        own(eta=[0.5, 0.6], horizon=[300, 400], parameters={"lincon_kl_ucb": {"c": [0, 1]}}),
        ["experiments.own sweeps eta, horizon, lincon_kl_ucb.c", "at most two"],
    ),
    "horizon below the arms": (
        changed(BASE, {"only": ["radio"], "experiments": {"radio": {"horizon": 5}}}),
        ["experiments.radio.horizon is 5", "6 arms", "allowed: 6 or more"],
    ),
    "horizon below the arms in a sweep": (
        changed(BASE, {"only": ["edx"], "experiments": {"edx": {"horizon": [289, 500]}}}),
        ["experiments.edx.horizon is 289", "290 arms"],
    ),
    "rates upside down": (
        dataset("radio", rates={"low": 6, "high": 1, "count": 6}) | {"only": ["radio"]},
        ["datasets.radio.rates", "low", "high"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence(mistake):
    config, pieces = MISTAKES[mistake]
    text = sentence(config)
    assert [piece for piece in pieces if piece not in text] == [], text


def test_a_long_value_does_not_bury_the_sentence():
    for config in ({"study": "x" * 10_000}, {"x" * 10_000: 1}, {"runs": ["y"] * 5_000}):
        text = sentence(changed(BASE, config))
        assert len(text) < 1_000 and "... (" in text and "allowed" in text


def test_the_configs_that_are_changed_above_are_good():
    assert plan(validate(BASE)).settings == {("own", "0.8", 300): ["lincon_ts"]}
    assert len(points()) == 1


def test_defaults_are_filled_in():
    needed = {key: SHIPPED[key] for key in ("datasets", "policies", "experiments")}
    assert validate(needed)["runs"] == 16 and validate(needed)["data"] == "auto"


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("runs: 1\nseed: 2\nruns: 3\n", "runs", 3),
        ("policies:\n  a: {c: 1}\n  b: {c: 1}\n  a: {c: 2}\n", "policies.a", 4),
    ],
    ids=["top", "below"],
)
def test_a_key_given_twice(tmp_path: Path, text, key, line):
    path = tmp_path / "twice.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        check_text(path)
    assert f"line {line}: {key} is given twice" in str(caught.value)


def test_equal_keys_in_different_places_are_none(tmp_path: Path):
    path = tmp_path / "once.yaml"
    path.write_text("a: {label: x}\nb: {label: x}\n")
    check_text(path)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"runs": 4.0}, {"runs": 4}),
        ({"runs": "4"}, {"runs": 4}),
        ({"seed": "1e3"}, {"seed": 1000}),
        ({"points": 40.0, "resamples": 500.0}, {"points": 40, "resamples": 500}),
        ({"gamma": "1e-3"}, {"gamma": 0.001}),
        ({"runs_per_job": "8"}, {"runs_per_job": 8}),
        ({"runs_per_job": "auto"}, {"runs_per_job": "auto"}),
    ],
)
def test_what_is_plainly_a_number_is_taken_as_one(given, meant):
    config = validate(changed(BASE, given))
    for key, value in meant.items():
        assert config[key] == value and type(config[key]) is type(value)


def test_numbers_inside_an_experiment_are_taken_as_numbers():
    entry = validate(own(eta="0.4", horizon={"low": "300", "high": 500.0, "count": "3"}))
    assert entry["experiments"]["own"]["eta"] == 0.4
    assert entry["experiments"]["own"]["horizon"] == {"low": 300, "high": 500.0, "count": 3}
    assert validate(own(eta=["0.4", 0.5]))["experiments"]["own"]["eta"] == [0.4, 0.5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"runs: 1:30\n", "line 1: runs is 1:30, which YAML reads as a number in base 60"),
        (b"label: \xff\xfe\n", "not text in UTF-8"),
        (b"runs: [1\n", "not YAML"),
        (b"{a: 1}: 2\n", "a key must be a plain name"),
        (b"runs: " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (b"a: &a [*a]\n", "line 1: an alias holds itself"),
        (laughs(8).encode(), "with its aliases written out"),
    ],
    ids=["base 60", "no text", "no YAML", "no name", "too deep", "itself", "laughs"],
)
def test_what_yaml_would_not_say(tmp_path: Path, text, expected):
    path = tmp_path / "odd.yaml"
    path.write_bytes(text)
    with pytest.raises(UserError) as caught:
        check_text(path)
    assert expected in str(caught.value) and "\n" not in str(caught.value)


def test_a_study_is_named_after_its_file():
    assert default_study([]) == default_study(["config/config.yaml"]) == "paper"
    assert default_study(["mine.yaml", "config/config.yaml"]) == "mine"
    assert default_study(["a.yaml", "b.yaml", "config/config.yaml"]) == "b"


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


def test_a_list_makes_a_sweep():
    assert [point.eta for point in points(eta=[0.8, 0.6])] == ["0.8", "0.6"]
    assert [point.coordinates for point in points(eta=[0.8, 0.6])] == [{"eta": 0.8}, {"eta": 0.6}]


def test_a_range_makes_a_sweep_of_round_numbers():
    etas = [point.eta for point in points(eta={"low": 0.1, "high": 0.7, "count": 7})]
    assert etas == ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"]
    horizons = [point.horizon for point in points(horizon={"low": 300, "high": 500, "count": 3})]
    assert horizons == [300, 400, 500]


def test_two_lists_make_a_grid():
    grid = points(eta=[0.5, 0.6], horizon=[300, 400, 500])
    assert [(point.eta, point.horizon) for point in grid] == [
        *(("0.5", 300), ("0.5", 400), ("0.5", 500)),
        *(("0.6", 300), ("0.6", 400), ("0.6", 500)),
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


def test_the_policy_of_a_swept_parameter_has_its_value():
    planned = plan(validate(own(parameters={"lincon_kl_ucb": {"c": [0, 1.5]}})))
    assert planned.players["lincon_kl_ucb@c_1.5"].entry["c"] == 1.5
    assert planned.players["lincon_ts"].entry == {"estimator": "beta_sample", "selector": "lp"}


def test_a_swept_snr_names_its_datasets():
    config = changed(BASE, {"only": ["radio"], "experiments": {"radio": {"snr": [10, 20.5]}}})
    planned = plan(validate(config))
    assert set(planned.datasets) == {"radio@snr_10", "radio@snr_20.5"}
    assert planned.datasets["radio@snr_20.5"]["snr"] == 20.5
    assert planned.experiments["radio"].axes == ("snr",)


def test_one_replaced_value_is_no_sweep():
    config = changed(BASE, {"only": ["radio"], "experiments": {"radio": {"snr": 10}}})
    experiment = plan(validate(config)).experiments["radio"]
    assert not experiment.is_sweep and experiment.points[0].dataset == "radio@snr_10"


def test_experiments_that_share_a_setting_share_its_runs():
    config = changed(BASE, {"only": ["radio", "radio_eta"]})
    planned = plan(validate(config))
    assert planned.settings == {
        ("radio", "0.9", 200): ["lincon_ts", "lincon_kl_ucb"],
        ("radio", "0.99", 200): ["lincon_ts"],
    }


def test_two_spellings_of_a_number_are_one_setting():
    config = changed(BASE, {"only": ["own", "again"], "experiments": {"again": OWN | {"eta": 1}}})
    config["experiments"]["own"]["eta"] = 1.0
    assert [setting[:2] for setting in plan(validate(config)).settings] == [("own", "1")]


def test_experiments_that_are_not_asked_for_are_left_alone():
    assert list(plan(validate(BASE)).experiments) == ["own"]
    assert list(plan(validate(BASE)).datasets) == ["own"]


@given(st.floats(0, 1))
def test_a_number_in_a_path_reads_back_the_same(value):
    text = number(value)
    assert float(text) == value
    assert len(text) <= 40 and "/" not in text
    assert "e" not in text or value < 1e-12


@given(st.integers(1, 10**12) | st.floats(-50, 100))
def test_equal_numbers_have_one_text(value):
    assert float(number(value)) == value
    assert number(float(value)) == number(value) or value != int(value)
    assert number(np.float64(value)) == number(float(value))


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.5"), (1e-12, "0.000000000001"), (3, "3"), (1e-300, "1e-300")]
)
def test_numbers_in_paths_are_short(value, text):
    assert number(value) == text


def test_figures_suit_what_is_swept():
    assert suited_figures(("eta",)) == ["sweep", "frontier"]
    assert suited_figures(("horizon",)) == ["sweep"]
    assert suited_figures(("eta", "snr")) == ["heat_map"]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (changed(SMALL, {"experiments": {"own": {"eta": 2}}}), "config: experiments.own.eta is 2"),
        ({"horizonn": 100}, "config: horizonn is not a known key"),
        (
            changed(
                SMALL,
                {
                    "policies": {"mine": {"python": "sys:exit"}},
                    "experiments": {"own": {"policies": ["mine"]}},
                },
            ),
            "config: policies.mine.python: there is no module sys",
        ),
    ],
    ids=["out of range", "unknown key", "no module"],
)
def test_snakemake_stops_before_any_job(finished: Bench, config, expected):
    done = finished.snakemake(config=config)
    assert done.code == 1
    assert expected in done.text
    assert "Traceback" not in done.text and "common.smk" not in done.text
    assert "Building DAG" not in done.text and "rule " not in done.text


def test_snakemake_refuses_a_key_given_twice(finished: Bench):
    (finished / "twice.yaml").write_text("runs: 1\nruns: 2\n")
    done = finished.snakemake("--configfile", "twice.yaml")
    assert done.code == 1
    assert "twice.yaml, line 2: runs is given twice" in done.text
    assert "Traceback" not in done.text


@pytest.mark.parametrize(
    ("dry", "data", "said"),
    [
        (("--dry-run",), b"runs: 1\nlabel: \xff\n", "junk.yaml is not text in UTF-8 (byte 16)"),
        ((), b"runs: 1\na: &a {b: *a}\n", "junk.yaml, line 2: an alias holds itself"),
    ],
    ids=["no text", "itself"],
)
def test_what_snakemake_cannot_read_is_named_too(finished: Bench, dry, data, said):
    (finished / "junk.yaml").write_bytes(data)
    done = finished.snakemake(*dry, "--configfile", "junk.yaml")
    assert done.code == 1
    assert said in done.text
    assert "Traceback" not in done.text


def test_a_parameter_whose_bound_excludes_zero_can_be_swept():
    queue = {"label": "Queue", "estimator": "beta_sample", "selector": "queue"}
    made = own(policies=["queue_ts"], parameters={"queue_ts": {"v": [0.5, 2]}})
    planned = plan(validate(changed(made, {"policies": {"queue_ts": queue}})))
    swept = [player.entry["v"] for player in planned.players.values()]
    assert swept == [0.5, 2]


def test_the_parameters_of_a_class_of_ones_own_are_its_own():
    mine = {"label": "Mine", "python": "my.py:Mine", "rate": 0.5, "mode": "slow"}
    made = own(policies=["mine"], parameters={"mine": {"rate": [0.1, 0.2]}})
    planned = plan(validate(changed(made, {"policies": {"mine": mine}})))
    entries = [player.entry for player in planned.players.values()]
    assert [(entry["rate"], entry["mode"]) for entry in entries] == [(0.1, "slow"), (0.2, "slow")]
    assert {player.engine for player in planned.players.values()} == {"python"}
