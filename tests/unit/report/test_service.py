"""The lines that put a winner into a service are run as they are printed."""

from dataclasses import replace
from typing import Any

import pytest

from benchmarks.made_results import made_results
from lincon import online
from lincon.analysis.results import Results
from lincon.problem.goal import Constraint, Goal
from lincon.report import service, terminal

TWO = Goal((Constraint("rate", per_event=1.0, bound=0.3), Constraint("sold", "value", bound=0.1)))


def results_of(group: str = "kept", **known: Any) -> Results:
    made = made_results(2, 5, 500, 4, **known)
    return replace(made, league=made.league.assign(group=group))


@pytest.mark.parametrize("goal", [0.5, TWO])
def test_the_lines_run(goal, tmp_path):
    path = tmp_path / "links.csv"
    path.write_text("label,value,successes,trials\nbasic,0.2,30,100\npremium,1,2,50\n")
    labels = ("TS ledger, learned prior", "LinConTS")
    made = results_of(eta=goal, labels=labels, address=str(path), source="user")
    lines = service.service(made)
    assert lines.splitlines()[0] in terminal.study([made], path / "x", "", 100)
    assert set(service.CLASSES.values()) <= set(online.__all__)
    scope = {"event": True}
    exec(lines, scope)
    policy = scope["policy"]
    assert policy.counted == 1 and ["basic", 30.0, 100.0] in map(list, policy.totals[""]["arms"])
    assert policy.goal == (goal if isinstance(goal, Goal) else Goal.floor(goal))


def test_without_a_file_of_ones_own_the_terminal_is_silent():
    made = results_of(labels=("LinConTS", "TS ledger"))
    assert "({...}, eta=0.5)" in service.service(made)
    assert "lincon.online" not in terminal.experiment(made, 100)
    assert service.service(results_of(labels=("Mine", "Yours"))) == ""


def test_a_winner_without_a_class_leaves_its_place_to_the_next_keeper():
    lines = service.service(results_of(labels=("Mine", "TS ledger"))).splitlines()
    assert lines[0] == "# TS ledger: the best that has a class for a service"
    assert lines[1] == "from lincon.online import Ledger"


def test_what_breaks_the_promise_is_not_put_into_a_service():
    labels = ("LinConTS", "TS ledger")
    assert service.service(results_of(group="never", labels=labels)) == ""
    assert service.service(results_of(group="sometimes", labels=labels)) == ""
