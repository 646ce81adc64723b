"""Damaged results: found by `lincon verify`, and never read in silence."""

from __future__ import annotations

import pytest

from tests.torture import corruptions
from tests.torture.kind import generator
from tests.workflow.bench import SMALL, Bench


@pytest.fixture(scope="module")
def study(finished: Bench, tmp_path_factory) -> corruptions.Finished:
    copy = finished.copy(tmp_path_factory.mktemp("damaged") / "project")
    return corruptions.of(finished, copy, SMALL)


@pytest.mark.parametrize("kind", ["runs *.parquet", "problems *.json", "figures *.png"])
def test_damage_is_noticed(study, kind):
    number = sorted(study.kinds).index(kind)
    made = corruptions.attempt(study, generator(corruptions.KIND, 1, number), number)
    assert not made.failure, made


def test_damage_that_nobody_notices_would_be_told(study, monkeypatch):
    """With a manifest that was made after the damage."""
    name = study.kinds["runs *.parquet"][0]
    (study.bench / name).write_bytes(b"")
    assert "verify" not in corruptions.unnoticed(study, name)
    monkeypatch.setattr(
        corruptions.Finished, "call", lambda *_: (0, "small: 70 files, 0 not as they were written")
    )
    assert "verify does not name it" in corruptions.unnoticed(study, name)
    study.restore(name)
