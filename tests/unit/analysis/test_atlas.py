"""The atlas on frames made by hand, whose answers can be read off."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lincon.analysis import atlas
from lincon.report.atlas import markdown, sentences

LABELS = {"a": "Alpha", "b": "Be|ta", "c": "Gamma"}
# Joint regret and share of runs that kept the floor, by problem: a wins at a slack of 0.1.
TABLE = {
    0: (0.1, {"a": (10.0, 0.0), "b": (20.0, 1.0), "c": (40.0, 1.0)}),
    1: (0.1, {"a": (10.0, 0.0), "b": (30.0, 1.0), "c": (25.0, 0.0)}),
    2: (0.3, {"a": (50.0, 0.0), "b": (10.0, 0.0), "c": (20.0, 0.0)}),
}


def outcomes(table=TABLE, horizon: int = 100) -> pd.DataFrame:
    """Two runs of each, 1 above and 1 below the mean."""
    rows = []
    for problem, (slack, policies) in table.items():
        for policy, (joint, kept) in policies.items():
            for run in range(2):
                rows.append(
                    {
                        "problem": problem,
                        "arms": 5,
                        "slack": slack,
                        "correlation": 0.0,
                        "near_optimal": 0,
                        "horizon": horizon,
                        "policy": policy,
                        "run": run,
                        "joint_expected": joint + (1 if run else -1),
                        "regret_expected": joint,
                        "violation_0_expected": 0.0,
                        "composite_expected": joint,
                        "kept": run < 2 * kept,
                        "worst_shortfall_0": 3.0,
                    }
                )
    return pd.DataFrame(rows)


@pytest.fixture
def made() -> atlas.Atlas:
    return atlas.analyse(outcomes().sample(frac=1, random_state=0), ["a", "b", "c"])


def test_each_problem_has_means_factors_and_ranks(made):
    frame = made.problems
    assert frame["policy"].tolist() == ["a", "b", "c"] * 3
    assert frame["joint"].tolist() == [10, 20, 40, 10, 30, 25, 50, 10, 20]
    assert frame["factor_joint"].tolist() == [1, 2, 4, 1, 3, 2.5, 5, 1, 2]
    assert frame["rank_joint"].tolist() == [1, 2, 3, 1, 3, 2, 3, 1, 2]
    assert (frame["n_runs"] == 2).all()


def test_who_keeps_the_floor_ranks_first_and_who_does_not_has_no_factor(made):
    frame = made.problems
    assert frame["group"].tolist() == ["never", "kept", "kept", "never", "kept", *["never"] * 4]
    assert frame["factor_kept"].tolist() == [np.inf, 1, 2, np.inf, 1, *[np.inf] * 4]
    assert frame["rank_kept"].tolist() == [3, 1, 2, 2, 1, 3, 3, 1, 2]


def test_half_of_the_runs_is_not_kept_but_sometimes():
    made = atlas.analyse(outcomes({0: (0.1, {"a": (1.0, 0.5), "b": (9.0, 0.0)})}), ["a", "b"])
    assert made.problems["group"].tolist() == ["sometimes", "never"]


def test_a_disaster_shows_in_the_tail():
    table = {k: (0.1, {"a": (10.0, 1.0), "b": (900.0 if k > 7 else 5.0, 1.0)}) for k in range(10)}
    rows = atlas.analyse(outcomes(table), ["a", "b"]).ranks
    row = rows[rows["criterion"] == "joint"].set_index("policy").loc["b"]
    assert row["median_factor"] == 1.0 and row["mean_rank"] < 1.5
    assert row["q90_factor"] == row["worst_factor"] == 90.0


def test_what_a_longer_play_shows_stands_beside():
    later = {0: (0.1, {"a": (700.0, 1.0), "b": (70.0, 1.0), "c": (70.0, 1.0)})}
    both = pd.concat([outcomes(), outcomes(later, 10_000)])
    made = atlas.analyse(both, ["a", "b", "c"])
    assert made.problems["problem"].nunique() == 3, "the map is of the short horizon"
    rows = made.ranks[made.ranks["criterion"] == "joint"].set_index("policy")
    assert rows.loc["a", ["long_factor", "long_worst_factor"]].tolist() == [10.0, 10.0]
    alone = atlas.analyse(outcomes(), ["a", "b", "c"])
    assert alone.ranks["long_factor"].isna().all()
    assert "nan" not in markdown(alone, LABELS, "One", "eta = 0.5", 100, 2)


def test_the_map_names_the_lowest_mean_of_a_cell_and_its_margin(made):
    cells = made.winners.set_index(["criterion", "slack"])
    assert cells.loc[("joint", 0.1), "policy"] == "a"
    assert cells.loc[("joint", 0.1), "margin"] == pytest.approx(25.0 / 10.0)
    assert cells.loc[("joint", 0.3), "policy"] == "b"
    assert cells.loc[("kept", 0.1), "policy"] == "b"
    assert cells.loc[("kept", 0.1), "margin"] == np.inf, "c keeps it on one problem of two"
    assert cells.loc[("kept", 0.3), "policy"] == ""
    assert cells["n_problems"].tolist() == [2, 1, 2, 1]


def test_profiles_count_problems_within_a_factor(made):
    def share(criterion, policy, factor):
        rows = made.profiles
        rows = rows[(rows["criterion"] == criterion) & (rows["policy"] == policy)]
        return rows[rows["factor"] <= factor]["share"].iloc[-1]

    assert share("joint", "a", 1.0) == pytest.approx(2 / 3)
    assert share("joint", "a", 4.9) == pytest.approx(2 / 3)
    assert share("joint", "a", 5.1) == 1.0
    assert share("kept", "b", 32.0) == pytest.approx(2 / 3)
    assert share("kept", "a", 32.0) == 0.0


def test_ranks_have_intervals_over_problems(made):
    rows = made.ranks[made.ranks["criterion"] == "joint"].set_index("policy")
    assert rows.loc["a", "mean_rank"] == pytest.approx(5 / 3)
    # t with 2 degrees of freedom: 4.3027 standard errors of (1, 1, 3).
    half = 4.302653 * np.std([1, 1, 3], ddof=1) / np.sqrt(3)
    assert rows.loc["a", "ci_high"] - rows.loc["a", "mean_rank"] == pytest.approx(half, rel=1e-6)
    assert rows.loc["a", "behind"] == 0.0
    assert rows.loc["b", "best_on"] == pytest.approx(1 / 3)
    assert rows.loc["c", "within_two"] == pytest.approx(1 / 3)
    assert rows.loc["b", "keeps_on"] == pytest.approx(2 / 3)
    assert rows.index[0] == "a"


def test_the_sentences_say_what_the_numbers_say(made):
    overall, along, floor = sentences(made, LABELS)
    assert "Over 3 problems Be|ta ranks first" in overall
    assert "It keeps the floor on 66.7% of them" in overall
    assert "slack of 0.1 Be|ta ranks first on 2 of 2 problems" in along
    assert "slack of 0.3 Be|ta ranks first on 1 of 1 problems" in along
    assert floor.startswith("Be|ta keeps the floor on the most problems, 66.7%")
    assert "Alpha has the lowest mean rank by joint regret alone, keeps the floor on 0%" in floor


def test_a_clear_lead_is_said_with_its_paired_interval():
    table = {
        i: (0.1, {"a": (1.5 + i, 1.0), "b": (9.0 + i, 1.0), "c": (20.0 + i, 1.0)}) for i in range(4)
    }
    made = atlas.analyse(outcomes(table), ["a", "b", "c"])
    overall = sentences(made, LABELS)[0]
    assert "the next, Be|ta, is 1 (1 to 1) ranks behind (paired)" in overall


def test_one_problem_gives_ranks_without_intervals():
    made = atlas.analyse(outcomes({0: TABLE[0]}), ["a", "b", "c"])
    assert made.ranks["ci_low"].isna().all()
    assert "nan" not in markdown(made, LABELS, "One", "eta = 0.5", 100, 2)


def test_labels_do_not_break_the_table(made):
    text = markdown(made, LABELS, "Three", "eta = 0.5", 100, 2)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len({line.replace("\\|", "").count("|") for line in rows}) == 1
    assert "3 problems, eta = 0.5, T = 100" in text
