"""The whole small bench: it runs, then has nothing to do; what it leaves keeps its contracts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from PIL import Image

from lincon.study import paths
from tests.workflow.bench import (
    SMALL,
    STUDY,
    Bench,
    Done,
    arms_file,
    changed,
    run_file,
)

RUN, INDEX = "radio/0.9/200/lincon_ts/0", "lincon_kl_ucb"
TREES = (paths.RUNS, paths.PLAYS)
SERIES = {
    "run": "int64",
    "t": "int64",
    "reward": "double",
    "events": "int64",
    "expected_reward": "double",
    "expected_events": "double",
    "infeasible": "int64",
    "suboptimal": "int64",
    "amount_0": "double",
    "expected_amount_0": "double",
    "worst_shortfall_0": "double",
    "last_shortfall_0": "int64",
}
PLAYS = {
    "run": "int64",
    "arm": "int64",
    "plays": "int64",
    "events": "int64",
    "expected_plays": "double",
}
DRAWN = {"league", "plane", "shortfall", "panels", "arms", "plays", "growth"}


def columns(path: Path) -> dict[str, str]:
    schema = pq.read_schema(path)
    return dict(zip(schema.names, map(str, schema.types), strict=True))


def test_a_second_call_has_nothing_to_do(finished: Bench):
    done = finished.run(config=SMALL)
    assert "Nothing to be done" in done.text
    assert "Jobs to run" not in done.text


def test_the_run_ends_with_the_answer_and_where_to_look(complete: tuple[Bench, Done]):
    _, done = complete
    assert "Open  results/studies/small/report.html" in done.text
    assert "LinConTS" in done.text and "STAND-IN" not in done.text


@pytest.mark.parametrize(
    ("dataset", "source", "rows"), [("radio", "formula", 6), ("own", "user", 5)]
)
def test_arms_keep_their_contract(finished: Bench, dataset, source, rows):
    path = finished / arms_file(finished, SMALL, dataset)
    assert columns(path) == {"arm": "int64", "label": "string", "mean": "double", "value": "double"}
    metadata = {k.decode(): v.decode() for k, v in pq.read_schema(path).metadata.items()}
    assert (metadata["dataset"], metadata["source"]) == (dataset, source)
    assert {"address", "sha256", "note"} <= set(metadata)
    table = pq.read_table(path).to_pandas()
    assert list(table["arm"]) == list(range(rows))
    assert table["mean"].between(0, 1).all() and table["value"].between(0, 1).all()


def test_runs_keep_their_contract(finished: Bench):
    run, tally = (finished / run_file(finished, SMALL, RUN, tree) for tree in TREES)
    assert columns(run) == SERIES
    assert columns(tally) == PLAYS
    series = pq.ParquetFile(run).read().to_pandas()
    assert series["t"].is_monotonic_increasing and series["t"].is_unique
    assert (series["t"].iloc[0], series["t"].iloc[-1]) == (1, 200)
    plays = pq.ParquetFile(tally).read().to_pandas()
    assert plays["plays"].sum() == 200 and plays["plays"].min() >= 1
    assert plays["expected_plays"].sum() == pytest.approx(200)
    assert plays["events"].sum() == series["events"].iloc[-1]


@pytest.mark.parametrize("tree", ["runs", "plays"])
def test_a_tree_opens_as_one_table(finished: Bench, tree):
    frame = pd.read_parquet(finished / f"results/{tree}")
    keys = ["dataset", "constraints", "horizon", "policy", "run"]
    texts = {"dataset": str, "policy": str, "constraints": str}
    settings = frame[keys].astype(texts).drop_duplicates()
    settings["dataset"] = settings["dataset"].str.rpartition("-")[0]
    assert sorted(settings.itertuples(index=False, name=None)) == sorted(
        (*setting, run)
        for setting in (
            ("own", "eta_0.8", 300, "lincon_ts"),
            ("radio", "eta_0.9", 200, "lincon_kl_ucb"),
            ("radio", "eta_0.9", 200, "lincon_ts"),
            ("radio", "eta_0.99", 200, "lincon_ts"),
        )
        for run in range(2)
    )


def test_a_run_says_what_made_it(finished: Bench):
    path = finished / run_file(finished, SMALL, RUN)
    metadata = {k.decode(): v.decode() for k, v in pq.read_schema(path).metadata.items()}
    assert {"arms_sha256", "code", "numpy", "numba", "lincon"} <= set(metadata)
    policy = {"estimator": "beta_sample", "name": "lincon_ts", "selector": "lp"}
    assert json.loads(metadata["policy"]) == policy
    said = {key: metadata[key] for key in ("dataset", "source", "eta", "horizon", "engine", "seed")}
    assert list(said.values()) == ["radio", "formula", "0.9", "200", "dense", "2020"]


def test_the_composite_identity_holds_in_every_run(finished: Bench):
    """composite = sum_i D_i m_i on the expected basis: series, plays and problem fit together."""
    checked = 0
    for path in (finished / "results/runs").rglob("*.parquet"):
        keys = dict(part.split("=") for part in path.parts if "=" in part and "run=" not in part)
        place = paths.here(paths.PROBLEM).format(**keys)
        problem = json.loads((finished / place).read_text())
        if not problem["feasible"]:
            continue
        arms = pq.read_table(finished / f"results/arms/{keys['dataset']}.parquet").to_pandas()
        last = pq.ParquetFile(path).read().to_pandas().iloc[-1]
        mirror = finished / "results/plays" / path.relative_to(finished / "results/runs")
        plays = pq.ParquetFile(mirror).read().to_pandas()["expected_plays"]
        (price,), (floor,) = problem["prices"], problem["goal"]["constraints"]
        loss = problem["level"] - (arms["value"] + price) * arms["mean"]
        regret = last["t"] * problem["optimum"] - last["expected_reward"]
        violation = last["t"] * floor["at_least"] - last["expected_events"]
        composite = regret + price * violation
        assert composite == pytest.approx(float(np.dot(loss, plays)), rel=1e-9)
        checked += 1
    assert checked == 6


def test_the_summary_of_everything_keeps_its_contract(finished: Bench):
    summary = pd.read_parquet(finished / STUDY / "summary.parquet")
    expected = ["dataset", "source", "constraints", "horizon", "policy", "metric", "basis", "t"]
    assert list(summary.columns)[: len(expected)] == expected
    assert {"mean", "std", "ci_low", "ci_high", "n_runs"} <= set(summary.columns)
    assert set(summary["n_runs"]) == {2}
    assert set(summary["basis"]) == {"expected", "realised"}
    assert {"regret", "violation_0", "reward", "joint", "composite"} <= set(summary["metric"])
    assert not summary.duplicated(expected).any()


def test_an_infeasible_floor_is_marked_in_a_sweep(finished: Bench):
    assumptions = pd.read_parquet(finished / STUDY / "tables/assumptions.parquet")
    row = assumptions.set_index(["dataset", "bound"]).loc["radio", 0.99]
    assert not row["feasible"] and "infeasible: the best arm has 0.9689" in row["remark"]
    summary = pd.read_parquet(finished / STUDY / "summary.parquet")
    assert "regret" not in set(summary.loc[summary["constraints"] == "eta_0.99", "metric"])
    assert (finished / STUDY / "figures/radio_eta/sweep.png").exists()


def test_every_figure_is_a_picture_at_170_dots_per_inch(finished: Bench):
    folder = finished / STUDY / "figures"
    pictures = sorted(folder.rglob("*.png"))
    names = {path.relative_to(folder).as_posix().removesuffix(".png") for path in pictures}
    plain = {f"{experiment}/{figure}" for experiment in ("own", "radio") for figure in DRAWN}
    assert names >= plain | {"radio/claims", "radio_eta/sweep", "radio_eta/frontier"}
    for path in pictures:
        with Image.open(path) as picture:
            assert picture.info["dpi"] == pytest.approx((170, 170), abs=0.1), path
            assert min(picture.size) >= 210, path
        pixels = matplotlib.image.imread(path)
        assert 0.001 < np.mean(pixels[..., :3].min(axis=2) < 0.5) < 0.5, f"{path} is blank"
        assert path.with_suffix(".pdf").read_bytes().startswith(b"%PDF")


def test_an_infeasible_floor_is_refused_with_the_largest_mean(mine: Bench):
    config = changed(SMALL, {"only": ["own"], "experiments": {"own": {"eta": 0.95}}})
    done = mine.snakemake(config=config)
    assert done.code == 1
    assert not list((mine / "results/runs").glob("dataset=own-*/constraints=eta_0.95"))
    assert "eta 0.95 cannot be met on own: its largest mean is 0.9" in done.text
    assert "Traceback" not in done.text


def test_a_user_file_that_is_wrong_or_missing_is_named(mine: Bench):
    (mine / "own.csv").write_text("mean,value\n0.5,0.5\n1.5,0.5\n")
    wrong = mine.snakemake(arms_file(mine, SMALL, "own"), config=SMALL)
    assert "lincon: own.csv, row 3" in wrong.text and "1.5" in wrong.text
    (mine / "own.csv").unlink()
    missing = mine.snakemake(config=SMALL)
    assert "own.csv" in missing.text
    for done in (wrong, missing):
        assert done.code == 1 and "Traceback" not in done.text


def test_a_job_can_be_run_by_hand_and_gives_the_same_bytes(finished: Bench, tmp_path):
    files = [run_file(finished, SMALL, RUN, tree) for tree in TREES]
    done = finished.run("--printshellcmds", "--dry-run", "--force", files[0], config=SMALL)
    line = next(line for line in done.text.splitlines() if "-m lincon simulate" in line)
    command = sys.executable + line.split("python3", 1)[1].split(" > ")[0]
    copies = [tmp_path / "runs.parquet", tmp_path / "plays.parquet"]
    for file, copy in zip(files, copies, strict=True):
        command = command.replace(file, str(copy))
    subprocess.run(
        ["bash", "-c", command], cwd=finished.folder, env=finished.environment(), check=True
    )
    for file, copy in zip(files, copies, strict=True):
        assert copy.read_bytes() == (finished / file).read_bytes()


def test_the_default_engine_plays_compiled_and_compiles_once(mine: Bench):
    """As users have it: lazy and compiled; everything else here leaves the kernels to Python. Index
    policies play the arms that the dense engine plays, to the last bit.
    """
    default = {key: value for key, value in SMALL.items() if key != "engine"}
    players = [f"radio/0.9/200/{policy}/{n}" for policy in ("lincon_ts", INDEX) for n in (0, 1)]
    runs = [run_file(mine, default, player) for player in players]
    # Kernels of its own: other tests compile into the common folder meanwhile.
    kernels = mine / "kernels"
    library = {"jit": True, "NUMBA_CACHE_DIR": str(kernels)}
    mine.run(*runs, config=default, **library)
    compiled = machine_code(kernels)
    assert compiled
    for run in range(2):
        lazy, dense = (
            pq.read_table(mine / run_file(mine, config, f"radio/0.9/200/{INDEX}/{run}"))
            for config in (default, SMALL)
        )
        assert lazy.schema.metadata[b"engine"] == b"lazy"
        assert dense.schema.metadata[b"engine"] == b"dense"
        assert lazy.equals(dense)
    (mine / runs[0]).unlink()
    assert "1 job in" in mine.run(runs[0], config=default, **library).text
    assert machine_code(kernels) == compiled


def machine_code(folder: Path) -> set[tuple[str, int]]:
    """The compiled kernels, and when each was written."""
    return {(path.name, path.stat().st_mtime_ns) for path in folder.glob("**/*.nbc")}
