"""Snakemake's cache between working directories: what it shares, and what it must never mix up."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from tests.server import dead_address, healthy
from tests.workflow.bench import SMALL, Bench, changed, new_bench, run_file

ARMS = "results/arms/radio.parquet"
RAW = "resources/raw/courses.csv"
BODY = b"what these bytes mean is nobody's business here"
RADIO = changed(SMALL, {"only": ["radio"]})


def run_files(config: dict[str, Any] = RADIO, eta: str = "0.9") -> list[str]:
    return [run_file(config, f"radio/{eta}/200/lincon_ts/0", tree) for tree in ("runs", "plays")]


def cached_run(bench: Bench, cache: Path, targets: list[str], config: dict[str, Any]) -> str:
    bench.run("--cache", "--", *targets, config=config, SNAKEMAKE_OUTPUT_CACHE=str(cache))
    return max((bench / ".snakemake/log").iterdir()).read_text()


def computed(path: str, text: str) -> bool:
    """Whether the file was made now and put into the cache; if not, it was taken from there."""
    assert f"Symlinking output file {path} from cache." in text, text
    return f"Moving output file {path} to cache." in text


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def first(cache: Path, tmp_path_factory) -> Bench:
    """A clone that has filled the cache."""
    bench = new_bench(tmp_path_factory.mktemp("first") / "project")
    text = cached_run(bench, cache, run_files(), RADIO)
    assert all(computed(path, text) for path in (ARMS, *run_files()))
    return bench


@pytest.fixture
def second(first: Bench, tmp_path) -> Bench:
    """Another clone, in another folder, with nothing computed."""
    return new_bench(tmp_path / "elsewhere")


def test_a_second_clone_takes_arms_and_runs_from_the_cache(first: Bench, second: Bench, cache):
    text = cached_run(second, cache, run_files(), RADIO)
    for path in (ARMS, *run_files()):
        assert not computed(path, text)
        assert (second / path).resolve().parent == cache
        assert (second / path).read_bytes() == (first / path).read_bytes()
    assert second.plan(*run_files(), config=RADIO) == frozenset()


@pytest.mark.parametrize(
    ("changes", "eta"),
    [({"seed": 1}, "0.9"), ({"experiments": {"radio": {"eta": 0.95}}}, "0.95")],
    ids=["seed", "eta"],
)
def test_two_seeds_and_two_etas_share_arms_and_no_run(
    first: Bench, second: Bench, cache: Path, changes, eta
):
    config = changed(RADIO, changes)
    text = cached_run(second, cache, run_files(config, eta), config)
    assert not computed(ARMS, text)
    for mine, theirs in zip(run_files(config, eta), run_files(), strict=True):
        assert computed(mine, text)
        assert (second / mine).resolve() != (first / theirs).resolve()
        assert (second / mine).read_bytes() != (first / theirs).read_bytes()


@pytest.mark.parametrize(
    ("module", "again"), [("problem/lp", run_files()), ("data/sources", [ARMS])]
)
def test_two_versions_of_the_library_share_no_entry(
    first: Bench, second: Bench, cache: Path, module, again
):
    """Even where the files come out the same: the code is part of the key, not the result."""
    with open(second / f"workflow/lincon/{module}.py", "a", encoding="utf-8") as file:
        file.write("\nADDED = 1\n")
    before = set(cache.iterdir())
    text = cached_run(second, cache, again, RADIO)
    assert all(computed(path, text) for path in again)
    assert len(set(cache.iterdir()) - before) == len(again)


def courses(address: str, data: str) -> dict[str, Any]:
    entry = {"address": f"{address}/courses.csv", "sha256": hashlib.sha256(BODY).hexdigest()}
    dataset = {"label": "Courses", "kind": "edx_courses", "files": {"courses.csv": entry}}
    experiment = SMALL["experiments"]["own"] | {"dataset": "courses", "horizon": 300}
    added = {"only": ["courses"], "datasets": {"courses": dataset}, "data": data}
    return changed(SMALL, added | {"experiments": {"courses": experiment}})


def test_a_raw_file_is_downloaded_once_for_all_clones(first: Bench, second: Bench, cache, server):
    server.files["courses.csv"] = [healthy(BODY)]
    config = courses(server.address, "real")
    assert computed(RAW, cached_run(first, cache, [RAW], config))
    assert not computed(RAW, cached_run(second, cache, [RAW], config))
    assert (second / RAW).read_bytes() == BODY
    assert server.asked == ["courses.csv"]


def test_what_the_network_decided_is_not_shared(second: Bench, tmp_path):
    """With `auto` an empty file may stand for one that could not be downloaded here."""
    cache = tmp_path / "cache"
    cache.mkdir()
    cached_run(second, cache, ["results/arms/courses.parquet"], courses(dead_address(), "auto"))
    assert (second / RAW).read_bytes() == b""
    assert list(cache.iterdir()) == []
