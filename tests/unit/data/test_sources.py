"""Raw files to arms: courses, the wireless formula, and when a stand-in takes their place."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from lincon.data.fetch import WrongBytes, write_placeholder
from lincon.data.sources import extract
from lincon.errors import UserError
from lincon.problem.solve import solve_problem

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


def courses(folder: Path, *rows: str) -> tuple[dict, list[Path]]:
    header = '"Institution","Course Number","Short Title1","Participants","Certified"'
    path = folder / "edX-Course.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return {"kind": "edx_courses", "files": {path.name: {}}}, [path]


def test_edx_facts_of_the_real_file(mirror):
    made = extract(EDX, [mirror / "edX-Course.csv"], "edx")
    problem = solve_problem(made, 0.5)
    assert len(made) == 290
    assert problem.optimum == pytest.approx(0.0139351287, abs=1e-10)
    assert dict(zip(problem.support, problem.shares, strict=True)) == pytest.approx(
        {249: 0.630860, 65: 0.369140}, abs=1e-6
    )
    assert (made.mean[249], made.value[249]) == pytest.approx((0.207431, 0.092220), abs=1e-6)
    assert int(np.sum(made.value == 0)) == 4
    assert int(np.sum(made.mean >= 0.5)) == 3
    assert spearmanr(made.mean, made.value).statistic == pytest.approx(-0.22, abs=0.005)
    assert made.label[0] == "HarvardX GOV1368.1x EdPol-a2"
    assert (made.dataset, made.source, made.note) == ("edx", "real", "")
    assert made.address == "https://somewhere/edX-Course.csv"
    assert made.sha256 == EDX["files"]["edX-Course.csv"]["sha256"]


def test_edx_participants_are_normalised_and_thousands_read(tmp_path):
    spec, raw = courses(tmp_path, 'M,1,a,"3,000","1,500"', 'M,2,b,"1,000",0', 'M,3,c,"2,000",500')
    made = extract(spec, raw, "edx")
    assert made.mean.tolist() == [1, 0, 0.5]
    assert made.value.tolist() == [0.5, 0, 0.25]


def test_edx_equal_labels_are_told_apart(tmp_path):
    spec, raw = courses(tmp_path, "M,1,a,10,1", "M,1,a,20,1", "M,1,a #2,30,1", "M,1,a,40,1")
    assert extract(spec, raw, "edx").label == ("M 1 a", "M 1 a #2", "M 1 a #2 #2", "M 1 a #3")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["M,1,a,10,1", "M,2,b,many,1"], "row 3: Participants is 'many'; a whole number"),
        (["M,1,a,10,1", "M,2,b,20"], "row 3: Certified is ''"),
        (["M,1,a,10,1", "M,2,b,20,21"], r"row 3: value is 1\.05"),
        (["M,1,a,10,1", "M,2,b,10,1"], "not all with as many"),
        (["M,1,a,10,1", "M,2,b,0,0"], "courses with participants"),
        ([], "courses with participants"),
    ],
)
def test_edx_tables_that_make_no_sense_are_refused(tmp_path, rows, message):
    spec, raw = courses(tmp_path, *rows)
    with pytest.raises(UserError, match=message):
        extract(spec, raw, "edx")


def test_edx_needs_its_columns(tmp_path):
    path = tmp_path / "edX-Course.csv"
    path.write_text("Institution,Participants\nM,3\n")
    with pytest.raises(UserError, match="no column 'Course Number'"):
        extract({"kind": "edx_courses", "files": {path.name: {}}}, [path], "edx")


def test_a_raw_file_with_other_bytes_than_pinned_is_refused(tmp_path):
    _, raw = courses(tmp_path, "M,1,a,10,1", "M,2,b,20,1")
    got = hashlib.sha256(raw[0].read_bytes()).hexdigest()
    with pytest.raises(WrongBytes, match=f"edX-Course.csv .*expected d0fe.* got {got}"):
        extract(EDX, raw, "edx")


def test_a_raw_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match=r"edX-Course\.csv is not among the raw files"):
        extract(EDX, [tmp_path / "edX-Course.csv"], "edx")


def test_wireless_by_default_binds_at_nine_tenths_and_mixes_neighbours():
    made = extract({"kind": "wireless"}, [], "wireless")
    assert len(made) == 24
    assert made.label[0] == "0.25 bit/s/Hz"
    assert made.value[-1] == 1
    assert made.mean[3] == pytest.approx(np.exp(-1 / 10**1.5))  # 1 bit/s/Hz
    assert (np.diff(made.mean) < 0).all()
    assert made.source == "formula"
    problem = solve_problem(made, 0.9)
    assert problem.binding
    low, high = sorted(problem.support)
    assert high - low == 1


def test_wireless_takes_its_rates_and_its_snr():
    spec = {"kind": "wireless", "snr": 0, "rates": {"low": 1, "high": 3, "count": 3}}
    made = extract(spec, [], "wireless")
    np.testing.assert_allclose(made.mean, np.exp([-1.0, -3.0, -7.0]))
    np.testing.assert_allclose(made.value, [1 / 3, 2 / 3, 1])


@pytest.mark.parametrize("rates", [{"low": 0}, {"low": 7}, {"count": 1}])
def test_wireless_rates_must_make_sense(rates):
    with pytest.raises(UserError, match=r"datasets\.wireless\.rates"):
        extract({"kind": "wireless", "rates": rates}, [], "wireless")


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
    with pytest.raises(UserError, match=r"not there yet: .*download https://somewhere"):
        extract({**EDX, "data": "real"}, [tmp_path / "edX-Course.csv"], "edx")


def test_standin_does_not_touch_what_needs_no_download(tmp_path):
    assert extract({"kind": "wireless", "data": "standin"}, [], "w").source == "formula"
    path = tmp_path / "mine.csv"
    path.write_text("mean,value\n1,1\n")
    assert extract({"kind": "user", "path": str(path), "data": "standin"}, [], "u").source == "user"


def test_an_unknown_kind_is_refused():
    with pytest.raises(UserError, match=r"datasets\.x\.kind: 'csv' is not one of edx_courses"):
        extract({"kind": "csv"}, [], "x")
