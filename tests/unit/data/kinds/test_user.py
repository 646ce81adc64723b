"""Arms of the user's own: what is read, and what is refused with file, row and reason."""

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lincon.data import arms, user_table
from lincon.data.sources import extract
from lincon.errors import UserError

COUNTS = "successes,trials,value\n"


def user(path: Path, **keys) -> arms.Arms:
    return extract({"kind": "user", "path": str(path), **keys}, [path], "mine")


def table(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "mine.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_means_values_and_labels(tmp_path):
    path = table(tmp_path, "label,mean,value,remark\nred,0.25,1,x\n\nblue, 1e-3 ,0.5,y\n,,,\n")
    made = user(path)
    assert made.label == ("red", "blue")
    assert made.mean.tolist() == [0.25, 0.001]
    assert made.value.tolist() == [1, 0.5]
    assert (made.source, made.dataset, made.address) == ("user", "mine", str(path))
    assert made.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_counts(tmp_path):
    made = user(table(tmp_path, COUNTS + "1,4,1\n0,7,0\n3,3,0.5\n"))
    assert made.mean.tolist() == [0.25, 0, 1]
    assert made.label == ("arm 0", "arm 1", "arm 2")
    assert made.columns["trials"].tolist() == [4, 7, 3]


def test_parquet(tmp_path):
    path = tmp_path / "mine.parquet"
    pq.write_table(pa.table({"mean": [0.5, 1.0], "value": [1, 0], "label": [7, 8]}), path)
    made = user(path)
    assert made.label == ("7", "8")
    assert made.mean.tolist() == [0.5, 1.0]
    pq.write_table(pa.table({"mean": [0.5, None], "value": [1, 1]}), path)
    with pytest.raises(UserError, match="row 2: mean is ''; a number"):
        user(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "mine.csv is empty; a header is needed"),
        ("mean,value,\n1,1,1\n", "row 1: a name for each column is needed"),
        ("mean,value\n", "has no rows; at least one arm"),
        ("a,b\n1,1\n", r"no column mean and no column value \(it has: a, b\); give mean"),
        ("mean;value\n1;1\n", "has: mean;value.*`sep` unless cells are separated by ','"),
        ("mean,trials,value\n1,1,1\n", "has mean and also trials"),
        ("mean,mean,value\n1,1,1\n", "duplicate column: mean"),
        ("mean,value\n0.5,1\nnan,1\n", "row 3: mean is 'nan'; a number is needed"),
        ("mean,value\n0.5,1\n\nhalf,1\n", "row 4: mean is 'half'; a number"),
        ("mean,value\n0.5\n", "row 2: value is ''"),
        ("mean,value\n45%,1\n", "row 2: mean is '45%'; a number"),
        ("label,mean,value\na,1,1\nb,1,1\na,1,1\n", "row 4: label 'a' is that of row 2 already"),
        ("label,mean,value\na\x1b[1m,1,1\n", "row 2: label is .*; text is needed"),
        ("label,mean,cost\na,0.5,inf\n", "row 2: cost is 'inf'; a number is needed"),
        ('mean,value\n"0.5,1\n', "mine.csv: .* line 2; .* must be closed"),
        (COUNTS + "0,0,1\n", "row 2: successes is 0, trials is 0; whole num"),
        (COUNTS + "1,4,1\n5,4,1\n", "row 3: successes is 5, trials is 4; whole num"),
        (COUNTS + "0.5,4,1\n", "row 2: successes is 0.5, trials is 4; whole"),
        ('mean,value\n"0,5",1\n', "row 2: mean is '0,5'; a number"),
        ("mean,value\n0,5,1,0\n", "2 fields in line 2, saw 4; .*decimal commas"),
        ("mean,value\n0.5,120\n0.5,250\n", "row 2: value is 120; .*the key `scale: 250` allows"),
        ("mean,value\n0.5,120\n0.5,1e13\n", r"row 2: value is 120; allowed: \[0, 1\]$"),
        ("mean,value\n0.5,120\n0.5,inf\n", "row 3: value is 'inf'; a number is needed"),
    ],
)
def test_tables_are_refused_with_file_row_and_reason(tmp_path, text, message):
    path = table(tmp_path, text)
    with pytest.raises(UserError, match=message) as raised:
        user(path)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "content", "cause"),
    [
        ("mine.csv", "mean,value\n0.5,1\n".encode("utf-16"), "is not UTF-8 text; save it as CSV"),
        ("mine.csv", "label,mean,value\ncaf\u00e9,0.5,1\n".encode("cp1252"), "is not UTF-8 text"),
        ("mine.xlsx", b"no", r"cannot be read as a Parquet file .*; save it as \.csv"),
        ("mine.csv", None, r"path .*mine\.csv does not exist; a CSV or Parquet file is needed"),
    ],
)
def test_files_that_are_something_else_are_refused(tmp_path, name, content, cause):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=cause):
        user(tmp_path / name)


def test_a_byte_order_mark_is_not_part_of_the_header(tmp_path):
    assert user(table(tmp_path, "mean,value\n0.5,1\n", "utf-8-sig")).mean.tolist() == [0.5]


def test_a_parquet_file_of_too_many_cells_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "mine.parquet"
    pq.write_table(pa.table({"mean": [0.5] * 4, "value": [1] * 4}), path)
    monkeypatch.setattr(user_table, "MAX_CELLS", 7)
    monkeypatch.delattr(pq.ParquetFile, "read")
    with pytest.raises(UserError, match=r"parquet has 4 rows of 2 columns; allowed: at most 7 cel"):
        user(path)


@pytest.mark.parametrize(
    ("rows", "keys"),
    [
        ("1250.5|0.5|0.25", {}),
        ("1250,5|0,5|0,25", {"decimal": ","}),
        ("1,250.5|.5|0.25", {"thousands": ","}),
        ("1.250,5|0,50|0,25", {"thousands": ".", "decimal": ","}),
        ("1 250,5|0,5|0,25", {"thousands": " ", "decimal": ","}),
    ],
)
def test_the_keys_say_how_numbers_are_written(tmp_path, rows, keys):
    text = "mean;value\n" + "".join(f"1;{value}\n" for value in rows.split("|"))
    made = user(table(tmp_path, text), sep=";", scale=2048, **keys)
    assert (made.value * 2048).tolist() == [1250.5, 0.5, 0.25]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("1.250", {"decimal": ","}),  # not 1.25
        ("1,250", {}),
    ],
)
def test_numbers_written_otherwise_are_refused(tmp_path, text, keys):
    with pytest.raises(UserError, match=f"row 2: value is '{text}'; a number"):
        user(table(tmp_path, f"mean;value\n1;{text}\n"), sep=";", scale=1e6, **keys)


MODELS = """label,supplier,year,mean,cost,remark
a1,A,2024,0.5,-2,first
a2,A,2025,0.6,3,second
b1,B,2025,0.7,8,third
"""


def test_further_columns_are_numbers_or_groups(tmp_path):
    made = user(table(tmp_path, MODELS))
    assert made.value.tolist() == [0, 0, 0]
    assert {name: column.tolist() for name, column in made.columns.items()} == {
        "cost": [-2, 3, 8],
        "year": [2024, 2025, 2025],
        "supplier=A": [1, 1, 0],
        "supplier=B": [0, 0, 1],
    }


def test_rows_are_chosen_by_their_texts(tmp_path):
    path = table(tmp_path, MODELS)
    made = user(path, where={"year": 2025})
    assert made.label == ("a2", "b1") and list(made.columns) == ["cost"]
    with pytest.raises(UserError, match="no row has '2023' in column year; it has: 2024, 2025"):
        user(path, where={"year": 2023})
    with pytest.raises(UserError, match="column month; it has: no such column, but label, supplie"):
        user(path, where={"month": 1})


KINDS = """benchmark,label,mean,cost
code,a,0.5,1
code,b,0.6,2
chat,a,0.7,3
"""


def test_a_column_says_the_kind_of_request(tmp_path):
    path = table(tmp_path, KINDS)
    made = user(path, kind_column="benchmark", kinds={"chat": 0.25, "code": 0.75})
    assert (made.kinds, made.kind.tolist()) == (("code", "chat"), [0, 0, 1])
    assert made.kind_shares.tolist() == [0.75, 0.25]
    assert made.label == ("a", "b", "a") and list(made.columns) == ["cost"]
    named = user(table(tmp_path, KINDS.replace("benchmark", "kind")))
    assert named.kinds == ("code", "chat") and named.kind_shares.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"kinds": {"code": 0.4, "chat": 0.5}}, "kinds has shares that sum to 0.9; they must sum"),
        ({"kind_column": "sort"}, "has no column sort for kinds; it has: benchmark, label, mean"),
        (
            {"where": {"benchmark": "code"}, "kinds": {"chat": 1}},
            "kinds code, but `kinds` names chat",
        ),
    ],
)
def test_kinds_that_do_not_fit_the_table_are_refused(tmp_path, keys, message):
    with pytest.raises(UserError, match=message):
        user(table(tmp_path, KINDS), **{"kind_column": "benchmark"} | keys)
