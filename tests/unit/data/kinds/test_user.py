"""Arms of the user's own: what is read, and what is refused with file, row and reason."""

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lincon.data import arms
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
    path = table(tmp_path, "label,mean,value,remark\nred,0.25,1,x\nblue, 1e-3 ,0.5,y\n")
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
        ("\nmean,value\n1,1\n", "mine.csv is empty, or its first line is; a header is needed"),
        (",\n", "mine.csv is empty"),
        ("mean,value\n", "has no rows; at least one arm"),
        ("a,b\n1,1\n", r"no column mean and no column value \(it has: a, b\); give mean"),
        ("mean,trials,value\n1,1,1\n", "has mean and also trials"),
        ("mean,mean,value\n1,1,1\n", "duplicate column: mean"),
        ("mean,value\n0.5,1\nnan,1\n", r"row 3: mean is 'nan'; a number in \[0, 1\] is needed"),
        ("mean,value\n0.5,1\n\nhalf,1\n", "row 4: mean is 'half'; a number"),
        ("mean,value\n0.5\n", "row 2: value is ''"),
        ("label,mean,value\na,1,1\nb,1,1\na,1,1\n", "row 4: label 'a' is that of row 2 already"),
        ("label,mean,value\na\x1b[1m,1,1\n", "row 2: label is .*; plain text"),
        ("label,mean,cost\na,0.5,inf\n", "row 2: cost is 'inf'; a number is needed"),
        ('mean,value\n"0.5,1\n', "mine.csv: .* line 2; .* must be closed"),
        (COUNTS + "0,0,1\n", "row 2: trials > 0 and successes <= trials"),
        (COUNTS + "1,4,1\n5,4,1\n", "row 3: trials > 0 and successes <= trials"),
        (COUNTS + "0.5,4,1\n", "row 2: successes is '0.5'; a whole number"),
        ("mean;value\n0,5;1\n0.5;1\n", "row 2: mean is '0,5'; a number"),
        ('mean,value\n0,"1,250"\n', "'1,250' may be 1250 or 1.25; say which with .*`decimal`"),
        ("mean,value\n0,5,1,0\n", "2 fields in line 2, saw 4; .*decimal commas"),
        ("mean,value\n45,1\n12,1\n", "mean is '45'; .*percentages are written as 45%"),
        ("mean,value\n0.5,250\n0.5,120\n", "values up to 250: give `scale: 250`"),
        ("mean,value\n0.5,€6.83\n0.25,$1\n", "amounts in \\$ and in €; give one"),
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
        ("mine.csv", "mean,value\n0.5,1\n".encode("utf-16"), "is not text; save it as CSV"),
        ("mine.csv", b"\x81\x8d", "is not text"),
        ("mine.xlsx", b"no", r"cannot be read as a Parquet file .*; save it as \.csv"),
        ("mine.csv", None, "does not exist"),
    ],
)
def test_files_that_are_something_else_are_refused(tmp_path, name, content, cause):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=cause):
        user(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("Mean , VALUE\n0.5,1\n0.25,0.5\n", ""),
        ("mean;value;\n0.5;1;\n0.25;0.5;\n;;\n", "semicolon-separated"),
        ("mean\tvalue\n0.5\t1\n0.25\t0.5\n", "tab-separated"),
        ('mean,value\n"0,5",1\n"0,250","0,5"\n', "with decimal commas"),
        (
            "Label;Mean;Value\r\nx;50,0 %;1\r\ny;25 %;0,5\r\n",
            "semicolon-separated, with decimal commas, with percentages",
        ),
        (
            COUNTS + '"1,250","2,500",1\n"1,250,000","5,000,000",0.5\n',
            "with thousands separators",
        ),
        (
            "successes;trials;value\n1.250;2.500;1\n1 250;5 000;0,5\n",
            "semicolon-separated, with decimal commas, with thousands separators",
        ),
    ],
)
def test_tables_as_people_write_them_are_understood_and_it_is_said(tmp_path, text, read_as):
    made = user(table(tmp_path, text))
    assert made.mean.tolist() == [0.5, 0.25]
    assert made.value.tolist() == [1, 0.5]
    assert made.read_as == read_as


@given(st.lists(st.integers(0, 10**7).map(lambda n: n / 1000), min_size=1, max_size=5))
@settings(max_examples=50)
def test_commas_and_points_are_read_in_both_worlds(tmp_path_factory, numbers):
    texts = [f"{number:,.2f}" for number in numbers]
    for written in (texts, [text.translate(str.maketrans(",.", ".,")) for text in texts]):
        rows = "".join(f"1;{text}\n" for text in written)
        made = user(table(tmp_path_factory.mktemp("user"), "mean;value\n" + rows), scale=2**20)
        assert (made.value * 2**20).tolist() == [float(f"{number:.2f}") for number in numbers]


@pytest.mark.parametrize(
    ("encoding", "read_as"),
    [("utf-8-sig", ""), ("cp1252", "Western European text")],
)
def test_encodings(tmp_path, encoding, read_as):
    made = user(table(tmp_path, "label,mean,value\ncaf\u00e9,0.5,1\n", encoding))
    assert made.label == ("caf\u00e9",)
    assert made.read_as == read_as


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("mean;value\n0,5;6,83 €\n0,25;1,50 €\n", "amounts in €"),
        ("mean,value\n0.5,€6.83\n0.25,€ 1.50\n", "amounts in €"),
        ("mean,value\n0.5,USD 6.83\n0.25,1.50\n", "amounts in USD"),
    ],
)
def test_currency_signs_are_read(tmp_path, text, read_as):
    made = user(table(tmp_path, text), scale=10, unit="EUR")
    assert made.value.tolist() == [0.683, 0.15]
    assert (made.unit, made.scale) == ("EUR", 10)
    assert read_as in made.read_as


def test_what_the_user_says_of_the_file_decides(tmp_path):
    path = table(tmp_path, "mean:value\n0:1,250\n1:2,000\n")
    with pytest.raises(UserError, match="Expected 1 fields in line 2, saw 2"):
        user(path)
    assert user(path, sep=":", thousands=",", scale=2000).value.tolist() == [0.625, 1]
    assert user(path, sep=":", decimal=",", scale=2).value.tolist() == [0.625, 1]


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
    assert made.read_as == "without remark (neither numbers nor groups)"


def test_rows_are_chosen_by_their_texts(tmp_path):
    path = table(tmp_path, MODELS)
    made = user(path, where={"year": 2025})
    assert made.label == ("a2", "b1") and list(made.columns) == ["cost"]
    with pytest.raises(UserError, match="no row has '2023' in column year; it has: 2024, 2025"):
        user(path, where={"year": 2023})
    with pytest.raises(UserError, match="column month; it has: no such column, but label, supplie"):
        user(path, where={"month": 1})
