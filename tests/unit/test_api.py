"""`import lincon`: light, the workflow's numbers, any policy, whatever the number of processes."""

import doctest
import io
import json
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lincon
from lincon import api, parallel
from lincon.analysis.results import write_results
from lincon.cli.simulate import play_block
from lincon.data import arms as arm_tables
from lincon.errors import UserError
from lincon.policies.standard import STANDARD
from lincon.problem.goal import Goal
from lincon.study.config import engine_keys

REPOSITORY = Path(__file__).parents[2]
PLAYED = {"floor": 0.5, "horizon": 60, "runs": 3, "points": 5}


def small(dataset: str = "small") -> lincon.Arms:
    return lincon.Arms.from_arrays([0.4, 0.6, 0.5], [0.5, 0.25, 0.3], dataset=dataset)


class Last:
    """Plays the last arm, or the one that it is asked for."""

    def __init__(self, problem, rng, arm=-1):
        self.arm = range(len(problem.values))[arm]

    def choose(self, t):
        return self.arm

    def update(self, t, arm, event): ...


def test_import_and_online_load_nothing_slow():
    code = "import lincon, lincon.online, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "lincon.online" in loaded
    assert not loaded & {"pandas", "numba", "scipy", "pyarrow", "pydantic", "lincon.api"}


def test_without_the_extra_one_sentence_names_it():
    code = "import sys; sys.modules['pandas'] = None; import lincon; lincon.solve"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert last.endswith("lincon.solve needs pandas; install lincon with its extra `workflow`")


def test_what_is_offered_is_there():
    assert set(lincon.__all__) == set(api.__all__) <= set(dir(lincon))
    assert all(getattr(lincon, name) is getattr(api, name) for name in lincon.__all__)
    with pytest.raises(AttributeError, match="no attribute 'solv'"):
        lincon.solv  # noqa: B018


def test_examples_in_docstrings(monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    finder = doctest.DocTestFinder()
    for thing in (lincon.solve, lincon.simulate, lincon.compare, lincon.Arms):
        examples = [e for e in finder.find(thing, globs={"lincon": lincon}) if e.examples]
        assert len(examples) == (3 if thing is lincon.Arms else 1)
        for example in examples:
            assert doctest.DocTestRunner().run(example).failed == 0


def test_runs_are_those_of_a_job_of_the_workflow_and_results_those_of_its_summary(tmp_path):
    arms = small()
    files = {name: tmp_path / name for name in ("arms", "problem", "outcomes", "curves")}
    arm_tables.write(arms, files["arms"])
    files["problem"].write_text(lincon.solve(arms, floor=0.5).problem.to_json())
    job = {"horizon": 60, "seed": 7, "points": 5, "engine": "lazy", "source": "", "code": "x"}
    for name in ("lincon_ts", "lincon_kl_ucb"):
        out = [tmp_path / f"{name}.series", tmp_path / f"{name}.plays"]
        options = [f"{k}={v}" for k, v in engine_keys(STANDARD[name]).items()]
        asked = {
            "arms": files["arms"],
            "problem": files["problem"],
            "runs": "0-2",
            "out": out,
            "constraints": "",
        }
        play_block(Namespace(**job, **asked, policy=[name, *options]), lambda run: None)
        mine = lincon.simulate(arms, name, seed=7, **PLAYED)
        pd.testing.assert_frame_equal(mine.series, pd.read_parquet(out[0]))
        pd.testing.assert_frame_equal(mine.plays, pd.read_parquet(out[1]))
    runs = [tmp_path / f"{name}.series" for name in ("lincon_ts", "lincon_kl_ucb")]
    names = [path.stem for path in runs]
    write_results(runs, *files.values(), policies=names, runs=3)
    results = lincon.compare(arms, names, seed=7, **PLAYED)
    outcomes = pd.read_parquet(files["outcomes"]).drop(columns="source")
    pd.testing.assert_frame_equal(results.outcomes, outcomes)
    pd.testing.assert_frame_equal(results.curves, pd.read_parquet(files["curves"]))
    assert sorted(results.league["policy"]) == sorted(names)


def test_neither_processes_nor_further_runs_change_a_run():
    class Local(Last):  # has no importable name
        pass

    policies = {"ts": "lincon_ts", "here": Local, "first": {"python": Last, "arm": 0}}
    alone = lincon.compare(small(), policies, processes=1, **PLAYED)
    parallel = lincon.compare(small(), policies, processes=3, **PLAYED)
    pd.testing.assert_frame_equal(alone.outcomes, parallel.outcomes)
    pd.testing.assert_frame_equal(alone.curves, parallel.curves)
    more = lincon.compare(small(), policies, processes=2, **PLAYED | {"runs": 5}).outcomes
    first = more[more["run"] < 3].reset_index(drop=True)
    pd.testing.assert_frame_equal(first, alone.outcomes)
    other = lincon.compare(small("other"), policies, processes=1, **PLAYED).outcomes
    assert (other["reward_realised"] != alone.outcomes["reward_realised"]).any()


def test_a_policy_is_a_name_a_class_or_an_entry():
    by_class = lincon.simulate(small(), Last, **PLAYED).plays
    assert by_class.groupby("arm")["plays"].sum().tolist() == [0, 0, 180]
    entry = {"python": Last, "arm": 1, "label": "Middle"}
    results = lincon.compare(small(), {"middle": entry, "known": "oracle"}, **PLAYED)
    assert results.labels == {"middle": "Middle", "known": "Oracle"}
    assert results.references == ("known",)
    named = lincon.simulate(small(), "lincon_ts", **PLAYED).series
    entry = {"estimator": "beta_sample"}
    again = lincon.simulate(small(), entry, name="lincon_ts", **PLAYED).series
    pd.testing.assert_frame_equal(named, again)
    changed = lincon.compare(small(), {"lincon_kl_ucb": {"c": 3}}, **PLAYED)
    assert changed.policies["lincon_kl_ucb"]["policy"]["c"] == 3
    assert changed.labels["lincon_kl_ucb"] == "LinCon-KL-UCB"


def test_any_goal_is_played_by_the_engine_that_can():
    goal = {
        "constraints": [
            {"name": "rate", "per_event": 1, "at_least": 0.5},
            {"name": "spend", "per_play": "cost", "at_most": 1.5},
        ]
    }
    columns = {"columns": {"cost": [1.0, 2.0, 1.4]}}
    arms = lincon.Arms.from_arrays([0.4, 0.6, 0.5], [0.5, 0.25, 0.3], **columns)
    optimum = lincon.solve(arms, goal=goal)
    assert set(optimum.prices) == {"rate", "spend"}
    assert optimum.amounts["spend"] <= 1.5 + 1e-9
    assert lincon.solve(arms, goal=Goal.from_dict(goal)) == optimum
    results = lincon.compare(arms, ["lincon_ts"], goal=goal, horizon=30, runs=2)
    assert {"kept_0", "kept_1"} <= set(results.outcomes)


def test_the_optimum_is_in_the_users_unit():
    plain = lincon.solve(small(), floor=0.5)
    euros = lincon.Arms.from_arrays([0.4, 0.6, 0.5], [50, 25, 30], scale=100, unit="EUR")
    scaled = lincon.solve(euros, floor=0.5)
    assert (plain.reward, plain.prices["floor"]) == pytest.approx((0.175, 0.25))
    assert (scaled.reward, scaled.prices["floor"]) == pytest.approx((17.5, 25))
    assert plain.shares == pytest.approx({"arm 0": 0.5, "arm 1": 0.5})


def test_a_frame_is_read_as_its_file():
    path = REPOSITORY / "config/examples/links.csv"
    keys = {"dataset": "links", "unit": "EUR"}
    read = lincon.Arms.from_csv(path, **keys)
    frame = lincon.Arms.from_frame(pd.read_csv(path, index_col="label").reset_index(), **keys)
    assert (frame.label, frame.unit, frame.dataset) == (read.label, "EUR", "links")
    assert np.array_equal(frame.mean, read.mean)
    assert np.array_equal(frame.value, read.value)
    assert repr(lincon.Arms.from_csv(path)) == "<Arms 'links': 60 rows, means 0 to 0.105>"
    kinds = pd.DataFrame({"mean": [0.5, 0.6], "value": [1, 2], "kind": ["a", "b"]})
    shares = lincon.Arms.from_frame(kinds, scale=2, kinds={"a": 0.25, "b": 0.75})
    assert shares.kind_shares.tolist() == [0.25, 0.75]
    assert lincon.Arms.from_frame(kinds, scale=2, delay={"rounds": 5}).world


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lincon.solve(small()), "a floor or a goal is needed"),
        (lambda: lincon.solve(small(), 0.5, goal={"eta": 0.5}), "give one of them"),
        (lambda: lincon.solve(small(), 0.7), "eta 0.7 cannot be met on small"),
        (lambda: lincon.solve(small(), 1.2), "floor.eta is 1.2; "),
        (lambda: lincon.compare(small(), [], **PLAYED), "at least one is needed"),
        (lambda: lincon.compare(small(), [Last, Last], **PLAYED), "two have the same name"),
        (
            lambda: lincon.compare(small(), ["lincon_tss"], **PLAYED),
            "'lincon_tss' is not known .did you mean lincon_ts... allowed: a class",
        ),
        (lambda: lincon.simulate(small(), {"estimator": "x"}, **PLAYED), "policies.policy.est"),
        (
            lambda: lincon.simulate(small(), {"python": Last, "arms": 2}, **PLAYED),
            "Last cannot be built with",
        ),
        (lambda: lincon.simulate(small(), "lincon_ts", floor=0.5, horizon=2), "at least 3 rounds"),
        (lambda: lincon.simulate(small(), Last, floor=0.5, horizon=9, runs=0), "runs is 0"),
        (lambda: lincon.Arms.from_csv("no.csv"), "path no.csv does not exist"),
        (
            lambda: lincon.Arms.from_frame(pd.DataFrame({"mean": [0.5, 1.5], "value": [1, 1]})),
            "the DataFrame, row 1: mean is 1.5",
        ),
        (
            lambda: lincon.Arms.from_frame(pd.DataFrame({"mean": [0.5]}), scales=2),
            "the DataFrame.scales is not a known key .did you mean scale",
        ),
    ],
)
def test_a_mistake_is_one_sentence(call, message):
    with pytest.raises(UserError, match=message):
        call()


def test_an_exception_in_a_class_is_its_own_with_the_round():
    class Broken(Last):
        def update(self, t, arm, event):
            return [][t]

    for processes in (1, 2):
        with pytest.raises(IndexError) as caught:
            lincon.simulate(small(), Broken, processes=processes, **PLAYED)
        assert caught.value.__notes__ == ["round 1"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("screen", "after"), [(Terminal, 0.0), (Terminal, 60.0), (io.StringIO, 0)])
def test_progress_is_shown_on_a_terminal_when_it_takes_long(monkeypatch, screen, after):
    monkeypatch.setattr(sys, "stderr", screen())
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    assert list(parallel.with_progress("abc", 3, "runs", after)) == ["a", "b", "c"]
    lines = re.findall(r"(\d) of 3 runs, \d+ s left", sys.stderr.getvalue())
    assert lines == (["1", "2"] if screen is Terminal and after == 0.0 else [])


def blocks_of_python(document: str) -> list[str]:
    text = (REPOSITORY / document).read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("document", ["README.md", "docs/api.md"])
def test_blocks_of_python_that_import_lincon_run(document, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    blocks = [block for block in blocks_of_python(document) if "import lincon\n" in block]
    assert blocks
    for block in blocks:
        exec(compile(block, document, "exec"), {"__name__": "block"})


@pytest.mark.slow
def test_the_notebook_runs(monkeypatch):
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.chdir(REPOSITORY / "docs")
    cells = json.loads(Path("notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    space: dict[str, object] = {"__name__": "__main__"}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), space)
    assert len(space["joint"]) == 4
