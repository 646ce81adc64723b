"""Snakemake's cache between working directories: what it shares, and what it must never mix up."""

from pathlib import Path

from tests.workflow.bench import SMALL, Bench, arms_file, changed, new_bench, run_file

RADIO = changed(SMALL, {"only": ["radio"]})
ARMS = arms_file(RADIO, "radio")
RUN = run_file(RADIO, "radio/0.9/200/lincon_ts/0")
OTHER_SEED = changed(RADIO, {"seed": 1})


def computed(bench: Bench, cache: Path, config, *targets: str) -> set[str]:
    """Which of the targets were made; all others were taken from the cache."""
    bench.run("--cache", "--", *targets, config=config, SNAKEMAKE_OUTPUT_CACHE=str(cache))
    text = max((bench / ".snakemake/log").iterdir()).read_text()
    assert all(f"Symlinking output file {path} from cache." in text for path in targets), text
    return {path for path in targets if f"Moving output file {path} to cache." in text}


def test_clones_share_what_the_same_code_makes_of_the_same_config(tmp_path):
    first, second, third = (new_bench(tmp_path / name) for name in ("first", "second", "third"))
    cache = tmp_path / "cache"
    cache.mkdir()
    assert computed(first, cache, RADIO, ARMS, RUN) == {ARMS, RUN}
    assert computed(second, cache, RADIO, ARMS, RUN) == set()
    assert (second / RUN).read_bytes() == (first / RUN).read_bytes()
    # Another seed has no run in common.
    other = run_file(OTHER_SEED, "radio/0.9/200/lincon_ts/0")
    assert computed(second, cache, OTHER_SEED, other) == {other}
    assert (second / other).read_bytes() != (first / RUN).read_bytes()
    # Other code, even where the numbers stay the same.
    with open(third / "workflow/lincon/problem/lp.py", "a", encoding="utf-8") as file:
        file.write("\nADDED = 1\n")
    assert computed(third, cache, RADIO, RUN) == {RUN}
