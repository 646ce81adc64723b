"""The atlas on frames made by hand, whose answers can be read off."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lincon.analysis import atlas
from lincon.analysis.atlas_text import markdown, sentences

LABELS = {"a": "Alpha", "b": "Be|ta", "c": "Gamma"}
# Composite regret and share of runs that met the floor, by problem: a wins at a slack of 0.1.
TABLE = {
    0: (0.1, {"a": (10.0, 0.0), "b": (20.0, 1.0), "c": (40.0, 1.0)}),
    1: (0.1, {"a": (10.0, 0.0), "b": (30.0, 1.0), "c": (25.0, 0.0)}),
    2: (0.3, {"a": (50.0, 0.0), "b": (10.0, 0.0), "c": (20.0, 0.0)}),
}


def outcomes(table=TABLE) -> pd.DataFrame:
    """Two runs of each, 1 above and 1 below the mean."""
    rows = []
    for problem, (slack, policies) in table.items():
        for policy, (composite, met) in policies.items():
            for run in range(2):
                rows.append(
                    {
                        "problem": problem,
                        "arms": 5,
                        "slack": slack,
                        "correlation": 0.0,
                        "near_optimal": 0,
                        "policy": policy,
                        "run": run,
                        "composite_expected": composite + (1 if run else -1),
                        "regret_expected": composite,
                        "violation_expected": 0.0,
                        "floor_met": run < 2 * met,
                        "worst_deficit": 3.0,
                    }
                )
    return pd.DataFrame(rows)


@pytest.fixture
def made() -> atlas.Atlas:
    return atlas.analyse(outcomes().sample(frac=1, random_state=0), ["a", "b", "c"])


def test_each_problem_has_means_factors_and_ranks(made):
    frame = made.problems
    assert frame["policy"].tolist() == ["a", "b", "c"] * 3
    assert frame["composite"].tolist() == [10, 20, 40, 10, 30, 25, 50, 10, 20]
    assert frame["factor_composite"].tolist() == [1, 2, 4, 1, 3, 2.5, 5, 1, 2]
    assert frame["rank_composite"].tolist() == [1, 2, 3, 1, 3, 2, 3, 1, 2]
    assert (frame["n_runs"] == 2).all()


def test_who_fails_the_floor_is_infinitely_far_and_shares_the_last_ranks(made):
    frame = made.problems
    assert frame["factor_floor"].tolist() == [np.inf, 1, 2, np.inf, 1, *[np.inf] * 4]
    assert frame["rank_floor"].tolist() == [3, 1, 2, 2.5, 1, 2.5, 2, 2, 2]


def test_the_map_names_the_least_mean_of_a_cell_and_its_margin(made):
    cells = made.winners.set_index(["criterion", "slack"])
    assert cells.loc[("composite", 0.1), "policy"] == "a"
    assert cells.loc[("composite", 0.1), "margin"] == pytest.approx(25.0 / 10.0)
    assert cells.loc[("composite", 0.3), "policy"] == "b"
    assert cells.loc[("floor", 0.1), "policy"] == "b"
    assert cells.loc[("floor", 0.1), "margin"] == pytest.approx(32.5 / 25.0)
    assert cells.loc[("floor", 0.3), "policy"] == ""
    assert cells["n_problems"].tolist() == [2, 1, 2, 1]


def test_profiles_count_problems_within_a_factor(made):
    def share(criterion, policy, factor):
        rows = made.profiles
        rows = rows[(rows["criterion"] == criterion) & (rows["policy"] == policy)]
        return rows[rows["factor"] <= factor]["share"].iloc[-1]

    assert share("composite", "a", 1.0) == pytest.approx(2 / 3)
    assert share("composite", "a", 4.9) == pytest.approx(2 / 3)
    assert share("composite", "a", 5.1) == 1.0
    assert share("floor", "b", 32.0) == pytest.approx(2 / 3)
    assert share("floor", "a", 32.0) == 0.0


def test_ranks_have_intervals_over_problems(made):
    rows = made.ranks[made.ranks["criterion"] == "composite"].set_index("policy")
    assert rows.loc["a", "mean_rank"] == pytest.approx(5 / 3)
    # t with 2 degrees of freedom: 4.3027 standard errors of (1, 1, 3).
    half = 4.302653 * np.std([1, 1, 3], ddof=1) / np.sqrt(3)
    assert rows.loc["a", "ci_high"] - rows.loc["a", "mean_rank"] == pytest.approx(half, rel=1e-6)
    assert rows.loc["a", "behind"] == 0.0
    assert rows.loc["b", "best_on"] == pytest.approx(1 / 3)
    assert rows.loc["c", "within_two"] == pytest.approx(1 / 3)
    assert rows.loc["b", "meets_floor_on"] == pytest.approx(2 / 3)
    assert rows.index[0] == "a"


def test_the_sentences_say_what_the_numbers_say(made):
    overall, along, floor = sentences(made, LABELS)
    assert "Over 3 problems Alpha has the least mean rank" in overall
    assert "cannot be told from that of Be|ta and Gamma" in overall
    assert "slack of 0.1 Alpha has the least composite regret most often, on 2 of 2" in along
    assert "slack of 0.3 Be|ta has the least composite regret most often, on 1 of 1" in along
    assert "on more problems than Be|ta, which does on 67%" in floor
    assert floor.endswith("Alpha meets it on 0%.")


def test_who_wins_as_often_is_named_too():
    table = {
        0: (0.1, {"a": (1.0, 1.0), "b": (2.0, 1.0)}),
        1: (0.1, {"a": (2.0, 1.0), "b": (1.0, 1.0)}),
    }
    along = sentences(atlas.analyse(outcomes(table), ["a", "b"]), LABELS)[1]
    assert along == (
        "At a slack of 0.1 Alpha and Be|ta have the least composite regret most often, on 1 of 2 "
        "problems each."
    )


def test_a_clear_lead_is_said_with_its_paired_interval():
    table = {
        i: (0.1, {"a": (1.5 + i, 1.0), "b": (9.0 + i, 1.0), "c": (20.0 + i, 1.0)}) for i in range(4)
    }
    made = atlas.analyse(outcomes(table), ["a", "b", "c"])
    overall = sentences(made, LABELS)[0]
    assert "the next, Be|ta, is 1.00 ranks behind (1.00 to 1.00, paired)" in overall


def test_one_problem_gives_ranks_without_intervals():
    made = atlas.analyse(outcomes({0: TABLE[0]}), ["a", "b", "c"])
    assert made.ranks["ci_low"].isna().all()
    assert "nan" not in markdown(made, LABELS, "One", 0.5, 100, 2)


def test_labels_do_not_break_the_table(made):
    text = markdown(made, LABELS, "Three", 0.5, 100, 2)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len({line.replace("\\|", "").count("|") for line in rows}) == 1
    assert "3 problems, eta = 0.5, T = 100" in text
