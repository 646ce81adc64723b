"""Uncertain arms: every run draws its means from the counts, and has its own optimum."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.measures import outcomes
from lincon.analysis.runs import read_runs
from lincon.data import arms as arm_tables
from lincon.data.sources import extract
from lincon.engine.simulate import Setting, problem_of_run, simulate
from lincon.errors import UserError
from lincon.files import write_frame, write_table, write_text
from lincon.policies.registry import make_policy
from lincon.problem.solve import solve_problem
from lincon.report import stages
from lincon.report.sentences import answer_of

LINKS = "label,successes,trials,value\na,60,200,1\nb,80,200,0.6\nc,7,10,0.3\nd,2,20,0.9\n"
RUNS, ROUNDS, ETA = 12, 300, 0.5
POLICIES = {
    "ts": {"estimator": "beta_sample", "selector": "lp"},
    "kl": {"estimator": "kl_ucb", "selector": "lp"},
}


@pytest.fixture(scope="module")
def links(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("links") / "links.csv"
    path.write_text(LINKS)
    return path


@pytest.fixture(scope="module")
def arms(links) -> arm_tables.Arms:
    return extract(
        {"kind": "user", "path": str(links), "counts_as": ["posterior"]}, [links], "links@posterior"
    )


def setting(policy: str, run: int, horizon: int = ROUNDS) -> Setting:
    made = make_policy(policy, POLICIES[policy])
    return Setting("links@posterior", ETA, horizon, made, run, 7, points=5, engine="dense")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, arms) -> Path:
    """The files of a study of both policies."""
    place, problem = tmp_path_factory.mktemp("study"), solve_problem(arms, ETA)
    arm_tables.write(arms, place / "arms.parquet")
    write_text(place / "problem.json", problem.to_json())
    for policy in POLICIES:
        for run in range(RUNS):
            played = simulate(setting(policy, run), arms, problem)
            known = {"policy": json.dumps({"name": policy}), "dataset": "links@posterior"}
            write_table(place / f"runs-{policy}-{run}.parquet", played.series, known)
            write_table(place / f"plays-{policy}-{run}.parquet", played.plays, known)
    return place


def files(folder: Path, what: str) -> list[Path]:
    return sorted(folder.glob(f"{what}-*.parquet"))


@pytest.fixture(scope="module")
def results(folder):
    given = (folder / "arms.parquet", folder / "problem.json")
    stages.summarise(
        files(folder, "runs"),
        *given,
        folder / "summary.parquet",
        policies=list(POLICIES),
        runs=RUNS,
    )
    return stages.analyse(
        files(folder, "runs"),
        files(folder, "plays"),
        *given,
        folder / "summary.parquet",
        folder / "tables",
        name="links",
        title="Links",
        looks={policy: {"label": policy} for policy in POLICIES},
        runs=RUNS,
        compare=tuple(POLICIES),
    )


def test_the_means_of_a_run_are_drawn_from_the_posterior_of_the_counts(arms):
    successes, trials = np.array([60, 80, 7, 2]), np.array([200, 200, 10, 20])
    mean = (1 + successes) / (2 + trials)
    np.testing.assert_allclose(arms.mean, mean)
    problem = solve_problem(arms, ETA)
    drawn = np.array(
        [problem_of_run(setting("ts", run), arms, problem)[0].mean for run in range(4000)]
    )
    spread = np.sqrt(mean * (1 - mean) / (3 + trials))
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=4 * spread.max() / np.sqrt(4000))
    np.testing.assert_allclose(drawn.std(axis=0), spread, rtol=0.06)


def test_they_are_the_same_for_every_policy_and_horizon_and_others_in_another_run(arms):
    problem = solve_problem(arms, ETA)
    first, same, other = (
        problem_of_run(each, arms, problem)[0].mean
        for each in (setting("ts", 3), setting("kl", 3, 9), setting("ts", 4))
    )
    np.testing.assert_array_equal(first, same)
    assert not np.isclose(first, other).any()


def test_regret_is_against_the_optimum_of_the_run_at_its_prices(folder, arms):
    problem = solve_problem(arms, ETA)
    series, known = read_runs(files(folder, "runs"), list(POLICIES), RUNS)
    ended = outcomes(series, arms, problem, series["ts"]["run"].nunique())
    lost = []
    for run in range(RUNS):
        drawn, own = problem_of_run(setting("ts", run), arms, problem)
        rows = ended[ended["run"] == run].set_index("policy")
        if not own.feasible:
            lost.append(run)
            assert rows.empty and drawn.mean.max() < ETA
            continue
        for policy in POLICIES:
            final = series[policy].query("run == @run and t == @ROUNDS").iloc[0]
            regret = max(ROUNDS * own.optimum - final["expected_reward"], 0)
            short = max(ROUNDS * ETA - final["expected_amount_0"], 0)
            assert rows.loc[policy, "regret_expected"] == pytest.approx(regret)
            assert rows.loc[policy, "joint_expected"] == pytest.approx(regret + own.price * short)
            assert rows.loc[policy, "optimum"] == pytest.approx(ROUNDS * own.optimum)
    assert 0 < len(lost) < RUNS and known["infeasible_runs"] == str(len(lost))


def test_the_answer_says_what_it_holds_for_and_what_is_left_out(results):
    left_out = int(results.metadata["infeasible_runs"])
    assert results.runs == RUNS - left_out
    text = " ".join(answer_of(results).advice)
    assert "this holds for arms like these" in text
    assert f"of {RUNS} drew means with which no mixture keeps the floor of 50%" in text
    assert "began with your counts" not in text
    warm = replace(results, arms=replace(results.arms, start="warm"))
    assert "Policies began with your counts" in " ".join(answer_of(warm).advice)
    assert "At the posterior means the best mixture is" in text
    assert "the price of each run's own problem" in text
    possible = results.outcomes.query("policy == 'ts'")["optimum"].mean()
    assert results.possible == pytest.approx(possible)
    row = results.league.set_index("policy").loc["ts"]
    assert row["share_of_optimum"] == pytest.approx(row["reward"] / possible)
    assert "shown: posterior means" in results.problem.note
    # What holds of one problem is not said of many.
    assert results.claims is None and results.growth.empty


def test_counts_that_no_drawn_problem_can_meet_are_one_sentence(tmp_path):
    nowhere = pd.DataFrame({"run": [0, 1], "t": [9, 9], "optimum": [np.nan, np.nan]})
    write_frame(tmp_path / "r.parquet", nowhere, {"policy": '{"name": "ts"}', "dataset": "links"})
    with pytest.raises(UserError, match="links: none of 2 runs drew means that can keep"):
        read_runs([tmp_path / "r.parquet"], ["ts"], 2)


def test_counts_are_needed(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("mean,value\n0.5,1\n")
    entry = {"kind": "user", "path": str(path), "counts_as": ["posterior"]}
    with pytest.raises(
        UserError, match=r"mine\.csv has no successes and no trials, which posterior needs"
    ):
        extract(entry, [path], "mine")
