"""The code in results/README.md runs on the results of a study."""

import re

from tests.workflow.bench import REPOSITORY, Bench

PAGE = REPOSITORY / "results" / "README.md"


def test_the_table_of_runs_reads_as_the_page_says(finished: Bench, monkeypatch):
    duckdb, polars = __import__("duckdb"), __import__("polars")
    monkeypatch.chdir(finished.folder)
    text = PAGE.read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict = {}
    exec(compile(block, str(PAGE), "exec"), names)
    runs = names["runs"]
    # No two groups are mixed up: four policies with two runs each, and each run ends once.
    assert len(names["last"]) == 8
    query = re.search(r"`(select .*?)`", text)[1]
    call = re.search(r"`(pl\..*?)`", text)[1]
    others = [duckdb.sql(query).df(), eval(call, {"pl": polars}).to_pandas()]
    for frame in (runs, *others):
        assert sorted(frame["constraints"].unique()) == ["eta_0.8", "eta_0.9", "eta_0.99"]
        assert frame["horizon"].dtype.kind == "i" and len(frame) == len(runs)
