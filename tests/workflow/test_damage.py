"""Damaged results: tables are named by `lincon verify`, and nothing is read in silence."""

from __future__ import annotations

import pytest

from tests.torture import corruptions
from tests.torture.kind import generator
from tests.workflow.bench import SMALL, Bench, Done


@pytest.fixture(scope="module")
def study(finished: Bench, tmp_path_factory) -> corruptions.Finished:
    copy = finished.copy(tmp_path_factory.mktemp("damaged") / "project")
    return corruptions.of(finished, copy, SMALL)


@pytest.mark.parametrize("kind", ["runs *.parquet", "problems *.json", "results.json"])
def test_damage_is_noticed(study, kind):
    number = sorted(study.kinds).index(kind)
    made = corruptions.attempt(study, generator(corruptions.KIND, 1, number), number)
    assert not made.failure, made


def test_damage_that_nobody_notices_would_be_told(study, monkeypatch):
    name = study.kinds["runs *.parquet"][0]
    monkeypatch.setattr(corruptions, "call", lambda *_: Done(0, "0 damaged"))
    assert "verify does not name it" in corruptions.unnoticed(study, name)
