"""The code in results/README.md runs on the results of a study."""

import re

from tests.workflow.bench import REPOSITORY, Bench

PAGE = REPOSITORY / "results" / "README.md"


def test_the_table_of_runs_reads_as_the_page_says(finished: Bench, monkeypatch):
    monkeypatch.chdir(finished.folder)
    text = PAGE.read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict = {}
    exec(compile(block, str(PAGE), "exec"), names)
    runs = names["runs"]
    # No two groups are mixed up: five with two runs of each policy, and each run ends once.
    assert len(names["last"]) == 10
    assert sorted(runs["constraints"].unique()) == ["eta_0.8", "eta_0.9", "eta_0.99"]
    assert set(runs["horizon"]) == {200, 300} and len(runs) > 100
