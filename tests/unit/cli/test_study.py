"""`lincon init, run, status, league, real, report`, and what the command says of itself."""

import fcntl
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import lincon
from lincon.cli import init, study
from lincon.cli.main import COMMANDS, main
from lincon.study.config import validate
from lincon.study.plan import plan


def code(*arguments: str) -> int:
    """The exit code, however the command ends."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return ended.code


def test_a_new_study_has_a_config_that_is_valid_and_the_name_of_its_folder(tmp_path):
    folder = tmp_path / "2020 (été) my_study"
    written = init.new_study(folder)
    assert {str(path.relative_to(folder)) for path in written} == {
        "README.md",
        "Snakefile",
        "config/config.yaml",
        "profiles/default/config.yaml",
    }
    config = validate(yaml.safe_load((folder / "config/config.yaml").read_text()))
    assert config["study"] == "t_my_study"
    assert list(plan(config).experiments) == ["radio"]


def test_what_is_next_can_be_typed_whatever_the_folder_is_called(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = """Ann's "links" $HOME"""
    assert code("init", folder) == 0
    next_step = capsys.readouterr().out.splitlines()[-1].removeprefix("Next: ")
    assert shlex.split(next_step) == ["cd", folder, "&&", "lincon", "run"]


@pytest.fixture
def called(tmp_path, monkeypatch) -> list[list[str]]:
    """The commands that would be run, in a folder with a new study."""
    init.new_study(tmp_path / "mine")
    monkeypatch.chdir(tmp_path / "mine")
    calls: list[list[str]] = []

    def record(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        calls.append(command[3:])
        code = 0 if "--unlock" in command else 7
        return subprocess.CompletedProcess(command, code, "", "no such rule")

    monkeypatch.setattr(study.subprocess, "run", record)
    return calls


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (["--config", "runs=3"], ["--cores", "all", "--config", "runs=3"]),
        (["--cores=3"], ["--cores=3"]),
        (["-c4"], ["-c4"]),
    ],
)
def test_run_is_snakemake_with_all_cores_unless_told(called, arguments, passed):
    assert code("run", *arguments) == 7
    assert called == [passed]
    assert not study.RUNNING.exists()


def test_after_a_kill_the_folder_is_unlocked_unless_a_run_is_alive(called, capsys):
    study.RUNNING.parent.mkdir()
    with open(study.RUNNING, "w") as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        assert code("run", "-c1") == 7
    assert [call[-1] for call in called] == ["-c1"] and study.RUNNING.exists()
    assert code("run", "-c1") == 7
    assert [call[0] for call in called[1:]] == ["--unlock", "-c1"]
    assert "The last run here was killed" in capsys.readouterr().out


def test_a_kill_while_unlocking_leaves_a_folder_that_the_next_call_unlocks(called, monkeypatch):
    study.RUNNING.parent.mkdir()
    study.RUNNING.touch()
    monkeypatch.setattr(study, "_call", lambda command, *_: called.append(command[3:]) or -9)
    assert code("run", "-c1") == -9
    assert [call[0] for call in called] == ["--unlock"] and study.RUNNING.exists()


def test_an_interrupt_is_left_to_snakemake(tmp_path, monkeypatch):
    """It takes a second to end its jobs; whoever kills it before leaves a folder that is locked."""
    program = "import time\ntry: time.sleep(60)\nexcept KeyboardInterrupt: time.sleep(1); exit(9)"
    init.new_study(tmp_path / "mine")
    monkeypatch.chdir(tmp_path / "mine")
    run = "import sys; from lincon.cli import main, study; study._snakemake = "
    run += f"lambda *_: {[sys.executable, '-c', program]!r}; sys.exit(main.main(['run']))"
    process = subprocess.Popen([sys.executable, "-c", run], start_new_session=True)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(30) == 9


READS_FOR_LONG = "import pathlib, time\npathlib.Path('began').touch()\ntime.sleep(60)\n"
PRINTS = "rule all:\n    output: 'x'\n    shell: 'echo loud >&2; touch x'\n"


def test_an_interrupt_while_snakemake_reads_is_a_line(tmp_path):
    (tmp_path / "Snakefile").write_text(READS_FOR_LONG)
    command = [sys.executable, "-m", "lincon.cli.snakemake", "--cores", "1"]
    # Whoever runs the tests in the background may have them ignore interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "began").exists():
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1].splitlines()[-1].startswith("Interrupted; the same")
    assert process.returncode == 130


def test_what_a_job_prints_beside_its_log_is_shown(tmp_path):
    (tmp_path / "Snakefile").write_text(PRINTS)
    (tmp_path / "profiles/default").mkdir(parents=True)
    (tmp_path / "profiles/default/config.yaml").write_text("keep-going: true\n")
    command = [sys.executable, "-m", "lincon.cli.snakemake", "--cores", "1", "--quiet", "all"]
    done = subprocess.run(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=True)
    assert done.stderr.endswith("loud\n") and "profile" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (["--configfile", "a.yaml"], ["--configfile", "a.yaml", "--config", "data=real"]),
        (["--config", "runs=3"], ["--config", "data=real", "runs=3"]),
    ],
)
def test_real_is_a_run_without_stand_ins(called, arguments, asked):
    assert code("real", *arguments) == 7
    assert called == [["--cores", "all", *asked]]


def test_what_is_not_there_is_said(called, capsys):
    assert code("league", "mine") == 1
    assert "none yet, make it with: lincon run" in capsys.readouterr().err
    table = Path("results/studies/other/tables/edx/results.json")
    table.parent.mkdir(parents=True)
    table.touch()
    assert code("league", "mine") == 1
    assert "no league of mine here; there is one of: other\n" in capsys.readouterr().err
    assert code("status") == 1
    assert "no such rule" in capsys.readouterr().err


def test_a_reader_that_leaves_early_is_not_an_error():
    # It is gone before the first letter, which is written at the end.
    command = f"env -u PYTHONUNBUFFERED '{sys.executable}' -m lincon --help | sleep 0"
    assert subprocess.run(command, shell=True, stderr=subprocess.PIPE).stderr == b""


def test_a_folder_without_a_study_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert code("run") == 1
    said = "there is no Snakefile in this folder; begin a study with: lincon init NAME"
    assert capsys.readouterr().err == f"lincon run: {said}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_listed_and_has_help(command, capsys):
    assert code("--help") == 0
    assert f"\n  lincon {command} " in capsys.readouterr().out
    assert code(command, "--help") == 0
    assert capsys.readouterr().out.startswith(f"usage: lincon {command}")


def test_version_and_an_unknown_command(capsys):
    assert code() == 0 and "Each command has --help" in capsys.readouterr().out
    assert code("--version") == 0
    assert capsys.readouterr().out == f"lincon {lincon.__version__}\n"
    assert code("simulat") == 2
    assert "invalid choice: 'simulat'" in capsys.readouterr().err
    assert code("league", "--deep") == 2


@pytest.mark.parametrize(
    ("error", "exit_code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (MemoryError(), 1, "there is not enough memory; allow more"),
        (OSError("Could not load shared object file 'x.so'"), 1, "there is not enough memory;"),
    ],
)
def test_an_interrupt_or_too_little_memory_is_a_sentence(
    monkeypatch, capsys, error, exit_code, said
):
    def fails(args: object) -> None:
        raise error

    monkeypatch.setattr("lincon.cli.league.run", fails)
    assert code("league") == exit_code
    assert capsys.readouterr().err.startswith(f"lincon league: {said}")
