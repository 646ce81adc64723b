"""The code on docs/results.md runs, on results of two studies, two seeds and two horizons."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from lincon.analysis.measures import summarise
from lincon.data.arms import make
from lincon.engine.simulate import Setting, simulate
from lincon.files import write_frame, write_table, write_text
from lincon.policies.registry import make_policy
from lincon.problem.solve import solve_problem
from lincon.report.stages import tables
from lincon.study import paths
from lincon.study.plan import settings_hash

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "results.md"
POLICIES = {
    "lincon_ts": {"estimator": "beta_sample", "selector": "lp"},
    "lincon_kl_ucb": {"estimator": "kl_ucb", "selector": "lp"},
}
ARMS = make([0.1, 0.3, 0.8, 0.5], [1.0, 0.9, 0.2, 0.5], dataset="made_up")
DATASET = "made_up-00000000"
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
    for study in ("paper", "other"):
        mine = [(eta, horizon) for s, eta, horizon, _ in SETTINGS if s == study]
        points = [
            {"problem": problem_file(eta), "summary": summary_file(study, eta, horizon)}
            for eta, horizon in mine
        ]
        folder = f"results/studies/{study}"
        tables(points, f"{folder}/tables", f"{folder}/summary.parquet", {})


def problem_file(eta: str) -> str:
    return paths.here(paths.PROBLEM).format(dataset=DATASET, constraints=f"eta_{eta}")


def summary_file(study: str, eta: str, horizon: int) -> str:
    keys = {"dataset": DATASET, "constraints": f"eta_{eta}", "horizon": horizon}
    return f"results/studies/{study}/summaries/{paths.SETTING.format(**keys)}/summary.parquet"


def write_setting(study: str, eta: str, horizon: int, seed: int) -> None:
    problem = solve_problem(ARMS, float(eta))
    setting = {"dataset": DATASET, "constraints": f"eta_{eta}", "horizon": horizon}
    write_text(problem_file(eta), problem.to_json())
    series = {}
    for name, entry in POLICIES.items():
        policy = make_policy(name, entry)
        keys = setting | {"policy": name, "engine": "lazy", "seed": seed}
        keys["settings"] = settings_hash(policy, 200)
        files = [paths.here(paths.RUNS).format(**keys, run=run) for run in range(RUNS)]
        runs = []
        for run, file in enumerate(files):
            played = simulate(
                Setting("made_up", float(eta), horizon, policy, run, seed, 20), ARMS, problem
            )
            write_table(file, played.series)
            write_table(file.replace("/runs/", "/plays/"), played.plays)
            runs.append(played.series.to_pandas())
        series[name] = pd.concat(runs)
    summary = summarise(series, ARMS, problem, RUNS, 100, 1)
    write_frame(summary_file(study, eta, horizon), summary)


def test_the_page_runs_and_its_tables_are_typed(results):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 7
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    # No two studies, seeds or horizons are mixed up: each run ends once.
    assert len(names["last"]) == len(SETTINGS) * len(POLICIES) * RUNS
    assert len(names["pairs"]) == len(SETTINGS) * RUNS
    assert set(names["summary"]["constraints"]) == {"eta_0.5", "eta_0.6"}
    for frame in (names["runs"], names["in_polars"].to_pandas(), names["in_duckdb"].df()):
        assert sorted(frame["constraints"].unique()) == ["eta_0.5", "eta_0.6"]
        assert frame["horizon"].dtype.kind == "i" and frame["seed"].dtype.kind == "i"
        assert len(frame) == len(names["runs"])
