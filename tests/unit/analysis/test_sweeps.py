"""Sweeps: who keeps the bound at which point, at what rate, and what is earned there."""

import numpy as np
import pytest

from lincon.analysis import sweeps
from lincon.analysis.measures import summarise
from lincon.files import write_frame, write_text
from lincon.problem.solve import solve_problem
from lincon.report.sweeps import answer_of_sweep, points_table
from tests.unit.analysis.made_runs import runs_of, small

T = np.array([1, 100, 1_000])
SPREAD = np.linspace(-0.001, 0.001, 4)
LOOKS = {"a": {"label": "A"}, "b": {"label": "B"}, "oracle": {"label": "O", "reference": True}}


@pytest.fixture
def sweep(tmp_path) -> sweeps.Sweep:
    """At floors of 0.3 (does not bind), 0.5 and 0.9 (infeasible); `b` keeps the floor, `a` not."""
    points = []
    for eta in (0.3, 0.5, 0.9):
        problem = solve_problem(small(), eta)
        rates = {"a@1": (0.17, 0.28), "b@1": (0.16, eta), "oracle": (0.175, eta)}
        series = {
            name: runs_of(T, reward + SPREAD, np.full(4, events), eta=eta)
            for name, (reward, events) in rates.items()
        }
        folder = tmp_path / str(eta)
        write_text(folder / "problem.json", problem.to_json())
        summary = summarise(series, small(), problem)
        metadata = {"code": "c0de", "unit": "EUR", "scale": "10.0"}
        write_frame(folder / "summary.parquet", summary, metadata)
        points.append(
            {
                "problem": folder / "problem.json",
                "summary": folder / "summary.parquet",
                "coordinates": {"eta": eta},
                "policies": {"a@1": "a", "b@1": "b", "oracle": "oracle"},
            }
        )
    return sweeps.read(points, ["eta"], "s", "A sweep", LOOKS)


def test_points_put_feasibility_first(sweep):
    states = sweep.states.set_index("eta")
    assert states["feasible"].tolist() == [True, True, False]
    assert states["binding"].tolist() == [False, True, False]
    assert states["price_0"].tolist() == pytest.approx([0.0, 0.25, np.nan], nan_ok=True)
    assert (sweep.runs, sweep.code) == (4, "c0de")
    points = sweep.points
    assert sorted(points["eta"].unique()) == [0.3, 0.5], "no regret where the goal is infeasible"
    assert set(points["policy"]) == {"a", "b"}, "references are not compared"
    best = points[points["best"]].set_index("eta")
    assert best["policy"].tolist() == ["b", "b"] and best["group"].tolist() == ["kept", "kept"]
    row = points[(points["eta"] == 0.5) & (points["policy"] == "a")].iloc[0]
    assert row["rate_0"] == pytest.approx(0.28) and row["kept"] == 0.0
    assert row["regret"] == pytest.approx(5.0) and row["joint"] == pytest.approx(5.0 + 0.25 * 220)


def test_the_answer_and_the_table_name_bound_rate_runs_and_reward_in_the_users_unit(sweep):
    answer = answer_of_sweep(sweep)
    assert answer.heading == "A sweep: 3 points, 4 runs each, the user's own arms."
    assert answer.tone == "good"
    kept, _, at_half, *rest = answer.advice
    assert kept.startswith("The bounds are kept at every one of 2 feasible points; lowest joint")
    assert at_half.startswith(
        "At eta 0.5: B (kept in 4 of 4 runs), event rate 50% (\u2265 50%) and reward 1,600 ("
    )
    assert at_half.endswith("EUR.")
    assert rest == ["The goal is infeasible at 1 of 3 points.", "No bound binds at 1 of 3 points."]
    table = points_table(sweep)
    assert table.headings[3:] == ["event rate reached", "joint regret, EUR", "reward, EUR"]
    assert [row[1] for row in table.rows] == ["B", "B"]
    assert "| 0.5 | B | 4 of 4 | 50% |" in table.markdown()


def test_where_nobody_keeps_the_bound_the_answer_is_a_warning(sweep):
    looks = {"a": LOOKS["a"]}
    values = sweep.values[sweep.values["policy"] == "a"]
    alone = sweeps.Sweep("s", "S", sweep.axes, values, sweep.states, looks, sweep.problem, 4)
    answer = answer_of_sweep(alone)
    assert answer.tone == "warning"
    assert answer.advice[0].startswith("No policy keeps the bounds at any of 2 feasible points")
    assert "nobody keeps the bounds; closest: A" in answer.advice[1]
