"""A small atlas from the config to its files: two problems, two policies, 200 rounds."""

import subprocess
import sys

import pandas as pd
import pytest

from lincon.analysis.layout import ATLAS_FIGURES, ATLAS_FILES
from lincon.analysis.measures import outcomes
from lincon.cli.simulate import as_options
from lincon.data import arms
from lincon.data.sources import extract
from lincon.problem.solve import solve_problem
from lincon.study.atlas import atlases
from lincon.study.config import validate
from tests.real_data import CONFIG
from tests.workflow.bench import SMALL, Bench, changed, new_bench

ATLAS = changed(
    SMALL,
    {
        "only": ["few"],
        "atlas": {
            "few": {
                "eta": 0.5,
                "arms": [5],
                "slack": [0.1, 0.3],
                "correlation": [0],
                "near_optimal": [0],
                "problems": 1,
                "problems_per_job": 1,
                "horizon": 200,
                "policies": ["lincon_ts", "lincon_kl_ucb"],
            }
        },
    },
)
FOLDER = "results/studies/small/atlas/few"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    bench = new_bench(tmp_path_factory.mktemp("atlas") / "project")
    bench.run(config=ATLAS)
    return bench


def test_an_atlas_is_played_and_drawn(played):
    for name in (*ATLAS_FILES, *(f"{name}.pdf" for name in ATLAS_FIGURES)):
        assert (played / f"{FOLDER}/{name}").stat().st_size > 0, name
    assert "Over 2 problems" in (played / f"{FOLDER}/atlas.md").read_text(encoding="utf-8")
    problems = pd.read_parquet(played / f"{FOLDER}/problems.parquet")
    assert problems["slack"].tolist() == [0.1, 0.1, 0.3, 0.3]


def test_what_is_there_is_kept_and_new_problems_are_played(played):
    assert played.plan(config=ATLAS) == frozenset()
    more = changed(ATLAS, {"atlas": {"few": {"slack": [0.1, 0.3, 0.4]}}})
    assert played.plan(config=more) == frozenset({"atlas_play few/2", "atlas few"})


def test_runs_of_an_atlas_are_those_that_a_person_plays(played):
    """Arms, problem and `lincon simulate` give the same outcomes."""
    few = atlases(validate(changed(CONFIG, ATLAS)))["few"]
    (item,), player = few.problems_of("0"), few.players[0]
    made = extract(item["entry"], [], "")
    arms.write(made, played / "arms.parquet")
    problem = solve_problem(made, 0.5)
    (played / "problem.json").write_text(problem.to_json())
    command = [sys.executable, "-m", "lincon", "simulate", "--arms", "arms.parquet", "--problem"]
    command += ["problem.json", "--policy", player.policy, *as_options(player.entry)]
    command += ["--horizon", "200", "--runs", "0-1", "--seed", "2020", "--engine", player.engine]
    command += ["--out", "series.parquet"]
    subprocess.run(command, cwd=played.folder, env=played.environment(), check=True)

    series = {player.policy: pd.read_parquet(played / "series.parquet")}
    expected = outcomes(series, made, problem)
    found = pd.read_parquet(played / f"{FOLDER}/outcomes/problems=0.parquet")
    found = found[found["policy"] == player.policy]
    pd.testing.assert_frame_equal(found[expected.columns], expected)
