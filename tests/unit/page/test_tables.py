"""Tables: what a person reads, what sorts, and files that neither execute nor break."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lincon.page import tables
from lincon.page.tables import FORMULA, Table, cell, number, sort_key, to_csv

HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "\uff1d1", "\uff0b1", "\uff201"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (12345.6, "12,346"),
        (3.14159, "3.142"),
        (-2.5, "\u22122.5"),
        (0.00001234, "1.23e\u221205"),
        (float("inf"), "infinite"),
        (float("nan"), ""),
    ],
)
def test_numbers_are_short_and_have_a_true_minus(value, text):
    assert number(value) == text


def test_cells_say_yes_and_no_and_nothing():
    assert [cell(x) for x in (True, np.bool_(False), None, np.nan, np.int64(3), "x")] == [
        *("yes", "no", "", "", "3", "x")
    ]


def test_numbers_sort_by_value_not_by_text():
    assert sort_key(1234.5) == "1234.5"
    assert sort_key(np.nan) == ""
    assert sort_key("LinConTS") == "LinConTS"


@pytest.mark.parametrize("text", HOSTILE)
def test_csv_has_no_formula(text):
    ((heading,), (got,)) = csv.reader(io.StringIO(to_csv(pd.DataFrame({text: [text]})), newline=""))
    assert got == heading == f"'{text}"


def test_csv_keeps_negative_numbers_and_quotes_commas():
    rows = list(csv.reader(io.StringIO(to_csv(pd.DataFrame({"a": [-1.5], "b": ['x, "y"']})))))
    assert rows == [["a", "b"], ["-1.5", 'x, "y"']]


def test_the_page_holds_the_same_to_be_a_formula():
    """What a browser saves is written by JavaScript."""
    (line,) = re.findall(r"^const FORMULA = /\^\[(.*)\]/;$", page_script(), re.MULTILINE)
    assert sorted(line.replace("\\-", "-").encode().decode("unicode_escape")) == sorted(FORMULA)


def page_script() -> str:
    return (Path(tables.__file__).parent / "templates/page.js").read_text(encoding="utf-8")


def test_a_latex_table_runs_nothing_of_what_it_holds():
    hostile = r"\input{/etc/passwd}\write18{touch x}"
    text = Table("k", hostile, pd.DataFrame({hostile: [hostile]})).latex()
    assert r"\input" not in text and r"\write" not in text
    assert text.count(r"\textbackslash{}input\{/etc/passwd\}") == 3


def test_a_latex_table_has_booktabs_rules_and_its_numbers_to_the_right():
    text = Table("k", "100% of $5", pd.DataFrame({"policy": ["a_b"], "x": [1.5]})).latex()
    assert r"\begin{tabular}{lr}" in text
    assert r"a\_b & 1.5 \\" in text
    assert r"\caption{100\% of \$5}" in text
    assert text.count("rule\n") == 3


def test_a_long_table_shows_its_first_rows_and_its_files_have_all():
    table = Table("k", "t", pd.DataFrame({"a": range(10), "b": range(10)}), rows=3, shown=("a",))
    assert len(table.cells) == 3
    assert table.left_out == 7
    assert table.headings == ["a"]
    assert len(table.csv().splitlines()) == 11
    assert table.csv().startswith("a,b")
