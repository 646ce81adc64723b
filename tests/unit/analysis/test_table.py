"""Tables as Markdown and LaTeX: the same cells, each escaped for its reader."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.made_results import made_results
from lincon.analysis import atlas, atlas_text, published, tables
from lincon.analysis.layout import TEXT_FILES
from lincon.analysis.table import Table
from tests.unit.analysis.test_atlas import outcomes
from tests.unit.analysis.test_published import PROBLEM
from tests.unit.analysis.test_published import series as published_series

HOSTILE = r"50% & $5_x #1 ^~\ {a} <é>|" + "\n\x07 λ \u2212 \u2026"


def test_cells_are_escaped_for_their_reader_and_numbers_have_a_minus():
    table = Table(("name", "value"), "lr", [["a_b & *c*", "-1.5 to -0.5"]], strong=1)
    assert table.markdown() == [
        "| name | value |",
        "|---|---:|",
        r"| a\_b & \*c\* | **-1.5 to -0.5** |",
    ]
    assert table.latex().splitlines()[:6] == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"name & value \\",
        r"\midrule",
        r"a\_b \& *c* & \textbf{$-$1.5 to $-$0.5} \\",
        r"\bottomrule",
    ]


def test_a_hyphen_in_a_name_is_no_minus():
    assert "LinCon-KL-UCB 1-5" in Table(("x",), "l", [["LinCon-KL-UCB 1-5"]]).latex()


def test_a_row_of_another_length_is_noticed():
    with pytest.raises(AssertionError, match="2 columns"):
        Table(("a", "b"), "lr", [["only one"]])


def test_values_at_the_horizon_have_a_row_a_policy():
    row = {"dataset": "d", "source": "standin", "eta": 0.5, "horizon": 1000, "policy": "p"}
    values = {"regret": (1.0, -0.5, 2.5), "reward": (500.0, float("nan"), float("nan"))}
    frame = pd.DataFrame(
        [
            row | {"metric": name, "basis": basis, "mean": mean, "ci_low": low, "ci_high": high}
            for name, (mean, low, high) in values.items()
            for basis in ("expected", "realised")
        ]
    )
    text = tables.final_latex(frame, {"p": "My_policy"})
    assert r"d (stand-in) & 0.5 & 1,000 & My\_policy & 1 ($-$0.5 to 2.5) &  & 500 &  &  \\" in text
    assert text.count(r"\\") == 2


def test_every_text_of_an_experiment_has_a_twin_that_tex_sets(tmp_path):
    results = made_results(policies=2, arms=12, runs=3, horizon=800)
    policies = {policy: {"label": HOSTILE} for policy in results.policies}
    problem = replace(results.problem, source="standin", note="Stand-in arms")
    replace(results, policies=policies, problem=problem).save(tmp_path)
    names = {path.name for path in tmp_path.iterdir() if path.suffix in (".md", ".tex")}
    assert names == set(TEXT_FILES)
    for path in tmp_path.glob("*.tex"):
        assert "% Stand-in arms\n" in path.read_text(), path.name
    set_by_tex(tmp_path)


def test_published_runs_and_an_atlas_are_set_by_tex(tmp_path):
    comparison = published.compare(
        {"a": published_series(4, 1)}, {"a": published_series(6, 2)}, PROBLEM
    )
    text = published.to_latex(comparison, PROBLEM, {"a": HOSTILE})
    (tmp_path / "published.tex").write_text(text, encoding="utf-8")
    made = atlas.analyse(outcomes(), ["a", "b", "c"])
    text = atlas_text.latex(made, dict.fromkeys("abc", HOSTILE))
    (tmp_path / "atlas.tex").write_text(text, encoding="utf-8")
    set_by_tex(tmp_path)


def set_by_tex(folder: Path) -> None:
    """All tables of a folder in one document."""
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed: the tables are written, but not set")
    inputs = "".join(rf"\input{{{path.name}}}\par" for path in folder.glob("*.tex"))
    document = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{inputs}"
    (folder / "all.latex").write_text(document + r"\end{document}")
    command = ["pdflatex", "-halt-on-error", "-interaction=batchmode", "all.latex"]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True)
    assert done.returncode == 0, (folder / "all.log").read_text(errors="replace")[-2000:]
