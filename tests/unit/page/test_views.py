"""Views: rows of the results, chosen and renamed."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lincon.page import views
from lincon.page.looks import looks
from lincon.page.sections import league_frame
from tests.unit.page.made_results import made_results


@pytest.fixture(scope="module")
def results():
    return made_results(3)


@pytest.fixture(scope="module")
def dressed(results):
    return looks(results.policies)


def test_curves_are_the_rows_of_the_summary(results, dressed):
    frame = views.curves(results, dressed, "violation")
    summary = results.summary[results.summary["metric"] == "violation"]
    assert len(frame) == len(summary)
    assert frame["mean"].tolist() == summary["mean"].tolist()
    assert set(frame["p"]) == {"p0", "p1", "p2"}


def test_the_plane_adds_up_to_the_composite_regret(results, dressed):
    frame = views.plane(results, dressed)
    frame = frame[frame["b"] == "expected"].set_index("p")
    for policy, look in dressed.items():
        row = results.league.set_index("policy").loc[policy]
        point = frame.loc[look.key]
        assert point["y"] == pytest.approx(row["regret"])
        assert point["x"] == pytest.approx(row["violation"])
        assert point["y"] + results.problem.price * point["x"] == pytest.approx(row["composite"])


def test_the_league_has_its_own_intervals_whatever_the_bands_hold(results, dressed):
    wide = results.summary.assign(
        ci_low=results.summary["sup_low"], ci_high=results.summary["sup_high"]
    )
    frame = league_frame(replace(results, summary=wide, bands="simultaneous"), dressed)
    assert frame["p"].tolist() == [dressed[policy].key for policy in results.league["policy"]]
    for ours, column in (("mean", "composite"), ("low", "ci_low"), ("high", "ci_high")):
        assert frame[ours].tolist() == results.league[column].tolist()
    beyond = made_results(2, eta=0.7)
    assert league_frame(beyond, looks(beyond.policies)).empty


def test_lines_of_equal_composite_regret_have_the_slope_of_the_price():
    points = pd.DataFrame({"x": [1.0, 40.0], "y": [3.0, 20.0]})
    lines = views.equal_composite(points, 0.5)
    slopes = (lines["y"] - lines["y2"]) / (lines["x2"] - lines["x"])
    assert slopes.to_numpy() == pytest.approx(0.5)
    assert views.equal_composite(points, None).empty
    assert views.equal_composite(points, 0.0).empty


def test_arms_have_the_plays_of_every_policy(results, dressed):
    frame = views.arms(results, dressed)
    assert frame["label"].tolist() == list(results.arms.label)
    plays = results.plays[results.plays["policy"] == "policy_1"]
    assert frame["p1"].to_numpy() == pytest.approx(plays["plays"].to_numpy())
    assert frame.loc[frame["optimal"], "share"].sum() == pytest.approx(1.0)


def test_of_a_million_arms_the_optimal_ones_are_kept():
    frame = pd.DataFrame({"optimal": False, "envelope": False}, index=range(1_000_000))
    frame.loc[[123_457, 765_431], "optimal"] = True
    kept = views.thinned(frame)
    assert kept["optimal"].sum() == 2
    assert len(kept) <= views.MOST_ARMS + 2


def test_plays_stand_beside_the_number_of_lemma_2(results, dressed):
    frame = views.plays(results, dressed)
    table = results.theory.set_index("label")
    row = frame.iloc[0]
    assert row["predicted"] == pytest.approx(np.log(5000) / table.loc[row["label"], "kl"])
    assert not table.loc[frame["label"], "optimal"].any()


def test_the_slope_is_that_of_the_lower_bound_and_stays_on_the_chart(results, dressed):
    line = views.slope(results, dressed)
    (t0, t1), (low, high) = line["t"], line["mean"]
    assert (high - low) / np.log(t1 / t0) == pytest.approx(results.scalars["lower_bound_slope"])
    assert high <= 1.05 * views.curves(results, dressed, "composite")["mean"].max() + 1e-9


def test_the_slope_hangs_from_those_that_learn(results):
    lowest = min(results.policies, key=lambda p: _composite(results, p)["mean"].iloc[-1])
    marked = results.policies[lowest] | {"reference": True}
    known = replace(results, policies=results.policies | {lowest: marked})
    line = views.slope(known, looks(known.policies))
    starts = [_composite(results, p) for p in results.policies if p != lowest]
    starts = [rows[rows["t"] == line["t"][0]]["mean"].iloc[0] for rows in starts]
    assert line["mean"][0] == pytest.approx(min(starts))


def _composite(results, policy):
    rows = results.rows("composite", "expected")
    return rows[rows["policy"] == policy]


def test_claims_are_in_per_cent_of_what_they_are_held_against(results, dressed):
    frame = views.claims(results, dressed)
    table = results.claims[results.claims["kind"] != "measurement"]
    first = table.iloc[0]
    assert frame["middle"].iloc[0] == pytest.approx(
        100 * first["difference"] / abs(first["reference"])
    )
    assert frame["verdict"].tolist() == table["verdict"].tolist()


def test_a_ratio_that_explodes_asks_for_a_log_axis():
    calm = pd.DataFrame({"mean": [0.0, 1.0, 2.0, 3.0]})
    assert not views.spans_decades(calm)
    assert views.spans_decades(pd.DataFrame({"mean": [1.0, 2.0, 3.0, 60_000.0]}))
    assert not views.spans_decades(pd.DataFrame({"mean": [np.nan, 0.0]}))


def test_names_that_would_run_into_each_other_are_left_out():
    points = pd.DataFrame(
        {"p": ["p0", "p1", "p2"], "b": "expected", "x": [0.0, 1.0, 100.0], "y": [0.0, 1.0, 100.0]}
    )
    assert views.apart(points, ["p1", "p0", "p2"]) == ["p1", "p2"]
    assert views.apart(points, ["p0", "p9"]) == ["p0"]
