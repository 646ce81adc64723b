"""One table, four readers: the same cells everywhere, each escaped for its reader."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from lincon.report.table import Interval, Shown, Table, cell, sort_key

HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "\uff1d1", "\uff0b1", "\uff201"]


def test_a_number_reads_the_same_in_every_format():
    table = Table(("policy", "joint regret"), [["a", 12.345], ["b", Interval(-1.5, -2.0, -1.0)]])
    for text in (table.markdown(), table.latex(), table.html()):
        assert "12.35" in text and "12.345" not in text.replace('data-v="12.345"', "")
    assert "\u22121.5 \u00b1 0.5" in table.markdown()
    assert r"\ensuremath{-}1.5 \ensuremath{\pm} 0.5" in table.latex()


def test_cells_are_escaped_for_their_reader():
    table = Table(("na_me", "x"), [["a_b & *c* <i>", 1]], strong=1)
    assert table.markdown() == (
        "| na\\_me | x |\n|---|---:|\n| a\\_b & \\*c\\* \\<i\\> | **1** |\n"
    )
    assert r"a\_b \& *c* \textless{}i\textgreater{} & \textbf{1} \\" in table.latex()
    assert r"\begin{tabular}{lr}" in table.latex()
    assert "a_b &amp; *c* &lt;i&gt;</td>" in table.html()


def test_cells_say_yes_and_no_and_nothing_and_sort_by_value():
    values = (True, np.bool_(False), None, np.nan, np.int64(3), "x", Shown("3 of 6 runs", 3))
    assert [cell(x) for x in values] == ["yes", "no", "", "", "3", "x", "3 of 6 runs"]
    values = (1234.5, np.nan, "LinConTS", Interval(3.0, 2.0, 4.0), Shown("12%", 0.12))
    assert [sort_key(x) for x in values] == ["1234.5", "", "LinConTS", "3", "0.12"]


@pytest.mark.parametrize("text", HOSTILE)
def test_csv_has_no_formula(text):
    made = Table.of(pd.DataFrame({text: [text]})).csv()
    ((heading,), (got,)) = csv.reader(io.StringIO(made, newline=""))
    assert got == heading == f"'{text}"


def test_csv_keeps_negative_numbers_and_quotes_commas():
    made = Table(("a", "b", "c"), [[-1.5, 'x, "y"', Interval(2.0, 1.0, 3.0)]]).csv()
    assert list(csv.reader(io.StringIO(made))) == [["a", "b", "c"], ["-1.5", 'x, "y"', "2"]]


def test_a_long_table_shows_its_first_rows_and_its_csv_has_all():
    frame = pd.DataFrame({"a": range(10), "b": range(10)})
    table = Table.of(frame, names={"a": "A"}, shown=("a",), limit=3)
    assert (table.html().count("<td"), table.left_out, table.headings) == (3, 7, ["A"])
    assert len(table.csv().splitlines()) == 11 and table.csv().startswith("a,b")


def test_rows_of_policies_can_be_highlighted():
    made = Table(("policy",), [["a"], ["b"]], ids=["x", '"><script>'])
    assert '<tr data-policy="x">' in made.html()
    assert '<tr data-policy="&quot;&gt;&lt;script&gt;">' in made.html()
