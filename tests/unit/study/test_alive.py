"""Who may clear up after the dead: whoever holds the lock alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lincon.command_line.main import main
from lincon.study import alive

HOLDER = "from lincon.study import alive; kept = alive.hold(); print('held', flush=True); input()"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    return tmp_path


@pytest.fixture
def other():
    """Another process that says it is alive."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()


def test_nobody_is_alone_beside_a_living_run(other):
    with alive.alone() as nobody:
        assert not nobody


def test_the_lock_dies_with_its_process_however_that_ends(other):
    other.kill()
    other.wait()
    with alive.alone() as nobody:
        assert nobody


def test_several_runs_may_be_alive():
    first, second = alive.hold(), alive.hold()
    assert first is not None and second is not None


def test_half_written_files_go_and_others_stay(capsys):
    dead = Path("results/.arms.67238bb1.pdf")
    kept = [Path("results/.summary"), Path("results/arms.pdf"), Path("results/.hidden.txt")]
    for path in (dead, *kept):
        path.touch()
    assert main(["recover"]) == 0
    assert "Removed 1 half-written files" in capsys.readouterr().out
    assert not dead.exists() and all(path.exists() for path in kept)


def test_a_living_run_keeps_its_files(other, capsys):
    mine = Path("results/.arms.67238bb1.pdf")
    mine.touch()
    assert main(["recover"]) == 0
    assert mine.exists() and "left alone" in capsys.readouterr().out
