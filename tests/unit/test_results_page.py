"""The code on docs/results.md runs, on results of two small settings."""

import re
from pathlib import Path

import pytest

from lincon.analysis import metrics
from lincon.analysis.tables import collect
from lincon.data.arms import make
from lincon.engine.simulate import Setting, simulate
from lincon.files import write_frame, write_table
from lincon.policies import registry as policies
from lincon.problem.solve import solve_problem

PAGE = Path(__file__).parents[2] / "docs" / "results.md"
POLICIES = {
    "lincon_ts": {"estimator": "beta_sample", "selector": "lp"},
    "lincon_kl_ucb": {"estimator": "kl_ucb", "selector": "lp"},
}
ARMS = make([0.1, 0.3, 0.8, 0.5], [1.0, 0.9, 0.2, 0.5], dataset="made_up")
RUNS, HORIZON = 2, 1500


@pytest.fixture
def results(tmp_path, monkeypatch):
    settings = [("made_up", "0.5", HORIZON), ("made_up", "0.6", HORIZON)]
    for dataset, eta, horizon in settings:
        write_setting(tmp_path / "results", dataset, eta, horizon)
    write_frame(tmp_path / "results/summary.parquet", collect(tmp_path / "results", settings))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results"


def write_setting(results, dataset, eta, horizon):
    where = f"dataset={dataset}/eta={eta}"
    problem = solve_problem(ARMS, float(eta))
    (results / "problems" / where).mkdir(parents=True)
    (results / "problems" / where / "problem.json").write_text(problem.to_json())
    series = {}
    for name, spec in POLICIES.items():
        for run in range(RUNS):
            policy = policies.make_policy(name, spec)
            setting = Setting(dataset, float(eta), horizon, policy, run, 1, 20)
            played = simulate(setting, ARMS, problem)
            file = f"{where}/horizon={horizon}/policy={name}/run={run}.parquet"
            write_table(results / "runs" / file, played.series)
            write_table(results / "plays" / file, played.plays)
        folder = results / "runs" / where / f"horizon={horizon}"
        series[name] = metrics.read_runs(folder, name, RUNS)
    summary = metrics.summarise(series, problem, RUNS, 100, 1)
    write_frame(results / "summaries" / where / f"horizon={horizon}" / "summary.parquet", summary)


def test_the_page_runs_and_its_tables_are_typed(results):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 6
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    points = 2 * len(POLICIES) * RUNS
    assert len(names["last"]) == points
    for frame in (names["runs"], names["in_polars"].to_pandas(), names["in_duckdb"].df()):
        assert sorted(frame["eta"].unique()) == [0.5, 0.6]
        assert frame["horizon"].dtype.kind == "i"
        assert len(frame) == len(names["runs"])
