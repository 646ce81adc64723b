"""The arm table: what it refuses, and that a file gives back what was put in."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincon.data import arms
from lincon.errors import UserError
from lincon.files import write_table

FRACTION = st.just(0.0) | st.floats(1e-12, 1)
LABEL = st.text(st.characters(exclude_categories=["C"]), min_size=1)


@pytest.mark.parametrize(("column", "bad"), [("mean", -0.1), ("value", 1.1), ("mean", np.nan)])
def test_a_number_out_of_range_is_refused_with_its_row(column, bad):
    columns = {"mean": [0, 0.5, 1], "value": [0, 0.5, 1]}
    columns[column][1] = bad
    with pytest.raises(UserError, match=rf"my\.csv, row 3: {column} is .*\[0, 1\]"):
        arms.make(**columns, where="my.csv", rows=[2, 3])


def test_numbers_that_no_run_could_tell_from_zero_are_zero():
    made = arms.make([5e-324, 9e-13, 1e-12, 0.0], [1e-300, 1e-12, 1e-13, 1.0])
    assert made.mean.tolist() == [0, 0, 1e-12, 0]
    assert made.value.tolist() == [0, 1e-12, 0, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([0.1, 0.2], [1]), "2 means, 1 values, 2 labels"),
        (([], []), "0 labels; as many of each are needed, at least one"),
        (([0.1] * 3, [0.1] * 3, ["a", "b", "a"]), "row 2: label 'a' is that of row 0 already"),
        (([0.5, 0.2], [1, 1], None, {"cost": [1]}), "cost must hold one finite number per arm"),
        (([0.5], [1], None, {"cost": [np.nan]}), "cost must hold one finite number per arm"),
        (([0.5], [1], ["a\x1b[1m"]), "row 0: label is 'a.*; text is needed"),
        (([0.5], [1], None, {"label": [1]}), "label must hold one finite number per arm"),
    ],
)
def test_what_makes_no_sense_is_refused(given, message):
    with pytest.raises(UserError, match=message):
        arms.make(*given)


@given(st.lists(st.tuples(FRACTION, FRACTION, LABEL), min_size=1, unique_by=lambda arm: arm[2]))
def test_a_file_gives_back_what_was_put_in(tmp_path_factory, rows):
    mean, value, label = zip(*rows, strict=True)
    path = tmp_path_factory.mktemp("arms") / "arms.parquet"
    texts = {key: f"{key} as given" for key in arms.TEXTS}
    made = arms.make(mean, value, label, {"cost": value, "group=A": mean}, scale=250.5, **texts)
    arms.write(made, path)
    back = arms.read(path)
    assert back.label == made.label and back.mean.flags.c_contiguous
    np.testing.assert_array_equal(back.mean, made.mean)
    np.testing.assert_array_equal(back.value, made.value)
    assert {name: list(back.columns[name]) for name in back.columns} == {
        "cost": list(value),
        "group=A": list(mean),
    }
    assert {key: getattr(back, key) for key in arms.METADATA} == texts | {"scale": 250.5}
    assert back.column("value").tolist() == [250.5 * x for x in value], "in the user's units"


def test_a_table_without_the_columns_is_refused(tmp_path):
    path = tmp_path / "arms.parquet"
    write_table(path, pa.table({"mean": [0.5]}))
    with pytest.raises(UserError, match="cannot be read as an arm table"):
        arms.read(path)


def test_the_arms_of_another_dataset_are_refused(tmp_path):
    path = tmp_path / "arms.parquet"
    arms.write(arms.make([0.5], [1], dataset="radio"), path)
    assert arms.read(path, "radio").dataset == "radio"
    with pytest.raises(UserError, match=r"arms.parquet: the dataset is radio instead of own; del"):
        arms.read(path, "own")


def kinds(kind=("code", "chat", "code"), shares=None, label=("a", "a", "b")):
    return arms.make([0.1, 0.2, 0.3], [1, 1, 1], label, kind=kind, kind_shares=shares)


def test_kinds_of_request_go_with_the_rows(tmp_path):
    made = kinds(shares={"chat": 0.25, "code": 0.75})
    arms.write(made, tmp_path / "arms.parquet")
    for table in (made, arms.read(tmp_path / "arms.parquet")):
        assert (table.kinds, table.kind.tolist()) == (("code", "chat"), [0, 1, 0])
        assert table.kind_shares.tolist() == [0.75, 0.25]
        assert table.names == ("a (code)", "a (chat)", "b (code)")
    assert pq.read_table(tmp_path / "arms.parquet")["kind"].to_pylist() == ["code", "chat", "code"]
    assert kinds().kind_shares.tolist() == [0.5, 0.5]


def test_costs_per_so_many_plays(tmp_path):
    """USD per 1,000 requests: the column stays as it is, sums over rounds are in USD."""
    made = arms.make([0.5], [0.5], columns={"cost": [2.0]}, unit="USD", scale=40.0, per=1000)
    arms.write(made, tmp_path / "arms.parquet")
    back = arms.read(tmp_path / "arms.parquet")
    assert (back.per, back.unit, back.column("cost").tolist()) == (1000, "USD", [2.0])
    arms.write(replace(made, per=1), tmp_path / "arms.parquet")
    assert b"per" not in pq.read_schema(tmp_path / "arms.parquet").metadata, "as tables ever were"


def test_without_kinds_there_is_one_with_all_requests():
    made = arms.make([0.1, 0.2], [1, 1])
    assert (made.kinds, made.kind.tolist(), made.kind_shares.tolist()) == ((), [0, 0], [1])
    assert made.names == made.label == ("arm 0", "arm 1")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": ("a", "a", "a")}, "row 2: label 'a' is that of row 0 already; .* within a kind"),
        ({"shares": {"code": 1}}, "of the kinds code, chat, but `kinds` names code; give each"),
        ({"shares": {"code": 0.5, "art": 0.5}}, "kinds code, chat, but `kinds` names code, art"),
        ({"shares": {"code": 0.5, "chat": 0.4}}, "shares of kinds sum to 0.9; they must sum to 1"),
        ({"shares": {"code": 1.5, "chat": -0.5}}, "share of kind chat is -0.5; allowed: above 0"),
        ({"kind": None, "shares": {"code": 1}, "label": "abc"}, r"\(code\), but no row has a kind"),
        ({"kind": ("code",)}, "1 kinds for 3 arms"),
    ],
)
def test_kinds_that_make_no_sense_are_refused(changes, message):
    with pytest.raises(UserError, match=message):
        kinds(**changes)
