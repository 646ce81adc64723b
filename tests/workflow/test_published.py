"""Published runs beside ours: available, unavailable, and not asked for."""

from hashlib import sha1
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from lincon.data import arms
from tests.published_file import published_content, saved_bytes
from tests.server import dead_address, healthy
from tests.workflow.bench import OWN_ARMS, SMALL, STUDY, Bench, changed

FILE = "own_eta0.80_T300_N3.npy"
RAW = f"resources/raw/{FILE}"
MADE = [
    f"{STUDY}/tables/own/published.parquet",
    f"{STUDY}/tables/own/published.md",
    f"{STUDY}/figures/own/published.png",
    f"{STUDY}/figures/own/published.pdf",
]


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


def test_published_runs_are_laid_beside_ours(mine: Bench, server, runs):
    server.files[FILE] = [healthy(runs)]
    online = config(server.address, runs)
    assert f"fetch {FILE}" in mine.plan(config=online)
    done = mine.run(MADE[0], config=online)
    assert (mine / RAW).read_bytes() == runs
    assert there(mine) == MADE
    assert "simulate" not in done.text
    assert f"2 runs of ours against the 3 in `{FILE}`" in (mine / MADE[1]).read_text()
    table = pq.read_table(mine / MADE[0]).to_pandas()
    assert set(table["policy"]) == {"lincon_ts"} and table["t"].max() == 300
    assert mine.plan(MADE[0], config=online) == frozenset()
    # They are among what the whole study wants.
    (mine / MADE[1]).unlink()
    assert "published own" in mine.plan(config=online)


def test_what_cannot_be_downloaded_is_left_out(mine: Bench, runs):
    asked = config(dead_address(), runs)
    mine.run(RAW, config=asked)
    assert (mine / RAW).read_bytes() == b""
    log = (mine / f"results/logs/fetch/{FILE}.log").read_text()
    assert f"{RAW} is left empty, it is left out: {FILE}" in log
    # It is not asked for again, and nothing of it is wanted.
    planned = mine.plan(config=asked)
    assert not planned & {f"fetch {FILE}", "published own"}
