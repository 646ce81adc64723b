"""A small atlas from the config to its files: two problems, two policies, 200 rounds."""

from __future__ import annotations

import json
import subprocess
import sys

import pandas as pd
import pytest

from lincon.analysis.layout import ATLAS_FIGURES, ATLAS_FILES
from lincon.analysis.outcomes import outcomes
from lincon.problem.record import read_problem
from lincon.study.atlas import atlases
from lincon.study.config import validate
from tests.workflow.bench import REPOSITORY, SMALL, Bench, changed, new_bench
from tests.workflow.test_static import read_yaml

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


def lincon(bench: Bench, stage: str, settings: dict, *arguments: str) -> None:
    command = [sys.executable, "-m", "lincon", stage, "--settings", json.dumps(settings)]
    subprocess.run([*command, *arguments], cwd=bench.folder, env=bench.environment(), check=True)


def test_runs_of_an_atlas_are_those_of_the_other_stages(played):
    """Arms, problem and runs by the stages of an experiment give the same outcomes."""
    base = read_yaml(REPOSITORY / "config/config.yaml")
    few = atlases(validate(changed(base, ATLAS)))["few"]
    (item,), player = few.problems_of("0"), few.players[0]
    entry = item["entry"] | {"kind": "generated", "label": "few"}
    dataset = {"dataset": item["dataset"]}
    extract = dataset | {"data": "standin", "entry": entry}
    lincon(played, "extract", extract, "--raw", "--out", "arms.parquet")
    problem = {"eta": 0.5, "must_be_feasible": True}
    lincon(played, "problem", problem, "--arms", "arms.parquet", "--out", "problem.json")
    run = dataset | {"eta": 0.5, "horizon": 200, "policy": player.policy, "entry": player.entry}
    run |= {"first": 0, "last": 1, "seed": 2020, "points": 200, "engine": player.engine}
    files = ("--arms", "arms.parquet", "--problem", "problem.json")
    lincon(played, "simulate", run, *files, "--out", "series.parquet", "plays.parquet")

    series = {player.policy: pd.read_parquet(played / "series.parquet")}
    expected = outcomes(series, read_problem(played / "problem.json"), 2)
    found = pd.read_parquet(played / f"{FOLDER}/outcomes/problems=0.parquet")
    found = found[found["policy"] == player.policy]
    pd.testing.assert_frame_equal(found[expected.columns], expected)
