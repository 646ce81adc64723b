"""The authors' runs: files in exactly their form, whole, hostile, and fetched from a server."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lincon.data import arms
from lincon.data.download import Patience
from lincon.data.published import PUBLISHED, obtain, published_for, read_published
from lincon.data.raw import WrongBytes, file_git_blob
from lincon.engine.simulate import Setting, simulate
from lincon.errors import UserError
from lincon.policies.registry import make_policy
from lincon.problem.solve import solve_problem
from tests.server import dead_address, endless, head, healthy

RUNS, ROUNDS, ETA = 3, 120, 0.5
MADE = arms.make([0.2, 0.6, 0.7, 0.4], [1, 0.5, 0.2, 0.3], dataset="made")
QUICK = Patience(connect=1, read=1, total=2, tries=1)
ESTIMATORS = {"lincon_ts": "beta_sample", "lincon_kl_ucb": "kl_ucb"}


@pytest.fixture(scope="module")
def content() -> dict:
    """What the authors' code would have saved, played by the dense engine."""
    problem = solve_problem(MADE, ETA)
    result = {"T": ROUNDS, "N": RUNS, "constraint": ETA}
    result["stationary_opt_reward"] = np.float64(problem.optimum)
    for name, estimator in ESTIMATORS.items():
        policy = make_policy(name, {"estimator": estimator, "selector": "lp"})
        events, values = np.zeros((RUNS, ROUNDS)), np.zeros((RUNS, ROUNDS))
        for run in range(RUNS):
            setting = Setting("made", ETA, ROUNDS, policy, run, 1, points=ROUNDS, engine="dense")
            series = simulate(setting, MADE, problem).series
            events[run] = np.diff(series["events"].to_numpy(), prepend=0)
            values[run] = np.diff(series["reward"].to_numpy(), prepend=0)
        # A difference of sums is off by rounding; what an event pays is one of the values.
        nearest = np.abs(values[..., None] - MADE.value).argmin(axis=-1)
        result[f"{name}_reward_events"] = events
        result[f"{name}_reward_values"] = np.where(events > 0, MADE.value[nearest], 0.0)
    return result


def saved(folder: Path, content: dict) -> Path:
    path = folder / "runs.npy"
    np.save(path, content)
    return path


def test_the_frame_has_what_was_played_up_to_each_round(tmp_path, content):
    rounds = [1, 7, ROUNDS]
    read = read_published(saved(tmp_path, content), rounds)
    assert (read.runs, read.horizon, read.eta) == (RUNS, ROUNDS, ETA)
    assert read.optimum == content["stationary_opt_reward"]
    assert list(read.frame.columns) == ["policy", "run", "t", "reward", "events"]
    assert len(read.frame) == 2 * RUNS * len(rounds)
    for row in read.frame.itertuples():
        events = content[f"{row.policy}_reward_events"][row.run, : row.t]
        values = content[f"{row.policy}_reward_values"][row.run, : row.t]
        assert row.events == sum(events)
        assert row.reward == pytest.approx(sum(values), abs=1e-12)
    assert read.frame["reward"].max() > 0


def test_the_git_blob_is_that_of_git(tmp_path, content):
    path = saved(tmp_path, content)
    asked = subprocess.run(["git", "hash-object", path], capture_output=True, text=True, check=True)
    assert file_git_blob(path) == asked.stdout.strip()
    read_published(path, [1], git_blob=asked.stdout.strip())
    with pytest.raises(WrongBytes, match="expected git blob 4a31"):
        read_published(path, [1], git_blob=PUBLISHED[0].git_blob)


def changed(content: dict, **changes) -> dict:
    return {k: v for k, v in (content | changes).items() if v is not None}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"T": None}, "T must be a whole number"),
        ({"N": 2.5}, "N must be a whole number"),
        ({"N": RUNS + 1}, "no array of 4 runs x 120 rounds"),
        ({"constraint": 1.5}, r"constraint must be a number in \[0, 1\]"),
        ({"stationary_opt_reward": float("nan")}, "stationary_opt_reward must be"),
        ({"lincon_ts_reward_events": None}, "lincon_ts_reward_events is no array"),
        ({"lincon_ts_reward_events": np.full((RUNS, ROUNDS), 0.5)}, "other numbers than 0 and 1"),
        ({"lincon_ts_reward_events": np.full((RUNS, ROUNDS), np.nan)}, "other numbers than 0"),
        ({"lincon_kl_ucb_reward_values": np.ones((RUNS, ROUNDS))}, "or without an event"),
        ({"lincon_kl_ucb_reward_values": np.full((RUNS, ROUNDS), -1.0)}, r"outside of \[0, 1\]"),
        ({"lincon_kl_ucb_reward_values": np.full((RUNS, ROUNDS), np.nan)}, "outside of"),
        ({"more": "text"}, "neither a number nor an array"),
    ],
)
def test_files_of_another_form_are_refused(tmp_path, content, changes, message):
    with pytest.raises(UserError, match=message):
        read_published(saved(tmp_path, changed(content, **changes)), [1])


@pytest.mark.parametrize("rounds", [[], [0], [ROUNDS + 1]])
def test_rounds_that_are_not_there_are_refused(tmp_path, content, rounds):
    with pytest.raises(UserError, match="has the rounds 1 to 120"):
        read_published(saved(tmp_path, content), rounds)


def test_a_file_is_obtained_from_a_server_by_its_git_blob(server, tmp_path, content):
    path = saved(tmp_path, content)
    entry = replace(PUBLISHED[0], git_blob=file_git_blob(path))
    server.files[entry.name] = [healthy(path.read_bytes())]
    address = f"{server.address}/{entry.name}"
    found, line = obtain(entry, tmp_path / "raw", patience=QUICK, address=address)
    assert found == tmp_path / "raw" / entry.name
    assert line == f"the authors' runs: {address}"
    assert read_published(found, [5], entry.git_blob).runs == RUNS


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (healthy(b"<html>log in</html>"), "a web page"),
        (endless(head("Content-Encoding: gzip"), bytes(1000)), "encoding gzip"),
        (None, "no connection"),
    ],
    ids=["captive portal", "gzip bomb", "offline"],
)
def test_without_the_right_bytes_it_is_left_out_with_one_line(server, tmp_path, answer, reason):
    entry = PUBLISHED[1]
    server.files[entry.name] = [answer] if answer else []
    base = server.address if answer else dead_address()
    found, line = obtain(entry, tmp_path, patience=QUICK, address=f"{base}/{entry.name}")
    assert found is None
    assert line.startswith("the authors' runs are left out: ") and reason in line
    assert "\n" not in line


def test_only_the_papers_own_experiments_have_published_runs():
    assert published_for("edx_courses", 0.5, 50_000) is PUBLISHED[1]
    assert published_for("coupon_raw", 0.25, 10_000) is PUBLISHED[0]
    assert published_for("edx_courses", 0.4, 50_000) is None
    assert published_for("user", 0.5, 50_000) is None
    assert PUBLISHED[1].address.endswith("4eef/results/edX_eta0.50_T50000_N16.npy")
