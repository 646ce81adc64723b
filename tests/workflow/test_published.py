"""Published runs beside ours: available, unavailable, hostile, and not asked for."""

from __future__ import annotations

import os
from hashlib import sha1
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from lincon.data import arms
from tests.published_file import published_content, saved_bytes
from tests.server import dead_address, healthy
from tests.workflow.bench import OWN_ARMS, SMALL, STUDY, Bench, changed, new_bench

FILE = "own_eta0.80_T300_N3.npy"
RAW = f"resources/raw/{FILE}"
MADE = [
    f"{STUDY}/tables/own/published.parquet",
    f"{STUDY}/tables/own/published.md",
    f"{STUDY}/figures/own/published.png",
    f"{STUDY}/figures/own/published.pdf",
]


class Bomb:
    def __reduce__(self):
        return os.system, ("touch exploded",)


@pytest.fixture(scope="module")
def runs() -> bytes:
    rows = [line.split(",") for line in OWN_ARMS.splitlines()[1:]]
    mean, value = np.array(rows, dtype=float).T
    return saved_bytes(published_content(arms.make(mean, value, dataset="own"), 0.8, 300, 3))


def git_blob(data: bytes) -> str:
    return sha1(b"blob %d\0" % len(data) + data).hexdigest()


def config(address: str, pinned: bytes, **changes: Any) -> dict[str, Any]:
    """The small bench; `own` has runs of its setting at that address."""
    entry = {"address": f"{address}/{FILE}", "git_blob": git_blob(pinned)}
    entry |= {"eta": 0.8, "horizon": 300}
    added = {
        "data": "auto",
        "only": ["own"],
        "datasets": {"own": {"published_runs": {FILE: entry}}},
    }
    return changed(SMALL, added | changes)


def there(bench: Bench) -> list[str]:
    return [name for name in MADE if (bench / name).exists()]


@pytest.fixture(scope="module")
def played_once(tmp_path_factory, runs: bytes) -> Bench:
    """Our runs and their tables are there."""
    bench = new_bench(tmp_path_factory.mktemp("played") / "project")
    bench.run(f"{STUDY}/tables/own/results.json", config=config("http://nobody", runs))
    return bench


@pytest.fixture
def played(played_once: Bench, tmp_path) -> Bench:
    return played_once.copy(tmp_path / "project")


def test_published_runs_are_laid_beside_ours(played: Bench, server, runs):
    server.files[FILE] = [healthy(runs)]
    online = config(server.address, runs)
    assert f"fetch {FILE}" in played.plan(config=online)
    done = played.run(MADE[0], config=online)
    assert (played / RAW).read_bytes() == runs
    assert there(played) == MADE
    assert "simulate" not in done.text
    assert f"2 runs of ours against the 3 in `{FILE}`" in (played / MADE[1]).read_text()
    table = pq.read_table(played / MADE[0]).to_pandas()
    assert set(table["policy"]) == {"lincon_ts"} and table["t"].max() == 300
    assert played.plan(MADE[0], config=online) == frozenset()
    # They are among what the whole study wants.
    (played / MADE[1]).unlink()
    assert "published own" in played.plan(config=online)


def test_what_cannot_be_downloaded_is_left_out(played: Bench, runs):
    asked = config(dead_address(), runs)
    played.run(RAW, config=asked)
    assert (played / RAW).read_bytes() == b""
    log = (played / f"results/logs/fetch/{FILE}.log").read_text()
    assert f"{RAW} is left empty, it is left out: {FILE}" in log
    # It is not asked for again, and nothing of it is wanted.
    planned = played.plan(config=asked)
    assert not planned & {f"fetch {FILE}", "published own"}


def test_a_pinned_file_of_another_form_is_refused_unread(played: Bench, server):
    content = saved_bytes({"T": Bomb()})
    server.files[FILE] = [healthy(content)]
    done = played.snakemake(MADE[0], config=config(server.address, content))
    assert done.code == 1 and there(played) == []
    log = (played / "results/logs/small/published/own.log").read_text()
    assert FILE in log and "Traceback" not in log
    assert not (played / "exploded").exists()
