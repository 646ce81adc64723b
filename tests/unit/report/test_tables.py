"""The tables of an experiment: what they say, in whose units, and that TeX sets them."""

import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from lincon.analysis import atlas
from lincon.analysis.comparison import compare
from lincon.analysis.layout import TEXT_FILES
from lincon.report import atlas as atlas_text
from lincon.report import tables
from lincon.report.table import latex_file
from tests.unit.analysis.made_runs import results_of, small, small_problem
from tests.unit.analysis.test_atlas import outcomes
from tests.unit.analysis.test_comparison import series

HOSTILE = r"50% & $5_x #1 ^~\ {a} <é>|" + "\n\x07 λ \u2212 \u2026"
SPREAD = np.linspace(-0.01, 0.01, 4)
TWO = {"a": (0.15 + SPREAD, 0.5), "b": (0.12 + SPREAD, 0.45)}


def test_the_league_is_in_the_users_units_with_every_measure_beside_the_other():
    results = results_of(TWO, made=replace(small(), unit="EUR", scale=100.0))
    results.policies["a"]["standing"] = "ours, anytime"
    table = tables.league(results)
    row = dict(zip(table.headings, table.rows[0], strict=True))
    assert row["rank"] == "1" and str(row["kept"]) == "4 of 4" and row["origin"] == "ours, anytime"
    assert row["joint regret, EUR"].value == pytest.approx(2_500.0)
    assert row["regret, EUR"].value == pytest.approx(2_500.0)
    assert row["missing events"].value == 0.0 and str(row["event rate"]) == "50%"
    assert row["reward, EUR"].value == pytest.approx(15_000.0)
    assert str(row["of optimum"]) == "85.7%"
    assert table.csv().startswith("policy,group,rank,"), "the file has every column"
    assert table.frame["joint"].iloc[0] == pytest.approx(2_500.0), "in the same units"


def test_the_claims_and_what_the_bounds_say():
    results = results_of(TWO, compare=("a", "b"), made=replace(small(), scale=100.0))
    # 25 of regret against 55, at 100 each.
    said = tables.claims(results).markdown()
    assert "| lower regret, higher cumulative reward | a | expected | 2,500 | 5,500 |" in said
    assert "| fewer violations | a | expected | 0 | 50 | \u221250 |" in said
    rows = tables.bounds(results).rows
    assert {row[-1] for row in rows} <= {"below", "above", "undecided", "says nothing at this T"}


def test_every_text_has_a_twin_that_tex_sets(tmp_path):
    results = results_of(TWO, compare=("a", "b"), labels=dict.fromkeys("ab", HOSTILE))
    results = replace(results, problem=replace(results.problem, source="standin"), title=HOSTILE)
    made = tables.texts(results)
    assert set(made) == set(TEXT_FILES)
    for name, text in made.items():
        assert "Stand-in arms, not the real data: small." in text and "nan" not in text, name
    comparison = compare({"a": series(4, 1)}, {"a": series(6, 2)}, small_problem())
    played = atlas.analyse(outcomes(), ["a", "b", "c"])
    others = [tables.published(comparison, {"a": HOSTILE})]
    others += [atlas_text.table(played, dict.fromkeys("abc", HOSTILE))]
    made["others.tex"] = latex_file(others)
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed: the tables are written, but not set")
    written = r"\par".join(text for name, text in made.items() if name.endswith(".tex"))
    document = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{written}"
    (tmp_path / "all.latex").write_text(document + r"\end{document}", encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=batchmode", "all.latex"]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True)
    assert done.returncode == 0, (tmp_path / "all.log").read_text(errors="replace")[-2000:]


def test_without_claims_and_without_an_optimum_the_texts_say_so():
    made = tables.texts(results_of(TWO, goal=0.9))
    assert "None are checked here" in made["claims.md"]
    assert "zero here, or there is no optimum, or every run has its own" in made["growth.md"]
    assert "No mixture of arms keeps the floor of 90%" in made["league.md"]
    assert not any("nan" in text for text in made.values())
