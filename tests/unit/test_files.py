"""Writes are atomic, and a damaged table is noticed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lincon import files
from lincon.errors import UserError
from lincon.files import read_table, replacing, write_table

KILLED_HALFWAY = """
import os, signal, sys
from lincon.files import replacing
with replacing(sys.argv[1]) as temporary:
    with open(temporary, "w") as file:
        file.write("half of the ne")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
"""


def run_killed(path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(Path(files.__file__).parent.parent)}
    command = [sys.executable, "-c", KILLED_HALFWAY, str(path)]
    assert subprocess.run(command, env=environment).returncode == -signal.SIGKILL


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


@pytest.mark.parametrize("existed", [True, False])
def test_a_failure_or_a_kill_leaves_the_old_file(tmp_path, existed):
    path = tmp_path / "result.txt"
    if existed:
        path.write_text("old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as temporary:
        temporary.write_text("half of the ne")
        raise KeyboardInterrupt
    assert names(tmp_path) == ["result.txt"] * existed
    run_killed(path)
    assert path.exists() == existed and (not existed or path.read_text() == "old")
    (left_over,) = {*names(tmp_path)} - {path.name}
    assert left_over.startswith(".")


def example() -> pa.Table:
    rng = np.random.default_rng(4)
    return pa.table({"t": np.arange(500), "reward": rng.random(500).cumsum()})


def test_a_table_comes_back_as_it_was(tmp_path):
    path = tmp_path / "deep" / "run=0.parquet"
    write_table(path, example(), {"dataset": "edx", "note": "é"})
    data = path.read_bytes()
    write_table(path, example(), {"dataset": "edx", "note": "é"})
    assert path.read_bytes() == data
    table = read_table(path, "a run")
    assert table.equals(example()) and pq.read_table(path).equals(example())
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    assert metadata == {"dataset": "edx", "note": "é"}


def test_a_changed_bit_is_noticed_or_makes_no_difference(tmp_path):
    path = tmp_path / "run.parquet"
    write_table(path, example().slice(0, 30), {"dataset": "edx", "seed": "2020"})
    good, table = path.read_bytes(), read_table(path, "a run")
    refused = 0
    for place in range(len(good)):
        damaged = bytearray(good)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            back = read_table(path, "a run")
        except UserError as error:
            refused += 1
            assert str(path) in str(error) and "delete it and run again" in str(error)
            assert "\n" not in str(error)
            continue
        assert back.equals(table, check_metadata=True), place
    assert refused > len(good) / 2


def test_a_table_that_is_missing(tmp_path):
    with pytest.raises(UserError, match=r"none\.parquet is missing, but a run is needed"):
        read_table(tmp_path / "none.parquet", "a run")
