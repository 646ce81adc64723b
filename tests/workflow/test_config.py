"""A config's mistake stops Snakemake before any job, with the sentence and without a traceback."""

from __future__ import annotations

import pytest

from tests.workflow.bench import SMALL, Bench, changed


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (changed(SMALL, {"experiments": {"own": {"eta": 2}}}), "config: experiments.own.eta is 2"),
        ({"horizonn": 100}, "config: horizonn is not a known key"),
        (
            changed(
                SMALL,
                {
                    "policies": {"mine": {"python": "sys:exit"}},
                    "experiments": {"own": {"policies": ["mine"]}},
                },
            ),
            "config: policies.mine.python: there is no module sys",
        ),
    ],
    ids=["out of range", "unknown key", "no module"],
)
def test_snakemake_stops_before_any_job(finished: Bench, config, expected):
    done = finished.snakemake(config=config)
    assert done.code == 1
    assert expected in done.text
    assert "Traceback" not in done.text and "common.smk" not in done.text
    assert "Building DAG" not in done.text and "rule " not in done.text


def test_snakemake_refuses_a_key_given_twice(finished: Bench):
    (finished / "twice.yaml").write_text("runs: 1\nruns: 2\n")
    done = finished.snakemake("--configfile", "twice.yaml")
    assert done.code == 1
    assert "twice.yaml, line 2: runs is given twice" in done.text
    assert "Traceback" not in done.text


@pytest.mark.parametrize(
    ("dry", "data", "said"),
    [
        (("--dry-run",), b"runs: 1\nlabel: \xff\n", "junk.yaml is not text in UTF-8 (byte 16)"),
        ((), b"runs: 1\na: &a {b: *a}\n", "junk.yaml, line 2: an alias holds itself"),
    ],
    ids=["no text", "itself"],
)
def test_what_snakemake_cannot_read_is_named_too(finished: Bench, dry, data, said):
    (finished / "junk.yaml").write_bytes(data)
    done = finished.snakemake(*dry, "--configfile", "junk.yaml")
    assert done.code == 1
    assert said in done.text
    assert "Traceback" not in done.text
