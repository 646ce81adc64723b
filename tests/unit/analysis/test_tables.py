"""What is said of the paper's assumptions at the end of a run."""

from __future__ import annotations

from dataclasses import replace

from lincon.analysis.tables import FEW, notices
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import small

TABLE = "tables/assumptions.md"


def test_a_few_problems_have_a_line_each():
    problems = [solve_problem(small(), eta) for eta in (0.5, 0.2, 0.9)]
    first, *lines = notices(problems, TABLE).splitlines()
    assert first == "Assumptions of the paper:"
    binding, unconstrained, unreachable = lines
    assert "small, eta 0.5: feasible, strictly feasible, binding, unique optimum, two" in binding
    assert "NOT binding" in unconstrained and "the best arm meets eta by itself" in unconstrained
    assert "NOT feasible" in unreachable and "out of reach" in unreachable


def test_many_problems_are_counted():
    """Three of nine floors are below the best arm's mean of 0.4, one is above every mean."""
    floors = (0.1, 0.2, 0.3, 0.45, 0.5, 0.52, 0.55, 0.58, 0.9)
    assert len(floors) > FEW
    problems = [solve_problem(small(), eta) for eta in floors]
    assert notices(problems, TABLE).splitlines() == [
        "Assumptions of the paper, of 9 problems: feasible 8, strictly feasible 8, binding 5, "
        "unique optimum 8, two arms 5",
        f"  each of them: {TABLE}",
    ]


def test_stand_ins_are_named_however_many_problems_there_are():
    problem = replace(solve_problem(small(), 0.5), source="standin")
    for count in (1, FEW + 1):
        last = notices([problem] * count, TABLE).splitlines()[-1]
        assert last == "STAND-IN ARMS, NOT THE REAL DATA: small."
