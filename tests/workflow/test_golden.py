"""The small study gives what it gave; whoever moves a number says so with `make golden`."""

from __future__ import annotations

import platform
import shutil

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.workflow.bench import (
    OTHER_PROCESSOR,
    SMALL,
    Bench,
    changed,
    checksums,
    new_bench,
    run_file,
)
from tests.workflow.golden import moved, recorded, rows_of


def test_rows_are_those_of_the_golden_file(finished: Bench):
    lines = moved(recorded(), rows_of(finished / "results"))
    assert not lines, "\n".join([*lines, "if that is meant: make golden, and say why"])


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the instructions named are x86-64's")
def test_another_processor_gives_the_same(finished: Bench, tmp_path):
    """NumPy rounds exp and log, and BLAS sums, with what instructions there are."""
    bench = new_bench(tmp_path / "project")
    bench.run(config=changed(SMALL, {"only": ["radio"]}), **OTHER_PROCESSOR)
    made, before = checksums(bench), checksums(finished)
    # The tables over all settings have those of one experiment alone.
    own = {name for name in made if "/radio" in name or "dataset=radio" in name}
    assert len(own) > 30
    assert {name: made[name] for name in own} == {name: before[name] for name in own}


def test_one_number_that_moves_is_named(finished: Bench, tmp_path):
    shutil.copytree(finished / "results", tmp_path / "results")
    name = run_file(finished, SMALL, "radio/0.9/200/lincon_ts/0")
    frame = pq.ParquetFile(tmp_path / name).read().to_pandas()
    frame.loc[7, "expected_reward"] += 1e-12
    frame.to_parquet(tmp_path / name)
    lines = moved(recorded(), rows_of(tmp_path / "results"))
    assert lines == [f"{name.removeprefix('results/').rpartition('/')[0]} moved"]


def test_how_rows_are_stored_does_not_count(finished: Bench, tmp_path):
    """Two runs in one file, with another compression and no metadata."""
    shutil.copytree(finished / "results", tmp_path / "results")
    runs = [f"own/0.8/300/lincon_ts/{run}" for run in (0, 1)]
    files = [tmp_path / run_file(finished, SMALL, run) for run in runs]
    frame = pd.concat([pq.ParquetFile(file).read().to_pandas() for file in files])
    for file in files:
        file.unlink()
    frame.to_parquet(files[0].with_name("run=0-1.parquet"), compression="gzip")
    assert moved(recorded(), rows_of(tmp_path / "results")) == []
