"""Kaggle's coupon tables: the join and its edges."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from lincon.data import csv_table
from lincon.data.sources import extract
from lincon.errors import UserError

COUPON_RAW = {
    "label": "Coupon-Purchase",
    "kind": "coupon_raw",
    "files": {"coupon_list_train.csv": {}, "coupon_visit_train.csv": {}},
}
LIST = """CAPSULE_TEXT,DISCOUNT_PRICE,COUPON_ID_hash
"two
lines",100,common
x,0,free
x,200,dearest
x,201,too_dear
x,150,unvisited
x,150,unbought
x,100,common
x,"1,000",far_too_dear
x,1,cheapest
"""
VISITS = [
    *[("common", 1), ("common", 0), ("common", 0), ("common", 0)],
    *[("free", 1), ("too_dear", 1), ("far_too_dear", 1), ("unbought", 0), ("unbought", 0)],
    *[("dearest", 1), ("dearest", 0)],
    *[("cheapest", 1), ("cheapest", 1)],
    ("nowhere_in_the_list", 1),
]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def kaggle(folder: Path, coupon_list: str = LIST, visits=VISITS) -> list[Path]:
    paths = [folder / "coupon_list_train.csv", folder / "coupon_visit_train.csv"]
    paths[0].write_text(coupon_list)
    rows = [f"{flag},2012-01-01,{name},user" for name, flag in visits]
    paths[1].write_text("\n".join(["PURCHASE_FLG,I_DATE,VIEW_COUPON_ID_hash,USER", *rows]) + "\n")
    return paths


def test_coupon_tables_are_joined_and_filtered(tmp_path):
    raw = kaggle(tmp_path)
    made = extract(COUPON_RAW, raw, "coupon")
    assert made.label == ("common", "dearest", "cheapest")
    assert made.mean.tolist() == [0.25, 0.5, 1.0]
    assert made.value.tolist() == [0.5, 1.0, 0.005]
    assert made.source == "real"
    assert "kaggle" in made.address
    assert made.sha256 == f"{sha256(raw[0])} {sha256(raw[1])}"


def test_a_repeated_visit_is_a_visit_and_a_repeated_coupon_is_one(tmp_path):
    raw = kaggle(tmp_path, visits=[("common", 1), ("common", 1), ("common", 0)])
    made = extract(COUPON_RAW, raw, "coupon")
    assert made.label == ("common",)
    assert made.mean[0] == pytest.approx(2 / 3)


def test_the_order_of_the_raw_files_does_not_matter(tmp_path):
    made = extract(COUPON_RAW, kaggle(tmp_path)[::-1], "coupon")
    assert made.label == ("common", "dearest", "cheapest")


@pytest.mark.parametrize(
    ("coupon_list", "visits", "message"),
    [
        (LIST + "x,99,common\n", VISITS, "coupon common has the price 99 here and 100 above"),
        (LIST + "x,cheap,new\n", VISITS, "DISCOUNT_PRICE is 'cheap'"),
        (LIST + "x,,new\n", VISITS, "DISCOUNT_PRICE is"),
        (LIST + "x,10,\n", VISITS, "COUPON_ID_hash is empty"),
        (LIST, [("common", 1), ("common", 2)], "row 3: PURCHASE_FLG is '2'; 0 or 1"),
        (LIST, [("common", 1), ("common", "")], "row 3: PURCHASE_FLG is ''"),
        (LIST, [("common", 1), ("common", "yes")], "row 3: PURCHASE_FLG is 'yes'"),
        (LIST, [("common", 0)], "no coupon of coupon_list_train.csv .* was bought"),
        (
            "a,b\n1,2\n",
            VISITS,
            "coupon_list_train.csv has no column 'COUPON_ID_hash' and no column 'DISCOUNT_PRICE'",
        ),
    ],
)
def test_coupon_tables_that_make_no_sense_are_refused(tmp_path, coupon_list, visits, message):
    with pytest.raises(UserError, match=message):
        extract(COUPON_RAW, kaggle(tmp_path, coupon_list, visits), "coupon")


@pytest.mark.parametrize("files", [{"coupon_list_train.csv": {}}, {"other.csv": {}}])
def test_other_files_than_the_two_tables_are_refused(files):
    with pytest.raises(UserError, match=r"made from coupon_list_train\.csv and coupon_"):
        extract({"kind": "coupon_raw", "files": files}, [], "coupon")


def test_visits_are_counted_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_table, "CHUNK", 3)
    made = extract(COUPON_RAW, kaggle(tmp_path), "coupon")
    assert made.mean.tolist() == [0.25, 0.5, 1.0]
    assert made.columns["trials"].tolist() == [4, 2, 2]
    with pytest.raises(UserError, match="row 16: PURCHASE_FLG is '2'"):
        extract(COUPON_RAW, kaggle(tmp_path, visits=[*VISITS, ("common", 2)]), "coupon")
