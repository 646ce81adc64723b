"""Playing a block of runs: what a class of one's own may do to it."""

from __future__ import annotations

import pytest

from lincon.command_line import simulate
from lincon.command_line.phases import Phases
from lincon.errors import UserError
from lincon.policies.registry import make_policy
from tests.unit.analysis.made_runs import small, small_problem

CLASS = """
import sys

class Mine:
    def __init__(self, values, eta, horizon, rng): pass
    def choose(self, t): {does}
    def update(self, t, arm, event): pass
"""


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("sys.exit(0)", r"run 7: policies.mine called sys.exit\(0\); it must play to the last"),
        ("return 'x' * 10**6", "run 7: policies.mine, round 1: it chose 'xxx"),
    ],
)
def test_a_class_that_ends_the_program_or_answers_with_a_book(tmp_path, does, said):
    path = tmp_path / "mine.py"
    path.write_text(CLASS.format(does=does))
    entry = {"python": f"{path}:Mine"}
    settings = simulate.Settings("small", 0.5, 9, "mine", entry, 7, 7, 1, 4, "python")
    with pytest.raises(UserError, match=said) as caught:
        policy = make_policy("mine", entry)
        simulate._play(settings, policy, small(), small_problem(), 7, Phases())
    assert len(str(caught.value)) < 400
