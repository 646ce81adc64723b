"""A sweep: the tables of its points side by side, whatever its axes are called."""

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.measures import curves, outcomes
from lincon.analysis.sweeps import RESERVED, Sweep, Tables
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import runs_of, small

LOOKS = {"good": {"label": "Good"}, "bad": {"label": "Bad"}, "oracle": {"reference": True}}
RATES = {"good": (0.15, 0.5), "bad": (0.10, 0.5), "oracle": (0.175, 0.5)}


def point(eta: float = 0.5, horizon: int = 100) -> Tables:
    t, wobble = np.array([1, horizon]), np.linspace(-0.004, 0.004, 4)
    series = {n: runs_of(t, r + wobble, np.full(4, e), eta=eta) for n, (r, e) in RATES.items()}
    problem = solve_problem(small(), eta)
    tables = (outcomes(series, small(), problem), curves(series, small(), problem))
    return Tables(problem, *tables, {"unit": "EUR", "scale": "10.0"})


def sweep(axes: dict[str, list[float]], points: list[Tables]) -> Sweep:
    coordinates = pd.DataFrame(axes).to_dict("records")
    return Sweep.of(coordinates, points, name="s", title="S", axes=list(axes), looks=LOOKS)


def test_a_row_for_each_point_and_policy_in_the_users_unit():
    made = sweep({"eta": [0.4, 0.5]}, [point(0.4), point(0.5)])
    assert made.states["optimum"].tolist() == pytest.approx([0.2, 0.175])
    assert made.best["policy"].tolist() == ["good", "good"], "a reference is never the best"
    table = made.table().set_index(["eta", "policy"])
    assert len(table) == 6 and set(table["unit"]) == {"EUR"}
    # 0.025 of 100 rounds at a scale of 10.
    assert table.loc[(0.5, "good"), "regret"] == pytest.approx(25.0)
    assert made.rows("regret").set_index(["eta", "policy"]).loc[(0.5, "good"), "mean"] == 2.5


@pytest.mark.parametrize("name", ["horizon", "arms", "rates.high", *sorted(RESERVED)])
def test_any_key_can_be_an_axis_alone_or_with_another(name):
    points = [point(horizon=100), point(horizon=200)]
    for axes in ({name: [100.0, 200.0]}, {name: [100.0, 200.0], "eta": [0.5, 0.5]}):
        made = sweep(axes, points)
        for frame in (made.values, made.states, made.leagues, made.table()):
            assert frame.columns.is_unique
            assert list(pd.unique(frame[made.axes[0]])) == [100.0, 200.0]
