"""A mistake in a config stops Snakemake before any job, with one sentence and no traceback."""

import json

import pytest

from tests.workflow.bench import SMALL, Bench, changed

MISTAKES = {
    "out of range": ({"experiments": {"own": {"eta": 2}}}, "config: experiments.own.eta is 2"),
    # Snakemake cannot read itself what refers to itself.
    "no YAML": (b"datasets: &a\n  x: *a\n", "odd.yaml, line 1 cannot be read: found uncons"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_snakemake_stops_before_any_job(finished: Bench, mistake):
    given, expected = MISTAKES[mistake]
    data = given if isinstance(given, bytes) else json.dumps(changed(SMALL, given)).encode()
    (finished / "odd.yaml").write_bytes(data)
    done = finished.snakemake("--configfile", "odd.yaml")
    assert done.code == 1 and expected in done.text
    for noise in ("Traceback", "common.smk", "Building DAG", "rule "):
        assert noise not in done.text
