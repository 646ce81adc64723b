"""Which experiments have published runs: the paper's own, and no others."""

import copy

import pytest

from lincon.errors import UserError
from lincon.study.config import validate
from lincon.study.plan import plan
from lincon.study.study import published_of
from tests.real_data import CONFIG


def found(name: str = "edx", changes: dict | None = None, **top):
    config = copy.deepcopy(CONFIG)
    config["experiments"][name] |= changes or {}
    config = validate({"study": "paper"} | config | top)
    return published_of(config, plan(config), name)


def test_the_papers_experiments_have_the_authors_runs():
    coupon, edx = found("coupon"), found("edx")
    assert coupon.file == "coupon_purchase_eta0.25_T10000_N16.npy"
    assert edx.file == "edX_eta0.50_T50000_N16.npy"
    assert edx.policies == {"lincon_ts": "lincon_ts", "lincon_kl_ucb": "lincon_kl_ucb"}
    assert edx.entry["address"].endswith("4eef/results/edX_eta0.50_T50000_N16.npy")


def test_another_setting_and_who_does_not_want_them_has_none():
    for changes in ({"eta": 0.4}, {"horizon": 40_000}, {"eta": [0.4, 0.5]}, {"delay.rounds": 5}):
        assert found("edx", changes) is None
    assert found("edx", published=False) is found("edx", data="standin") is None


def test_a_policy_is_known_by_what_it_is():
    changed = found("edx", {"parameters": {"lincon_kl_ucb": {"c": 3}}})
    assert changed.policies == {"lincon_ts": "lincon_ts"}


def test_a_file_name_means_one_file():
    config = copy.deepcopy(CONFIG)
    runs = config["datasets"]["coupon"]["published_runs"]
    config["datasets"]["edx"]["published_runs"] = {
        name: entry | {"eta": 0.5} for name, entry in runs.items()
    }
    with pytest.raises(UserError, match=r"edx\.published_runs\.coupon_purchase.* one file"):
        validate({"study": "paper"} | config)
