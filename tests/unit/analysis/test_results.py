"""A group of runs as two tables, and an experiment read from them."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.results import Results, write_results
from lincon.data import arms as arm_tables
from lincon.errors import UserError
from lincon.files import write_frame, write_text
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import runs_of, small

T = np.array([1, 100, 1_000])
SPREAD = np.linspace(-0.004, 0.004, 4)
ENTRIES = {"ts": {"estimator": "beta_sample"}, "mine": {"python": "mine.py:Mine"}}


@pytest.fixture
def group(tmp_path):
    """The files of a group: runs of two policies, one of which forces first plays."""
    table = small()
    arm_tables.write(table, tmp_path / "arms.parquet")
    write_text(tmp_path / "problem.json", solve_problem(table, 0.5).to_json())
    known = {"dataset": "small", "constraints": "eta_0.5", "horizon": "1000", "source": "user"}
    known["arms_sha256"] = hashlib.sha256((tmp_path / "arms.parquet").read_bytes()).hexdigest()
    for policy, entry in ENTRIES.items():
        frame = runs_of(T, 0.15 + SPREAD, np.array([0.5, 0.49, 0.48, 0.47]))
        named = {"policy": json.dumps({"name": policy} | entry)}
        write_frame(tmp_path / f"{policy}.parquet", frame, known | named)
    return tmp_path


def written(group, **asked) -> dict[str, str]:
    names = {"arms": "arms.parquet", "problem": "problem.json"}
    names |= {"outcomes": "outcomes.parquet", "curves": "curves.parquet"}
    files = {name: str(group / file) for name, file in names.items()}
    runs = [group / f"{policy}.parquet" for policy in ENTRIES]
    write_results(runs, **files, policies=list(ENTRIES), runs=4, **asked)
    return files


def read(files, **rest) -> Results:
    looks = {policy: {"label": policy, "policy": entry} for policy, entry in ENTRIES.items()}
    rest = {"name": "x", "title": "X", "looks": looks} | rest
    order = (files[name] for name in ("outcomes", "curves", "problem", "arms"))
    return Results.read(*order, **rest)


def test_what_is_written_is_read_and_judged(group):
    results = read(written(group, dataset="small", constraints="eta_0.5", horizon=1_000))
    assert (results.runs, results.horizon, list(results.labels)) == (4, 1_000, ["ts", "mine"])
    assert results.metadata["constraints"] == "eta_0.5"
    assert set(results.outcomes["source"]) == {"user"}, "real and stand-in runs can be told apart"
    ended = results.outcomes.set_index(["policy", "run"])
    # One standard deviation is 15.8; the three arms played once first fall short by nothing.
    assert ended["tolerance_0"].to_numpy() == pytest.approx(np.sqrt(250.0))
    assert ended.loc["ts", "kept"].tolist() == [True, True, False, False]
    assert ended.loc["ts", "strict"].tolist() == [True, False, False, False]
    final = results.rows("kept", "realised").groupby("policy")["mean"].last()
    assert final.to_dict() == {"ts": 0.5, "mine": 0.5}
    rows = results.rows("joint", "expected").query("policy == 'ts' and t == 1000")
    assert rows["mean"].item() == pytest.approx(results.league["joint"].iloc[0])


def test_an_experiment_may_be_stricter_and_smaller_than_its_group(group):
    files = written(group)
    strict = read(files, tolerances=[0.0])
    assert strict.outcomes.groupby("policy")["kept"].sum().to_dict() == {"ts": 1, "mine": 1}
    one = read(files, looks={"mine": {"label": "Mine", "reference": True}}, compare=("ts", "mine"))
    assert one.ranked.empty and one.claims.empty and one.references == ("mine",)
    both = read(files, compare=("ts", "mine"))
    assert set(both.claims["verdict"]) == {"undecided"} and len(both.bounds) == 3
    with pytest.raises(UserError, match=r"outcomes\.parquet has no policy gone; delete it"):
        read(files, looks={"gone": {}})


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"dataset": "other"}, "runs of small: the dataset is small, but other was asked for"),
        ({"constraints": "eta_0.6"}, "the constraints is eta_0.5, but eta_0.6"),
        ({"horizon": 9}, "the horizon is 1000, but 9"),
    ],
)
def test_runs_of_something_else_are_refused(group, asked, sentence):
    with pytest.raises(UserError, match=sentence):
        written(group, **asked)


def test_arms_and_problems_of_something_else_are_refused(group):
    write_text(group / "problem.json", solve_problem(small(), 0.45).to_json())
    with pytest.raises(UserError, match=r"problem\.json: the constraints is eta_0\.45, but eta_0"):
        written(group)
    write_text(group / "problem.json", solve_problem(small(), 0.5).to_json())
    fewer = arm_tables.make([0.4, 0.6], [0.5, 0.25], dataset="small")
    arm_tables.write(fewer, group / "arms.parquet")
    with pytest.raises(UserError, match="the number of arms is 3, but 2 was asked for"):
        written(group)
    moved = arm_tables.make([0.4, 0.6, 0.55], [0.5, 0.25, 0.3], dataset="small")
    arm_tables.write(moved, group / "arms.parquet")
    with pytest.raises(UserError, match="the arms_sha256 is"):
        written(group)


def test_the_same_runs_give_the_same_bytes(group):
    files = written(group)
    first = [Path(files[name]).read_bytes() for name in ("outcomes", "curves")]
    written(group)
    assert first == [Path(files[name]).read_bytes() for name in ("outcomes", "curves")]


def test_runs_with_their_own_optimum_are_held_against_it(group):
    frame = runs_of(T, np.array([0.10, 0.10]), np.array([0.45, 0.45]))
    own = np.repeat([0.12, 0.2], len(T)) * frame["t"].to_numpy()
    frame = frame.assign(optimum=own, price_0=np.repeat([0.0, 0.5], len(T)))
    looks = {"a": {"label": "A"}}
    results = Results.of_series({"a": frame}, small(), solve_problem(small(), 0.5), looks=looks)
    assert results.outcomes["joint_expected"].tolist() == pytest.approx([20.0, 100.0 + 0.5 * 50])
    assert results.possible == pytest.approx(160.0)
    assert results.league["share_of_optimum"].tolist() == pytest.approx([100.0 / 160.0])
    assert results.lower_bound is None, "what holds of one problem is not said of many"


def test_runs_that_no_mixture_can_save_are_left_out(tmp_path):
    from lincon.analysis.runs import read_runs

    frame = pd.DataFrame({"run": [0, 1], "t": [9, 9], "optimum": [np.nan, 2.0]})
    known = {"policy": '{"name": "ts"}', "dataset": "links"}
    write_frame(tmp_path / "r.parquet", frame, known)
    runs = read_runs([tmp_path / "r.parquet"], ["ts"], 2)
    assert runs.metadata["infeasible_runs"] == "1" and runs.series["ts"]["run"].tolist() == [1]
    write_frame(tmp_path / "r.parquet", frame.assign(optimum=np.nan), known)
    with pytest.raises(UserError, match="links: none of 2 runs drew means that can keep"):
        read_runs([tmp_path / "r.parquet"], ["ts"], 2)
