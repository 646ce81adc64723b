"""A reader meets the old file or the new one, never half of one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from lincon import files
from lincon.files import replacing, write_table, write_text

KILLED_HALFWAY = """
import os, signal, sys
from lincon.files import replacing
with replacing(sys.argv[1]) as temporary:
    with open(temporary, "w") as file:
        file.write("half of the ne")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_new_file_takes_the_place_of_the_old(tmp_path):
    path = tmp_path / "a" / "b" / "result.parquet"
    for text in ("old", "new"):
        with replacing(path) as temporary:
            assert temporary.parent == path.parent  # a rename is atomic within a file system only
            assert temporary.suffix == ".parquet" and temporary.name.startswith(".")
            temporary.write_text(text)
            assert not path.exists() or path.read_text() == "old"
        assert path.read_text() == text
    assert names(path.parent) == ["result.parquet"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("existed", [True, False])
def test_a_failure_leaves_things_as_they_were(tmp_path, error, existed):
    path = tmp_path / "result.txt"
    if existed:
        path.write_text("old")
    with pytest.raises(error), replacing(path) as temporary:
        temporary.write_text("half of the ne")
        raise error
    assert names(tmp_path) == ["result.txt"] * existed
    assert not existed or path.read_text() == "old"


def test_a_writer_that_wrote_nothing_is_an_error(tmp_path):
    path = tmp_path / "result.txt"
    path.write_text("old")
    with pytest.raises(FileNotFoundError), replacing(path):
        pass
    assert path.read_text() == "old"


@pytest.mark.parametrize("existed", [True, False])
def test_a_killed_job_leaves_the_old_file(tmp_path, existed):
    path = tmp_path / "result.txt"
    if existed:
        path.write_text("old")
    environment = os.environ | {"PYTHONPATH": str(Path(files.__file__).parent.parent)}
    command = [sys.executable, "-c", KILLED_HALFWAY, str(path)]
    assert subprocess.run(command, env=environment).returncode == -signal.SIGKILL
    assert path.exists() == existed
    assert not existed or path.read_text() == "old"
    (left_over,) = {*names(tmp_path)} - {path.name}
    assert left_over.startswith(".")


def test_writers_at_the_same_time_do_not_meet(tmp_path):
    path = tmp_path / "result.txt"
    with replacing(path) as one, replacing(path) as other:
        assert one != other
        one.write_text("one")
        other.write_text("other")
    assert path.read_text() == "one"  # the outer one is the last to finish
    assert names(tmp_path) == ["result.txt"]


def example() -> pa.Table:
    rng = np.random.default_rng(4)
    return pa.table({"t": np.arange(500), "reward": rng.random(500).cumsum()})


def test_the_same_table_gives_the_same_bytes(tmp_path):
    for name in ("one", "other"):
        write_table(tmp_path / name, example(), {"dataset": "edx", "note": "é"})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    write_table(tmp_path / "other", example(), {"dataset": "edx", "note": "e"})
    assert (tmp_path / "one").read_bytes() != (tmp_path / "other").read_bytes()


def test_a_table_comes_back_as_it_was(tmp_path):
    path = tmp_path / "deep" / "run=0.parquet"
    write_table(path, example(), {"dataset": "edx", "note": "é"})
    table = pq.read_table(path)
    assert table.equals(example())
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    assert metadata == {"dataset": "edx", "note": "é"}
    write_table(path, example())
    assert not pq.read_table(path).schema.metadata


def test_left_overs_are_not_read_with_the_tree(tmp_path):
    """Whoever reads the whole Hive tree does not stumble over what a killed job left."""
    folder = tmp_path / "runs" / "dataset=edx" / "policy=ts"
    write_table(folder / "run=0.parquet", example())
    with replacing(folder / "run=1.parquet") as temporary:
        temporary.write_bytes(b"PAR1 and no more")
        tree = pyarrow.dataset.dataset(tmp_path / "runs", partitioning="hive").to_table()
        write_table(temporary, example())
    assert tree.num_rows == 500
    assert set(tree["policy"].to_pylist()) == {"ts"}


def test_text_is_utf8_whatever_the_locale(tmp_path):
    write_text(tmp_path / "note.txt", "λ* = ½\n")
    assert (tmp_path / "note.txt").read_bytes() == "λ* = ½\n".encode()
