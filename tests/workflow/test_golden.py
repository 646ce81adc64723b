"""The small study reproduces its golden checksums; `make golden` records a change."""

import platform

import pytest

from tests.workflow.bench import OTHER_PROCESSOR, SMALL, Bench, changed, checksums, new_bench
from tests.workflow.golden import moved, recorded, rows_of


def test_rows_are_those_of_the_golden_file(finished: Bench):
    lines = moved(recorded(), rows_of(finished / "results"))
    assert not lines, "\n".join([*lines, "if that is meant: make golden, and say why"])


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the instructions named are x86-64's")
def test_another_processor_gives_the_same(finished: Bench, tmp_path):
    """NumPy rounds exp and log, and BLAS sums, with what instructions there are."""
    bench = new_bench(tmp_path / "project")
    bench.run(config=changed(SMALL, {"only": ["radio"]}), **OTHER_PROCESSOR)
    made, before = checksums(bench), checksums(finished)
    # The tables over all settings have those of one experiment alone.
    own = {name for name in made if "/radio" in name or "dataset=radio" in name}
    assert len(own) > 30
    assert {name: made[name] for name in own} == {name: before[name] for name in own}
