"""The authors' runs: files in exactly their form, whole and hostile."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from lincon.data import arms
from lincon.data.published import read_published
from lincon.data.raw import Pin, WrongBytes, file_git_blob
from lincon.errors import UserError
from tests.published_file import published_content

RUNS, ROUNDS, ETA = 3, 120, 0.5
MADE = arms.make([0.2, 0.6, 0.7, 0.4], [1, 0.5, 0.2, 0.3], dataset="made")


@pytest.fixture(scope="module")
def content() -> dict:
    return published_content(MADE, ETA, ROUNDS, RUNS)


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


def test_the_optimum_is_found_as_one_of_their_notebooks_spells_it(tmp_path, content):
    misspelt = dict(content)
    misspelt["stationay_opt_reward"] = misspelt.pop("stationary_opt_reward")
    assert (
        read_published(saved(tmp_path, misspelt), [1]).optimum == content["stationary_opt_reward"]
    )


def test_the_git_blob_is_that_of_git(tmp_path, content):
    path = saved(tmp_path, content)
    asked = subprocess.run(["git", "hash-object", path], capture_output=True, text=True, check=True)
    assert file_git_blob(path) == asked.stdout.strip()
    assert Pin(git_blob=asked.stdout.strip()).mismatch(path) == ""
    with pytest.raises(WrongBytes, match="expected git blob 4a31"):
        Pin(git_blob="4a31" + "0" * 36).check(path)


def changed(content: dict, **changes) -> dict:
    return {k: v for k, v in (content | changes).items() if v is not None}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"T": None}, "does not hold published runs: 'T'"),
        ({"N": RUNS + 1}, "other arrays than 4 runs x 120 rounds"),
        ({"lincon_ts_reward_events": None}, "'lincon_ts_reward_events'"),
        ({"lincon_ts_reward_events": np.full((RUNS, ROUNDS), 0.5)}, "events other than 0 and 1"),
        ({"lincon_kl_ucb_reward_values": np.ones((RUNS, ROUNDS))}, "rewards without an event"),
        ({"lincon_kl_ucb_reward_values": np.full((RUNS, ROUNDS), np.nan)}, "rewards without"),
        ({"more": "text"}, "neither a number nor an array"),
    ],
)
def test_files_of_another_form_are_refused(tmp_path, content, changes, message):
    with pytest.raises(UserError, match=message):
        read_published(saved(tmp_path, changed(content, **changes)), [1])


@pytest.mark.parametrize("rounds", [[], [0], [ROUNDS + 1]])
def test_missing_rounds_are_refused(tmp_path, content, rounds):
    with pytest.raises(UserError, match="has the rounds 1 to 120"):
        read_published(saved(tmp_path, content), rounds)
