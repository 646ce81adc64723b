"""The authors' runs: files in exactly their form, whole and hostile."""

from pathlib import Path

import numpy as np
import pytest

from lincon.data import arms
from lincon.data.authors_runs import read_published
from lincon.errors import UserError
from tests.published_file import published_content

RUNS, ROUNDS, ETA = 3, 120, 0.5
MADE = arms.make([0.2, 0.6, 0.7, 0.4], [1, 0.5, 0.2, 0.3], dataset="made")
OPTIMUM = "stationary_opt_reward"
ENTRY = {"eta": ETA, "horizon": ROUNDS}


@pytest.fixture(scope="module")
def content() -> dict:
    return published_content(MADE, ETA, ROUNDS, RUNS)


def saved(folder: Path, content: dict) -> Path:
    path = folder / "runs.npy"
    np.save(path, content)
    return path


def test_the_frame_has_what_was_played_up_to_each_round(tmp_path, content):
    rounds = [1, 7, ROUNDS]
    read, optimum = read_published(saved(tmp_path, content), rounds, ENTRY)
    assert optimum == content[OPTIMUM]
    assert list(read.columns) == ["policy", "run", "t", "reward", "events"]
    assert len(read) == 2 * RUNS * len(rounds)
    for row in read.itertuples():
        events = content[f"{row.policy}_reward_events"][row.run, : row.t]
        values = content[f"{row.policy}_reward_values"][row.run, : row.t]
        assert row.events == sum(events)
        assert row.reward == pytest.approx(sum(values), abs=1e-12)
    assert read["reward"].max() > 0


def test_the_optimum_is_found_as_one_of_their_notebooks_spells_it(tmp_path, content):
    misspelt = {"stationay_opt_reward" if k == OPTIMUM else k: v for k, v in content.items()}
    assert read_published(saved(tmp_path, misspelt), [1], ENTRY)[1] == content[OPTIMUM]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"T": None}, "does not hold published runs: 'T'"),
        ({"N": RUNS + 1}, "other arrays than 4 runs x 120 rounds"),
        ({"lincon_kl_ucb_reward_values": np.ones((RUNS, ROUNDS))}, "rewards without one"),
        ({"constraint": 0.25}, r"with eta 0\.25 and 120 rounds, but the config says eta 0\.5"),
    ],
)
def test_files_of_another_form_are_refused(tmp_path, content, changes, message):
    changed = {k: v for k, v in (content | changes).items() if v is not None}
    with pytest.raises(UserError, match=message):
        read_published(saved(tmp_path, changed), [1], ENTRY)


def test_other_bytes_than_the_pinned_ones_are_refused(tmp_path, content):
    with pytest.raises(UserError, match="expected git_blob 4a31"):
        read_published(saved(tmp_path, content), [1], ENTRY | {"git_blob": "4a31" + "0" * 36})
