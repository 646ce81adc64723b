"""Progress lines: often enough to be seen, seldom enough to cost nothing."""

import io

import pytest

from lincon.engine import progress as module
from lincon.engine.progress import Progress


@pytest.fixture
def lines(monkeypatch):
    """What is printed of calls (time, round)."""
    now, out = [0.0], io.StringIO()
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])

    def printed(calls) -> list[str]:
        progress = Progress(1000, every=5.0, out=out)
        for now[0], t in calls:
            progress(t)
        return out.getvalue().splitlines()

    return printed


def test_a_line_says_rounds_percent_rate_and_time_left(lines):
    """From the first round on: compiling the kernel may have taken longer than the run."""
    assert lines([(25.0, 1), (35.0, 201)]) == ["round 201 of 1,000 (20%), 20/s, 40 s left"]


def test_at_most_one_line_in_every_interval(lines):
    assert len(lines((0.125 * t, t) for t in range(1, 1001))) == 24
