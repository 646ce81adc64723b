"""The answer in sentences: every number in it is one of the tables."""

import numpy as np
import pytest

from lincon.page import sentences
from lincon.page.sentences import answer_of_sweep, figures, percent
from tests.unit.page.made_results import HOSTILE, LINKS, made_results, made_sweep


@pytest.fixture(scope="module")
def in_euros():
    return made_results(2, unit="EUR", scale=250.0)


def test_the_best_possible_is_said_in_names_and_units(in_euros):
    (line,) = [line for line in sentences([in_euros]) if "best possible" in line]
    problem = in_euros.problem
    for arm, share in zip(problem.support, problem.shares, strict=True):
        assert f"{LINKS[arm]} ({100 * share:.3g}%)" in line
    assert f"{250.0 * problem.optimum:.3g} EUR a round at an event rate of 30%" in line


def test_each_policy_has_its_sentence_with_the_numbers_of_the_league(in_euros):
    lines = sentences([in_euros])
    for _, row in in_euros.league.iterrows():
        label = in_euros.labels[row["policy"]]
        (line,) = [line for line in lines if line.strip().startswith(f"{label}: ")]
        assert f"event rate {100 * row['event_rate']:.4g}% against the floor of 30%" in line
        assert f"{100 * row['share_of_optimum']:.3g}% of the optimum's reward" in line
        assert f"{figures(row['worst_deficit'])} in the worst run" in line
        regret = in_euros.rows("regret", "expected")
        regret = regret[regret["policy"] == row["policy"]]["mean"].iloc[-1]
        assert f"regret {250 * regret:,.0f} EUR" in line


def test_a_policy_is_recommended_and_the_certainty_is_said(in_euros):
    text = "\n".join(sentences([in_euros]))
    assert "use LinConTS" in text
    assert "told apart from the others with 8 runs" in text


def test_two_that_cannot_be_told_apart_are_said_to_be_so():
    text = "\n".join(sentences([made_results(2, gap=0.0)]))
    assert "these two cannot be told apart with 8 runs" in text


def test_rounds_until_the_floor_is_kept(in_euros):
    many = made_results(18)
    lines = sentences([many])
    kept = many.league[many.league["floor_met"] > 0].iloc[0]
    start = many.labels[kept["policy"]] + ": "
    (line,) = [line for line in lines if line.strip().startswith(start)]
    assert f"floor kept at T in {kept['floor_met']} of 8 runs" in line
    assert "floor not kept at T = 5,000 in any run" in "\n".join(sentences([in_euros]))


def test_a_stand_in_is_the_first_thing_said():
    lines = sentences([made_results(2, source="standin", name="coupon")])
    assert lines[0] == "Stand-in arms, not the real data: coupon."
    assert not any("real data" in line for line in sentences([made_results(2)]))


def test_a_floor_out_of_reach_is_said_plainly():
    text = "\n".join(sentences([made_results(2, eta=0.7)]))
    assert "No policy can meet a floor of 70%" in text
    assert "nan" not in text


def test_labels_come_out_as_they_are():
    text = "\n".join(sentences([made_results(4, policy_labels=HOSTILE)]))
    assert all(label in text for label in HOSTILE)


def test_nearly_all_is_not_all():
    assert percent(0.9996) == "99.96%"
    assert percent(np.nan) == "undefined"


def test_a_sweep_has_an_answer_too():
    answer = answer_of_sweep(made_sweep(("eta",), count=2))
    assert answer.heading == "Sweep over eta: 6 points, 8 runs each."
    leads, floor = answer.advice
    assert "has the least mean composite regret at" in leads and "of 5 points" in leads
    assert floor == "The floor is out of reach at 1 and does not bind at 1 of 6 points."
