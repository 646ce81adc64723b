"""Results: saved into one folder and read back from it alone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.layout import FRAMES, RESULT_FILES
from lincon.analysis.results import Results
from lincon.data import arms
from lincon.errors import UserError
from lincon.problem.goal import Constraint, Goal
from tests.unit.analysis.made_runs import results_of, small

SPREAD = np.linspace(-0.01, 0.01, 4)
TWO = {"a": (0.15 + SPREAD, 0.5), "b": (0.12 + SPREAD, 0.45)}


def test_results_come_back_as_they_were_and_give_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        made = results_of(TWO, made=replace(small(), unit="EUR", scale=2.5), compare=("a", "b"))
        made.save(tmp_path / name)
    read = Results.load(tmp_path / "one")
    for name in FRAMES:
        pd.testing.assert_frame_equal(getattr(read, name), getattr(made, name))
    for name in ("name", "title", "problem", "policies", "lower_bound", "keeping", "runs_needed"):
        assert getattr(read, name) == getattr(made, name), name
    assert (read.horizon, read.runs, read.unit, read.scale) == (1_000, 4, "EUR", 2.5)
    assert list(read.tolerances) == pytest.approx([0.5 * np.sqrt(1_000)])
    assert read.lower_bound == pytest.approx(read.theory["lower_bound"].sum())
    assert {path.name for path in (tmp_path / "one").iterdir()} == set(RESULT_FILES)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_without_a_comparison_there_are_no_claims(tmp_path):
    made = results_of(TWO)
    made.save(tmp_path)
    assert made.claims.empty and Results.load(tmp_path).claims.empty
    assert results_of(TWO, compare=("a", "elsewhere")).claims.empty


def test_a_share_of_plays_is_a_share_and_a_cost_is_not():
    goal = Goal((Constraint("mine", 0.0, "value", "at_most", 0.9),), value=1.0)
    assert results_of(TWO, made=arms.make([0.4, 0.6, 0.5], [1.0, 0.0, 1.0]), goal=goal).is_share(0)
    assert not results_of(TWO, made=small(), goal=goal).is_share(0)


def test_a_folder_without_results_is_named(tmp_path):
    with pytest.raises(UserError, match=r"holds no results: results\.json is missing"):
        Results.load(tmp_path)


@pytest.mark.parametrize("damage", ["cut", "binary", "digit", "list"])
def test_a_damaged_record_is_named(tmp_path, damage):
    results_of(TWO).save(tmp_path)
    path = tmp_path / "results.json"
    whole = path.read_bytes()
    damaged = {"cut": whole[: len(whole) // 2], "binary": whole + b"\xfb", "list": b"[]"}
    damaged["digit"] = whole.replace(b"0.5", b"0.4", 1)
    path.write_bytes(damaged[damage])
    with pytest.raises(UserError, match=r"results\.json cannot be read as the record .* delete it"):
        Results.load(tmp_path)
