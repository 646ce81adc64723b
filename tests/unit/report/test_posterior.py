"""Uncertain arms: every run draws its means from the counts, and has its own optimum."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.measures import outcomes
from lincon.analysis.runs import read_runs, summarise
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


def extracted(path: Path, text: str) -> arm_tables.Arms:
    path.write_text(text)
    entry = {"kind": "user", "path": str(path), "counts_as": ["posterior"]}
    return extract(entry, [path], "links@posterior")


@pytest.fixture(scope="module")
def arms(tmp_path_factory) -> arm_tables.Arms:
    return extracted(tmp_path_factory.mktemp("links") / "links.csv", LINKS)


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
    runs, plays = (files(folder, what) for what in ("runs", "plays"))
    given = [folder / name for name in ("arms.parquet", "problem.json", "summary.parquet")]
    summarise(runs, *given, policies=list(POLICIES), runs=RUNS)
    looks = {policy: {"label": policy} for policy in POLICIES}
    how = {"name": "links", "title": "Links", "runs": RUNS, "compare": tuple(POLICIES)}
    return stages.analyse(runs, plays, *given, folder / "tables", looks=looks, **how)


def test_means_are_drawn_from_the_counts_the_same_for_every_policy_and_horizon(arms):
    successes, trials = np.array([60, 80, 7, 2]), np.array([200, 200, 10, 20])
    mean, problem = (1 + successes) / (2 + trials), solve_problem(arms, ETA)
    np.testing.assert_allclose(arms.mean, mean)
    drawn = np.array(
        [problem_of_run(setting("ts", run), arms, problem)[0].mean for run in range(2000)]
    )
    spread = np.sqrt(mean * (1 - mean) / (3 + trials))
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=4 * spread.max() / np.sqrt(2000))
    np.testing.assert_allclose(drawn.std(axis=0), spread, rtol=0.08)
    same = problem_of_run(setting("kl", 3, 9), arms, problem)[0].mean
    np.testing.assert_array_equal(drawn[3], same)
    assert not np.isclose(drawn[3], drawn[4]).any()


def test_regret_is_against_the_optimum_of_the_run_at_its_prices(folder, arms):
    problem = solve_problem(arms, ETA)
    series, known = read_runs(files(folder, "runs"), list(POLICIES), RUNS)
    ended = outcomes(series, arms, problem)
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
            joint = regret + own.prices[0] * short
            assert rows.loc[policy, "joint_expected"] == pytest.approx(joint)
            assert rows.loc[policy, "optimum"] == pytest.approx(ROUNDS * own.optimum)
    assert 0 < len(lost) < RUNS and known["infeasible_runs"] == str(len(lost))


def test_the_answer_says_what_it_holds_for_and_what_is_left_out(results):
    left_out = int(results.metadata["infeasible_runs"])
    assert results.runs == RUNS - left_out
    warm = replace(results, arms=replace(results.arms, start="warm", world='{"delay": 5}'))
    text = " ".join(answer_of(warm).advice)
    for said in (
        "At the posterior means the best mixture is",
        "the price of each run's own problem",
        "Policies began with your counts",
        "this holds for arms like these",
        "feedback came late or never; each round is held against its own optimum",
        f"of {RUNS} that drew means with which no mixture keeps the floor of 50%",
    ):
        assert said in text
    assert "Policies began" not in " ".join(answer_of(results).advice)
    possible = results.outcomes.query("policy == 'ts'")["optimum"].mean()
    assert results.possible == pytest.approx(possible)
    row = results.league.set_index("policy").loc["ts"]
    assert row["share_of_optimum"] == pytest.approx(row["reward"] / possible)
    assert "shown: posterior means" in results.problem.note
    # What holds of one problem is not said of many.
    assert results.claims.empty and results.growth.empty and results.lower_bound is None


def test_counts_that_are_missing_or_that_no_drawn_problem_can_meet_are_one_sentence(tmp_path):
    nowhere = pd.DataFrame({"run": [0, 1], "t": [9, 9], "optimum": [np.nan, np.nan]})
    write_frame(tmp_path / "r.parquet", nowhere, {"policy": '{"name": "ts"}', "dataset": "links"})
    with pytest.raises(UserError, match="links: none of 2 runs drew means that can keep"):
        read_runs([tmp_path / "r.parquet"], ["ts"], 2)
    with pytest.raises(UserError, match=r"has no successes and no trials, which posterior needs"):
        extracted(tmp_path / "mine.csv", "mean,value\n0.5,1\n")
