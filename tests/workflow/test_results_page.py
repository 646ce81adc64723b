"""The code on docs/results.md runs on the results of a study."""

import re

from tests.workflow.bench import REPOSITORY, Bench

PAGE = REPOSITORY / "docs" / "results.md"


def test_the_page_runs_and_its_tables_are_typed(finished: Bench, monkeypatch):
    monkeypatch.chdir(finished.folder)
    text = PAGE.read_text(encoding="utf-8").replace("studies/paper", "studies/small")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 3
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    # No two settings are mixed up: four players with two runs each, and each run ends once.
    assert len(names["last"]) == 8 and len(names["pairs"]) == 6
    floors = ["eta_0.8", "eta_0.9", "eta_0.99"]
    for frame in (names["runs"], names["in_polars"].to_pandas(), names["in_duckdb"].df()):
        assert sorted(frame["constraints"].unique()) == floors
        assert frame["horizon"].dtype.kind == "i" and frame["seed"].dtype.kind == "i"
        assert len(frame) == len(names["runs"])
