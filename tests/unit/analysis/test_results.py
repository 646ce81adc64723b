"""One set of results: two tables per group, from exactly its runs."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lincon.analysis import claims
from lincon.analysis.results import Results, write_results
from lincon.data import arms as arm_tables
from lincon.data.raw import file_sha256
from lincon.errors import UserError
from lincon.files import write_frame
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import runs_of, small, small_problem

T = np.array([1, 100, 1_000])
RATES = {"a": (0.17, 0.48), "b": (0.10, 0.52)}
LOOKS = {
    "b": {"label": "B", "policy": {"estimator": "truth"}},
    "a": {"label": "A", "policy": {"estimator": "beta_sample"}},
}


def series_of(policy: str) -> pd.DataFrame:
    reward, events = RATES[policy]
    return runs_of(T, reward + np.linspace(0.0, 0.01, 4), np.full(4, events))


@pytest.fixture
def group(tmp_path):
    """group(...) writes the tables of a group of runs; their paths."""
    arms, problem = tmp_path / "arms.parquet", tmp_path / "problem.json"
    arm_tables.write(small(), arms)
    problem.write_text(small_problem().to_json())
    files = {"outcomes": tmp_path / "outcomes.parquet", "curves": tmp_path / "curves.parquet"}
    known = {"dataset": "small", "constraints": "eta_0.5", "horizon": "1000", "seed": "1"}
    known |= {"arms_sha256": file_sha256(arms), "source": "user", "points": "3"}

    def write(**more):
        runs = [tmp_path / f"{policy}.parquet" for policy in RATES]
        for policy, path in zip(RATES, runs, strict=True):
            entry = {"name": policy} | LOOKS[policy]["policy"]
            write_frame(path, series_of(policy), known | {"policy": json.dumps(entry)})
        write_results(runs, arms, problem, **files, policies=list(RATES), runs=4, **more)
        return files | {"problem": problem, "arms": arms}

    return write


def test_what_was_written_is_what_is_computed(group):
    back = Results.read(**group(), name="n", title="T", looks=LOOKS)
    series = {policy: series_of(policy) for policy in LOOKS}
    made = Results.of_series(series, small(), small_problem(), looks=LOOKS, name="n", title="T")
    columns = list(made.outcomes.columns)
    pd.testing.assert_frame_equal(back.outcomes[columns], made.outcomes)
    pd.testing.assert_frame_equal(back.curves, made.curves)
    pd.testing.assert_frame_equal(back.league, made.league)
    assert back.metadata["seed"] == "1" and set(back.outcomes["source"]) == {"user"}
    assert (back.horizon, back.runs, back.labels) == (1_000, 4, {"b": "B", "a": "A"})
    fewer = Results.read(**group(), name="n", title="T", looks={"a": LOOKS["a"]})
    assert set(fewer.curves["policy"]) == {"a"} and fewer.claims.empty
    assert list(fewer.claims) == list(claims.COLUMNS)


def test_a_tolerance_of_the_config_judges_the_runs(group):
    for tolerance, kept in ((0.03, {"a": 1.0, "b": 1.0}), (0.0, {"a": 0.0, "b": 1.0})):
        back = Results.read(**group(tolerances=[tolerance]), name="n", title="T", looks=LOOKS)
        assert back.outcomes.groupby("policy")["kept"].mean().to_dict() == kept
        assert set(back.outcomes["tolerance_0"]) == {1_000 * tolerance}


def test_files_that_are_not_of_one_another_are_refused(group):
    files = group()
    good = files["problem"].read_text()
    for other, message in (
        (
            solve_problem(small(), 0.4),
            "the constraints is eta_0.4, but the runs are of eta_0.5",
        ),
        (
            replace(small_problem(), arms=2),
            "the number of arms is 2 instead of 3",
        ),
        (
            replace(small_problem(), dataset="edx"),
            "the dataset is edx instead of small",
        ),
    ):
        files["problem"].write_text(other.to_json())
        with pytest.raises(UserError, match=message):
            group()
        with pytest.raises(UserError, match=message):
            Results.read(**files, name="n", title="T", looks=LOOKS)
    files["problem"].write_text(good)
    with pytest.raises(UserError, match=r"outcomes\.parquet: horizon 1000 instead of 50; delete"):
        Results.read(**files, name="n", title="T", looks=LOOKS, asked={"horizon": "50"})
    frame, known = pd.read_parquet(files["curves"]), {"dataset": "small"}
    write_frame(files["curves"], frame, known)
    with pytest.raises(
        UserError, match=r"outcomes\.parquet and .*curves\.parquet are of other runs"
    ):
        Results.read(**files, name="n", title="T", looks=LOOKS)
    arm_tables.write(replace(small(), value=small().value / 2), files["arms"])
    with pytest.raises(
        UserError, match=r"arms.parquet: the hash is .* but the runs are of .*; delete the file"
    ):
        group()
