"""A config's mistake stops Snakemake before any job, with the sentence and without a traceback."""

import json

import pytest

from tests.workflow.bench import SMALL, Bench, changed

MISTAKES = {
    "out of range": ({"experiments": {"own": {"eta": 2}}}, "config: experiments.own.eta is 2"),
    "a key twice": (b"runs: 1\nruns: 2\n", "odd.yaml, line 2 cannot be read: runs is given twice"),
    # Which Snakemake cannot read itself.
    "itself": (b"datasets: &a\n  x: *a\n", "odd.yaml, line 1 cannot be read: found uncons"),
    "no text": (b"runs: 1\nlabel: \xff\n", "odd.yaml is not text in UTF-8 (byte 16)"),
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
