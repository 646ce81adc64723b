"""`data: auto`, `real` and `standin`, against a server that is there or not."""

import hashlib
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.server import dead_address
from tests.workflow.bench import (
    SMALL,
    STUDY,
    Bench,
    arms_file,
    changed,
    jobs,
    new_bench,
    simulations,
)

PARTICIPANTS = ("10", "250", "3,126", "5,000", "800", "4,400", "90", "60")
TEXT = "Institution,Course Number,Short Title1,Participants,Certified\n" + "".join(
    f'Uni,C{i},Course {i},"{count}",{i + 1}\n' for i, count in enumerate(PARTICIPANTS)
)
COURSES = TEXT.encode()
RAW = "resources/raw/courses.csv"
# The cheapest that has everything in it: fetching, arms, runs and tables.
TARGET = f"{STUDY}/tables/courses"
OF_COURSES = (
    jobs("extract_arms", "courses")
    | jobs("problem", "courses/0.5")
    | simulations("courses/0.5/300", "lincon_ts", range(2))
    | jobs("summarise", "courses/0.5/300")
    | jobs("tables", "courses")
)
NOTICE = "Synthetic stand-in arms: courses. `make real` plays the real data."


def config(address: str, **changes: Any) -> dict[str, Any]:
    """Eight courses at that address, in place of what the small bench plays."""
    entry = {"address": f"{address}/courses.csv", "sha256": hashlib.sha256(COURSES).hexdigest()}
    courses = {"label": "Courses", "kind": "edx_courses", "files": {"courses.csv": entry}}
    # The stand-in of any course list has 290 arms, and each is played once.
    experiment = SMALL["experiments"]["own"] | {"dataset": "courses", "eta": 0.5, "horizon": 300}
    added = {
        "data": "auto",
        "only": ["courses"],
        "datasets": {"courses": courses},
        "experiments": {"courses": experiment},
    }
    return changed(SMALL, added | changes)


ARMS = arms_file(config("http://anywhere"), "courses")


def source(bench: Bench) -> str:
    return pq.read_schema(bench / ARMS).metadata[b"source"].decode()


@pytest.fixture(scope="module")
def offline_once(tmp_path_factory) -> tuple[Bench, str]:
    """The first run on a plane, and the address at which nobody answers."""
    bench, address = new_bench(tmp_path_factory.mktemp("offline") / "project"), dead_address()
    bench.run(TARGET, config=config(address))
    return bench, address


@pytest.fixture
def offline(offline_once: tuple[Bench, str], tmp_path) -> tuple[Bench, str]:
    bench, address = offline_once
    return bench.copy(tmp_path / "project"), address


def test_without_a_network_the_stand_in_takes_its_place_and_says_so(offline_once):
    bench, address = offline_once
    assert (bench / RAW).read_bytes() == b"" and source(bench) == "standin"
    assert pq.read_metadata(bench / ARMS).num_rows == 290
    assert NOTICE in (bench / TARGET / "league.md").read_text()
    assert bench.plan(TARGET, config=config(address)) == frozenset()


def test_a_file_that_arrives_replaces_what_came_of_the_stand_in(offline):
    """Saved by hand, under the same paths: no table mixes real runs with those of stand-ins."""
    bench, address = offline
    (bench / RAW).write_bytes(COURSES)
    assert bench.plan(TARGET, config=config(address)) == OF_COURSES
    bench.run(TARGET, config=config(address))
    assert source(bench) == "real" and pq.read_metadata(bench / ARMS).num_rows == 8
    assert NOTICE not in (bench / TARGET / "league.md").read_text()
    # From `auto` to `real`: where files come from is not what is computed.
    assert bench.plan(TARGET, config=config(address, data="real")) == frozenset()


def test_real_is_required_and_says_how_to_get_the_file(offline):
    bench, address = offline
    real = config(address, data="real")
    done = bench.snakemake(config=real)
    assert done.code == 1 and "courses has stand-in arms, but `data: real` asks" in done.text
    done = bench.snakemake(ARMS, "--forcerun", RAW, config=real)  # as `make real`
    assert done.code == 1 and "Traceback" not in done.text
    assert "courses.csv could not be downloaded" in done.text and "no connection" in done.text
    assert f"save the file as {RAW}" in done.text


def test_standin_asks_nobody(offline_once):
    plan = offline_once[0].plan(
        "--forceall", TARGET, config=config("http://anywhere", data="standin")
    )
    assert plan == OF_COURSES | jobs("compile_kernel", "dense")


def test_data_without_a_stand_in_are_required(tmp_path):
    """No empty file stands for one that nothing can take the place of."""
    bench = new_bench(tmp_path / "project")
    entry = {"address": f"{dead_address()}/costs.txt", "sha256": "0" * 64}
    costs = {"label": "Costs", "kind": "cost_subsidy", "files": {"costs.txt": entry}}
    experiment = SMALL["experiments"]["own"] | {"dataset": "costs", "eta": 0.5}
    added = {"datasets": {"costs": costs}, "experiments": {"costs": experiment}, "only": ["costs"]}
    done = bench.snakemake(config=changed(SMALL, added | {"data": "auto"}))
    assert done.code == 1
    assert "costs.txt could not be downloaded" in done.text and "Traceback" not in done.text
    assert not (bench / "resources/raw/costs.txt").exists()
