"""The atlas on frames made by hand, whose answers can be read off."""

import numpy as np
import pandas as pd
import pytest

from lincon.analysis import atlas
from lincon.report.atlas import markdown, sentence

LABELS = {"a": "Alpha", "b": "Be|ta", "c": "Gamma"}
# Slack, joint regret and share of runs that kept the floor: by joint regret alone a wins two.
TABLE = {
    0: (0.1, {"a": (10.0, 0.0), "b": (20.0, 1.0), "c": (40.0, 1.0)}),
    1: (0.1, {"a": (10.0, 0.0), "b": (30.0, 1.0), "c": (25.0, 0.5)}),
    2: (0.3, {"a": (50.0, 0.0), "b": (10.0, 0.0), "c": (20.0, 0.0)}),
}


def outcomes(table=TABLE, horizon: int = 100) -> pd.DataFrame:
    """Two runs of each, 1 above and 1 below the mean, in any order."""
    rows = [
        {"problem": problem, "arms": 5, "slack": slack, "correlation": 0.0, "near_optimal": 0}
        | {"horizon": horizon, "policy": policy, "run": run, "kept": run < 2 * kept}
        | {"joint_expected": joint + (1 if run else -1), "regret_expected": joint}
        | {"composite_expected": joint, "violation_0_expected": 0.0, "worst_shortfall_0": 3.0}
        for problem, (slack, policies) in table.items()
        for policy, (joint, kept) in policies.items()
        for run in range(2)
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=0)


@pytest.fixture
def made() -> atlas.Atlas:
    return atlas.analyse(outcomes(), ["a", "b", "c"])


def test_on_each_problem_feasibility_comes_first_and_factors_are_of_the_lowest(made):
    rows = made.problems.groupby("problem")
    assert rows["policy"].agg("".join).tolist() == ["bca", "bca", "bca"]
    assert made.problems["rank"].tolist() == [1, 2, 3] * 3
    assert made.problems["factor"].tolist() == [2, 4, 1, 3, 2.5, 1, 1, 2, 5]
    kept, sometimes, never = "kept", "sometimes", "never"
    groups = [kept, kept, never, kept, sometimes, never, never, never, never]
    assert made.problems["group"].tolist() == groups
    equal = atlas.analyse(outcomes({0: (0.1, {"a": (5.0, 1.0), "b": (5.0, 1.0)})}), ["a", "b"])
    assert equal.problems["rank"].tolist() == [1.5, 1.5]
    assert equal.ranks["mean_rank_low"].isna().all()
    assert sentence(equal, LABELS).endswith("not significantly different from that of Be|ta.")


def test_a_disaster_shows_in_the_tail_and_over_a_longer_play():
    table = {k: (0.1, {"a": (10.0, 1.0), "b": (900.0 if k > 7 else 5.0, 1.0)}) for k in range(10)}
    later = {0: (0.1, {"a": (70.0, 1.0), "b": (700.0, 1.0)})}
    both = pd.concat([outcomes(table), outcomes(later, 10_000)])
    made = atlas.analyse(both, ["a", "b"])
    assert made.problems["problem"].nunique() == 10, "the map is of the short horizon"
    row = made.ranks.set_index("policy").loc["b"]
    assert row["median_factor"] == 1.0 and row["mean_rank"] < 1.5
    assert row["q90_factor"] == row["worst_factor"] == 90.0
    assert row["relative"] == pytest.approx((0.5**8 * 90.0**2) ** 0.1)
    assert row["long_factor"] == row["long_worst_factor"] == 10.0


def test_the_map_names_the_best_of_a_cell_and_its_margin(made):
    cells = made.winners.set_index("slack")
    assert cells["policy"].tolist() == ["b", "b"] and cells["group"].tolist() == ["kept", "never"]
    assert cells["margin"].tolist() == [np.inf, 2.0], "c keeps it on one problem of two"
    assert cells["n_problems"].tolist() == [2, 1]


def test_ranks_have_intervals_over_problems(made):
    table = {k: (0.1, {"a": (1.0, 1.0), "b": (2.0 if k else 0.5, 1.0)}) for k in range(3)}
    row = atlas.analyse(outcomes(table), ["b", "a"]).ranks.set_index("policy").loc["b"]
    assert row["mean_rank"] == pytest.approx(5 / 3) and row["first_on"] == pytest.approx(1 / 3)
    # t with 2 degrees of freedom: 4.3027 standard errors of (1, 2, 2); paired, of (-1, 1, 1).
    half = 4.302653 * np.std([1, 2, 2], ddof=1) / np.sqrt(3)
    assert row["mean_rank_high"] - row["mean_rank"] == pytest.approx(half, rel=1e-6)
    assert row["behind"] == pytest.approx(1 / 3)
    assert row["behind_high"] - row["behind"] == pytest.approx(2 * half, rel=1e-6)
    assert made.ranks.set_index("policy").loc["b", "keeps_on"] == pytest.approx(2 / 3)


def test_the_sentence_says_who_ranks_first(made):
    assert sentence(made, LABELS) == (
        "Over 3 problems Be|ta ranks first, feasibility before joint regret: mean rank 1 (1 to 1) "
        "of 3. It keeps the floor on 66.7% of them; the next, Gamma, is 1 (1 to 1) ranks behind "
        "(paired)."
    )


def test_the_text_has_a_table_that_no_label_breaks(made):
    about = {"title": "Three", "bound": "eta = 0.5", "horizon": 100, "runs": 2}
    for one in (made, atlas.analyse(outcomes({0: TABLE[0]}), ["a", "b", "c"])):
        text = markdown(one, LABELS, about)
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        assert len({line.replace("\\|", "").count("|") for line in rows}) == 1
        assert "problems, eta = 0.5, T = 100" in text and "nan" not in text
