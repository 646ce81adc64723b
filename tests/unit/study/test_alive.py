"""Who may clear up after the dead: whoever holds the lock alone."""

from __future__ import annotations

import subprocess
import sys
import time
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


def test_a_living_run_keeps_its_lock(other, capsys):
    lock = Path(".snakemake/locks/0.output.lock")
    lock.parent.mkdir(parents=True)
    lock.touch()
    assert main(["recover"]) == 0
    assert lock.exists() and "left alone" in capsys.readouterr().out


def test_the_lock_of_a_dead_run_goes(capsys):
    lock = Path(".snakemake/locks/0.output.lock")
    lock.parent.mkdir(parents=True)
    lock.touch()
    assert main(["recover"]) == 0
    assert not lock.exists() and "Removed the lock" in capsys.readouterr().out


def test_a_run_that_begins_waits_for_whoever_clears_up():
    """Else the next to clear up would not know of it, and drop its lock."""
    with alive.alone() as nobody:
        assert nobody
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        time.sleep(0.5)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    with alive.alone() as nobody:
        assert not nobody
    process.kill()
    process.wait()


def test_nothing_is_deleted_beside_a_living_run(other, capsys):
    run = Path("results/runs/dataset=a/run=0.parquet")
    run.parent.mkdir(parents=True)
    run.touch()
    assert main(["clean-stale", "--delete"]) == 1
    assert run.exists() and "a run is alive" in capsys.readouterr().err
    other.kill()
    other.wait()
    assert main(["clean-stale", "--delete"]) == 0
    assert not run.exists()
