"""Short versions of `make torture`, and that it tells what failed.

More are where what they need is: kills, damage and same bytes in tests/workflow, rounds in
tests/unit/engine/lazy.
"""

from __future__ import annotations

import json
from contextlib import nullcontext

import numpy as np
import pytest

from tests.torture import __main__ as program
from tests.torture import configs, servers
from tests.torture.kind import Attempt, Kind, torture


def brittle(shared: None, rng: np.random.Generator, number: int) -> Attempt:
    if number == 2:
        raise RuntimeError("broke")
    return Attempt(f"attempt {number}, {rng.random()}", "bent" if number == 3 else "", size=2)


BRITTLE = Kind("brittle", "x", "y", "things", 10, lambda folder: nullcontext(), brittle)


@pytest.mark.parametrize(
    ("kind", "count", "start"),
    [(configs.KIND, 6, 1), (servers.KIND, 2, len(servers.EVERY))],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_short_version_holds(tmp_path, kind, count, start):
    result = torture(kind, tmp_path, 1, count, start)
    assert result.tried >= count and not result.failures, "\n".join(result.failures)


def test_what_fails_is_counted_and_can_be_played_again(tmp_path):
    seen = []
    result = torture(BRITTLE, tmp_path, 7, 10, tell=lambda number, attempt: seen.append(attempt))
    assert (result.tried, result.held, result.failed) == (11, 8, 3)
    assert "RuntimeError" in result.failures[0] and "broke" in result.failures[0]
    assert '--only brittle --seed 7 --start 3 --count 1"' in result.failures[1]
    again = []
    torture(BRITTLE, tmp_path, 7, 2, 3, lambda number, attempt: again.append(attempt))
    assert again == [seen[3]]


def test_the_program_keeps_a_table_and_fails_with_what_failed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(program, "KINDS", {"brittle": BRITTLE})
    call = ["--out", str(tmp_path), "--seed", "7", "--only", "brittle", "--count"]
    assert program.main([*call, "4"]) == 0
    assert program.main([*call, "5"]) == 1
    assert json.loads((tmp_path / "brittle.json").read_text())["failed"] == 1
    table = (tmp_path / "torture.md").read_text()
    assert "| 5 things | 4 | 1 |" in table and table in capsys.readouterr().out
