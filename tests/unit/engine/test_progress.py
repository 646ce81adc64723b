"""Progress lines: often enough to be seen, seldom enough to cost nothing."""

import io

import pytest

from lincon.engine import progress as module
from lincon.engine.progress import Progress


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_a_short_run_prints_nothing(clock):
    out = io.StringIO()
    progress = Progress(1000, every=5.0, out=out)
    for t in range(100, 1001, 100):
        clock[0] += 0.4
        progress(t)
    assert out.getvalue() == ""


def test_a_long_run_says_rounds_percent_rate_and_time_left(clock):
    out = io.StringIO()
    progress = Progress(1000, every=5.0, out=out)
    progress(1)
    clock[0] = 10.0
    progress(201)
    assert out.getvalue() == "round 201 of 1,000 (20%), 20/s, 40 s left\n"


def test_time_before_the_first_round_does_not_count(clock):
    """Compiling the kernel takes longer than the run."""
    out = io.StringIO()
    progress = Progress(1000, every=5.0, out=out)
    clock[0] = 25.0
    progress(1)
    assert out.getvalue() == ""
    clock[0] = 35.0
    progress(201)
    assert out.getvalue() == "round 201 of 1,000 (20%), 20/s, 40 s left\n"


def test_at_most_one_line_in_every_interval(clock):
    out = io.StringIO()
    progress = Progress(1000, every=5.0, out=out)
    for t in range(1, 1001):
        clock[0] += 0.125
        progress(t)
    assert out.getvalue().count("\n") == 24
