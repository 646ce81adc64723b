"""The plan: a row per experiment, cell of its grid and policy; what names a row's runs."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincon.errors import UserError
from lincon.policies.registry import make_policy
from lincon.problem.goal import number
from lincon.study.config import validate
from lincon.study.paths import RUN_KEYS, blocks, read_block
from lincon.study.plan import Plan, dataset_id, dataset_name, plan, settings_hash
from tests.real_data import CONFIG
from tests.workflow.bench import REPOSITORY, SMALL, changed

BASE = changed(CONFIG, SMALL | {"only": ["own"]})
OWN = {"dataset": "own", "horizon": 300, "policies": ["lincon_ts", "lincon_kl_ucb"]}
MINE = {"label": "Mine", "python": f"{REPOSITORY}/config/examples/lincon_ts.py:LinConTS"}
RADIO = OWN | {"dataset": "radio", "eta": 0.9}


def planned(more: dict[str, Any] | None = None, **changes: Any) -> Plan:
    """The plan with `own` changed, and with what else the config says."""
    entry = OWN | ({} if "constraints" in changes else {"eta": 0.8}) | changes
    config = BASE | {"experiments": BASE["experiments"] | {"own": entry}}
    return plan(validate(changed(config, more or {})))


def rows(result: Plan, *columns: str) -> list[tuple[Any, ...]]:
    """These columns, datasets without the hash of their ids."""
    table = result.table.assign(dataset=result.table["dataset"].map(dataset_name))
    return list(table[list(columns)].itertuples(index=False, name=None))


def test_an_experiment_has_a_row_for_each_policy():
    kl_ucb = settings_hash(make_policy("x", {"estimator": "kl_ucb"}), 20)
    result = planned()
    assert rows(result, "experiment", *RUN_KEYS)[1] == (
        *("own", "own", "eta_0.8", 300, "lincon_kl_ucb", "dense", 2020, kl_ucb),
    )
    assert result.axes == {"own": []} and list(result.goals) == ["eta_0.8"]
    about = result.experiment("own")
    (cell,) = about["cells"]
    assert cell["policies"] == {"lincon_ts": "lincon_ts", "lincon_kl_ucb": "lincon_kl_ucb"}
    assert (cell["horizon"], cell["coordinates"]) == (300, {})
    assert (about["title"], about["compare"]) == ("My arms", ["lincon_ts", "lincon_kl_ucb"])


SWEEPS: list[tuple[dict[str, Any], list[str], list[tuple[Any, ...]]]] = [
    (
        {"eta": [0.5, 0.6], "horizon": {"low": 300, "high": 500, "count": 3}},
        ["constraints", "horizon"],
        [(f"eta_{eta}", t) for eta in (0.5, 0.6) for t in (300, 400, 500)],
    ),
    (
        {"policies": ["lincon_kl_ucb"], "parameters": {"lincon_kl_ucb": {"c": [0, 1.5]}}},
        ["policy", "name"],
        [(f"lincon_kl_ucb@c_{c}", "lincon_kl_ucb") for c in (0, 1.5)],
    ),
    (RADIO | {"snr": [10, 20.5]}, ["dataset"], [("radio@snr_10",), ("radio@snr_20.5",)]),
    (RADIO | {"rates.high": 5}, ["dataset"], [("radio@rates.high_5",)]),
    ({"means": "posterior"}, ["dataset", "engine"], [("own@posterior", "lazy")]),
    ({"start": "warm"}, ["dataset", "engine"], [("own@warm", "dense")]),
]


@pytest.mark.parametrize(("changes", "columns", "expected"), SWEEPS)
def test_what_is_swept_or_replaced_is_in_the_path(changes, columns, expected):
    result = planned({"engine": "lazy"}, **{"policies": ["lincon_ts"]} | changes)
    first = result.table["name"] == result.table["name"][0]
    assert rows(replace(result, table=result.table[first]), *columns) == expected
    assert all(len(set(axes)) == len(axes) for axes in result.axes.values())


def test_coordinates_name_the_swept_values_alone():
    result = planned(eta=[0.5, 0.6], parameters={"lincon_kl_ucb": {"c": [3, 4]}})
    assert result.axes["own"] == ["eta", "lincon_kl_ucb.c"]
    cells = result.experiment("own")["cells"]
    assert cells[1]["coordinates"] == {"eta": 0.5, "lincon_kl_ucb.c": 4}
    assert list(cells[1]["policies"]) == ["lincon_ts", "lincon_kl_ucb@c_4"]
    assert result.table["entry"][1]["c"] == 3 and "c" not in result.table["entry"][0]


def test_a_dataset_is_named_by_its_declaration_and_not_by_its_address_or_label():
    entry = CONFIG["datasets"]["edx"]
    (file,) = entry["files"]
    elsewhere = changed(entry, {"label": "x", "files": {file: {"address": "https://b/c"}}})
    others = [{"files": {file: {"sha256": "0" * 64}}}, {"delay": {"rounds": 3}}]
    ids = {dataset_id("edx", changed(entry, other)) for other in others}
    assert dataset_id("edx", elsewhere) == dataset_id("edx", entry) not in ids
    assert len(ids) == 2 and {*map(dataset_name, ids)} == {"edx"}


def test_settings_tell_policies_apart_and_recorded_rounds():
    kl_ucb = {"estimator": "kl_ucb"}
    same = make_policy("a", kl_ucb)
    assert settings_hash(same, 200) == settings_hash(make_policy("b", kl_ucb | {"c": 0}), 200)
    others = [make_policy("a", kl_ucb | change) for change in ({"c": 3}, {"target": "none"})]
    hashes = {settings_hash(policy, 200) for policy in [same, *others]}
    assert len({*hashes, settings_hash(same, 300)}) == 4


def test_experiments_that_share_a_row_share_its_runs():
    again = {"experiments": {"again": OWN | {"eta": "80e-2", "policies": ["lincon_ts"]}}}
    sweep = {"only": ["radio", "radio_eta", "own", "again"]}
    runs = planned(again | sweep).table.drop_duplicates(RUN_KEYS)
    assert list(runs["experiment"]) == ["radio", "radio", "radio_eta", "own", "own"]


@given(st.integers(1, 60), st.integers(1, 20), st.integers(0, 40))
def test_more_runs_add_blocks(runs, size, more):
    names = blocks(runs, size)
    played = [n for a, b in map(read_block, names) for n in range(a, b + 1)]
    assert played == list(range(runs))
    assert names[:-1] == blocks(runs + more, size)[: len(names) - 1]


def test_jobs_are_as_long_as_the_config_says():
    mine = MINE | {"rate": 0.5, "time_limit": 7}
    config = {"policies": {"mine": mine}, "runs_per_job": "auto"}
    table = planned(config, policies=["mine", "lincon_ts"], horizon=10_000).table
    # 4 seconds of 30 us, and of 1.08 us where the number of arms is not known.
    assert table["block"].tolist() == [4, 5] and table["limit"].tolist() == [7, 0]
    assert planned(config, horizon=10**8).table["minutes"].tolist() == [406] * 2
    assert table["engine"].tolist() == ["python", "dense"]
    assert table["entry"][0] == {"python": MINE["python"], "rate": 0.5}


def test_a_policy_that_plays_every_arm_first_needs_that_many_rounds():
    edx = {"dataset": "edx", "horizon": 100}
    for policy in ("gittins_ledger", "mine"):
        assert len(planned({"policies": {"mine": MINE}}, **edx, policies=[policy]).table) == 1
    with pytest.raises(UserError, match=r"own\.horizon is 100, but edx-\w+ has 290 arms"):
        planned(**edx, policies=["gittins_ledger", "lincon_ts"])


def test_one_tolerance_for_all_that_share_a_group():
    strict = {"experiments": {"again": OWN | {"eta": 0.8, "tolerance": 0}}}
    with pytest.raises(UserError, match=r"own, again share own-\w+, eta_0\.8 .* not the tolerance"):
        planned(strict | {"only": ["own", "again"]})
    assert planned(tolerance="1e-3").table["tolerances"][0] == (0.001,)


@given(st.integers(1, 10**12) | st.floats(-50, 100))
def test_a_number_in_a_path_reads_back_the_same_and_equal_numbers_have_one_text(value):
    assert float(number(value)) == value and "/" not in number(value)
    assert number(float(value)) == number(value) or value != int(value)
