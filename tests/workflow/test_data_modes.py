"""`data: auto`, `real` and `standin`, against a server that is there or not."""

import hashlib
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest

from tests.server import dead_address, healthy
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
# The cheapest that has everything in it: fetching, arms, runs, tables and a figure.
TARGETS = (f"{STUDY}/summary.parquet", f"{STUDY}/tables/courses/theory.parquet")
OF_COURSES = (
    jobs("extract_arms", "courses")
    | jobs("problem", "courses/0.5")
    | simulations("courses/0.5/300", "lincon_ts", range(2))
    | jobs("summarise", "courses/0.5/300")
    | jobs("analyse", "courses")
    | {"tables"}
)
NOTICE = "Stand-in arms, not the real data: courses. Run `lincon real` when online."


def config(address: str, **changes: Any) -> dict[str, Any]:
    """`own` as it is in the small bench, and eight made-up courses at that address."""
    entry = {"address": f"{address}/courses.csv", "sha256": hashlib.sha256(COURSES).hexdigest()}
    courses = {"label": "Courses", "kind": "edx_courses", "files": {"courses.csv": entry}}
    # The stand-in of any course list has 290 arms, and each is played once.
    experiment = SMALL["experiments"]["own"] | {"dataset": "courses", "eta": 0.5, "horizon": 300}
    added = {
        "data": "auto",
        "only": ["own", "courses"],
        "datasets": {"courses": courses},
        "experiments": {"courses": experiment},
    }
    return changed(SMALL, added | changes)


def arms(bench: Bench, standin: bool = False) -> str:
    return arms_file(bench, config("http://anywhere"), "courses", standin)


def source(bench: Bench, path: str) -> str:
    return pq.read_schema(bench / path).metadata[b"source"].decode()


class Offline(NamedTuple):
    bench: Bench
    address: str
    text: str


@pytest.fixture(scope="module")
def offline_once(finished: Bench, tmp_path_factory) -> Offline:
    """The first run on a plane: nobody answers at the public address."""
    bench = finished.copy(tmp_path_factory.mktemp("offline") / "project")
    address = dead_address()
    done = bench.run(*TARGETS, config=config(address))
    return Offline(bench, address, done.text)


@pytest.fixture
def offline(offline_once: Offline, tmp_path) -> Offline:
    return offline_once._replace(bench=offline_once.bench.copy(tmp_path / "project"))


def test_without_a_network_the_stand_in_takes_its_place_and_says_so(offline_once: Offline):
    bench = offline_once.bench
    assert (bench / RAW).read_bytes() == b""
    assert source(bench, arms(bench, standin=True)) == "standin"
    assert pq.read_metadata(bench / arms(bench, standin=True)).num_rows == 290
    assert NOTICE in offline_once.text
    assert "More jobs follow: what can be downloaded decides which." in offline_once.text
    for table in ("assumptions", "final"):
        text = (bench / f"{STUDY}/tables/{table}.md").read_text()
        assert "**Stand-in arms, not the real data: courses.**" in text
    assert b"standin" in (bench / STUDY / "summary.parquet").read_bytes()


def test_the_stand_in_is_kept_until_the_real_data_are_asked_for(offline_once: Offline):
    """And `data: standin` means the same arms, so nothing is played again."""
    for data in ("auto", "standin"):
        modes = config(offline_once.address, data=data)
        assert offline_once.bench.plan(*TARGETS, config=modes) == frozenset()


def test_real_asks_again_says_how_to_get_the_file_and_takes_it_from_a_mirror(
    offline: Offline, tmp_path
):
    done = offline.bench.snakemake(RAW, config=config(offline.address, data="real"))
    assert done.code == 1 and "Traceback" not in done.text
    assert "courses.csv could not be downloaded" in done.text and "no connection" in done.text
    assert f"download {offline.address}/courses.csv elsewhere and save it as {RAW}" in done.text
    assert not (offline.bench / RAW).exists() and not (offline.bench / arms(offline.bench)).exists()
    (tmp_path / "courses.csv").write_bytes(COURSES)
    mirrored = config(offline.address, data="real", mirrors=[str(tmp_path)])
    offline.bench.run(arms(offline.bench), config=mirrored)
    assert source(offline.bench, arms(offline.bench)) == "real"


def test_once_online_the_real_arms_are_played_and_the_stand_ins_are_kept(offline: Offline, server):
    bench, online = offline.bench, config(offline.address, mirrors=[server.address])
    server.files["courses.csv"] = [healthy(COURSES)]
    bench.run(RAW, config=online | {"data": "real"})
    assert (bench / RAW).read_bytes() == COURSES
    assert bench.plan(*TARGETS, config=online) == OF_COURSES
    done = bench.run(*TARGETS, config=online)
    assert pq.read_metadata(bench / arms(bench)).num_rows == 8
    assert NOTICE not in done.text
    # From `auto` to `real`, and with another mirror: where files come from is not what is computed.
    real = config(offline.address, data="real", mirrors=["somewhere"])
    assert bench.plan(*TARGETS, config=real) == frozenset()
    # Back to the stand-ins: only what belongs to the study is made again.
    back = bench.plan(*TARGETS, config=config(offline.address, data="standin"))
    assert back == jobs("analyse", "courses") | {"tables"}


@pytest.fixture
def fresh(tmp_path) -> Bench:
    return new_bench(tmp_path / "project")


def test_standin_asks_nobody_and_gives_way_to_the_real_data(fresh: Bench, server):
    server.files["courses.csv"] = [healthy(COURSES)]
    fresh.run(arms(fresh, standin=True), config=config(server.address, data="standin"))
    assert source(fresh, arms(fresh, standin=True)) == "standin"
    assert server.asked == [] and not (fresh / RAW).exists()
    # With a network they are taken at once.
    fresh.run(arms(fresh), config=config(server.address, only=["courses"]))
    assert (source(fresh, arms(fresh)), (fresh / RAW).read_bytes()) == ("real", COURSES)


def test_data_without_a_stand_in_are_required(fresh):
    """No placeholder stands for a file that nothing can take the place of."""
    entry = {"address": f"{dead_address()}/costs.txt", "sha256": "0" * 64}
    costs = {"label": "Costs", "kind": "cost_subsidy", "files": {"costs.txt": entry}}
    experiment = SMALL["experiments"]["own"] | {"dataset": "costs", "eta": 0.5}
    added = {"datasets": {"costs": costs}, "experiments": {"costs": experiment}, "only": ["costs"]}
    done = fresh.snakemake(config=changed(SMALL, added | {"data": "auto"}))
    assert done.code == 1
    assert "costs.txt could not be downloaded" in done.text and "Traceback" not in done.text
    assert not (fresh / "resources/raw/costs.txt").exists()
