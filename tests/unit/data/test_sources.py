"""From a config entry to arms: checksums, stand-ins and their placeholder, the number of arms."""

from __future__ import annotations

import hashlib

import pytest

from lincon.data.raw import WrongBytes, write_placeholder
from lincon.data.sources import extract
from lincon.errors import UserError

EDX = {
    "label": "edX-Course",
    "kind": "edx_courses",
    "files": {
        "edX-Course.csv": {
            "address": "https://somewhere/edX-Course.csv",
            "sha256": "d0fe00f3565cb9aa4a500e06bfd92cddd95733d713395d0b01acd799f1984550",
        }
    },
}
COUPON = {
    "label": "Coupon-Purchase",
    "kind": "coupon_published",
    "files": {
        "coupon_purchase.npy": {
            "address": "https://somewhere/coupon_purchase.npy",
            "sha256": "e1de9d5dc15a6bb0c40bd37a76bf48dac727c8091616d9c986fcf4ebab6add91",
        }
    },
}
COUPON_RAW = {
    "label": "Coupon-Purchase",
    "kind": "coupon_raw",
    "files": {"coupon_list_train.csv": {}, "coupon_visit_train.csv": {}},
}


def test_a_raw_file_with_other_bytes_than_pinned_is_refused(tmp_path):
    raw = [tmp_path / "edX-Course.csv"]
    raw[0].write_text("something else")
    got = hashlib.sha256(raw[0].read_bytes()).hexdigest()
    with pytest.raises(WrongBytes, match=f"edX-Course.csv: .*expected sha256 d0fe.* got .* {got}"):
        extract(EDX, raw, "edx")


def test_a_missing_raw_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"edX-Course\.csv is not among the raw files"):
        extract(EDX, [tmp_path / "edX-Course.csv"], "edx")


@pytest.mark.parametrize("spec", [EDX, COUPON, COUPON_RAW], ids=lambda spec: spec["kind"])
def test_a_placeholder_gives_the_standin(tmp_path, spec):
    raw = [tmp_path / name for name in spec["files"]]
    write_placeholder(raw[-1])
    made = extract({**spec, "data": "auto"}, raw, "name")
    assert (made.source, made.dataset) == ("standin", "name")


def test_standin_on_demand_needs_no_file():
    assert extract({**EDX, "data": "standin"}, [], "edx").source == "standin"


def test_real_on_demand_refuses_a_placeholder_and_says_what_to_do(tmp_path):
    write_placeholder(tmp_path / "edX-Course.csv")
    with pytest.raises(UserError, match="so far; run again online with `data: real`"):
        extract({**EDX, "data": "real"}, [tmp_path / "edX-Course.csv"], "edx")


def test_standin_does_not_touch_what_needs_no_download(tmp_path):
    assert extract({"kind": "wireless", "data": "standin"}, [], "w").source == "formula"
    path = tmp_path / "mine.csv"
    path.write_text("mean,value\n1,1\n")
    assert extract({"kind": "user", "path": str(path), "data": "standin"}, [], "u").source == "user"


def test_an_unknown_kind_is_refused():
    with pytest.raises(UserError, match=r"datasets\.x\.kind: 'csv' is not one of edx_courses"):
        extract({"kind": "csv"}, [], "x")


def test_another_number_of_arms_than_stated_is_refused(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("mean,value\n1,1\n0,1\n")
    entry = {"kind": "user", "path": str(path), "arms": 3}
    with pytest.raises(UserError, match=r"datasets\.u\.arms is 3, but .* gives 2 arms"):
        extract(entry, [path], "u")
    assert len(extract({**entry, "arms": 2}, [path], "u")) == 2
