"""`lincon init, run, status, league, real, report`, and what the command says of itself."""

from __future__ import annotations

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
from lincon.command_line import project
from lincon.command_line.main import STAGES, main
from lincon.errors import UserError
from lincon.shared import real_command
from lincon.study.config import validate
from lincon.study.plan import plan


def test_a_new_study_has_a_config_that_is_valid_and_small(tmp_path):
    folder = tmp_path / "my_study"
    written = project.new_study(folder)
    assert {str(path.relative_to(folder)) for path in written} == {
        "README.md",
        "Snakefile",
        "config/config.yaml",
        "profiles/default/config.yaml",
    }
    config = validate(yaml.safe_load((folder / "config/config.yaml").read_text()))
    assert config["study"] == "my_study"
    assert list(plan(config).experiments) == ["radio"]
    statements = (folder / "Snakefile").read_text().split("\n\n\n")
    assert [text.split()[0] for text in statements] == ["from", "include:", "#"]


@pytest.mark.parametrize(
    ("folder", "study"),
    [("a b (c)", "a_b_c_"), ("2020-links", "links"), ("été", "t_"), ("...", "study")],
)
def test_a_study_is_named_after_its_folder(tmp_path, folder, study):
    project.new_study(tmp_path / folder)
    text = (tmp_path / folder / "config/config.yaml").read_text()
    assert validate(yaml.safe_load(text))["study"] == study
    assert study in (tmp_path / folder / "README.md").read_text()


def test_an_empty_folder_will_do_and_a_used_one_will_not(tmp_path):
    project.new_study(tmp_path)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with pytest.raises(UserError, match="is not empty; a study begins in an empty folder"):
        project.new_study(tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_init_says_what_it_wrote_and_what_is_next(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "mine"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert "mine/config/config.yaml" in printed
    assert printed[-1] == "Next: cd mine && lincon run"
    assert main(["init", "mine"]) == 1
    assert capsys.readouterr().err.startswith("lincon init: mine is not empty")


def test_what_is_next_can_be_typed_whatever_the_folder_is_called(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = """Ann's "links" $HOME"""
    assert main(["init", folder]) == 0
    next_step = capsys.readouterr().out.splitlines()[-1].removeprefix("Next: ")
    assert shlex.split(next_step) == ["cd", folder, "&&", "lincon", "run"]


@pytest.fixture
def called(tmp_path, monkeypatch) -> list[list[str]]:
    """The commands that would be run, in a folder with a new study."""
    project.new_study(tmp_path / "mine")
    monkeypatch.chdir(tmp_path / "mine")
    calls: list[list[str]] = []

    def record(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        calls.append(command[1:])
        return subprocess.CompletedProcess(command, 7, "", "no such rule")

    monkeypatch.setattr(project.subprocess, "run", record)
    return calls


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        ([], ["--cores", "all"]),
        (["-n"], ["--cores", "all", "-n"]),
        (["--config", "runs=3"], ["--cores", "all", "--config", "runs=3"]),
        (["--cores", "3"], ["--cores", "3"]),
        (["--cores=3"], ["--cores=3"]),
        (["-c4"], ["-c4"]),
        (["--jobs", "9"], ["--jobs", "9"]),
    ],
)
def test_run_is_snakemake_with_all_cores_unless_told(called, arguments, passed):
    assert main(["run", *arguments]) == 7
    assert called == [["-m", "snakemake", *passed]]


def test_an_interrupt_is_left_to_snakemake(tmp_path, monkeypatch):
    """It takes a second to end its jobs; who kills it before leaves a folder that is locked."""
    program = "import time\ntry: time.sleep(60)\nexcept KeyboardInterrupt: time.sleep(1); exit(9)"
    project.new_study(tmp_path / "mine")
    monkeypatch.chdir(tmp_path / "mine")
    run = "import sys; from lincon.command_line import project; project._snakemake = "
    run += f"lambda *_: {[sys.executable, '-c', program]!r}; sys.exit(project.main('run', []))"
    process = subprocess.Popen([sys.executable, "-c", run], start_new_session=True)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(30) == 9


def test_real_data_are_got_before_all_runs_again(called, monkeypatch):
    assert main(["real", "--configfile", "more.yaml"]) == 7
    assert called == [
        ["-m", "snakemake", "--cores", "1", "--configfile", "more.yaml", "--", "real_data"]
    ]
    monkeypatch.setattr(project, "_call", lambda command, also=None: called.append(command[1:]))
    main(["real", "-c2"])
    assert called[1:] == [
        ["-m", "snakemake", "--cores", "1", "-c2", "--", "real_data"],
        ["-m", "snakemake", "-c2"],
    ]


def test_the_league_is_that_of_the_study_that_the_config_names(called, capsys):
    assert main(["league"]) == 1
    assert capsys.readouterr().err == (
        "lincon league: study mine has no league yet; make it with: lincon run\n"
    )
    for study in ("mine", "other"):
        folder = Path(f"results/studies/{study}/tables/radio")
        folder.mkdir(parents=True)
        (folder / "league.md").write_text(f"# {study}\n")
    assert main(["league", "--config", "study=other"]) == 0
    assert capsys.readouterr().out.strip() == "# other"


def test_run_clears_up_after_the_dead_first(called, capsys):
    lock = Path(".snakemake/locks/0.output.lock")
    lock.parent.mkdir(parents=True)
    lock.touch()
    main(["run"])
    assert "Removed the lock of a run that was killed." in capsys.readouterr().out
    assert not lock.exists()


def test_what_to_type_for_the_real_data_can_be_typed_here(called):
    assert real_command() == "lincon real"
    assert real_command("/some/mirror") == "lincon real --config 'mirrors=[/some/mirror]'"
    Path("Makefile").touch()
    assert real_command() == "make real"
    assert real_command("/some/mirror") == "make real 'ARGS=--config mirrors=[/some/mirror]'"


@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_reader_that_leaves_early_is_no_error_to_look_at(buffered):
    # It is gone before the first letter.
    command = f"'{sys.executable}' -m lincon --help | sleep 0"
    environment = os.environ | {"PYTHONUNBUFFERED": buffered}
    done = subprocess.run(command, shell=True, env=environment, stderr=subprocess.PIPE, text=True)
    assert done.stderr == ""


def test_report_is_snakemakes(called):
    assert main(["report"]) == 7
    assert called[0][-2:] == ["--report", "report.html"]


def test_what_snakemake_said_is_shown_where_status_fails(called, capsys):
    assert main(["status"]) == 1
    assert "no such rule" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        ([], 32),
        (["--config", "runs=6"], 12),
        (["--configfile", "more.yaml"], 14),
        (["--configfile", "more.yaml", "--config", "runs=8", "seed=3"], 16),
    ],
)
def test_status_is_about_the_config_that_the_options_give(
    options, runs, tmp_path, monkeypatch, capsys
):
    project.new_study(tmp_path / "mine")
    monkeypatch.chdir(tmp_path / "mine")
    Path("more.yaml").write_text("runs: 7\n", encoding="utf-8")
    summary = subprocess.CompletedProcess([], 0, "output_file\tplan\n", "")
    monkeypatch.setattr(project.subprocess, "run", lambda command, **given: summary)
    assert main(["status", *options]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == [
        "radio",
        str(runs),
        "0",
        str(runs),
        "0",
    ]


@pytest.mark.parametrize("command", ["run", "status", "report"])
def test_a_folder_without_a_study_is_named(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([command]) == 1
    said = capsys.readouterr().err
    assert said == (
        f"lincon {command}: there is no Snakefile in this folder; "
        "begin a study with: lincon init NAME\n"
    )


def test_help_lists_every_command(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for name in (*project.COMMANDS, *STAGES):
        assert f"\n  {name} " in text


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"lincon {lincon.__version__}\n"


def test_an_unknown_command_is_a_sentence(capsys):
    assert main(["simulat"]) == 2
    assert "'simulat' is no command" in capsys.readouterr().err


def test_the_template_comes_with_the_package():
    assert project.TEMPLATE.is_dir() and Path(lincon.__file__).parent in project.TEMPLATE.parents


def test_a_stage_that_is_interrupted_says_so_without_a_traceback(monkeypatch, capsys):
    def interrupted(args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lincon.command_line.profile.run", interrupted)
    assert main(["profile"]) == 130
    assert capsys.readouterr().err == "lincon profile: interrupted\n"
