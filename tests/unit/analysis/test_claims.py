"""Claims: made-up runs in which each verdict must come out, and what goes into a verdict."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lincon.analysis import claims
from lincon.analysis.claims import (
    FAILS,
    HOLDS,
    MEASURED,
    NOT_YET,
    UNDECIDED,
    check_claims,
    verdict,
)
from lincon.analysis.claims_text import to_markdown
from lincon.analysis.theory import bounds, theory_table
from lincon.data import arms
from lincon.errors import UserError
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import runs_of, small

T = np.unique(np.rint(np.geomspace(1, 10_000, 60))).astype(int)
RUNS = 8
SPREAD = np.linspace(-0.01, 0.01, RUNS)
NAMES = {"new": "The new one", "old": "The old one"}


def check(new: pd.DataFrame, old: pd.DataFrame, runs: int = RUNS, eta: float = 0.5):
    """The claims about `new` against `old`, indexed by quantity for the expected basis."""
    problem = solve_problem(small(), eta)
    table = theory_table(small(), problem, 0.1)
    return check_claims({"new": new, "old": old}, problem, table, "new", "old", runs, 2_000, 1)


def compared(frame: pd.DataFrame, basis: str = "expected") -> pd.DataFrame:
    rows = frame[(frame["against"] == "old") & (frame["basis"] == basis)]
    return rows.set_index("quantity")


def theory(frame: pd.DataFrame, policy: str = "new") -> pd.DataFrame:
    rows = frame[(frame["against"] == "theory") & (frame["policy"] == policy)]
    return rows.set_index("quantity")


def series(reward: float, events: float, plays: np.ndarray | None = None) -> pd.DataFrame:
    return runs_of(T, reward + SPREAD, events + SPREAD, plays)


def test_a_better_policy_and_a_worse_one():
    good, bad = series(0.15, 0.45), series(0.10, 0.40)
    for basis in ("expected", "realised"):
        rows = compared(check(good, bad), basis)
        assert rows["verdict"].tolist() == [HOLDS] * 5
        assert rows["share_of_runs"].tolist() == rows["share_of_time"].tolist() == [1.0] * 5
    rows = compared(check(bad, good))
    assert rows["verdict"].tolist() == [FAILS] * 5
    assert rows["share_of_runs"].tolist() == [0.0] * 5


def test_differences_are_paired_and_signed():
    rows = compared(check(series(0.15, 0.45), series(0.10, 0.40)))
    # Pairs share their luck, so the spread over runs is not in the difference.
    assert rows.loc["reward", ["difference", "ci_low", "ci_high"]].tolist() == pytest.approx(
        [500.0] * 3
    )
    assert rows.loc["regret", "difference"] == pytest.approx(-500.0)
    assert rows.loc["violation", "difference"] == pytest.approx(-500.0)
    assert rows.loc["composite", "difference"] == pytest.approx(-625.0)
    assert rows.loc["violation", ["value", "reference"]].tolist() == pytest.approx([500, 1000])
    assert rows.loc["ratio", "difference"] == pytest.approx(1500 / 500 - 1000 / 1000)


def test_noise_without_a_difference_is_undecided():
    shuffled = runs_of(T, 0.10 + SPREAD[::-1], 0.40 + SPREAD[::-1])
    rows = compared(check(series(0.10, 0.40), shuffled))
    assert rows["verdict"].tolist() == [UNDECIDED] * 5
    assert (rows["ci_low"] < 0).all() and (rows["ci_high"] > 0).all()
    assert rows.loc["reward", "share_of_runs"] == 0.5


def test_a_policy_is_not_better_than_itself():
    rows = compared(check(series(0.10, 0.40), series(0.10, 0.40)))
    assert rows["verdict"].tolist() == [UNDECIDED] * 5
    assert rows["share_of_runs"].tolist() == rows["share_of_time"].tolist() == [0.0] * 5


def test_one_claim_may_hold_where_another_fails():
    rows = compared(check(series(0.15, 0.40), series(0.10, 0.45)))
    assert rows["verdict"].to_dict() == {
        "regret": HOLDS,
        "violation": FAILS,
        "reward": HOLDS,
        "ratio": FAILS,
        "composite": HOLDS,
    }


def test_one_run_decides_nothing():
    new, old = (runs_of(T, np.array([x]), np.array([x])) for x in (0.15, 0.10))
    frame = check(new, old, runs=1)
    assert set(frame["verdict"]) == {UNDECIDED, MEASURED}
    assert frame["ci_low"].isna().all()
    assert compared(frame).loc["reward", "difference"] == pytest.approx(500.0)


def test_the_share_of_time_counts_rounds_and_not_records():
    # Behind until round 2,500 and ahead from there on: three quarters of the time.
    t = np.array([1, 3, 10, 100, 1_000, 2_500, 5_000, 10_000])
    new, old = (runs_of(t, 0.1 + SPREAD, 0.4 + SPREAD) for _ in range(2))
    for name in ("reward", "expected_reward"):
        new[name] += np.where(new["t"] > 2_500, 5.0, -5.0) * (1.0 + 0.01 * new["run"])
    rows = compared(check(new, old))
    assert rows.loc["reward", "share_of_time"] == pytest.approx(7_500 / (10_000 - 3))
    assert rows.loc["reward", "verdict"] == HOLDS


def test_a_ratio_without_violation_is_undefined_and_undecided():
    rows = compared(check(series(0.15, 0.60), series(0.10, 0.40)))
    assert math.isnan(rows.loc["ratio", "difference"])
    assert rows.loc["ratio", "verdict"] == UNDECIDED
    assert rows.loc["ratio", "share_of_runs"] == 1.0
    assert rows.loc["violation", "verdict"] == HOLDS


def test_growth_is_held_against_the_coefficients_of_theory():
    sums = bounds(
        theory_table(small(), solve_problem(small(), 0.5), 0.1), solve_problem(small(), 0.5)
    )
    wobble = 1.0 + 0.2 * np.linspace(-1, 1, RUNS)[:, None]
    slow, fast, about = (
        np.rint(x * sums.plays_slope * wobble * np.log(T)) for x in (0.5, 2.0, 1.0)
    )
    for plays, expected in ((slow, HOLDS), (fast, NOT_YET), (about, UNDECIDED)):
        frame = check(series(0.15, 0.45, plays), series(0.15, 0.45))
        row = theory(frame).loc["suboptimal slope"]
        assert row["verdict"] == expected
        assert row["reference"] == pytest.approx(sums.plays_slope)


def test_the_slope_of_composite_regret_is_measured_in_c_and_judged_by_nobody():
    problem = solve_problem(small(), 0.5)
    c = bounds(theory_table(small(), problem, 0.1), problem).lower_bound_slope
    frame = series(0.175, 0.5)
    twice = 2.0 * c * np.log(T) * (1.0 + 0.1 * SPREAD[:, None] / 0.01)
    frame["expected_reward"] = np.tile(0.175 * T, RUNS) - twice.ravel()
    frame["expected_events"] = np.tile(0.5 * T, RUNS)
    row = theory(check(frame, series(0.1, 0.4))).loc["composite slope / C"]
    assert row["value"] == pytest.approx(2.0, rel=1e-3)
    assert row["ci_low"] < 1.0 < row["ci_high"], "the interval is that of value - 1"
    assert row["ci_high"] - row["ci_low"] < 0.5
    assert row["verdict"] == row["verdict_alone"] == MEASURED
    text = to_markdown(check(frame, series(0.1, 0.4)), problem, NAMES)
    assert "composite regret grows" not in text
    assert "| slope of composite regret / C of the lower bound | The new one | 2 |" in text


def test_one_arm_is_at_its_bound_of_zero_and_rounding_is_no_verdict():
    made = arms.make([0.7], [0.3], dataset="one")
    problem = solve_problem(made, 0.5)
    frame = runs_of(T, np.full(RUNS, 0.21), np.full(RUNS, 0.7))
    frame["expected_reward"] -= 1e-14 * frame["t"] * (1 + frame["run"])
    table = theory_table(made, problem, 0.1)
    series = {"new": frame, "old": frame.assign(expected_reward=frame["expected_reward"] + 1e-10)}
    checked = check_claims(series, problem, table, "new", "old", RUNS, 500, 1)
    bound = theory(checked).loc["regret"]
    assert (bound["value"], bound["reference"], bound["verdict"]) == (0.0, 0.0, HOLDS)
    assert set(compared(checked)["verdict_alone"]) == {UNDECIDED}


def test_verdicts_are_corrected_for_their_number():
    # Six true differences of nothing, one that is seen at 5% when looked at alone.
    rng = np.random.default_rng(4)
    noise = rng.normal(size=RUNS)
    noise = 0.001 * ((noise - noise.mean()) / noise.std(ddof=1) + 1.0)
    new, old = series(0.1, 0.4), series(0.1, 0.4)
    new["reward"] += np.repeat(noise, T.size) * new["t"]
    row = compared(check(new, old), "realised").loc["reward"]
    assert row["p_value"] < 0.05 < row["p_holm"]
    assert (row["verdict_alone"], row["verdict"]) == (HOLDS, UNDECIDED)


def test_the_slope_is_that_of_the_last_decade():
    values = np.where(T < 1_000, 0.0, 3.0 * np.log(T / 1_000.0))[None, :]
    assert claims.last_decade_slope(T, values, 3) == pytest.approx([3.0], rel=1e-2)
    assert np.isnan(claims.last_decade_slope(T, values, 10_000)).all()


def test_the_bounds_hold_for_the_challenger_alone():
    close = runs_of(T, 0.174 + 0.1 * SPREAD, 0.499 + 0.1 * SPREAD)
    frame = check(close, series(0.10, 0.40))
    rows = theory(frame)
    assert rows.loc[["suboptimal", "regret", "violation"], "verdict"].tolist() == [HOLDS] * 3
    assert "regret" not in theory(frame, "old").index
    terrible = theory(check(series(-0.5, -0.5), series(0.10, 0.40)))
    assert terrible.loc[["regret", "violation"], "verdict"].tolist() == [NOT_YET] * 2


def test_without_an_optimum_only_what_is_defined_is_decided():
    frame = check(series(0.15, 0.45), series(0.10, 0.40), eta=0.9)
    verdicts = compared(frame)["verdict"]
    assert verdicts[["violation", "reward", "ratio"]].tolist() == [HOLDS] * 3
    assert verdicts[["regret", "composite"]].tolist() == [UNDECIDED] * 2
    assert set(theory(frame)["verdict"]) == {UNDECIDED}
    assert theory(frame).loc["composite slope / C", ["value", "ci_low"]].isna().all()


def test_verdicts_of_intervals():
    assert verdict(-2.0, -1.0, -1) == verdict(1.0, 2.0, 1) == HOLDS
    assert verdict(1.0, 2.0, -1) == verdict(-2.0, -1.0, 1) == FAILS
    assert verdict(-1.0, 1.0, 1) == verdict(0.0, 1.0, 1) == verdict(math.nan, 1.0, 1) == UNDECIDED


def test_the_same_seed_gives_the_same_table():
    new, old = series(0.15, 0.45), series(0.10, 0.40)
    pd.testing.assert_frame_equal(check(new, old), check(new, old))


def test_runs_that_do_not_pair_are_refused():
    new, old = series(0.15, 0.45), series(0.10, 0.40)
    with pytest.raises(UserError, match=r"old: .* missing \[3\]"):
        check(new, old[old["run"] != 3])
    with pytest.raises(UserError, match="new and old were not recorded at the same rounds"):
        check(new, old[old["t"] != T[5]])


def test_the_markdown_says_it_all():
    frame = check(series(0.15, 0.45), series(0.10, 0.40))
    problem = solve_problem(small(), 0.5)
    text = to_markdown(frame, problem, NAMES)
    assert text.startswith("# Claims: small, eta = 0.5, T = 10,000\n")
    assert "The new one against The old one, 8 runs" in text
    assert "| fewer violations | The new one | expected | 500 | 1,000 | -500 |" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert [row.count("|") for row in rows] == [12] * 17 + [5] * (2 + 8) + [5] * 4
    standin = replace(problem, source="standin", note="Not the real data")
    assert "**Not the real data**" in to_markdown(frame, standin, NAMES)
    assert "Not the real data" not in text


def test_what_the_runs_can_detect_and_what_pairing_gained():
    new, old = series(0.15, 0.45), series(0.10, 0.40)
    row = compared(check(new, old)).loc["reward"]
    assert row["detectable"] == pytest.approx(0.0, abs=1e-6), "pairs differ by a constant"
    assert row["variance_ratio"] == pytest.approx(0.0, abs=1e-9)
    shuffled = runs_of(T, 0.10 + SPREAD[::-1], 0.40 + SPREAD)
    row = compared(check(new, shuffled)).loc["reward"]
    assert row["variance_ratio"] == pytest.approx(2.0)
    assert row["detectable"] == pytest.approx(
        3.269762 * 2e4 * np.std(SPREAD, ddof=1) / np.sqrt(RUNS), rel=1e-5
    )
    text = to_markdown(check(new, shuffled), solve_problem(small(), 0.5), NAMES)
    assert "## What 8 runs can tell" in text and "| reward | expected |" in text


def test_the_markdown_of_undefined_numbers():
    frame = check(series(0.15, 0.45), series(0.10, 0.40), eta=0.9)
    text = to_markdown(frame, solve_problem(small(), 0.9), {})
    assert "nan" not in text
    assert "| lower regret | new | expected | undefined |" in text
