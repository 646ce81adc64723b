"""Terminal output of a run: Snakemake with the logger plugin, on a terminal and in a pipe."""

import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
SNAKEFILE = """
rule all:
    input: expand("figures/{n}.png", n=range(12)), "page.html"

rule draw:
    output: "figures/{n}.png"
    log: "logs/{n}.log"
    shell: "COMMAND"

rule page:
    output: "page.html"
    shell: "touch {output}"
"""
GOOD = "touch {output}"
BAD = "echo first > {log}; echo 'draw: the paper is wet' >> {log}; exit 1"


def command(shell: str, *arguments: str) -> list[str]:
    snakemake = [sys.executable, "-m", "snakemake", "--logger", "lincon", "--cores", "2"]
    Path("Snakefile").write_text(SNAKEFILE.replace("COMMAND", shell), encoding="utf-8")
    return [*snakemake, *arguments]


def environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SNAKEMAKE")}
    return kept | {"PYTHONPATH": str(REPOSITORY / "workflow"), "TERM": "xterm", "COLUMNS": "90"}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(shell: str, *arguments: str, before: Sequence[str] = ()) -> tuple[int, str]:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        words = [*before, *command(shell, *arguments)]
        done = subprocess.run(words, env=environment(), check=False, **streams)
        return done.returncode, done.stdout

    return call


def test_on_a_terminal_one_line_moves(tmp_path, monkeypatch):
    """Until the last job fails, which leaves an empty line to type in."""
    monkeypatch.chdir(tmp_path)
    shell = "test {wildcards.n} != 11 && " + GOOD + " || (" + BAD + ")"
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(shell, "--keep-going"), env=environment(), stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    sent = b""
    while True:
        try:
            sent += os.read(ours, 4096)
        except OSError:
            break
    os.close(ours)
    text = sent.decode()
    assert process.wait() == 1, text
    frames = [part.split("\x1b[2K")[-1] for part in text.split("\r") if " of 14 jobs" in part]
    assert len(frames) > 12
    assert all(len(frame.rstrip("\n")) < 90 for frame in frames)
    assert any("; now " in frame and "draw" in frame for frame in frames)
    stays = [line for line in text.split("\n") if " of 14 jobs" in line.split("\r")[-1]]
    assert "rule draw:" not in text and len(stays) < 5
    assert "the paper is wet" in text and text.endswith("\r\x1b[2K")


def test_a_pipe_gets_the_plan_some_lines_and_where_to_look(run):
    code, text = run(GOOD)
    lines = text.splitlines()
    assert code == 0, text
    assert "\x1b" not in text and "\r" not in text
    plan = lines[lines.index("Jobs to run:") + 1 :][:4]
    assert {" ".join(line.split()) for line in plan} == {"draw 12", "page 1", "all 1", "total 14"}
    progress = [line for line in lines if " of 14 jobs in " in line]
    assert 2 < len(progress) <= 10
    assert lines[-1].startswith("14 jobs in ")
    assert len(lines) < 20 and "More jobs follow" not in text
    code, text = run(GOOD)
    assert code == 0 and "Nothing to be done" in text and "Jobs to run" not in text


def test_a_failed_job_says_why_and_where_its_log_is(run):
    code, text = run(BAD, "--keep-going")
    assert code == 1
    assert "draw n=7 failed, its log ends: draw: the paper is wet\n  see logs/7.log" in text
    noise = ("first", "CalledProcessError", "Shutting down", "WorkflowError", "Look above")
    assert not [word for word in noise if word in text]


def test_an_interrupt_is_not_a_failure(run):
    code, text = run("echo 'draw: interrupted' > {log}; exit 130")
    assert code == 1
    assert text.endswith("\nInterrupted; the same command continues from here.\n")
    assert "failed" not in text and "exit status" not in text


@pytest.mark.parametrize(
    ("shell", "words"),
    [
        ("exit 3", ("Error in rule draw", "exit 3", "non-zero exit code")),
        ("python3 -c '1/0' 2> {log}", ("Traceback", "ZeroDivisionError")),
    ],
    ids=["without a word", "a traceback"],
)
def test_a_failure_that_the_log_does_not_explain_is_shown_whole(run, shell, words):
    code, text = run(shell, "--show-failed-logs")
    assert code == 1
    assert [word for word in words if word not in text] == []


def test_the_way_back_shows_every_job_and_a_missing_config_is_named(run):
    code, text = run(GOOD, "--dry-run")
    assert code == 0 and text.count("rule draw:") == 12
    code, text = run(GOOD, "--configfile", "my links.yaml")
    assert code != 0
    assert text.splitlines() == ["'my links.yaml' is named as a config file, but does not exist"]
