"""Tables over all settings, what is said at the end of a run, and the stages that write files."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.layout import ATLAS_FILES, RESULT_FILES, TEXT_FILES
from lincon.analysis.runs import summarise
from lincon.data import arms as arm_tables
from lincon.files import write_frame, write_text
from lincon.problem.solve import solve_problem
from lincon.report import stages, tables
from lincon.report.text import banner
from tests.unit.analysis.made_runs import runs_of, small
from tests.unit.analysis.test_atlas import outcomes

T = np.array([1, 100, 1_000])
SPREAD = np.linspace(-0.01, 0.01, 4)


def test_each_constraint_of_each_problem_has_a_row_and_stand_ins_are_marked():
    problems = [replace(solve_problem(small(), eta), source="standin") for eta in (0.5, 0.2, 0.9)]
    frame = tables.assumptions(problems)
    binding, idle, infeasible = (row for _, row in frame.iterrows())
    assert binding["feasible"] and binding["binding"]
    assert idle["feasible"] and not idle["binding"] and not infeasible["feasible"]
    assert infeasible["slater_gap"] == pytest.approx(-0.3)
    assert banner(frame.itertuples()) == "Stand-in arms, not the real data: small."
    assert "small (stand-in)" in tables.assumptions_table(frame).markdown()


def test_final_values_are_in_the_users_unit_and_what_is_spent_is_a_cost():
    keys = {"dataset": "d", "source": "user", "constraints": "c", "horizon": 10, "policy": "a"}
    keys |= {"unit": "USD", "scale": 10.0, "spends": True, "basis": "expected"}
    ends = {"reward": (-2.0, -3.0, -1.0), "joint": (1.0, 0.5, 2.0), "violation_0": (4.0, 4.0, 4.0)}
    rows = [
        keys | {"metric": name} | dict(zip(("mean", "ci_low", "ci_high"), three, strict=True))
        for name, three in ends.items()
    ]
    text = tables.final_table(pd.DataFrame(rows), {}).markdown()
    assert "| policy | unit | joint | violation | cost |" in text
    assert "| a | USD | 10 (5 to 20) | 4 (4 to 4) | 20 (10 to 30) |" in text


@pytest.fixture
def files(tmp_path) -> dict:
    """The files of one setting with two policies, as the workflow has them."""
    problem = solve_problem(small(), 0.5)
    arm_tables.write(replace(small(), unit="EUR", scale=10.0), tmp_path / "arms.parquet")
    write_text(tmp_path / "problem.json", problem.to_json())
    runs, plays = [], []
    for name, reward in (("a", 0.15), ("b", 0.10)):
        series = runs_of(T, reward + SPREAD, np.full(4, 0.5))
        metadata = {"policy": json.dumps({"name": name}), "seed": "1", "code": "c0de"}
        runs.append(tmp_path / f"runs_{name}.parquet")
        write_frame(runs[-1], series, metadata)
        counts = pd.MultiIndex.from_product([range(4), range(3)], names=["run", "arm"])
        table = counts.to_frame(index=False).assign(plays=5, expected_plays=5.0)
        plays.append(tmp_path / f"plays_{name}.parquet")
        write_frame(plays[-1], table, metadata)
    summary = tmp_path / "summary.parquet"
    arms, stated = tmp_path / "arms.parquet", tmp_path / "problem.json"
    summarise(runs, arms, stated, summary, policies=["a", "b"], runs=4)
    return {"runs": runs, "plays": plays, "arms": arms, "problem": stated, "summary": summary}


def test_the_stages_from_runs_to_tables(files, tmp_path):
    folder = tmp_path / "tables" / "made"
    how = {"name": "made", "title": "Made", "runs": 4, "gamma": 0.1, "compare": ("a", "b")}
    looks = {"a": {"label": "A"}, "b": {"label": "B"}}
    results = stages.analyse(*files.values(), folder, looks=looks, **how)
    assert {path.name for path in folder.iterdir()} == {*RESULT_FILES, *TEXT_FILES}
    assert results.league["policy"].tolist() == ["a", "b"] and results.code == "c0de"
    point = {key: files[key] for key in ("problem", "summary")}
    stages.tables([point], folder.parent, tmp_path / "all.parquet", {"a": "A_1"})
    whole = pd.read_parquet(tmp_path / "all.parquet")
    assert whole.columns[:4].tolist() == ["dataset", "source", "constraints", "horizon"]
    assert len(whole) == len(pd.read_parquet(files["summary"]))
    final = (folder.parent / "final.md").read_text()
    assert "| policy | unit | joint | regret | violation | reward | ratio | composite |" in final
    assert r"A\_1 | EUR | 250 (" in final, "25 of joint regret, at 10 each"
    assert r"\toprule" in (folder.parent / "assumptions.tex").read_text()


def test_the_stage_of_an_atlas(tmp_path):
    write_frame(tmp_path / "block.parquet", outcomes())
    looks = {name: {"label": name.upper()} for name in "abc"}
    told = {"title": "Three", "bound": "floor 50%", "horizon": 100, "runs": 2}
    stages.atlas([tmp_path / "block.parquet"], tmp_path / "out", looks, told)
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(ATLAS_FILES)
    assert "3 problems, floor 50%, T = 100" in (tmp_path / "out" / "atlas.md").read_text()
