"""The whole small bench: it runs, then has nothing to do; its files are as documented."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from tests.workflow.bench import SMALL, STUDY, Bench, Done, call, changed, run_file

RUN, INDEX = "radio/0.9/200/lincon_ts/0", "lincon_kl_ucb"


def test_the_run_ends_with_the_answer_and_where_to_look(complete: tuple[Bench, Done]):
    bench, done = complete
    assert "Open  results/studies/small/report.html" in done.text
    assert "LinConTS" in done.text and "Stand-in" not in done.text
    # And once there is nothing to do, as `make` does.
    again = [sys.executable, "-m", "lincon", "league", "small.yaml"]
    printed = call(again, bench.folder, bench.environment()).text
    assert printed.strip() and printed in done.text


def test_a_run_says_what_made_it(finished: Bench):
    path = finished / run_file(SMALL, RUN)
    metadata = {k.decode(): v.decode() for k, v in pq.read_schema(path).metadata.items()}
    assert {"arms_sha256", "code", "numpy", "numba", "lincon"} <= set(metadata)
    policy = {"estimator": "beta_sample", "name": "lincon_ts"}
    assert json.loads(metadata["policy"]) == policy
    stated = ("dataset", "source", "eta", "horizon", "engine", "seed")
    assert [metadata[key] for key in stated] == ["radio", "formula", "0.9", "200", "dense", "2020"]


def test_the_three_tables_of_a_run_agree(finished: Bench):
    """Cumulative series, plays per arm, and with `record: plays` the arm of every round."""
    runs, plays, chosen = (
        pq.ParquetFile(finished / run_file(SMALL, RUN, tree)).read().to_pandas()
        for tree in ("runs", "plays", "chosen")
    )
    assert chosen["t"].tolist() == list(range(1, 201)) and runs["t"].iloc[-1] == 200
    assert np.bincount(chosen["arm"], minlength=6).tolist() == plays["plays"].tolist()
    assert plays["events"].sum() == runs["events"].iloc[-1] == runs["amount_0"].iloc[-1]


def test_a_group_has_a_row_per_policy_and_run(finished: Bench):
    """Of radio, whose runs an experiment and a sweep share."""
    (path,) = (finished / STUDY).glob(
        "results/dataset=radio-*/constraints=eta_0.9/*/outcomes.parquet"
    )
    outcomes = pq.ParquetFile(path).read().to_pandas()
    assert len(outcomes) == 4 and set(outcomes["policy"]) == {"lincon_ts", INDEX}
    runs = pq.ParquetFile(finished / run_file(SMALL, RUN)).read().to_pandas()
    row = outcomes[(outcomes["policy"] == "lincon_ts") & (outcomes["run"] == 0)].iloc[0]
    assert row["reward_realised"] == runs["reward"].iloc[-1]
    assert row["shortfall_0_realised"] == 200 * 0.9 - runs["events"].iloc[-1]


def test_a_sweep_has_its_table_and_marks_an_infeasible_floor(finished: Bench):
    table = pd.read_parquet(finished / STUDY / "tables/radio_eta/sweep.parquet").set_index("eta")
    assert table["feasible"].to_dict() == {0.9: True, 0.99: False}
    assert (finished / STUDY / "figures/radio_eta/sweep.png").exists()
    table = pd.read_parquet(finished / STUDY / "tables/own_horizon/sweep.parquet")
    assert table["horizon"].tolist() == [200, 300]


def test_every_figure_is_there_in_every_format(finished: Bench):
    folder = finished / STUDY / "figures"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}
    names = {"all/panels", "own/panels", "radio/panels", "radio/claims", "radio/arms"}
    assert {f"{name}.{kind}" for name in names for kind in ("png", "pdf")} <= files


def test_a_floor_that_no_arm_reaches_is_named_before_anything_is_played(mine: Bench):
    done = mine.snakemake(config=changed(SMALL, {"experiments": {"own": {"eta": 0.95}}}))
    assert done.code == 1 and "Traceback" not in done.text
    assert "eta 0.95 cannot be met on own: it must be at most 0.9," in done.text


def test_a_job_can_be_run_by_hand_and_gives_the_same_bytes(finished: Bench, tmp_path):
    files = [run_file(SMALL, RUN, tree) for tree in ("runs", "plays", "chosen")]
    done = finished.run("--printshellcmds", "--dry-run", "--force", files[0], config=SMALL)
    line = next(line for line in done.text.splitlines() if "-m lincon simulate" in line)
    command = line[line.index(sys.executable) :].split(" > ")[0]
    copies = [tmp_path / f"{number}.parquet" for number in range(3)]
    for file, copy in zip(files, copies, strict=True):
        command = command.replace(file, str(copy))
    subprocess.run(
        ["bash", "-c", command], cwd=finished.folder, env=finished.environment(), check=True
    )
    for file, copy in zip(files, copies, strict=True):
        assert copy.read_bytes() == (finished / file).read_bytes()


def test_the_default_engine_plays_compiled_and_compiles_once(mine: Bench):
    """As users have it: lazy and compiled; everything else here leaves the kernels to Python. An
    index policy plays the arms that the dense engine plays, to the last bit.
    """
    default = {key: value for key, value in SMALL.items() if key != "engine"}
    names = [f"radio/0.9/200/{INDEX}/{run}" for run in (0, 1)]
    # Kernels of its own: other tests compile into the common folder meanwhile.
    kernels = mine / "kernels"
    library = {"config": default, "jit": True, "NUMBA_CACHE_DIR": str(kernels)}
    mine.run(run_file(default, names[0]), **library)
    compiled = machine_code(kernels)
    assert compiled
    assert "1 job in" in mine.run(run_file(default, names[1]), **library).text
    assert machine_code(kernels) == compiled
    for name in names:
        lazy, dense = (
            pq.ParquetFile(mine / run_file(config, name)).read() for config in (default, SMALL)
        )
        assert lazy.schema.metadata[b"engine"] == b"lazy"
        assert dense.schema.metadata[b"engine"] == b"dense"
        assert lazy.equals(dense)


def machine_code(folder: Path) -> set[tuple[str, int]]:
    """The compiled kernels, and when each was written."""
    return {(path.name, path.stat().st_mtime_ns) for path in folder.glob("**/*.nbc")}
