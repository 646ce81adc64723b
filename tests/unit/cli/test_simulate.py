"""`lincon simulate`: what a person types, and what a user-defined class may do to it."""

import os
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincon.cli.main import main
from lincon.cli.simulate import as_options, from_options
from lincon.data import arms
from lincon.errors import UserError
from tests.unit.analysis.made_runs import small, small_problem

CLASS = """
import os, sys, time

class Mine:
    def __init__(self, values, eta, horizon, rng): pass
    def choose(self, t): {does}
    def update(self, t, arm, event): pass
"""


@pytest.fixture
def typed(tmp_path, monkeypatch):
    """All but the policy and the runs."""
    monkeypatch.chdir(tmp_path)
    arms.write(small(), tmp_path / "arms.parquet")
    (tmp_path / "problem.json").write_text(small_problem().to_json())
    files = ["--arms", "arms.parquet", "--problem", "problem.json", "--horizon", "9"]
    return ["simulate", *files, "--points", "4"]


def test_a_block_of_runs_by_hand(typed):
    policy = ["--policy", "mine", "estimator=kl_ucb", "selector=lp", "c=3", "--engine", "dense"]
    assert main([*typed, *policy, "--runs", "2-4", "--out", "runs.parquet", "plays.parquet"]) == 0
    runs, plays = (pq.read_table(name).to_pandas() for name in ("runs.parquet", "plays.parquet"))
    assert sorted(set(runs["run"])) == [2, 3, 4] and set(runs["t"]) >= {1, 9}
    assert (plays.groupby("run")["plays"].sum() == 9).all()
    made_by = pq.read_schema("runs.parquet").metadata
    assert (
        made_by[b"policy"] == b'{"c": 3, "estimator": "kl_ucb", "name": "mine", "selector": "lp"}'
    )


OWN = ["--policy", "mine", "python=mine.py:Mine", "--engine", "python"]
MISCHIEF = {
    "sys.exit(0)": "run 7: policies.mine raised SystemExit(0); it must play to the last round",
    "return 'x' * 10**6": "run 7: policies.mine, round 1: it chose 'xxx",
    "raise KeyboardInterrupt": "run 7: policies.mine raised KeyboardInterrupt(); it must play",
    "os._exit(0)": "policies.mine ended the process, as with os._exit; it must play to the end",
    "os.abort()": "the process of policies.mine was ended by SIGABRT",
    "time.sleep(60)": "policies.mine was still playing after 4 seconds; if it needs them, give",
}


@pytest.mark.parametrize("does", MISCHIEF)
def test_whatever_a_class_does_is_one_sentence_that_names_it(typed, tmp_path, capfdbinary, does):
    (tmp_path / "mine.py").write_text(CLASS.format(does=does))
    # A process takes some seconds to start, so only one has a limit that it meets.
    limit = "4" if "sleep" in does else "99"
    with pytest.raises(SystemExit) as ended:
        main([*typed, *OWN, "--runs", "7", "--limit", limit, "--out", "runs.parquet"])
    (*_, sentence) = capfdbinary.readouterr().err.decode().splitlines()
    assert ended.value.code == 1 and MISCHIEF[does] in sentence and len(sentence) < 400


def test_an_interrupt_is_not_the_policys(typed, tmp_path):
    (tmp_path / "mine.py").write_text(
        CLASS.format(does="open('began', 'w').close(); time.sleep(60)")
    )
    command = [sys.executable, "-m", "lincon", *typed, *OWN, "--out", "runs.parquet"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    while not (tmp_path / "began").exists():
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=30)[1] == b"lincon simulate: interrupted\n"
    assert process.returncode == 130


def test_a_class_may_change_the_folder_and_print_without_end(typed, tmp_path, capfdbinary):
    """Its runs are where they should be, and the log is cut."""
    (tmp_path / "mine.py").write_text(
        CLASS.format(does="os.chdir('/'); print('x' * 400_000); return 0")
    )
    assert main([*typed, *OWN, "--runs", "0-1", "--out", "runs.parquet"]) == 0
    said = capfdbinary.readouterr().out
    assert said.endswith(b"x\n[what follows is left out]\n") and len(said) < 1_300_000
    assert set(pq.read_table("runs.parquet")["run"].to_pylist()) == {0, 1}


def test_a_key_without_a_value_is_a_sentence():
    with pytest.raises(UserError, match="'lp' is not KEY=VALUE, as in estimator=kl_ucb"):
        from_options(["estimator=kl_ucb", "lp"])


values = st.one_of(
    st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans()
)


@given(st.dictionaries(st.from_regex("[a-z_]+", fullmatch=True), values))
def test_options_read_back_as_they_were(entry):
    assert from_options(as_options(entry)) == entry
