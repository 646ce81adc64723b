"""Reading runs: single files and blocks alike, all or none, and all made in the same way."""

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.runs import SHARED, read_runs
from lincon.errors import UserError
from lincon.files import write_frame
from tests.unit.analysis.made_runs import runs_of

T = np.array([1, 10, 100])
Q = '{"name": "q"}'
MADE = {"source": "real", "arms_sha256": "ab", "seed": "1", "code": "c0de", "points": "200"}
MADE |= {"engine": "lazy", "policy": '{"name": "p"}'}


def written(folder, name: str, runs: range, **metadata: str):
    frame = runs_of(T, np.linspace(0.1, 0.2, 8), np.full(8, 0.5))
    path = folder / f"run={name}.parquet"
    write_frame(path, frame[frame["run"].isin(runs)], MADE | metadata)
    return path


def test_blocks_and_single_runs_read_the_same(tmp_path):
    block = [written(tmp_path / "a", "0-3", range(4)), written(tmp_path / "a", "4-7", range(4, 8))]
    single = [written(tmp_path / "b", str(run), range(run, run + 1)) for run in range(6)]
    blocks, metadata, entries = read_runs(block, ["p"], 6)
    singles, *_ = read_runs(single, ["p"], 6)
    assert entries == {"p": {"name": "p"}}
    pd.testing.assert_frame_equal(
        blocks["p"].reset_index(drop=True), singles["p"].reset_index(drop=True)
    )
    assert metadata == MADE
    assert sorted(blocks["p"]["run"].unique()) == list(range(6))


def test_an_incomplete_set_is_refused_in_one_sentence(tmp_path):
    paths = [written(tmp_path, "0", range(1)), written(tmp_path, "2", range(2, 3))]
    with pytest.raises(UserError, match=r"^p: runs 0 to 2 are needed, but not there: 1$"):
        read_runs(paths, ["p"], 3)
    with pytest.raises(UserError, match=r"needed, but not there: 0, 1, 2, 3, 4, \.\.\.$"):
        read_runs([], ["p"], 10)
    with pytest.raises(UserError, match=r"^p: a run is in more than one of the files given$"):
        read_runs([paths[0], written(tmp_path, "0-1", range(2))], ["p"], 2)
    with pytest.raises(UserError, match=r"nowhere\.parquet is missing, but a table"):
        read_runs([tmp_path / "nowhere.parquet"], ["p"], 1)


@pytest.mark.parametrize("key", [*SHARED, "code"])
def test_a_mixture_is_refused(tmp_path, key):
    first = written(tmp_path, "0", range(1))
    other = written(tmp_path, "1", range(1, 2), **{key: "other"})
    with pytest.raises(
        UserError, match=rf"run=1\.parquet was played with {key} other, but .*run=0"
    ):
        read_runs([first, other], ["p"], 2)
    alone = written(tmp_path / "q", "0", range(1), **{key: "other", "policy": Q})
    with pytest.raises(UserError, match=rf"played with {key} other"):
        read_runs([first, alone], ["p", "q"], 1)


def test_another_engine_may_have_other_code(tmp_path):
    first = written(tmp_path, "0", range(1))
    other = written(tmp_path / "q", "0", range(1), engine="python", code="mine", policy=Q)
    frames, metadata, _ = read_runs([first, other], ["q", "p"], 1)
    assert list(frames) == ["q", "p"]
    assert metadata["seed"] == "1" and "code" not in metadata and "engine" not in metadata


def test_the_runs_of_another_policy_are_refused(tmp_path):
    """A file that was copied or renamed by hand."""
    path = written(tmp_path, "0", range(1), policy=Q)
    with pytest.raises(UserError, match=r"was played by q, which is not among p: it appears"):
        read_runs([path], ["p"], 1)
