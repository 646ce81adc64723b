"""Blocks of runs: which files hold which runs, and which are still to be played."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincon.study.paths import blocks_there, cover, read_block


@pytest.mark.parametrize(
    ("there", "runs", "size", "expected"),
    [
        ([], 4, 1, ["0", "1", "2", "3"]),
        ([], 32, 16, ["0-15", "16-31"]),
        ([], 20, 16, ["0-15", "16-19"]),
        ([(0, 15)], 32, 16, ["0-15", "16-31"]),
        ([(0, 15)], 4, 1, ["0-15"]),
        ([(0, 0), (1, 1)], 8, 4, ["0", "1", "2-3", "4-7"]),
        ([(5, 9)], 16, 16, ["0-4", "5-9", "10-15"]),
        ([(0, 1), (0, 3)], 4, 2, ["0-3"]),
    ],
)
def test_what_is_there_is_used_and_the_gaps_are_filled(there, runs, size, expected):
    assert cover(there, runs, size) == expected


@given(
    starts=st.lists(st.integers(0, 60), unique=True, max_size=8),
    runs=st.integers(1, 50),
    size=st.integers(1, 20),
)
def test_every_run_is_in_one_block_and_the_plan_is_stable(starts, runs, size):
    """Played blocks never overlap, as every plan leaves them; planning again changes nothing."""
    following = [*sorted(starts)[1:], 70]
    pairs = zip(sorted(starts), following, strict=False)
    there = [(start, min(start + 4, end) - 1) for start, end in pairs]
    names = cover(there, runs, size)
    played = [run for name in names for run in range(read_block(name)[0], read_block(name)[1] + 1)]
    assert len(set(played)) == len(played) and set(range(runs)) <= set(played)
    assert cover([*there, *map(read_block, names)], runs, size) == names


def test_only_files_of_runs_are_blocks(tmp_path):
    odd = ("run=5-3.parquet", "run=\u0663.parquet", ".run=4.parquet.tmp", "7")
    for name in (*odd, "run=2.parquet", "run=3-4.parquet"):
        (tmp_path / name).touch()
    assert sorted(blocks_there(tmp_path)) == [(2, 2), (3, 4)]
    assert cover(blocks_there(tmp_path), 6, 2) == ["0-1", "2", "3-4", "5"]
    assert blocks_there(tmp_path / "nowhere") == []
