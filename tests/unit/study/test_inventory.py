"""What is there, missing and stale, and what nobody refers to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lincon.errors import UserError
from lincon.study.inventory import conflicts, delete, listing, load, stale, status
from lincon.study.paths import TREES, run_folder
from lincon.study.plan import plan

DEFAULT = Path(__file__).parents[3] / "config" / "config.yaml"
TINY = """
runs: 2
only: [tiny]
experiments:
  tiny: {dataset: wireless, eta: 0.9, horizon: 100, policies: [lincon_ts]}
"""
HEADER = "output_file\tdate\trule\tlog-file(s)\tstatus\tplan"


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """The config of a small study, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.yaml").write_text(TINY)
    return load([DEFAULT, tmp_path / "tiny.yaml"])


def folder(config, eta="0.9", tree="runs"):
    player = plan(config).players["lincon_ts"]
    return run_folder(tree, player.keys(("wireless", eta, 100)))


def line(config, block, state="ok", planned="no update"):
    file = f"{folder(config)}/run={block}.parquet"
    return "\t".join((file, "a date", "simulate", "a log", state, planned))


def test_configs_merge_as_snakemake_does(tiny):
    assert tiny["runs"] == 2 and tiny["study"] == "tiny"
    assert set(tiny["experiments"]) == {"coupon", "edx", "tiny"}


@pytest.mark.parametrize(
    ("states", "counts"),
    [
        ([("0", "ok", "no update"), ("1", "ok", "no update")], ["2", "2", "0", "0"]),
        ([("0", "ok", "no update")], ["2", "1", "1", "0"]),
        ([("0", "ok", "no update"), ("1", "missing", "pending")], ["2", "1", "1", "0"]),
        ([("0", "ok", "no update"), ("1", "params changed", "pending")], ["2", "1", "0", "1"]),
        ([], ["2", "0", "2", "0"]),
    ],
)
def test_status_counts_runs_by_experiment(tiny, states, counts):
    table = status([HEADER, *(line(tiny, *state) for state in states)], tiny)
    assert table.splitlines()[1].split() == ["tiny", *counts]


def test_a_block_counts_as_the_runs_that_are_asked_of_it(tiny):
    path = Path(folder(tiny))
    path.mkdir(parents=True)
    (path / "run=0-15.parquet").touch()
    table = status([HEADER, line(tiny, "0-15")], tiny)
    assert table.splitlines()[1].split() == ["tiny", "2", "2", "0", "0"]


def test_an_atlas_counts_its_problems_times_policies_times_runs(tiny, tmp_path):
    (tmp_path / "map.yaml").write_text(
        "only: [map]\natlas:\n  map: {eta: 0.5, horizon: 100, runs: 3, problems: 6, arms: [5],"
        " slack: [0.1], correlation: [0], near_optimal: [0], problems_per_job: 4,"
        " policies: [lincon_ts, lincon_kl_ucb]}\n"
    )
    config = load([DEFAULT, tmp_path / "map.yaml"])
    file = "results/studies/map/atlas/map/outcomes/problems=0-3.parquet"
    done = "\t".join((file, "a date", "atlas_play", "a log", "ok", "no update"))
    # 6 problems, 2 policies, 3 runs; the first block has 4 of the problems.
    table = status([HEADER, done], config)
    assert table.splitlines()[1].split() == ["map", "36", "24", "12", "0"]


def test_no_summary_is_no_status(tiny):
    with pytest.raises(UserError, match="holds no `snakemake --summary`"):
        status(["Error: something is missing"], tiny)


def leave_plan(config, study):
    path = Path("results/studies") / study / "plan.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(config | {"study": study}))


def make_files(config, etas, runs):
    for eta in etas:
        for tree in TREES[:2]:
            path = Path(folder(config, eta, tree))
            path.mkdir(parents=True, exist_ok=True)
            for run in range(runs):
                (path / f"run={run}.parquet").write_bytes(b"12345")


def test_what_a_study_that_was_run_refers_to_is_wanted(tiny):
    """Runs beyond those that it asked for as well: somebody has played them."""
    leave_plan(tiny, "tiny")
    make_files(tiny, ["0.9", "0.8"], 3)
    found = stale(Path())
    assert found.studies == ["tiny"]
    assert {file.parent for file in found.files} == {
        Path(folder(tiny, "0.8", tree)) for tree in ("runs", "plays")
    }
    text = listing(found)
    assert "6 files that no study refers to (studies: tiny)" in text and "eta=0.8" in text
    delete(found.files)
    assert stale(Path()).files == []
    assert "No run file is stale" in listing(stale(Path()))
    assert (Path(folder(tiny)) / "run=2.parquet").exists()
    assert not list(Path("results/runs/dataset=wireless").glob("eta=0.8"))


def test_a_study_can_be_forgotten(tiny):
    leave_plan(tiny, "tiny")
    make_files(tiny, ["0.9"], 2)
    assert len(stale(Path(), ["tiny"]).files) == 4
    with pytest.raises(UserError, match="there is no study 'other'"):
        stale(Path(), ["other"])


BROKEN = ["{", "null", "3", "[" * 100_000, '{"datasets": {"wireless": 3}}', '{"datasets": null}']


@pytest.mark.parametrize("text", [b"runs: {", b"[1]", b"\xff\xfe"])
def test_a_config_that_is_none_is_one_sentence(tiny, text):
    Path("tiny.yaml").write_bytes(text)
    with pytest.raises(UserError, match=r"tiny.yaml"):
        load([DEFAULT, Path("tiny.yaml")])
    with pytest.raises(UserError, match=r"none.yaml cannot be read: No such file"):
        load([DEFAULT, Path("none.yaml")])


@pytest.mark.parametrize("text", BROKEN)
def test_a_plan_that_cannot_be_read_makes_nothing_stale(tiny, text):
    make_files(tiny, ["0.9"], 1)
    path = Path("results/studies/broken/plan.json")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(UserError, match="study broken"):
        stale(Path())
    assert conflicts(tiny, plan(tiny)) == []
