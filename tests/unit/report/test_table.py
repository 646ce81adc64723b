"""One table, three readers: the same cells everywhere, each escaped for its reader."""

import math

import pandas as pd

from lincon.report.table import Number, Table, interval_of, sort_key


def test_a_number_reads_the_same_in_every_format():
    row = {"joint": -1.5, "joint_low": -2.0, "joint_high": -1.0}
    table = Table(
        "", ("policy", "joint regret"), [["a", Number(12.345)], ["b", interval_of(row, "joint")]]
    )
    for text in (table.markdown(), table.latex(), "\n".join(table.lines(9))):
        assert "12.35" in text and "12.345" not in text
    assert "\u22121.5 \u00b1 0.5" in table.markdown()
    assert r"\ensuremath{-}1.5 \ensuremath{\pm} 0.5" in table.latex()
    assert interval_of(pd.Series(row), "joint", -2.0) == "3.0 \u00b1 1.0"


def test_cells_are_escaped_for_their_reader():
    table = Table("", ("na_me", "x"), [["a_b & *c* <i>", Number(1)]])
    assert table.markdown() == "| na\\_me | x |\n|---|---:|\n| a\\_b & \\*c\\* \\<i\\> | 1 |\n"
    assert r"na\_me & x \\" in table.latex() and r"{@{}lr@{}}" in table.latex()
    assert r"a\_b \& *c* \textless{}i\textgreater{} & 1 \\" in table.latex()


def test_a_terminal_has_columns_and_cuts_long_names():
    table = Table(
        "", ("policy", "kept"), [["a policy", Number(12, "12/16")], ["b", Number(3, "3/16")]]
    )
    assert table.lines(5) == ["polic   kept", "a pol  12/16", "b       3/16"]


def test_cells_sort_by_value():
    cells = (Number(1234.5), Number(math.nan), "LinConTS", Number(0.12, "12%"))
    assert [sort_key(cell) for cell in cells] == ["1234.5", "", "LinConTS", "0.12"]
    assert Number(math.nan) == ""
