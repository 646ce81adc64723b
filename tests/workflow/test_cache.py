"""Snakemake's cache between working directories: what it shares, and what it must never mix up."""

from pathlib import Path
from typing import Any

import pytest

from lincon.study import paths
from tests.workflow.bench import REPOSITORY, SMALL, Bench, arms_file, changed, new_bench, run_file

RADIO = changed(SMALL, {"only": ["radio"]})
ARMS = arms_file(Bench(REPOSITORY), RADIO, "radio")


def run_files(config: dict[str, Any] = RADIO) -> list[str]:
    run = "radio/0.9/200/lincon_ts/0"
    return [run_file(Bench(REPOSITORY), config, run, tree) for tree in (paths.RUNS, paths.PLAYS)]


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


def test_two_seeds_share_arms_and_no_run(first: Bench, second: Bench, cache: Path):
    config = changed(RADIO, {"seed": 1})
    text = cached_run(second, cache, run_files(config), config)
    assert not computed(ARMS, text)
    for mine, theirs in zip(run_files(config), run_files(), strict=True):
        assert computed(mine, text)
        assert (second / mine).read_bytes() != (first / theirs).read_bytes()


def test_two_versions_of_the_library_share_no_entry(first: Bench, second: Bench, cache: Path):
    """Even where the files come out the same: the code is part of the key, not the result."""
    for module in ("problem/lp", "data/sources"):
        with open(second / f"workflow/lincon/{module}.py", "a", encoding="utf-8") as file:
            file.write("\nADDED = 1\n")
    text = cached_run(second, cache, run_files(), RADIO)
    assert all(computed(path, text) for path in (ARMS, *run_files()))
