"""The league: who is ahead, who cannot be told apart, and the answer in sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.league import league, pairs
from lincon.analysis.league_text import answer, kept_from, rows, to_latex, to_markdown
from lincon.analysis.outcomes import outcomes
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import runs_of, small, small_problem

T = np.array([1, 100, 1_000])
RUNS = 8
WOBBLE = np.linspace(-0.004, 0.004, RUNS)
SHUFFLED = WOBBLE[[3, 6, 0, 5, 2, 7, 1, 4]]
LABELS = {"good": "Good & $5", "twin": "Twin_1", "bad": "Bad", "oracle": "Oracle"}


def played(**policies: tuple[np.ndarray, float]) -> dict[str, pd.DataFrame]:
    return {
        name: runs_of(T, reward, np.full(RUNS, events))
        for name, (reward, events) in policies.items()
    }


@pytest.fixture
def table() -> pd.DataFrame:
    series = played(
        bad=(0.10 + WOBBLE, 0.49),
        good=(0.17 + WOBBLE, 0.49),
        twin=(0.1699 + SHUFFLED, 0.50),
        oracle=(np.full(RUNS, 0.175), 0.5),
    )
    ended = outcomes(series, small_problem(), RUNS)
    return league(ended, small_problem(), 1_000, references=("oracle",))


def test_outcomes_are_those_of_the_last_round():
    ended = outcomes(played(a=(0.1 + WOBBLE, 0.45)), small_problem(), RUNS)
    assert ended["signed_violation_realised"].tolist() == pytest.approx([50.0] * RUNS)
    assert ended["regret_expected"].tolist() == pytest.approx((75.0 - 1_000 * WOBBLE).tolist())
    expected = 75.0 - 1_000 * WOBBLE + 0.25 * 50.0
    assert ended["composite_expected"].tolist() == pytest.approx(expected.tolist())
    assert not ended["floor_met"].any()
    assert ended["worst_deficit"].tolist() == pytest.approx([50.0] * RUNS)
    assert ended["last_deficit"].tolist() == [1_000.0] * RUNS


def test_outcomes_take_the_deficits_that_the_run_kept():
    series = played(a=(0.1 + WOBBLE, 0.5))
    series["a"] = series["a"].assign(worst_shortfall_0=7.0, last_shortfall_0=35)
    ended = outcomes(series, small_problem(), RUNS)
    assert ended["floor_met"].all()
    assert ended["worst_deficit"].tolist() == [7.0] * RUNS
    assert ended["last_deficit"].tolist() == [35.0] * RUNS


def test_the_best_first_ties_as_ties_oracles_apart(table):
    assert table["policy"].tolist() == ["twin", "good", "bad", "oracle"]
    assert table["rank"].tolist() == ["1=", "1=", "3", ""]
    assert table["tied"].tolist() == [True, True, False, False]
    row = table.set_index("policy").loc["bad"]
    assert row["behind"] == pytest.approx(69.9 + 2.5, abs=1e-6)
    assert row["behind_low"] < row["behind"] < row["behind_high"]
    assert row["p_holm"] == pytest.approx(min(1.0, row["p_value"] * 2)) or row["p_holm"] < 1e-6
    assert table["floor_met"].tolist() == [RUNS, 0, 0, RUNS]


def test_all_pairs_are_corrected_for():
    rng = np.random.default_rng(1)
    false = 0
    for _ in range(200):
        by_run = pd.DataFrame(rng.normal(size=(16, 10)), columns=list("abcdefghij"))
        order = by_run.mean().sort_values().index
        found = pairs(by_run, list(order), 1)
        false += (found["p_holm"] < 0.05).any()
    assert false / 200 <= 0.09, "of ten equal policies some pair was told apart too often"


def test_one_run_tells_nothing_apart():
    series = {
        name: runs_of(T, np.array([reward]), np.array([0.5]))
        for name, reward in (("a", 0.17), ("b", 0.1))
    }
    found = league(outcomes(series, small_problem(), 1), small_problem(), 1_000)
    assert found["tied"].all() and found["rank"].tolist() == ["1=", "1="]


def test_identical_policies_tie():
    series = played(a=(0.17 + WOBBLE, 0.5), b=(0.17 + WOBBLE, 0.5))
    found = league(outcomes(series, small_problem(), RUNS), small_problem(), 1_000)
    assert found["tied"].all() and found["behind"].tolist() == [0.0, 0.0]


def test_the_answer_in_three_sentences(table):
    said = answer(table, small_problem(), small(), LABELS, 1_000, "Small arms", "EUR", 10.0)
    assert len(said) == 3
    assert said[0].startswith(
        "On Small arms (3 arms) at a floor of 50% over 1,000 rounds, use Twin_1"
    )
    assert "or Good & $5: these two cannot be told apart with 8 runs" in said[0]
    assert "arm 0 (50%) and arm 1 (50%): 1.75 EUR a round" in said[1]
    assert "51 EUR less" in said[1] and "97.1%" in said[1]
    assert "Twin_1 met the floor at the end in 8 of 8 runs" in said[2]
    assert "never below it" in said[2]


def test_of_many_that_cannot_be_told_apart_some_are_named():
    series = played(**dict.fromkeys("abcdefgh", (0.17 + WOBBLE, 0.5)))
    found = league(outcomes(series, small_problem(), RUNS), small_problem(), 1_000)
    said = answer(found, small_problem(), small(), {}, 1_000)[0]
    assert "or b, c, d, e and 3 more: the others of these 8 cannot be told from a" in said


def test_the_answer_where_one_policy_is_best():
    series = played(a=(0.17 + WOBBLE, 0.49), b=(0.10 + WOBBLE, 0.5))
    found = league(outcomes(series, small_problem(), RUNS), small_problem(), 1_000)
    said = answer(found, small_problem(), small(), {"a": "A", "b": "B"}, 1_000)
    assert "use A, though it misses the floor: its composite regret" in said[0]
    assert "least of 2 policies" in said[0]
    assert "B did so in 8, for 67.5 more composite regret" in said[2]
    assert "not kept for good before the end" in said[2]


def test_what_is_no_worse_than_the_best_need_not_be_alike():
    """A noisy leader cannot be told from either; the two others are told from each other."""
    noise = 40.0 * np.roll(WOBBLE, 3)
    series = played(
        noisy=(0.172 + noise, 0.49), calm=(0.170 + WOBBLE / 8, 0.49), late=(0.160 + WOBBLE / 9, 0.5)
    )
    ended = outcomes(series, small_problem(), RUNS)
    found = league(ended, small_problem(), 1_000)
    assert found["policy"].tolist() == ["noisy", "calm", "late"] and found["tied"].all()
    by_run = ended.pivot(index="run", columns="policy", values="composite_expected")
    alike = pairs(by_run, found["policy"].tolist(), 1_000).set_index(["first", "second"])
    assert alike.loc[("calm", "late"), "p_holm"] < 0.001
    (which, *_) = answer(found, small_problem(), small(), {}, 1_000)
    assert "use late" in which
    assert "the others of these 3 cannot be told from noisy, which has the least, with 8" in which


def test_a_safer_policy_may_have_less_regret_than_one_that_ties_by_its_noise():
    noise, met = 40.0 * np.roll(WOBBLE, 3), np.where(np.arange(RUNS) < 5, 0.5, 0.49)
    series = played(lead=(0.17 + WOBBLE / 8, 0.49), safe=(0.16 + WOBBLE / 8, 0.5))
    series["noisy"] = runs_of(T, 0.15 + noise, met)
    found = league(outcomes(series, small_problem(), RUNS), small_problem(), 1_000)
    assert found["policy"].tolist() == ["lead", "safe", "noisy"]
    assert found["rank"].tolist() == ["1=", "2", "1="]
    said = answer(found, small_problem(), small(), {}, 1_000)
    assert "noisy met the floor at the end in 5 of 8 runs" in said[2]
    assert "safe did so in 8, for 10.9 less composite regret" in said[2]


@pytest.mark.parametrize(("met", "used"), [(3, "lead"), (4, "noisy")])
def test_a_floor_that_is_missed_in_most_runs_does_not_decide(met, used):
    events = np.where(np.arange(RUNS) < met, 0.5, 0.49)
    series = played(lead=(0.17 + WOBBLE / 8, 0.49))
    series["noisy"] = runs_of(T, 0.15 + 40.0 * np.roll(WOBBLE, 3), events)
    found = league(outcomes(series, small_problem(), RUNS), small_problem(), 1_000)
    assert found["tied"].all()
    said = answer(found, small_problem(), small(), {}, 1_000)[0]
    assert f"use {used}" in said
    assert ("though it misses the floor" in said) == (used == "lead")
    assert ("the least regret comes first" in said) == (used == "lead")


def test_what_rounding_leaves_of_the_optimum_is_not_lost():
    rate = small_problem().optimum
    series = played(a=(np.full(RUNS, rate + 1e-15), 0.5))
    found = league(outcomes(series, small_problem(), RUNS), small_problem(), 1_000)
    said = answer(found, small_problem(), small(), {}, 1_000)
    assert said[1].endswith("this policy earned 0 less (100.0% of it).")


@pytest.mark.parametrize(("kept", "said"), [(3, "not by T"), (4, "not by T"), (5, "501")])
def test_the_floor_is_kept_in_the_median_run_if_more_than_half_keep_it(kept, said):
    series = played(a=(0.1 + WOBBLE, 0.5))
    last = np.where(np.arange(RUNS) < kept, 500, 1_000)
    series["a"] = series["a"].assign(
        worst_shortfall_0=7.0, last_shortfall_0=np.repeat(last, len(T))
    )
    found = league(outcomes(series, small_problem(), RUNS), small_problem(), 1_000)
    assert kept_from(found.iloc[0]) == said


def test_without_an_optimum_the_answer_says_so():
    problem = solve_problem(small(), 0.9)
    found = league(outcomes(played(a=(0.1 + WOBBLE, 0.5)), problem, RUNS), problem, 1_000)
    assert found["composite"].tolist() == pytest.approx([400.0])
    said = answer(found, problem, small(), {}, 1_000)
    assert said == [
        "No policy can meet a floor of 90% on small: its best arm has an event rate of 60%."
    ]


def test_tables_for_readers_are_escaped(table):
    cells = rows(table, LABELS)
    assert {len(row) for row in cells} == {8}
    text = to_markdown(table, LABELS, ["Use it."])
    assert r"Good & \$5" in text and r"Twin\_1" in text and "| reference | Oracle |" in text
    assert "8 of 8 runs" in text and "0 of 8 runs" in text
    latex = to_latex(table, LABELS)
    assert r"Good \& \$5" in latex and r"Twin\_1" in latex
    assert latex.count(r"\\") == 5 and r"\toprule" in latex
