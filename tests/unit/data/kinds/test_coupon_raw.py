"""Kaggle's coupon tables: the join and its edges."""

from pathlib import Path

import pytest

from lincon.data.raw import file_sha256
from lincon.data.sources import extract
from lincon.errors import UserError

FILES = ("coupon_list_train.csv", "coupon_visit_train.csv")
COUPON_RAW = {"kind": "coupon_raw", "files": {name: {} for name in FILES}}
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


def kaggle(folder: Path, coupon_list: str = LIST, visits=VISITS) -> list[Path]:
    paths = [folder / name for name in FILES]
    paths[0].write_text(coupon_list)
    rows = [f"{flag},2012-01-01,{name},user" for name, flag in visits]
    paths[1].write_text("\n".join(["PURCHASE_FLG,I_DATE,VIEW_COUPON_ID_hash,USER", *rows]) + "\n")
    return paths


def test_coupon_tables_are_joined_and_filtered(tmp_path):
    raw = kaggle(tmp_path)
    made = extract(COUPON_RAW, raw[::-1], "coupon")
    assert made.label == ("common", "dearest", "cheapest")
    assert made.mean.tolist() == [0.25, 0.5, 1.0]
    assert made.value.tolist() == [0.5, 1.0, 0.005]
    assert made.columns["successes"].tolist() == [1, 1, 2]
    assert made.columns["trials"].tolist() == [4, 2, 2]
    assert made.source == "real"
    assert made.sha256 == f"{file_sha256(raw[0])} {file_sha256(raw[1])}"


@pytest.mark.parametrize(
    ("coupon_list", "visits", "message"),
    [
        (LIST + "x,99,common\n", VISITS, "label 'common' is that of row"),
        (LIST + "x,cheap,new\n", VISITS, "Kaggle's tables cannot be read: could not convert"),
        (LIST, [("common", 1), ("common", 2)], "Kaggle's tables cannot be read: "),
        (LIST, [("common", 0)], "coupon_visit_train.csv: 0 means"),
        ("a,b\n1,2\n", VISITS, "columns expected but not found: .*'DISCOUNT_PRICE'"),
    ],
)
def test_coupon_tables_that_make_no_sense_are_refused(tmp_path, coupon_list, visits, message):
    with pytest.raises(UserError, match=message):
        extract(COUPON_RAW, kaggle(tmp_path, coupon_list, visits), "coupon")
    with pytest.raises(UserError, match=r"made from coupon_list_train\.csv and coupon_"):
        extract({"kind": "coupon_raw", "files": {"other.csv": {}}}, [], "coupon")
