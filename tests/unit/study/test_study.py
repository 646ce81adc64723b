"""How many runs a job plays."""

import pytest

from lincon.study.study import ROUND, run_seconds, runs_per_job


def asked(runs_per_job="auto", runs=1000):
    return {"runs_per_job": runs_per_job, "runs": runs}


@pytest.mark.parametrize("engine", ROUND)
def test_auto_makes_jobs_of_some_seconds(engine):
    for horizon in (1_000, 50_000, 10**6):
        count = runs_per_job(asked(), engine, 290, horizon)
        seconds = count * run_seconds(engine, 290, horizon)
        assert count == 1 or count == 1000 or 4 <= seconds <= 8


def test_never_more_than_the_runs_there_are_and_long_runs_have_a_job_each():
    assert runs_per_job(asked(runs=3), "lazy", 10, 100) == 3
    assert runs_per_job(asked(), "dense", 1000, 10**8) == 1
    assert runs_per_job(asked(7), "lazy", 10, 10**9) == 7
