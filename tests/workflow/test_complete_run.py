"""The whole small bench: it runs, then has nothing to do; what it leaves keeps its contracts."""

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
from tests.workflow.bench import SMALL, STUDY, Bench, Done, call, changed, run_file

RUN, INDEX = "radio/0.9/200/lincon_ts/0", "lincon_kl_ucb"
TREES = (paths.RUNS, paths.PLAYS)
DRAWN = {"league", "plane", "shortfall", "panels", "arms", "plays", "growth"}


def test_the_run_ends_with_the_answer_and_where_to_look(complete: tuple[Bench, Done]):
    bench, done = complete
    assert "Open  results/studies/small/report.html" in done.text
    assert "LinConTS" in done.text and "STAND-IN" not in done.text
    # And where there is nothing to do.
    again = [sys.executable, "-m", "lincon", "run", *bench.command(config=SMALL)[3:]]
    done = call(again, bench.folder, bench.environment())
    assert "Nothing to be done" in done.text and not (bench / "results/.running").exists()
    assert done.text.endswith("Open  results/studies/small/report.html\n")


def test_a_run_says_what_made_it(finished: Bench):
    path = finished / run_file(finished, SMALL, RUN)
    metadata = {k.decode(): v.decode() for k, v in pq.read_schema(path).metadata.items()}
    assert {"arms_sha256", "code", "numpy", "numba", "lincon"} <= set(metadata)
    policy = {"estimator": "beta_sample", "name": "lincon_ts", "selector": "lp"}
    assert json.loads(metadata["policy"]) == policy
    said = {key: metadata[key] for key in ("dataset", "source", "eta", "horizon", "engine", "seed")}
    assert list(said.values()) == ["radio", "formula", "0.9", "200", "dense", "2020"]


def test_an_infeasible_floor_is_marked_in_a_sweep(finished: Bench):
    assumptions = pd.read_parquet(finished / STUDY / "tables/assumptions.parquet")
    row = assumptions.set_index(["dataset", "bound"]).loc["radio", 0.99]
    assert not row["feasible"]
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


def test_an_infeasible_floor_and_a_wrong_file_are_named(mine: Bench):
    (mine / "odd.csv").write_text("mean,value\n0.5,0.5\n1.5,0.5\n")
    odd = {"label": "Odd", "kind": "user", "path": "odd.csv"}
    experiments = {"own": {"eta": 0.95}, "odd": SMALL["experiments"]["own"] | {"dataset": "odd"}}
    added = {"only": ["own", "odd"], "datasets": {"odd": odd}, "experiments": experiments}
    done = mine.snakemake("--keep-going", config=changed(SMALL, added))
    assert done.code == 1 and "Traceback" not in done.text
    assert "eta 0.95 cannot be met on own: it must be at most 0.9," in done.text
    assert "lincon: odd.csv, row 3" in done.text and "1.5" in done.text
    assert not list((mine / "results/runs").glob("dataset=own-*/constraints=eta_0.95"))


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
