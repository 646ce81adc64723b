"""`lincon verify` names every Parquet file that was damaged after it was written."""

from __future__ import annotations

import os

import pyarrow as pa
import pytest

from lincon.cli.main import main
from lincon.files import write_table


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        write_table(f"results/{name}.parquet", pa.table({"x": list(range(1000))}))
    return tmp_path / "results"


def test_whole_files_are_fine(results, capsys):
    assert main(["verify"]) == 0
    assert capsys.readouterr().out == "3 Parquet files in results, 0 damaged\n"


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_a_damaged_file_is_named_whatever_its_time_stamp(results, capsys, damage):
    path = results / "b.parquet"
    before, data = path.stat(), bytearray(path.read_bytes())
    if damage == "flipped":
        data[40] ^= 1
    path.write_bytes(data[:200] if damage == "cut" else data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(SystemExit) as ended:
        main(["verify"])
    said = capsys.readouterr()
    assert ended.value.code == 1 and "results/b.parquet" in said.out
    assert "3 Parquet files in results, 1 damaged" in said.out
    assert "delete the files named above and run again" in said.err
