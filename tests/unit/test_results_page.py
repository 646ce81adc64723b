"""The code on docs/results.md runs, on results of two studies, two seeds and two horizons."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lincon.analysis import metrics
from lincon.analysis.runs import read_all
from lincon.analysis.tables import collect
from lincon.data.arms import make
from lincon.engine.simulate import Setting, simulate
from lincon.files import write_frame, write_table, write_text
from lincon.policies.registry import make_policy
from lincon.problem.solve import solve_problem
from lincon.study.paths import PROBLEM, StudyPaths, run_files, run_folder
from lincon.study.plan import settings_hash

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "results.md"
POLICIES = {
    "lincon_ts": {"estimator": "beta_sample", "selector": "lp"},
    "lincon_kl_ucb": {"estimator": "kl_ucb", "selector": "lp"},
}
ARMS = make([0.1, 0.3, 0.8, 0.5], [1.0, 0.9, 0.2, 0.5], dataset="made_up")
RUNS = 2
# Study, eta, horizon, seed.
SETTINGS = [
    ("paper", "0.5", 1500, 1),
    ("paper", "0.6", 1500, 1),
    ("other", "0.5", 1500, 2),
    ("other", "0.5", 1200, 1),
]


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for study, eta, horizon, seed in SETTINGS:
        write_setting(study, eta, horizon, seed)
    problems = [solve_problem(ARMS, float(eta)) for eta in ("0.5", "0.6")]
    for study in ("paper", "other"):
        mine = [("made_up", eta, horizon) for s, eta, horizon, _ in SETTINGS if s == study]
        paths = StudyPaths(study)
        write_frame(paths.everything, collect(paths, mine, problems))


def write_setting(study: str, eta: str, horizon: int, seed: int) -> None:
    problem = solve_problem(ARMS, float(eta))
    setting = {"dataset": "made_up", "eta": eta, "horizon": horizon}
    write_text(PROBLEM.format(**setting), problem.to_json())
    series = {}
    for name, entry in POLICIES.items():
        policy = make_policy(name, entry)
        keys = setting | {"policy": name, "engine": "lazy", "seed": seed}
        keys["settings"] = settings_hash(policy, 200)
        for run in range(RUNS):
            played = simulate(
                Setting("made_up", float(eta), horizon, policy, run, seed, 20), ARMS, problem
            )
            write_table(f"{run_folder('runs', keys)}/run={run}.parquet", played.series)
            write_table(f"{run_folder('plays', keys)}/run={run}.parquet", played.plays)
        series |= read_all({name: run_files("runs", keys, RUNS)}, RUNS)[0]
    summary = metrics.summarise(series, problem, RUNS, 100, 1)
    write_frame(StudyPaths(study).summary.format(**setting), summary)


def test_the_page_runs_and_its_tables_are_typed(results):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 7
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    # No two studies, seeds or horizons are mixed up: each run ends once.
    assert len(names["last"]) == len(SETTINGS) * len(POLICIES) * RUNS
    assert len(names["pairs"]) == len(SETTINGS) * RUNS
    assert set(names["summary"]["eta"]) == {0.5, 0.6}
    for frame in (names["runs"], names["in_polars"].to_pandas(), names["in_duckdb"].df()):
        assert sorted(frame["eta"].unique()) == [0.5, 0.6]
        assert frame["horizon"].dtype.kind == "i" and frame["seed"].dtype.kind == "i"
        assert len(frame) == len(names["runs"])
