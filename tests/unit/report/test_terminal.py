"""The answer on a terminal: a table per experiment that fits, colours only where they are shown."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from lincon.report import terminal
from tests.unit.analysis.made_runs import results_of, small

WOBBLE = np.linspace(-0.004, 0.004, 8)
PLAYED = {"a": (0.16 + WOBBLE, 0.5), "b": (0.10 + WOBBLE, 0.5), "c": (0.17 + WOBBLE, 0.4)}
LABELS = {"a": "A & co", "b": "B", "c": "C"}


def study(tmp_path: Path, colours: bool = False, **options) -> str:
    page = tmp_path / "report.html"
    page.touch()
    results = results_of(PLAYED, labels=LABELS, **options)
    return terminal.study([results], page, "make real", 80, colours)


def test_one_row_per_policy_in_the_order_of_the_league(tmp_path):
    head, found, headings, *rows, _, stars, blank, last = study(tmp_path).splitlines()
    assert head == "Small arms   floor 50%   T = 1,000   8 runs"
    assert found.strip().startswith("A & co keeps the floor of 50%")
    assert headings.split("  ")[1].strip() == "#" and headings.endswith("vs best")
    assert [row.split()[0] for row in rows] == ["1", "2", "3"]
    assert rows[0].endswith("best") and "8/8" in rows[0] and "50%" in rows[0]
    assert rows[1].endswith("***") and "+60" in rows[1]
    assert "0/8" in rows[2] and "40%" in rows[2]
    assert all(len(line) <= 80 for line in (head, found, headings, *rows))
    assert stars.strip().startswith("*** p < 0.001, ** p < 0.01, * p < 0.05")
    assert blank == "" and last == f"Open  {tmp_path}/report.html"


def test_the_same_as_markdown():
    text = terminal.markdown(results_of(PLAYED, labels=LABELS, title="a_b"))
    assert text.startswith(
        "### a\\_b: floor 50%, T = 1,000, 8 runs\n\nA & co keeps the floor of 50%"
    )
    assert "\n| 1 | A & co | 50% | 8/8 | 91.4% | 15 (" in text


def test_stand_in_arms_come_first_and_colours_are_for_terminals(tmp_path):
    first = study(tmp_path, made=replace(small(), source="standin")).split("\n\n")[0]
    assert "tand-in" in first and "`make real`" in first.replace("\n", " ")
    assert "\x1b" not in study(tmp_path)
    coloured = study(tmp_path, colours=True)
    assert "\x1b[32m  A & co keeps" in coloured and "\x1b]8;;file://" in coloured
