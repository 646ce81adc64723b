"""`lincon verify` names every table and record that was damaged after it was written."""

import json
import os

import pyarrow as pa
import pytest

from lincon.cli.main import main
from lincon.files import sealed, write_table, write_text


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        write_table(f"results/{name}.parquet", pa.table({"x": list(range(1000))}))
    write_text("results/problem.json", json.dumps(sealed({"optimum": 0.5, "prices": [1.0, 2.0]})))
    return tmp_path / "results"


def test_whole_files_are_fine(results, capsys):
    assert main(["verify"]) == 0
    assert capsys.readouterr().out == "3 tables and records in results, 0 damaged\n"


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("b.parquet", lambda data: data[:200]),
        ("b.parquet", lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:]),
        ("problem.json", lambda data: data.replace(b"0.5", b"0.4")),
    ],
    ids=["cut", "flipped", "digit"],
)
def test_a_damaged_file_is_named_whatever_its_time_stamp(results, capsys, name, damage):
    path = results / name
    before = path.stat()
    path.write_bytes(damage(path.read_bytes()))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(SystemExit) as ended:
        main(["verify"])
    said = capsys.readouterr()
    assert ended.value.code == 1 and f"results/{name}" in said.out
    assert "3 tables and records in results, 1 damaged" in said.out
    assert "delete the files named above and run again" in said.err
