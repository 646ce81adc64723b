"""Slopes by decade: of curves whose slopes are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.slopes import decades, slope, slopes, to_markdown
from tests.unit.analysis.made_runs import runs_of, small_problem


def growing(t: np.ndarray, rates: list[float], late: float) -> pd.DataFrame:
    """Composite regret rate * log t until round 1,000, and late * rate * log t from there on."""
    problem = small_problem()
    frame = runs_of(t, np.full(len(rates), problem.optimum), np.full(len(rates), problem.eta))
    grown = np.log(t) + (late - 1.0) * np.maximum(np.log(t / 1000.0), 0.0)
    for run, rate in enumerate(rates):
        frame.loc[frame["run"] == run, "expected_reward"] -= rate * grown
    return frame


def test_decades_end_at_the_last_round_and_begin_after_the_first_plays():
    assert decades(np.array([1, 10_000]), 3) == [(10, 100), (100, 1000), (1000, 10_000)]
    assert decades(np.array([1, 50_000]), 290) == [(500, 5000), (5000, 50_000)]
    assert decades(np.array([1, 100]), 20) == []


def test_the_slope_of_every_decade_is_found_with_its_interval():
    t = np.unique(np.geomspace(1, 10_000, 200).astype(int))
    frame = slopes({"a": growing(t, [1.0, 3.0], 0.5)}, small_problem(), 4.0)
    assert frame["first"].tolist() == [10, 100, 1000] and set(frame["n_runs"]) == {2}
    assert frame["slope"].to_numpy() == pytest.approx([2.0, 2.0, 1.0])
    assert frame["ratio"].to_numpy() == pytest.approx([0.5, 0.5, 0.25])
    # Two runs, 1 apart from their mean: half the width is t(0.975; 1) times 1.
    half = (frame["ci_high"] - frame["ci_low"]).to_numpy() / 2
    assert half == pytest.approx(np.array([1.0, 1.0, 0.5]) / 4 * 12.706204736)


def test_a_curve_that_does_not_grow_has_no_slope():
    """Not one of 1e-15: above a bound of 0 it would stand as "not yet at this T"."""
    t = np.unique(np.geomspace(1, 300, 40).astype(int))
    assert (
        slope(t, np.repeat([[2.0], [8.0], [1 / 3]], t.size, axis=1), t >= 30).tolist() == [0.0] * 3
    )


def test_rows_in_any_order_and_one_run_without_an_interval():
    t = np.unique(np.geomspace(1, 1000, 100).astype(int))
    runs = growing(t, [2.0], 1.0)
    shuffled = slopes({"a": runs.sample(frac=1.0, random_state=1)}, small_problem(), 2.0)
    pd.testing.assert_frame_equal(shuffled, slopes({"a": runs}, small_problem(), 2.0))
    assert shuffled["ratio"].to_numpy() == pytest.approx(1.0)
    assert shuffled["ci_low"].isna().all()


@pytest.mark.parametrize("bound", [0.0, np.nan])
def test_where_the_lower_bound_has_no_slope_there_is_nothing_to_hold_against(bound):
    t = np.arange(1, 1001)
    frame = slopes({"a": growing(t, [1.0, 2.0], 1.0)}, small_problem(), bound)
    assert frame.empty
    assert "no slope" in to_markdown(frame, small_problem(), {})


def test_the_table_has_a_row_a_policy_and_a_column_a_decade():
    t = np.unique(np.geomspace(1, 10_000, 200).astype(int))
    runs = {"a": growing(t, [1.0, 3.0], 1.0), "b": growing(t, [4.0], 1.0)}
    text = to_markdown(slopes(runs, small_problem(), 4.0), small_problem(), {"a": "A|B"})
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert rows[0] == "| policy | 10 to 100 | 100 to 1,000 | 1,000 to 10,000 |"
    assert rows[2].startswith("| A\\|B | 0.5 (-2.68 to 3.68) |") and rows[3].startswith("| b | 1 |")
