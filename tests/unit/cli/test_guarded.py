"""Misbehaviour of a user-defined class, and how its job reports it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lincon.cli.main import main
from lincon.data import arms
from lincon.problem.solve import solve_problem

pytestmark = pytest.mark.slow

CLASS = """
import os, signal, subprocess, sys, threading, time

class Mine:
    def __init__(self, problem, rng): pass
    def choose(self, t):
        {does}
        return 0
    def update(self, t, arm, event): pass
"""
LINE = 7  # of `does`
FILES = ["--arms", "arms.parquet", "--problem", "problem.json", "--out", "runs.parquet"]
RUNS = ["--horizon", "9", "--points", "4", "--runs", "7"]
POLICY = ["--engine", "python", "--policy", "mine", "python=mine.py:Mine"]
WORDS = ["simulate", *FILES, *RUNS, *POLICY]


@pytest.fixture
def play(tmp_path, monkeypatch, capfdbinary):
    """play(body of choose) -> (exit code, lines of the log)."""
    monkeypatch.chdir(tmp_path)
    three = arms.make([0.3, 0.5, 0.9], [1.0, 0.7, 0.2], dataset="three")
    arms.write(three, "arms.parquet")
    Path("problem.json").write_text(solve_problem(three, 0.6).to_json())

    def call(does: str, *more: str, text: str = CLASS) -> tuple[object, list[str]]:
        Path("mine.py").write_text(text.replace("{does}", does))
        code: object = 0
        try:
            main([*WORDS, *more])
        except SystemExit as ended:
            code = ended.code
        return code, b"".join(capfdbinary.readouterr()).decode().splitlines()

    return call


LEFT = "policies.mine ended its process with code {}; it must play to the last round"
MISCHIEF = {
    "os._exit(0)": LEFT.format(0),
    "os._exit(17)": LEFT.format(17),
    "os._exit(99)": LEFT.format(99),
    "sys.exit(0)": f"policies.mine, run 7, round 1 (mine.py, line {LINE}): SystemExit(0)",
    "raise KeyboardInterrupt": f"round 1 (mine.py, line {LINE}): KeyboardInterrupt()",
    "{}['x'] if t == 3 else 0": f"mine, run 7, round 3 (mine.py, line {LINE}): KeyError('x')",
    "import pandaz": f"run 7, round 1 (mine.py, line {LINE}): No module named 'pandaz'",
    "return 'x' * 10**6": "run 7: policies.mine, round 1: it chose 'xxx",
    "os.closerange(3, 99)": LEFT.format(0),
    "os.abort()": "the process of policies.mine was ended by SIGABRT",
}


def test_a_sentence_has_a_line_of_its_own(play):
    _, log = play("os.write(2, b'no end of line'); os._exit(1)")
    assert log == ["no end of line", "lincon simulate: " + LEFT.format(1)]


@pytest.mark.parametrize("does", MISCHIEF)
def test_whatever_a_class_does_is_one_sentence_that_names_it(play, does):
    code, log = play(does)
    assert code == 1 and MISCHIEF[does] in log[-1] and len(log[-1]) < 600


def test_a_traceback_begins_with_the_users_code(play):
    _, log = play("self.missing")
    start = log.index("Traceback (most recent call last):")
    assert "mine.py" in log[start + 1] and "lincon" not in "".join(log[start + 1 : -1])


def test_a_package_that_is_missing_is_the_files_affair(play):
    _, log = play("pass", text="import pandaz\n" + CLASS)
    assert log[-1].endswith("policies.mine, run 7 (mine.py, line 1): No module named 'pandaz'")


DEAF = "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]); time.sleep(60)"


@pytest.mark.parametrize(
    ("does", "where"),
    [("while t == 3: pass", f" in run 7, round 3 (mine.py, line {LINE})"), (DEAF, "")],
)
def test_an_endless_round_ends_in_time_and_is_located(play, does, where):
    begin = time.monotonic()
    _, log = play(does, "--limit", "1")
    assert f"policies.mine was still playing after 1 seconds{where}; if it needs" in log[-1]
    assert time.monotonic() - begin < 30, "the policy takes a minute"
    assert where or any("mine.py" in line and "in choose" in line for line in log), "faulthandler"


@pytest.mark.parametrize("call", ["sys.stderr.write", "print", "os.write(1, b'-');print"])
def test_a_flood_is_cut(play, call):
    code, log = play(f"{call}('x' * 400_000 + '\\n')")
    assert code == 0 and 600_000 < sum(map(len, log)) <= 1_000_000
    assert log[-1] in ("", "x" * 400_000)


@pytest.mark.parametrize(
    "does", ["subprocess.Popen(['sleep', '600'])", "os.fork() or time.sleep(600)"]
)
def test_children_end_with_their_job(play, does):
    code, _ = play(f"t == 1 and open('group', 'w').write(str(os.getpgid(0))); t == 1 and ({does})")
    group = Path("group").read_text()
    time.sleep(0.5)
    running = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True).stdout
    left = [line.split() for line in running.splitlines()]
    assert code == 0 and not [stat for number, stat in left if number == group and "Z" not in stat]


def test_a_thread_that_lives_on_does_not_hold_up_a_finished_job(play):
    sleeper = "t == 1 and threading.Thread(target=time.sleep, args=(600,)).start()"
    assert play(sleeper, "--limit", "30")[0] == 0
    assert set(pq.read_table("runs.parquet")["run"].to_pylist()) == {7}


def test_an_interrupt_is_not_the_policys(play):
    play("pass")
    Path("mine.py").write_text(
        CLASS.replace("{does}", "open('began', 'w').close(); time.sleep(60)")
    )
    command = [sys.executable, "-m", "lincon", *WORDS]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    while not Path("began").exists():
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=30)[1] == b"lincon simulate: interrupted\n"
    assert process.returncode == 130


def test_a_class_may_change_the_folder(play):
    assert play("os.chdir('/')", "--runs", "0-1")[0] == 0
    assert set(pq.read_table("runs.parquet")["run"].to_pylist()) == {0, 1}
