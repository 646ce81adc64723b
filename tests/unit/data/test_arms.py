"""The arm table: what it refuses, and that a file gives back what was put in."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincon.data import arms
from lincon.errors import UserError

FRACTION = st.just(0.0) | st.floats(1e-12, 1)


def test_made_arms_are_plain_vectors_with_labels():
    made = arms.make([0.1, 0.2], [1, 0])
    assert len(made) == 2
    assert made.label == ("arm 0", "arm 1")
    assert made.mean.dtype == made.value.dtype == np.float64
    assert made.mean.flags.c_contiguous


def test_both_ends_are_allowed():
    made = arms.make([0, 1], [0, 1])
    assert made.mean.tolist() == made.value.tolist() == [0, 1]


@pytest.mark.parametrize("bad", [-0.1, 1.1, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", ["mean", "value"])
def test_a_number_out_of_range_is_refused_with_its_row(bad, column):
    columns = {"mean": [0.5, 0.5, 0.5], "value": [0.5, 0.5, 0.5]}
    columns[column][1] = bad
    with pytest.raises(UserError, match=rf"my\.csv, row 3: {column} is .*\[0, 1\]"):
        arms.make(**columns, where="my.csv", rows=[2, 3])


def test_numbers_that_no_run_could_tell_from_zero_are_zero():
    made = arms.make([5e-324, 9e-13, 1e-12, 0.0], [1e-300, 1e-12, 1e-13, 1.0])
    assert made.mean.tolist() == [0, 0, 1e-12, 0]
    assert made.value.tolist() == [0, 1e-12, 0, 1]


def test_lengths_must_agree():
    with pytest.raises(UserError, match="2 means, 1 values, 2 labels"):
        arms.make([0.1, 0.2], [1])
    with pytest.raises(UserError, match="2 means, 2 values, 1 labels"):
        arms.make([0.1, 0.2], [1, 1], ["a"])


def test_at_least_one_arm_is_needed():
    with pytest.raises(UserError, match="no arm"):
        arms.make([], [])


def test_labels_must_differ():
    with pytest.raises(UserError, match="row 2: label 'a' is that of row 0 already"):
        arms.make([0.1] * 3, [0.1] * 3, ["a", "b", "a"])


@given(st.lists(st.tuples(FRACTION, FRACTION, st.text()), min_size=1, unique_by=lambda arm: arm[2]))
def test_a_file_gives_back_what_was_put_in(tmp_path_factory, rows):
    mean, value, label = zip(*rows, strict=True)
    path = tmp_path_factory.mktemp("arms") / "arms.parquet"
    made = arms.make(
        mean,
        value,
        label,
        dataset="d",
        source="real",
        address="https://a",
        sha256="0f",
        note="n",
        unit="EUR",
        scale=250.5,
        read_as="tab-separated",
    )
    arms.write(made, path)
    back = arms.read(path)
    assert back.label == made.label
    np.testing.assert_array_equal(back.mean, made.mean)
    np.testing.assert_array_equal(back.value, made.value)
    assert [getattr(back, key) for key in arms.METADATA] == [
        *("d", "real", "https://a", "0f", "n", "EUR", "tab-separated", 250.5)
    ]


def test_the_file_has_the_columns_and_metadata_of_the_contract(tmp_path):
    path = tmp_path / "arms.parquet"
    arms.write(arms.make([0.5], [1], dataset="d", source="formula"), path)
    schema = pq.read_schema(path)
    assert dict(zip(schema.names, schema.types, strict=True)) == {
        "arm": pa.int64(),
        "label": pa.string(),
        "mean": pa.float64(),
        "value": pa.float64(),
    }
    assert schema.metadata[b"dataset"] == b"d"
    assert schema.metadata[b"source"] == b"formula"


def test_further_columns_are_kept_in_the_users_units(tmp_path):
    made = arms.make([0.5, 0.25], [1, 0.5], None, {"cost": [3, -1], "group=A": [1, 0]}, scale=10.0)
    arms.write(made, tmp_path / "arms.parquet")
    read = arms.read(tmp_path / "arms.parquet")
    assert list(read.columns) == ["cost", "group=A"]
    assert read.column("cost").tolist() == [3, -1]
    assert read.column("value").tolist() == [10, 5]
    assert read.column("mean") is read.mean
    with pytest.raises(KeyError):
        read.column("price")


@pytest.mark.parametrize(
    "columns", [{"cost": [1]}, {"cost": [1, np.nan]}, {"mean": [1, 1]}, {"label": [1, 1]}]
)
def test_further_columns_that_make_no_sense_are_refused(columns):
    with pytest.raises(UserError, match="must hold one finite number per arm"):
        arms.make([0.5, 0.25], [1, 0.5], None, columns)


def test_the_same_arms_give_the_same_bytes(tmp_path):
    made = arms.make([0.5, 0.25], [1, 0], dataset="d")
    arms.write(made, tmp_path / "a.parquet")
    arms.write(made, tmp_path / "b.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_a_file_that_is_not_an_arm_table_is_refused(tmp_path):
    path = tmp_path / "arms.parquet"
    path.write_text("no")
    with pytest.raises(UserError, match="cannot be read as an arm table"):
        arms.read(path)
    pq.write_table(pa.table({"mean": [0.5]}), path)
    with pytest.raises(UserError, match="cannot be read as an arm table"):
        arms.read(path)
    with pytest.raises(UserError, match="missing, but an arm table is needed"):
        arms.read(tmp_path / "none.parquet")
