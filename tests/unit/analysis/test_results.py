"""Results: saved into one folder and read back from it alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from benchmarks.made_results import made_results
from lincon.analysis.layout import FRAMES, RESULT_FILES, TEXT_FILES
from lincon.analysis.results import Results, make_results
from lincon.errors import UserError


def test_results_come_back_as_they_were(tmp_path):
    made = replace(made_results(3, arms=7, runs=3, horizon=200), unit="EUR", scale=2.5)
    made.save(tmp_path)
    read = Results.load(tmp_path)
    for name in FRAMES:
        pd.testing.assert_frame_equal(getattr(read, name), getattr(made, name))
    assert np.array_equal(read.arms.mean, made.arms.mean) and read.arms.label == made.arms.label
    for name in ("name", "title", "problem", "policies", "scalars", "unit", "scale", "code"):
        assert getattr(read, name) == getattr(made, name), name
    assert (read.horizon, read.runs) == (200, 3)
    assert read.answer == made.answer
    assert {path.name for path in tmp_path.iterdir()} == {*RESULT_FILES, *TEXT_FILES}


def test_without_a_comparison_there_are_no_claims_but_their_files(tmp_path):
    made = made_results(1, arms=4, runs=2, horizon=100)
    made.save(tmp_path)
    assert made.claims is None and Results.load(tmp_path).claims is None
    assert "None are checked here" in (tmp_path / "claims.md").read_text()
    assert {path.name for path in tmp_path.iterdir()} == {*RESULT_FILES, *TEXT_FILES}


def test_the_same_results_give_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        made_results(2, arms=4, runs=2, horizon=100).save(tmp_path / name)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_simultaneous_bands_by_a_key(tmp_path):
    made = made_results(2, arms=4, runs=4, horizon=100)
    analysis = {
        name: getattr(made, name)
        for name in ("theory", "scalars", "claims", "outcomes", "plays", "slopes", "league")
    }
    keys = (made.name, made.title, made.policies, made.problem, made.arms, made.summary, analysis)
    wide = make_results(*keys, bands="simultaneous")
    assert (wide.rows("regret", "expected")["ci_low"]).equals(
        made.rows("regret", "expected")["sup_low"]
    )
    wide.save(tmp_path)
    assert Results.load(tmp_path).bands == "simultaneous" and made.bands == "pointwise"


def test_a_folder_without_results_is_named(tmp_path):
    with pytest.raises(UserError, match=r"holds no results: results\.json is not there"):
        Results.load(tmp_path)


@pytest.mark.parametrize("damage", ["cut", "empty", "binary", "key", "list"])
def test_a_damaged_record_is_named(tmp_path, damage):
    made_results(1, arms=4, runs=2, horizon=100).save(tmp_path)
    path = tmp_path / "results.json"
    whole = path.read_bytes()
    path.write_bytes(
        {
            "cut": whole[: len(whole) // 2],
            "empty": b"",
            "binary": whole + b"\xfb",
            "key": whole.replace(b'"scalars"', b'"scalbrs"'),
            "list": b"[]",
        }[damage]
    )
    with pytest.raises(UserError, match=r"results\.json is not the record .* delete it"):
        Results.load(tmp_path)
